package server

import (
	"reflect"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// callRegexpLike writes REGEXP_LIKE(a, b) for a REGEXP b and a RLIKE b, in place: the
// engine binds the operators to a function of its own, which no provider replaces.
func callRegexpLike(node reflect.Value) {
	switch node.Kind() {
	case reflect.Interface:
		if node.IsNil() {
			return
		}
		callRegexpLike(node.Elem())
		if call := regexpLike(node.Interface()); call != nil && node.CanSet() {
			node.Set(reflect.ValueOf(call))
		}
	case reflect.Pointer:
		if !node.IsNil() {
			callRegexpLike(node.Elem())
		}
	case reflect.Struct:
		for i := range node.NumField() {
			if node.Type().Field(i).IsExported() {
				callRegexpLike(node.Field(i))
			}
		}
	case reflect.Slice:
		if node.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range node.Len() {
			callRegexpLike(node.Index(i))
		}
	}
}

// regexpLike is nil for other nodes.
func regexpLike(node any) sqlparser.Expr {
	comparison, ok := node.(*sqlparser.ComparisonExpr)
	if !ok || comparison.Operator != sqlparser.RegexpStr && comparison.Operator != sqlparser.NotRegexpStr {
		return nil
	}
	call := marker("regexp_like", comparison.Left, comparison.Right)
	if comparison.Operator == sqlparser.NotRegexpStr {
		return &sqlparser.NotExpr{Expr: call}
	}
	return call
}
