package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/tree"
)

// refuseExpression refuses expressions that cannot be evaluated per dictionary value.
func (s *source) refuseExpression(e sql.Expression) error {
	var err error
	transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *plan.Subquery:
			if s.correlated(e) {
				err = refuseSubquery(e)
			} else if isEstimated(e.Query) {
				err = answer.Refuse("the figures of a subquery are estimated, and their errors are not known outside of it: " +
					"ask for them first, and write the values")
			}
		case *expression.UserVar, *expression.SystemVar:
		case sql.NonDeterministicExpression:
			if e.IsNonDeterministic() {
				err = answer.Refuse("%s differs from row to row, and an estimate has no rows", e)
			}
		}
		return err != nil
	})
	return err
}

// refuseSubquery refuses a subquery that refers to a column of the view.
func refuseSubquery(e *plan.Subquery) error {
	return answer.Refuse("a subquery that refers to a column of the view is not estimated: %s", e.QueryString)
}

// correlated reports whether a subquery refers to a column of the view.
func (s *source) correlated(subquery *plan.Subquery) bool {
	found := false
	subquery.Correlated().ForEach(func(id sql.ColumnId) {
		if _, ok := s.columns[id]; ok {
			found = true
		}
	})
	return found
}

// refuseCompanions refuses ANON_STDERR and its like around an aggregate over a
// join.
func (p *planner) refuseCompanions(node sql.Node) error {
	var err error
	refuseCall := func(e sql.Expression) bool {
		call, ok := e.(sql.FunctionExpression)
		if !ok || err != nil {
			return err != nil
		}
		_, known := companions[strings.ToLower(call.FunctionName())]
		if known && !tree.Fields(call).Intersection(p.weighted).Empty() {
			err = answer.Refuse("%s is not known over a join with the view: "+
				"ask it of the view alone, with GROUP BY on the joined column, and join the result", strings.ToUpper(call.FunctionName()))
		}
		return err != nil
	}
	tree.Inspect(node, func(n sql.Node) bool {
		if ex, ok := n.(sql.Expressioner); ok && !p.weighted.Empty() {
			for _, e := range ex.Expressions() {
				transform.InspectExpr(e, refuseCall)
			}
		}
		return err == nil
	})
	return err
}

// refuseLeftovers is the safety net of the recogniser: no aggregation and no existence
// test may read the preview rows of a published view.
func refuseLeftovers(node sql.Node) error {
	var err error
	tree.Inspect(node, func(n sql.Node) bool {
		if err == nil {
			err = refuseNode(n)
		}
		return err == nil
	})
	return err
}

// refuseNode lists what is refused, one line per shape.
func refuseNode(node sql.Node) error {
	if ex, ok := node.(sql.Expressioner); ok {
		for _, e := range ex.Expressions() {
			if err := refuseSubqueries(e); err != nil {
				return err
			}
		}
	}
	switch n := node.(type) {
	case *plan.GroupBy:
		if readsStoredRows(n.Child) {
			if err := refuseLeftovers(n.Child); err != nil {
				return err
			}
			return answer.Refuse("this aggregate is over %s, which is not estimated: aggregate the view first, in a derived table", shapeOf(n.Child))
		}
	case *plan.Window:
		if readsStoredRows(n.Child) {
			return answer.Refuse("window functions are not estimated over the view itself: put them over a derived table that aggregates it, " +
				"SELECT ..., SUM(n) OVER () FROM (SELECT col, COUNT(*) AS n FROM published... GROUP BY col) t")
		}
	case *plan.RecursiveCte:
		// Its columns keep the binder's types, to which an estimate would be rounded.
		if readsStoredRows(n) || hasEstimate(n) {
			return answer.Refuse("a recursive common table expression is not estimated: aggregate the view outside of it")
		}
	}
	return nil
}

// refuseSubqueries refuses subquery expressions over preview rows: their answers would
// describe one drawn table, not the release.
func refuseSubqueries(e sql.Expression) error {
	var err error
	transform.InspectExpr(e, func(e sql.Expression) bool {
		subquery, ok := e.(*plan.Subquery)
		if ok && readsStoredRows(subquery.Query) {
			err = answer.Refuse("a subquery in an expression must aggregate the view or select DISTINCT columns from it: %s", subquery.QueryString)
		}
		return err != nil
	})
	return err
}

// shapeOf names the topmost unsupported shape below an aggregation.
func shapeOf(node sql.Node) string {
	shape := "this shape of query"
	tree.Inspect(node, func(n sql.Node) bool {
		switch n.(type) {
		case *plan.JoinNode:
			shape = "a join of views, or one that may fill the view's columns with NULLs"
		case *plan.Limit, *plan.TopN:
			shape = "LIMIT on rows of the view"
		case *plan.Offset:
			shape = "OFFSET on rows of the view"
		case *plan.Distinct:
			shape = "DISTINCT rows of the view"
		case *plan.SetOp:
			shape = "a UNION of rows of the view"
		case *plan.Window:
			shape = "window functions over rows of the view"
		default:
			return true
		}
		return false
	})
	return shape
}
