package columns

import (
	"cmp"
	"strconv"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// OrderDistinct replaces, in the ORDER BY of a SELECT DISTINCT, positions and repeated expressions by
// aliases, in place; an expression without an alias gets its own text as one. The engine looks below
// DISTINCT for columns that only its projection has.
func OrderDistinct(node any) {
	query, ok := node.(*sqlparser.Select)
	if !ok || !query.QueryOpts.Distinct {
		return
	}
	for _, order := range query.OrderBy {
		if of := selected(query.SelectExprs, order.Expr); of != nil {
			if of.As.IsEmpty() {
				of.As = sqlparser.NewColIdent(cmp.Or(of.InputExpression, sqlparser.String(of.Expr)))
			}
			if named(query.SelectExprs, of.As) == 1 {
				order.Expr = &sqlparser.ColName{Name: of.As}
			} else {
				order.Expr = of.Expr
			}
		}
	}
}

// selected is the expression of a SELECT that ORDER BY names by position, or repeats; nil
// for none, and for a column by its own name.
func selected(columns sqlparser.SelectExprs, ordered sqlparser.Expr) *sqlparser.AliasedExpr {
	literal, isNumber := ordered.(*sqlparser.SQLVal)
	isNumber = isNumber && literal.Type == sqlparser.IntVal
	for i, column := range columns {
		of, ok := column.(*sqlparser.AliasedExpr)
		if !ok {
			return nil // * is any number of columns
		}
		if isNumber && string(literal.Val) != strconv.Itoa(i+1) || !isNumber && sqlparser.String(of.Expr) != sqlparser.String(ordered) {
			continue
		}
		if _, isColumn := of.Expr.(*sqlparser.ColName); isColumn && of.As.IsEmpty() {
			return nil
		}
		return of
	}
	return nil
}

// named counts the columns of a SELECT with the given name.
func named(columns sqlparser.SelectExprs, name sqlparser.ColIdent) (n int) {
	for _, column := range columns {
		aliased, ok := column.(*sqlparser.AliasedExpr)
		if !ok {
			continue
		}
		of, isColumn := aliased.Expr.(*sqlparser.ColName)
		if aliased.As.Equal(name) || aliased.As.IsEmpty() && isColumn && of.Name.Equal(name) {
			n++
		}
	}
	return n
}
