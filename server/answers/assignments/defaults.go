package assignments

import (
	"reflect"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// RefuseDefaults refuses DEFAULT(x) where nothing is assigned to x: the engine has no value of it there.
func RefuseDefaults(statement sqlparser.Statement) (err error) {
	trees.Walk(reflect.ValueOf(statement), func(node any) {
		if query, ok := node.(*sqlparser.Select); ok && err == nil {
			trees.Walk(reflect.ValueOf(query), func(node any) {
				if _, ok := node.(*sqlparser.Default); ok {
					err = sqlerror.New(sqlerror.NotSupported, "DEFAULT(column) in a query is not supported: information_schema.columns has defaults as column_default")
				}
			})
		}
	})
	return err
}
