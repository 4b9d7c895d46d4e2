package tree

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// A RowsReader is an expression that reads all rows of a subquery, such as x > ALL (SELECT ...), or of a list of values instead.
type RowsReader interface {
	ReadsRows(child int) bool
}

// An AssignedReader is a variable that the same statement assigns, so it is not constant in the statement.
type AssignedReader interface{ ReadsAssigned() }

// ReadsAssigned reports whether an expression contains such a variable.
func ReadsAssigned(e sql.Expression) bool {
	return transform.InspectExpr(e, func(e sql.Expression) bool {
		_, reads := e.(AssignedReader)
		return reads
	})
}

// ReadsRows reports whether an expression reads all rows of one of its children.
func ReadsRows(e sql.Expression, child int) bool {
	if bounded, ok := e.(interface{ Unbounded() sql.Expression }); ok { // a call with a bound on its value
		e = bounded.Unbounded()
	}
	reader, ok := e.(RowsReader)
	return ok && reader.ReadsRows(child)
}

// Rows returns the values of a subquery with one column as literals.
func Rows(ctx *sql.Context, subquery *plan.Subquery, outer sql.Row) (expression.Tuple, error) {
	values, err := subquery.EvalMultiple(ctx, outer)
	if err != nil {
		return nil, err
	}
	typ := subquery.Type()
	rows := make(expression.Tuple, len(values))
	for i, v := range values {
		rows[i] = expression.NewLiteral(v, typ)
	}
	return rows, nil
}

// Selected returns the expressions of a column of a query, one for every branch. They decide the collation: a literal is weaker than a column.
func Selected(query sql.Node, i int) []sql.Expression {
	switch n := query.(type) {
	case *plan.SetOp:
		return append(Selected(n.Left(), i), Selected(n.Right(), i)...)
	case sql.Projector:
		if list := n.ProjectedExprs(); i < len(list) {
			return []sql.Expression{Unalias(list[i])}
		}
	}
	columns, children := query.Schema(), query.Children()
	if len(children) == 1 && columns.Equals(children[0].Schema()) { // the node sorts or filters rows
		return Selected(children[0], i)
	}
	c := columns[i]
	return []sql.Expression{expression.NewGetField(i, c.Type, c.Name, c.Nullable)}
}
