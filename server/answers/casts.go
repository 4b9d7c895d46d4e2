package answers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/documents"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

// boundCasts replaces the casts to JSON in a statement, in place, and refuses casts to
// BINARY(n) that pad a value beyond max_allowed_packet.
func boundCasts(t parsed) (err error) {
	trees.Replace(t.Statement, func(e sqlparser.Expr) sqlparser.Expr {
		cast, ok := e.(*sqlparser.ConvertExpr)
		if !ok || cast.Type == nil {
			return e
		}
		if strings.EqualFold(cast.Type.Type, expression.ConvertToJSON) {
			return trees.Call(documents.CastFunction, cast.Expr)
		}
		if strings.EqualFold(cast.Type.Type, expression.ConvertToBinary) && cast.Type.Length != nil {
			n, wrong := strconv.ParseInt(string(cast.Type.Length.Val), 10, 64)
			if most := values.MaxPacket(); wrong != nil || n > most {
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

// callExtract replaces -> and ->>, which the engine binds to its own functions, by calls.
func callExtract(t parsed) error {
	trees.Replace(t.Statement, func(e sqlparser.Expr) sqlparser.Expr {
		arrow, ok := e.(*sqlparser.BinaryExpr)
		if !ok || arrow.Operator != sqlparser.JSONExtractOp && arrow.Operator != sqlparser.JSONUnquoteExtractOp {
			return e
		}
		found := trees.Call("json_extract", arrow.Left, arrow.Right)
		if arrow.Operator == sqlparser.JSONUnquoteExtractOp {
			return trees.Call("json_unquote", found)
		}
		return found
	})
	return nil
}
