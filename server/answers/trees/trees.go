// Package trees walks over the parser's trees and builds parts of them.
//
// Its walk reaches every part of a tree. It uses reflection, because sqlparser.Walk omits
// CREATE TABLE ... AS SELECT and the bodies of procedures, events and triggers. The
// package knows no rewrite, and imports only the parser.
package trees

import (
	"reflect"
	"strconv"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Call is a call of a function.
func Call(name string, arguments ...sqlparser.Expr) sqlparser.Expr {
	call := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name)}
	for _, given := range arguments {
		call.Exprs = append(call.Exprs, &sqlparser.AliasedExpr{Expr: given})
	}
	return call
}

// IsAggregate tells a call of an aggregate of groups; over a window it is none.
func IsAggregate(call *sqlparser.FuncExpr) bool {
	return call.Over == nil && (call.IsAggregate() || call.Name.EqualString("any_value") || call.Name.EqualString("median"))
}

// Text is a string.
func Text(s string) sqlparser.Expr { return sqlparser.NewStrVal([]byte(s)) }

// Number is the value of an integer.
func Number(e sqlparser.Expr) (n int, ok bool) {
	value, ok := e.(*sqlparser.SQLVal)
	if !ok || value.Type != sqlparser.IntVal {
		return 0, false
	}
	n, err := strconv.Atoi(string(value.Val))
	if err != nil {
		return 0, true
	}
	return n, true
}

// Copy is a copy of a part of a tree, which shares nothing with it that a rewrite changes.
func Copy[T any](of T) T { return copied(reflect.ValueOf(&of).Elem()).Interface().(T) }

func copied(v reflect.Value) reflect.Value {
	made := reflect.New(v.Type()).Elem()
	made.Set(v) // what is not exported, too
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			made.Set(copied(v.Elem()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			made.Set(reflect.New(v.Type().Elem()))
			made.Elem().Set(copied(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				made.Field(i).Set(copied(v.Field(i)))
			}
		}
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		made.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			made.Index(i).Set(copied(v.Index(i)))
		}
	}
	return made
}

// Walk calls visit with every pointer below v, parents first. The trees of
// the parser have no cycles.
func Walk(v reflect.Value, visit func(any)) {
	walk(v, func(node any) bool {
		visit(node)
		return true
	}, nil)
}

// WalkWhile is Walk, and visit says whether it goes below a node.
func WalkWhile(v reflect.Value, visit func(any) (below bool)) { walk(v, visit, nil) }

// WalkUp is Walk, parents last.
func WalkUp(v reflect.Value, visit func(any)) {
	walk(v, func(any) bool { return true }, visit)
}

// WalkOutside is Walk without what is in a subquery.
func WalkOutside(v reflect.Value, visit func(any)) {
	walk(v, func(node any) bool {
		if _, inside := node.(*sqlparser.Subquery); inside {
			return false
		}
		visit(node)
		return true
	}, nil)
}

// HasAggregate reports whether some aggregate is within an expression, in its subqueries, too.
func HasAggregate(e sqlparser.Expr) (found bool) {
	Walk(reflect.ValueOf(e), func(node any) {
		if call, ok := node.(*sqlparser.FuncExpr); ok && call.IsAggregate() {
			found = true
		}
	})
	return found
}

// walk goes below a pointer where before says so, and calls after, which may be nil, when it has been there.
func walk(v reflect.Value, before func(any) bool, after func(any)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), before, after)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if before(v.Interface()) {
			walk(v.Elem(), before, after)
		}
		if after != nil {
			after(v.Interface())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), before, after)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			walk(v.Index(i), before, after)
		}
	}
}

// Replace puts with(e) in the place of every expression e of a
// statement, innermost first.
func Replace(statement sqlparser.Statement, with func(sqlparser.Expr) sqlparser.Expr) {
	ReplaceAll(reflect.ValueOf(statement), with)
}

// ReplaceAll puts with(e) in the place of every e below v that stands in a place of that interface, innermost first.
func ReplaceAll[T any](v reflect.Value, with func(T) T) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		ReplaceAll(v.Elem(), with)
		if e, ok := v.Interface().(T); ok && v.Type() == reflect.TypeFor[T]() {
			v.Set(reflect.ValueOf(with(e)))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			ReplaceAll(v.Elem(), with)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				ReplaceAll(v.Field(i), with)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			ReplaceAll(v.Index(i), with)
		}
	}
}

// Values calls visit with every T below v, whether a pointer leads to it or not.
func Values[T any](v reflect.Value, visit func(*T)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			Values(v.Elem(), visit)
		}
	case reflect.Struct:
		if v.CanAddr() {
			if found, ok := v.Addr().Interface().(*T); ok {
				visit(found)
			}
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				Values(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() != reflect.Uint8 {
				Values(v.Index(i), visit)
			}
		}
	}
}
