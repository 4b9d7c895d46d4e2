package answers

import (
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
