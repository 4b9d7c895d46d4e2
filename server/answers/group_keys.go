package answers

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers/trees"
)

// groupByConstants wraps constants in GROUP BY in COALESCE, in place: the engine takes a
// literal for a column's number.
func groupByConstants(t parsed) error {
	trees.Walk(t.Statement, func(node any) {
		query, ok := node.(*sqlparser.Select)
		if !ok {
			return
		}
		for i, key := range query.GroupBy {
			if _, number := trees.Number(key); !number && isConstant(key) && !MarksRollup(key) {
				query.GroupBy[i] = trees.Call("coalesce", key)
			}
		}
	})
	return nil
}

// MarksRollup reports whether an expression of GROUP BY is the parser's marker of WITH
// ROLLUP.
func MarksRollup(key sqlparser.Expr) bool {
	call, ok := key.(*sqlparser.FuncExpr)
	return ok && call.Name.EqualString(planner.RollupMarker)
}
