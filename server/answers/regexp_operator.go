package answers

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// callRegexpLike rewrites a REGEXP b and a RLIKE b as REGEXP_LIKE(a, b), in place: the
// engine binds the operators to its own function, which no provider can replace.
func callRegexpLike(t parsed) error {
	trees.Replace(t.Statement, func(e sqlparser.Expr) sqlparser.Expr {
		if call := regexpLike(e); call != nil {
			return call
		}
		return e
	})
	return nil
}

// regexpLike is nil for other nodes.
func regexpLike(e sqlparser.Expr) sqlparser.Expr {
	comparison, ok := e.(*sqlparser.ComparisonExpr)
	if !ok || comparison.Operator != sqlparser.RegexpStr && comparison.Operator != sqlparser.NotRegexpStr {
		return nil
	}
	call := trees.Call("regexp_like", comparison.Left, comparison.Right)
	if comparison.Operator == sqlparser.NotRegexpStr {
		return &sqlparser.NotExpr{Expr: call}
	}
	return call
}
