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
	if err != nil || p.estimates == 0 && p.rollups == 0 {
		return padded, same, err
	}
	return result, transform.NewTree, nil
}

// recognise is the life of an estimated COUNT while its statement is planned: it puts
// estimates in place of the aggregates in a bound plan, and counts them. What happens
// when the node runs is Estimate.answer in package answer.
func (p *planner) recognise(r *runner, bound sql.Node) (recognised sql.Node, err error) {
	// GROUP BY ... WITH ROLLUP, over any table, is a UNION ALL of GROUP BYs from here on
	// (rollup.go).
	if bound, err = p.expandRollups(bound); err != nil {
		return nil, err
	}
	if p.rollups > 0 && r.flags != nil {
		r.flags.Set(sql.QFlagRelSubquery)
	}
	// A statement without a published view is the engine's alone.
	if !readsStoredRows(bound) {
		return bound, nil
	}
	// The unit's columns can be counted, and nothing else (units.go).
	if err = refuseUnits(bound); err != nil {
		return nil, err
	}
	// HAVING means the columns of the SELECT list, where these have a column's name (having.go).
	if bound, err = p.selectNames(bound); err != nil {
		return nil, err
	}
	// What is constant for a statement, such as NOW(), is a value for the planner (constants.go).
	if bound, err = foldConstants(p.ctx, bound); err != nil {
		return nil, err
	}
	// COUNT may be of the population (person_count.go).
	if bound, err = countPersons(p.ctx, bound); err != nil {
		return nil, err
	}
	// Every aggregation is followed down to a published view, and a childless Estimate
	// put in its place; the nodes above are rebuilt on it (visit.go). What is left would
	// aggregate the stored preview rows, or ask a join for what is not known over one: it
	// is refused (refuse.go).
	if recognised, err = p.checked(bound); isRefusal(err) {
		// What is refused runs on the completed tables of the releases, where these answer
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

// checked visits a plan, and refuses what is left.
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
