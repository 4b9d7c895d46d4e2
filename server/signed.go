package server

import (
	"reflect"
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

var expressionType = reflect.TypeFor[sqlparser.Expr]()

// keepCasts replaces the casts to SIGNED anywhere below v, innermost first, in
// place. Like walkTree it goes by reflection.
func keepCasts(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		keepCasts(v.Elem())
		if cast, ok := v.Interface().(*sqlparser.ConvertExpr); ok && v.Type() == expressionType && isSigned(cast) {
			v.Set(reflect.ValueOf(marker(signedFunction, cast.Expr)))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			keepCasts(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				keepCasts(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			keepCasts(v.Index(i))
		}
	}
}

func isSigned(cast *sqlparser.ConvertExpr) bool {
	return cast.Type != nil && strings.EqualFold(cast.Type.Type, expression.ConvertToSigned)
}
