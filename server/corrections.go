package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/values"
)

// corrected returns a plan that answers as MySQL would, where the engine's answers
// are others. It is called once for every statement, before it is executed.
//
//   - Texts that their collation holds equal are different where the engine hashes
//     them: in joins, IN (SELECT ...), COUNT and GROUP_CONCAT(DISTINCT ...), and
//     where rows are compared (weights.go; duplicates.go, which is asked when a
//     node is built).
//   - Joins do not compare numbers of different types, or texts with numbers, but
//     what is left of one in the type of the other (join_keys.go).
//   - NOT EXISTS drops rows when a comparison with NULL is unknown, IN takes NULLs
//     within rows for equal (subqueries.go, in_rows.go).
//   - A group shows columns of different rows; two GROUP_CONCATs share memory
//     (groups.go).
//   - ORDER BY over a set operation does not find its column (set_operations.go).
//   - Windows (windows.go).
//
// Texts that are read as numbers are bounded (long_numbers.go). And what expressions and aggregates make is bounded (server/values), where it was
// not when the expression was made.
func corrected(n sql.Node) (sql.Node, error) {
	n, _, err := corrector{}.node(n)
	return n, err
}

// A corrector works on one query; inside is that the query is within an
// expression: in its rows, the columns of the row outside come first.
type corrector struct{ inside bool }

func (c corrector) node(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		switch n := n.(type) {
		case *planner.Estimate: // it runs its subqueries, and reads its expressions
			return transform.OneNodeExpressions(n, c.subquery)
		case *plan.InsertInto: // the source is not among its children
			source, same, err := c.node(n.Source)
			if err != nil || same {
				return n, transform.SameTree, err
			}
			return n.WithSource(source), transform.NewTree, nil
		case *plan.HashLookup:
			return hashKeys(n)
		case *plan.IndexedTableAccess:
			return exactKeys(n)
		}
		n, same, err := transform.OneNodeExpressions(n, c.expression)
		if err != nil {
			return n, transform.SameTree, err
		}
		switch n := n.(type) {
		case *plan.JoinNode:
			if n.Op.IsExcludeNulls() && n.Filter != nil {
				joined, err := n.WithExpressions(known{n.Filter})
				return joined, transform.NewTree, err
			}
		case *plan.SetOp:
			if !c.inside && len(n.SortFields) > 0 {
				return sortedByColumns(n), transform.NewTree, nil
			}
		case *plan.GroupBy:
			return groupBy(n), transform.NewTree, nil
		case *plan.JSONTable:
			parts := n.Expressions()
			parts[0] = running.TextBounds.Document(parts[0], running.Keeper)
			bounded, err := n.WithExpressions(parts...)
			return bounded, transform.NewTree, err
		}
		return n, same, nil
	})
}

func (c corrector) subquery(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	subquery, ok := e.(*plan.Subquery)
	if !ok {
		return e, transform.SameTree, nil
	}
	query, same, err := corrector{inside: true}.node(subquery.Query)
	if err != nil || same {
		return e, transform.SameTree, err
	}
	return subquery.WithQuery(query), transform.NewTree, nil
}

// expression corrects one expression, whose children are corrected.
func (c corrector) expression(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	e, same, err := c.asMySQL(e)
	if err != nil {
		return e, same, err
	}
	e, short, err := shortNumbers(e)
	if err != nil {
		return e, same, err
	}
	same = same && transform.TreeIdentity(short)
	bounded, ok := e, false
	switch own := e.(type) {
	case *expression.Convert:
		if types.IsTextBlob(own.Type()) || own.Type() == types.JSON {
			bounded, ok = running.TextBounds.Cast(own), true
		}
	case *expression.ConvertUsing:
		bounded, ok = running.TextBounds.Charset(own), true
	case *aggregation.CountDistinct:
		bounded, ok = values.Distinct(own, running.Keeper), true
	case sql.Aggregation:
		bounded, ok = running.TextBounds.Aggregate(own, running.Keeper, running.End)
	case sql.WindowAggregation:
		bounded, ok = values.Window(own, running.Keeper, running.End)
	default:
		bounded, ok = running.TextBounds.Expression(e)
	}
	return bounded, same && transform.TreeIdentity(!ok), nil
}

func (c corrector) asMySQL(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *plan.Subquery:
		return c.subquery(e)
	case *plan.InSubquery:
		if in, ok := newInRows(e); ok {
			return in, transform.NewTree, nil
		}
	case *expression.Equals:
		if equal, ok := columnByColumn(e); ok {
			return equal, transform.NewTree, nil
		}
	case sql.WindowAdaptableExpression:
		if e.Window() != nil {
			return window(e)
		}
		switch e := e.(type) {
		case *aggregation.CountDistinct:
			counted, err := distinct(e)
			return counted, transform.NewTree, err
		case *aggregation.GroupConcat:
			return newConcat(e), transform.NewTree, nil
		}
	}
	return e, transform.SameTree, nil
}
