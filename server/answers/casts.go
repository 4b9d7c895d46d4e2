package answers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// The engine drops CAST(x AS SIGNED) where x is a BIGINT already. A COUNT is
// one when the statement is bound, and a DOUBLE once an Extension has put an
// estimate in its place: the cast that was to round it would be gone. So the
// parser turns it into a call of signedFunction, which makes the engine's own
// cast and keeps it.
const signedFunction = "__anon_signed"

// jsonFunction is CAST(x AS JSON), as a function whose result is bounded wherever it is
// evaluated (server/values).
const jsonFunction = "__anon_json"

func castFunctions() []sql.Function {
	return []sql.Function{
		sql.Function1{Name: signedFunction, Fn: func(e sql.Expression) sql.Expression {
			return expression.NewConvert(e, expression.ConvertToSigned)
		}},
		sql.Function1{Name: jsonFunction, Fn: func(e sql.Expression) sql.Expression {
			return expression.NewConvert(e, expression.ConvertToJSON)
		}},
	}
}

// boundCasts replaces the casts to JSON in a statement, in place, and refuses those to
// BINARY(n) that fill up a value beyond max_allowed_packet.
func boundCasts(t parsed) (err error) {
	replaceExpressions(t.Statement, func(e sqlparser.Expr) sqlparser.Expr {
		cast, ok := e.(*sqlparser.ConvertExpr)
		if !ok || cast.Type == nil {
			return e
		}
		if strings.EqualFold(cast.Type.Type, expression.ConvertToJSON) {
			return marker(jsonFunction, cast.Expr)
		}
		if strings.EqualFold(cast.Type.Type, expression.ConvertToBinary) && cast.Type.Length != nil {
			n, wrong := strconv.ParseInt(string(cast.Type.Length.Val), 10, 64)
			if most := running.MaxPacket(); wrong != nil || n > most {
				err = sqlerror.New(sqlerror.TooLargeResult, fmt.Sprintf("Result of cast_as_binary() was larger than max_allowed_packet (%d): BINARY(%s)", most, cast.Type.Length.Val))
			}
		}
		return e
	})
	return err
}

// keepCasts replaces the casts to SIGNED in a statement, in place.
func keepCasts(t parsed) error {
	replaceExpressions(t.Statement, func(e sqlparser.Expr) sqlparser.Expr {
		if cast, ok := e.(*sqlparser.ConvertExpr); ok && isSigned(cast) {
			return marker(signedFunction, cast.Expr)
		}
		return e
	})
	return nil
}

func isSigned(cast *sqlparser.ConvertExpr) bool {
	return cast.Type != nil && strings.EqualFold(cast.Type.Type, expression.ConvertToSigned)
}
