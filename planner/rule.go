package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// RuleId is the analyzer's number for Rule, beyond the engine's own.
const RuleId analyzer.RuleId = 10001

// Rule is the analyzer rule that puts estimates in place of aggregates over
// published views. It belongs before all rules of the engine, and is
// idempotent: the engine calls it again for parts of a plan.
func Rule(
	ctx *sql.Context, a *analyzer.Analyzer, node sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags,
) (sql.Node, transform.TreeIdentity, error) {
	if call, ok := node.(*plan.Call); ok && strings.EqualFold(call.Name, explainProcedure) && len(call.Params) == 1 {
		explained, err := explainCall(ctx, a, call)
		return explained, transform.NewTree, err
	}
	p := newPlanner(ctx)
	padded, same, err := padComparisons(ctx, node)
	if err != nil {
		return node, transform.SameTree, err
	}
	result, err := p.recognise(&runner{a, flags}, padded)
	if err == nil {
		err = p.checkIds()
	}
	if err != nil || p.estimates == 0 && p.rollups == 0 {
		return padded, same, err
	}
	return result, transform.NewTree, nil
}

// recognise puts estimates in place of the aggregates in a bound plan, and counts them.
// Read it to follow an estimated COUNT through planning; Estimate.answer in package
// answer executes it.
func (p *planner) recognise(r *runner, bound sql.Node) (recognised sql.Node, err error) {
	if hasRollup(bound) || readsStoredRows(bound) {
		p.numberAfter(bound)
	}
	// GROUP BY ... WITH ROLLUP, over any table, is a UNION ALL of GROUP BYs from here on
	// (rollup.go).
	if bound, err = p.expandRollups(bound); err != nil {
		return nil, err
	}
	if p.rollups > 0 && r.flags != nil {
		r.flags.Set(sql.QFlagRelSubquery)
	}
	// Statements without a published view are left to the engine.
	if !readsStoredRows(bound) {
		return bound, nil
	}
	// The unit's columns can only be counted (units.go).
	if err = refuseUnits(bound); err != nil {
		return nil, err
	}
	// HAVING refers to aliases of the SELECT list, even if they equal a column's name (having.go).
	if bound, err = p.selectNames(bound); err != nil {
		return nil, err
	}
	// Expressions that are constant for a statement, such as NOW(), become values (constants.go).
	if bound, err = foldConstants(p.ctx, bound); err != nil {
		return nil, err
	}
	// COUNT may estimate the population (person_count.go).
	if bound, err = countPersons(p.ctx, bound); err != nil {
		return nil, err
	}
	// Every aggregation is followed down to a published view and replaced by a childless
	// Estimate; the nodes above are rebuilt on it (visit.go). Remaining aggregations
	// would read the preview rows, or need figures that are unknown over a join: they are
	// refused (refuse.go).
	if recognised, err = p.checked(bound); isRefusal(err) {
		// Refused queries run on the completed tables of the releases, if these answer
		// (pertable.go).
		recognised, err = p.runPerTable(r, bound, err)
	}
	if err != nil {
		return nil, err
	}
	if p.estimates == 0 {
		return bound, nil
	}
	// The nodes above get the types of the figures: an estimate is a DOUBLE, an exact
	// figure has MySQL's type (retype.go).
	return retype(recognised)
}

// checked visits a plan, and refuses unsupported remains.
func (p *planner) checked(bound sql.Node) (sql.Node, error) {
	visited, err := p.visit(bound)
	if err == nil {
		err = p.refuseCompanions(visited)
	}
	if err == nil {
		err = refuseLeftovers(visited)
	}
	if err != nil {
		return nil, err
	}
	return visited, nil
}
