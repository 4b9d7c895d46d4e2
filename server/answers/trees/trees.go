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

// Call returns a call of a function.
func Call(name string, arguments ...sqlparser.Expr) sqlparser.Expr {
	call := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name)}
	for _, given := range arguments {
		call.Exprs = append(call.Exprs, &sqlparser.AliasedExpr{Expr: given})
	}
	return call
}

// IsAggregate recognises the call of an aggregate that is not over a window.
func IsAggregate(call *sqlparser.FuncExpr) bool {
	return call.Over == nil && (call.IsAggregate() || call.Name.EqualString("any_value") || call.Name.EqualString("median"))
}

// Text returns a string literal.
func Text(s string) sqlparser.Expr { return sqlparser.NewStrVal([]byte(s)) }

// Number returns the value of an integer literal, 0 if it overflows an int.
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

// Copy returns a deep copy of a part of a tree. It shares only unexported fields, which no rewrite changes.
func Copy[T any](of T) T { return copied(reflect.ValueOf(&of).Elem()).Interface().(T) }

func copied(v reflect.Value) reflect.Value {
	made := reflect.New(v.Type()).Elem()
	made.Set(v) // unexported fields, too
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

// Walk calls visit with every pointer below part, parents first. The trees of
// the parser have no cycles.
func Walk(part any, visit func(any)) {
	WalkWhile(part, func(node any) bool {
		visit(node)
		return true
	})
}

// WalkWhile is Walk, but goes below a node only if visit returns true.
func WalkWhile(part any, visit func(any) (below bool)) { walk(reflect.ValueOf(part), visit, nil) }

// WalkUp is Walk with parents last.
func WalkUp(part any, visit func(any)) {
	walk(reflect.ValueOf(part), func(any) bool { return true }, visit)
}

// WalkOutside is Walk without subqueries.
func WalkOutside(part any, visit func(any)) {
	WalkWhile(part, func(node any) bool {
		_, inside := node.(*sqlparser.Subquery)
		if !inside {
			visit(node)
		}
		return !inside
	})
}

// HasAggregate reports whether an expression contains a call of an aggregate, over a window or in a subquery, too.
func HasAggregate(e sqlparser.Expr) (found bool) {
	Walk(e, func(node any) {
		if call, ok := node.(*sqlparser.FuncExpr); ok && (call.IsAggregate() || IsAggregate(call)) {
			found = true
		}
	})
	return found
}

// walk calls before with each pointer, goes below it if before returns true, and then calls after, which may be nil.
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

// Replace replaces every e below part that is held in a variable of interface type T by with(e), innermost first.
func Replace[T any](part any, with func(T) T) { replace(reflect.ValueOf(part), with) }

func replace[T any](v reflect.Value, with func(T) T) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		replace(v.Elem(), with)
		if e, ok := v.Interface().(T); ok && v.Type() == reflect.TypeFor[T]() {
			v.Set(reflect.ValueOf(with(e)))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			replace(v.Elem(), with)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				replace(v.Field(i), with)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			replace(v.Index(i), with)
		}
	}
}

// Values calls visit with every addressable struct T below part, even if no pointer leads to it.
func Values[T any](part any, visit func(*T)) { visitValues(reflect.ValueOf(part), visit) }

func visitValues[T any](v reflect.Value, visit func(*T)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			visitValues(v.Elem(), visit)
		}
	case reflect.Struct:
		if v.CanAddr() {
			if found, ok := v.Addr().Interface().(*T); ok {
				visit(found)
			}
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				visitValues(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() != reflect.Uint8 {
				visitValues(v.Index(i), visit)
			}
		}
	}
}
