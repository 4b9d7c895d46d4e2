package grouping

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// Aggregates are prefixes of the names of aggregates.
var Aggregates = []string{"sum", "count", "avg", "min", "max", "std", "var", "median", "bit_", "any_value", "json_"}

// KeepRepeated lets a SELECT list repeat an aggregate. It changes the tree in place. A column without an alias has its text as alias, and the
// binder takes a later aggregate with that text for the alias, unless it is within a function:
//
//	SUM(t.a), COALESCE(SUM(t.a)) AS x
func KeepRepeated(statement sqlparser.Statement) {
	trees.Walk(statement, func(node any) {
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
			if !ok || !trees.IsAggregate(call) {
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
