package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/planner/answer"
)

// RuleId is the analyzer's number for Rule, beyond the engine's own.
const RuleId analyzer.RuleId = 10001

// Rule is the analyzer rule that puts estimates in place of aggregates over
// published views. It belongs before all rules of the engine, and is
// idempotent: the engine calls it again for parts of a plan.
func Rule(
	ctx *sql.Context, a *analyzer.Analyzer, node sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags,
) (sql.Node, transform.TreeIdentity, error) {
	if call, ok := node.(*plan.Call); ok && strings.EqualFold(call.Name, explainProcedure) && len(call.Params) == 1 {
		explained, err := explainCall(ctx, a, call)
		return explained, transform.NewTree, err
	}
	result, estimates, err := recognise(ctx, node)
	if err != nil || estimates == 0 {
		return node, transform.SameTree, err
	}
	return result, transform.NewTree, nil
}

// recognise is the life of an estimated COUNT while its statement is planned: it puts
// estimates in place of the aggregates in a bound plan, and counts them. What happens
// when the node runs is Estimate.answer in package answer.
func recognise(ctx *sql.Context, bound sql.Node) (recognised sql.Node, estimates int, err error) {
	// A statement without a published view is the engine's alone.
	if !readsStoredRows(bound) {
		return bound, 0, nil
	}
	// Every aggregation is followed down to a published view, and a childless Estimate
	// put in its place; the nodes above are rebuilt on it (visit.go).
	p := &planner{ctx: ctx, nextId: firstFreshId, whole: answer.WantsWhole(ctx)}
	if recognised, err = p.visit(bound); err != nil {
		return nil, 0, err
	}
	// What is left would aggregate the stored preview rows, or ask a join for what is
	// not known over one: it is refused (refuse.go).
	if err := p.refuseCompanions(recognised); err != nil {
		return nil, 0, err
	}
	if err := refuseLeftovers(recognised); err != nil {
		return nil, 0, err
	}
	if p.estimates == 0 {
		return bound, 0, nil
	}
	// The nodes above get the types of the figures: an estimate is a DOUBLE, an exact
	// figure has MySQL's type (retype.go).
	recognised, err = retype(recognised)
	return recognised, p.estimates, err
}
