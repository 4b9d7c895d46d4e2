package answers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// jsonFunction is CAST(x AS JSON), as a function whose result is bounded wherever it is
// evaluated (server/values).
const jsonFunction = "__anon_json"

func jsonCast() []sql.Function {
	return []sql.Function{sql.Function1{Name: jsonFunction, Fn: func(e sql.Expression) sql.Expression {
		return expression.NewConvert(e, expression.ConvertToJSON)
	}}}
}

// boundCasts replaces the casts to JSON in a statement, in place, and refuses those to
// BINARY(n) that fill up a value beyond max_allowed_packet.
func boundCasts(t parsed) (err error) {
	trees.Replace(t.Statement, func(e sqlparser.Expr) sqlparser.Expr {
		cast, ok := e.(*sqlparser.ConvertExpr)
		if !ok || cast.Type == nil {
			return e
		}
		if strings.EqualFold(cast.Type.Type, expression.ConvertToJSON) {
			return trees.Call(jsonFunction, cast.Expr)
		}
		if strings.EqualFold(cast.Type.Type, expression.ConvertToBinary) && cast.Type.Length != nil {
			n, wrong := strconv.ParseInt(string(cast.Type.Length.Val), 10, 64)
			if most := running.MaxPacket(); wrong != nil || n > most {
				err = sqlerror.New(
					sqlerror.TooLargeResult,
					fmt.Sprintf("Result of cast_as_binary() was larger than max_allowed_packet (%d): BINARY(%s)", most, cast.Type.Length.Val),
				)
			}
		}
		return e
	})
	return err
}
