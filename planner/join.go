package planner

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/tree"
)

// maxCombinations bounds the combinations of a view's columns in a join below an
// aggregate. Each becomes a row of the join, so it bounds the cost, not correctness.
const maxCombinations = 200_000

// A joinScope is one GROUP BY over joins of a published view with ordinary tables.
// Weighted rows replace the view: the combinations of the columns that nodes above
// need, each with its expected number of records, from one estimate with these columns
// as keys. The engine joins them as any derived table, and the aggregates become
// weighted ones. This is correct because every record joins by its own columns alone:
// the expected number of pairs is the sum of the expected numbers of records.
//
// The view must be on the preserved side of every outer join: whether a row of the
// other side has a partner is not a sum over records.
type joinScope struct {
	planner *planner
	source  *source
	leaf    sql.Node
	// where are the conditions above the view that read only the view.
	where []sql.Expression
	// estimate has the weights; exact: they are integers.
	estimate *answer.Estimate
	exact    bool
}

// replaceJoin rewrites a GROUP BY over joins with a view, whose parts have been visited
// and whose only preview rows are those of this view. A GROUP BY of another shape
// stays.
func (p *planner) replaceJoin(n *plan.GroupBy) (sql.Node, error) {
	j := &joinScope{planner: p}
	if !j.locate(n.Child) || j.leaf == n.Child {
		return n, nil
	}
	if err := j.refuseUnanswerable(n); err != nil {
		return nil, err
	}
	var needed sql.ColSet
	for _, e := range n.Expressions() {
		needed = needed.Union(tree.Fields(e))
	}
	child, weight, err := j.rebuild(n.Child, needed)
	if err != nil {
		return nil, err
	}
	selected := make([]sql.Expression, len(n.SelectedExprs))
	for i, e := range n.SelectedExprs {
		if selected[i], err = j.weighted(e, weight); err != nil {
			return nil, err
		}
		if _, ok := e.(sql.Aggregation); ok {
			p.weighted.Add(tree.ID(e))
		}
	}
	p.estimates++
	return plan.NewGroupBy(selected, n.GroupByExprs, child), nil
}

// replaceDistinctJoin puts weighted rows below SELECT DISTINCT over joins with a view,
// so that it lists all possible values, as over the view alone, not those of the
// preview.
func (p *planner) replaceDistinctJoin(n *plan.Distinct) (sql.Node, error) {
	j := &joinScope{planner: p}
	schema, ids := n.Child.Schema(), tree.OutputIDs(n.Child)
	if !j.locate(n.Child) || j.leaf == n.Child || len(ids) != len(schema) {
		return n, nil
	}
	if err := j.refuseUnanswerable(n); err != nil {
		return nil, err
	}
	var needed sql.ColSet
	fields := make([]sql.Expression, len(ids))
	for i, c := range schema {
		needed.Add(ids[i])
		fields[i] = tree.Field(ids[i], c.Type, c.Source, c.Name, c.Nullable)
	}
	child, _, err := j.rebuild(n.Child, needed)
	if err != nil {
		return nil, err
	}
	p.estimates++
	return plan.NewDistinct(plan.NewProject(fields, child)), nil
}

// refuseUnanswerable refuses, in every expression between an aggregation and the view, what
// is refused over the view alone: subqueries that refer to its columns or are estimated,
// and expressions that differ from row to row. It also refuses a join with an estimate.
func (j *joinScope) refuseUnanswerable(node sql.Node) error {
	for node != j.leaf {
		if ex, ok := node.(sql.Expressioner); ok {
			for _, e := range ex.Expressions() {
				if err := j.source.refuseExpression(e); err != nil {
					return err
				}
			}
		}
		if join, ok := node.(*plan.JoinNode); ok {
			var other sql.Node
			if node, other, _ = sidesOfJoin(join); isEstimated(other) {
				return answer.Refuse("the other side of the join is estimated, and its errors are not known here: ask for it first, and write the values")
			}
		} else {
			node = node.Children()[0]
		}
	}
	return nil
}

