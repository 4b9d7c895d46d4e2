package answers

import (
	"reflect"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// coalesce writes COALESCE for IFNULL, in place. The engine's IFNULL has the type of
// its first argument, and rounds the second to it.
func coalesce(t parsed) error {
	Walk(reflect.ValueOf(t.Statement), func(node any) {
		if call, ok := node.(*sqlparser.FuncExpr); ok && call.Name.EqualString("ifnull") && len(call.Exprs) == 2 {
			call.Name = sqlparser.NewColIdent("coalesce")
		}
	})
	return nil
}
