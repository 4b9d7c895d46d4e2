package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
)

// refuse is error 1235 (not supported), with the reason and a way out.
func refuse(format string, arguments ...any) error {
	return mysql.NewSQLError(mysql.ERNotSupportedYet, mysql.SSUnknownSQLState, "published view: "+format, arguments...)
}

// writtenNames are the names that users write, where the engine has others.
var writtenNames = map[string]string{
	"COUNTDISTINCT": "COUNT", "STDDEVPOP": "STDDEV", "STDDEVSAMP": "STDDEV_SAMP", "VARPOP": "VARIANCE", "VARSAMP": "VAR_SAMP",
	"ANYVALUE": "ANY_VALUE", "BITAND": "BIT_AND", "BITOR": "BIT_OR", "BITXOR": "BIT_XOR", "JSONARRAY": "JSON_ARRAYAGG",
}

// refuseAggregate refuses an aggregate function that has no estimate.
func refuseAggregate(e sql.Aggregation) error {
	name := strings.ToUpper(e.(sql.FunctionExpression).FunctionName())
	if written, ok := writtenNames[name]; ok {
		name = written
	}
	const wayOut = "COUNT, SUM, AVG, MIN, MAX, COUNT(DISTINCT x), STDDEV and VARIANCE are estimated; the relations published.<release>_qi1, ..., _sa and _gid are ordinary tables"
	if len(e.Children()) > 1 && name == "COUNT" {
		return refuse("COUNT(DISTINCT ...) takes one expression here: put several into one, such as CONCAT(a, '-', b); %s", wayOut)
	}
	if strings.Contains(strings.ToUpper(e.String()), "DISTINCT") {
		return refuse("%s(DISTINCT ...) is not estimated; SELECT DISTINCT gives the possible values; %s", name, wayOut)
	}
	return refuse("%s is not estimated; %s", name, wayOut)
}

// refuseDistinct refuses a COUNT(DISTINCT x) whose probabilities are not known.
func refuseDistinct() error {
	return refuse("COUNT(DISTINCT x) is estimated where x, every key and every condition joined by AND reads one fragment; here one of them mixes fragments. Ask it without that part, or count the possible values: SELECT COUNT(*) FROM (SELECT DISTINCT x FROM published... WHERE ...) t")
}

// refuseCombinations refuses a join over too many combinations.
func refuseCombinations(limit int) error {
	return refuse("the join needs more than %d combinations of the view's columns: use fewer of its columns beside the join, restrict them in WHERE, or aggregate the view first, in a derived table with GROUP BY on the joined column", limit)
}

// refuseExpression refuses what has no meaning per dictionary value.
func (s *source) refuseExpression(e sql.Expression) error {
	var err error
	transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *plan.Subquery:
			if s.correlated(e) {
				err = refuseSubquery(e)
			}
		case *expression.UserVar, *expression.SystemVar:
		case sql.NonDeterministicExpression:
			if e.IsNonDeterministic() {
				err = refuse("%s differs from row to row, and an estimate has no rows", e)
			}
		}
		return err != nil
	})
	return err
}

// refuseSubquery refuses a subquery that refers to a column of the view.
func refuseSubquery(e *plan.Subquery) error {
	return refuse("a subquery that refers to a column of the view is not estimated: %s", e.QueryString)
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
		if known && !fieldsOf(call).Intersection(p.weighted).Empty() {
			err = refuse("%s is not known over a join with the view: ask it of the view alone, with GROUP BY on the joined column, and join the result", strings.ToUpper(call.FunctionName()))
		}
		return err != nil
	}
	inspectAll(node, func(n sql.Node) bool {
		if ex, ok := n.(sql.Expressioner); ok && !p.weighted.Empty() {
			for _, e := range ex.Expressions() {
				transform.InspectExpr(e, refuseCall)
			}
		}
		return err == nil
	})
	return err
}

// refuseLeftovers is the net under the recogniser: nothing that aggregates, or
// tests for existence, may read the preview rows of a published view.
func refuseLeftovers(node sql.Node) error {
	var err error
	inspectAll(node, func(n sql.Node) bool {
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
			return refuse("this aggregate is over %s, which is not estimated: aggregate the view first, in a derived table", shapeOf(n.Child))
		}
	case *plan.Window:
		if readsStoredRows(n.Child) {
			return refuse("window functions are not estimated over the view itself: put them over a derived table that aggregates it, SELECT ..., SUM(n) OVER () FROM (SELECT col, COUNT(*) AS n FROM published... GROUP BY col) t")
		}
	case *plan.RecursiveCte:
		// Its columns have the types that the binder gave them, by which an
		// estimate would be rounded.
		if readsStoredRows(n) || hasEstimate(n) {
			return refuse("a recursive common table expression is not estimated: aggregate the view outside of it")
		}
	}
	return nil
}

// refuseSubqueries refuses subquery expressions over preview rows: they would
// say of one drawn table what the release does not say.
func refuseSubqueries(e sql.Expression) error {
	var err error
	transform.InspectExpr(e, func(e sql.Expression) bool {
		subquery, ok := e.(*plan.Subquery)
		if ok && readsStoredRows(subquery.Query) {
			err = refuse("a subquery in an expression must aggregate the view or select DISTINCT columns from it: %s", subquery.QueryString)
		}
		return err != nil
	})
	return err
}

// shapeOf names the topmost shape below an aggregation that is in the way.
func shapeOf(node sql.Node) string {
	shape := "this shape of query"
	inspectAll(node, func(n sql.Node) bool {
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

// errNotANumber refuses SUM, AVG and variances over text that is no number.
func errNotANumber(value any) error {
	return refuse("SUM, AVG and the like cannot add up '%v', which is not a number: give them a number, such as CAST(x AS SIGNED)", value)
}