// weighted turns an aggregate into a weighted one. The least and the greatest value do not depend on weights, but the rows below
// are those of all completed tables together: the extreme of the median table is one of a run on each of them.
func (j *joinScope) weighted(e sql.Expression, weight sql.Expression) (sql.Expression, error) {
	written, ok := e.(sql.Aggregation)
	if !ok {
		return e, nil
	}
	asked, err := answer.AggregateOf(written)
	if err == nil && asked.IsExtreme() && !j.exact && answer.Imputed(j.planner.ctx, j.source.view) > 0 {
		err = answer.Refuse("%s over a join with the view is not estimated: it has another value on each completed table", written)
	}
	if err != nil || asked.IsExtreme() {
		return e, err
	}
	if asked.Kind == estimate.Distinct {
		return nil, answer.Refuse("COUNT(DISTINCT x) is not estimated over a join with the view: ask it of the view alone, " +
			"or count the possible values, SELECT COUNT(*) FROM (SELECT x ... GROUP BY x) t")
	}
	if !asked.IsCount() {
		asked.Argument = arithmetic.Figure(asked.Argument)
	}
	asked.Settle(j.exact, j.planner.whole)
	j.estimate.Rounds = j.estimate.Rounds || asked.Rounded
	return answer.NewWeighted(asked, weight, written), nil
}

// locate finds the view below node, and collects the columns on the way as expressions
// over it.
func (j *joinScope) locate(node sql.Node) bool {
	if source, ok := compose(node); ok {
		if _, identified := node.(plan.TableIdNode); identified {
			j.source, j.leaf = source, node
			return true
		}
	}
	switch n := node.(type) {
	case *plan.Filter, *plan.Sort:
		return j.locate(n.Children()[0])
	case *plan.Project:
		return j.locate(n.Child) && j.learnProject(n)
	case *plan.SubqueryAlias:
		return !n.IsLateral && j.locate(n.Child) && j.learnAlias(n)
	case *plan.JoinNode:
		side, _, ok := sidesOfJoin(n)
		return ok && j.locate(side)
	}
	return false
}

// sidesOfJoin returns the side with the view and the other one; false if views are on
// both sides, or on one that may be filled with NULLs.
func sidesOfJoin(n *plan.JoinNode) (view, other sql.Node, ok bool) {
	left, right := readsStoredRows(n.Left()), readsStoredRows(n.Right())
	if left == right {
		return nil, nil, false
	}
	view, other = n.Left(), n.Right()
	if right {
		view, other = other, view
	}
	switch n.Op {
	case plan.JoinTypeInner, plan.JoinTypeCross:
		return view, other, true
	case plan.JoinTypeLeftOuter:
		return view, other, left
	case plan.JoinTypeRightOuter:
		return view, other, right
	}
	return nil, nil, false
}

func (j *joinScope) learnProject(n *plan.Project) bool {
	for _, e := range n.Projections {
		identified, ok := e.(sql.IdExpression)
		if !ok {
			return false
		}
		if composed := tree.Unalias(j.source.substitute(e)); identified.Id() != 0 && j.isOfView(composed) {
			j.source.columns[identified.Id()] = composed
		}
	}
	return true
}

func (j *joinScope) learnAlias(n *plan.SubqueryAlias) bool {
	below, ids := tree.OutputIDs(n.Child), tree.OutputIDs(n)
	if len(below) != len(ids) {
		return false
	}
	for i, id := range ids {
		if composed, ok := j.source.columns[below[i]]; ok {
			j.source.columns[id] = composed
		}
	}
	return true
}

// isOfView reports whether a composed expression can be a condition on the view
// alone.
func (j *joinScope) isOfView(e sql.Expression) bool {
	foreign := transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			return !j.planner.outer.Contains(e.Id())
		case *plan.Subquery:
			return !e.Correlated().Empty()
		case sql.Aggregation:
			return true
		}
		return false
	})
	return !foreign && len(answer.ViewColumns(e)) > 0 && j.source.refuseExpression(e) == nil
}

// split moves the conditions on the view alone from a conjunction to where, and returns
// the others.
func (j *joinScope) split(condition sql.Expression) []sql.Expression {
	var rest []sql.Expression
	for _, e := range expression.SplitConjunction(condition) {
		if composed := j.source.substitute(e); j.isOfView(composed) {
			j.where = append(j.where, composed)
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}
