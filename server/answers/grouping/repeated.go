package grouping

import (
	"reflect"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// Aggregates are the beginnings of names of aggregates.
var Aggregates = []string{"sum", "count", "avg", "min", "max", "std", "var", "median", "bit_", "any_value", "json_"}

// KeepRepeated has a SELECT list have an aggregate again, in place. A column without an alias is called as its text, for which the binder takes the
// aggregate of that text behind it:
//
//	SUM(t.a), COALESCE(SUM(t.a)) AS x
func KeepRepeated(statement sqlparser.Statement) {
	trees.Walk(reflect.ValueOf(statement), func(node any) {
		query, ok := node.(*sqlparser.Select)
		if !ok {
			return
		}
		named := map[string]bool{}
		for _, column := range query.SelectExprs {
			aliased, ok := column.(*sqlparser.AliasedExpr)
			if !ok {
				continue
			}
			call, ok := aliased.Expr.(*sqlparser.FuncExpr)
			if !ok || call.Over != nil || !(call.IsAggregate() || call.Name.EqualString("any_value") || call.Name.EqualString("median")) {
				continue
			}
			text := strings.ToLower(sqlparser.String(call))
			if named[text] {
				aliased.Expr = trees.Call("coalesce", call)
			}
			named[text] = named[text] || aliased.As.IsEmpty() || aliased.As.EqualString(text)
		}
	})
}
