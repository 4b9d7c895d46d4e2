package answers

import (
	"cmp"
	"reflect"
	"strconv"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/planner"
)

// groupByConstants writes COALESCE around a constant that rows are grouped by, and
// the expression for its number in the ORDER BY of GROUP_CONCAT, in place: the
// engine takes a literal for a column's number in one place, and does not in the
// other.
func groupByConstants(t parsed) error {
	Walk(reflect.ValueOf(t.Statement), func(node any) {
		switch node := node.(type) {
		case *sqlparser.Select:
			for i, key := range node.GroupBy {
				if _, number := ordinalOf(key); !number && isConstant(key) && !MarksRollup(key) {
					node.GroupBy[i] = marker("coalesce", key)
				}
			}
		case *sqlparser.GroupConcatExpr:
			for _, order := range node.OrderBy {
				if n, _ := ordinalOf(order.Expr); n > 0 && n <= len(node.Exprs) {
					if of, ok := node.Exprs[n-1].(*sqlparser.AliasedExpr); ok {
						order.Expr = of.Expr
					}
				}
			}
		}
	})
	return nil
}

// orderDistinct writes, in the ORDER BY of a SELECT DISTINCT, the alias of an expression for
// its number and for the expression itself, in place; one that has none gets its own text for
// an alias. The engine looks below DISTINCT for what only its projection has.
func orderDistinct(t parsed) error {
	Walk(reflect.ValueOf(t.Statement), func(node any) {
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
	})
	return nil
}

// selected is the expression of a SELECT that ORDER BY has by its number, or again; nil for
// none, and for a column by its own name.
func selected(columns sqlparser.SelectExprs, ordered sqlparser.Expr) *sqlparser.AliasedExpr {
	n, isNumber := ordinalOf(ordered)
	for i, column := range columns {
		of, ok := column.(*sqlparser.AliasedExpr)
		if !ok {
			return nil // * is any number of columns
		}
		if isNumber && n != i+1 || !isNumber && sqlparser.String(of.Expr) != sqlparser.String(ordered) {
			continue
		}
		if _, isColumn := of.Expr.(*sqlparser.ColName); isColumn && of.As.IsEmpty() {
			return nil
		}
		return of
	}
	return nil
}

// named is how many columns of a SELECT have a name.
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

// MarksRollup tells of an expression of GROUP BY that it is what the parser writes for WITH
// ROLLUP.
func MarksRollup(key sqlparser.Expr) bool {
	call, ok := key.(*sqlparser.FuncExpr)
	return ok && call.Name.EqualString(planner.RollupMarker)
}

// ordinalOf is the value of a whole number.
func ordinalOf(e sqlparser.Expr) (n int, ok bool) {
	value, ok := e.(*sqlparser.SQLVal)
	if !ok || value.Type != sqlparser.IntVal {
		return 0, false
	}
	n, err := strconv.Atoi(string(value.Val))
	if err != nil {
		return 0, true
	}
	return n, true
}
