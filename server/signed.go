package server

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The engine drops CAST(x AS SIGNED) where x is a BIGINT already. A COUNT is
// one when the statement is bound, and a DOUBLE once an Extension has put an
// estimate in its place: the cast that was to round it would be gone. So the
// parser turns it into a call of signedFunction, which makes the engine's own
// cast and keeps it.
const signedFunction = "__anon_signed"

func castFunctions() []sql.Function {
	return []sql.Function{sql.Function1{Name: signedFunction, Fn: func(e sql.Expression) sql.Expression {
		return expression.NewConvert(e, expression.ConvertToSigned)
	}}}
}

// keepCasts replaces the casts to SIGNED in a statement, in place.
func keepCasts(statement sqlparser.Statement) {
	replaceExpressions(statement, func(e sqlparser.Expr) sqlparser.Expr {
		if cast, ok := e.(*sqlparser.ConvertExpr); ok && isSigned(cast) {
			return marker(signedFunction, cast.Expr)
		}
		return e
	})
}

func isSigned(cast *sqlparser.ConvertExpr) bool {
	return cast.Type != nil && strings.EqualFold(cast.Type.Type, expression.ConvertToSigned)
}
