package answers

import (
	"reflect"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/functions/argument"
)

// The engine binds the arguments of a table function as scalar expressions, in
// which a bare name is a column that does not exist. So SLPPA(adult, k = 3) is
// turned into SLPPA(__anon_ref('', 'adult'), __anon_named('k', 3)): the two
// marker functions bind, and the table function reads them for what they stand
// for (package argument).

// rewriteTableFunctions rewrites the arguments of our table functions anywhere in a
// statement, in place. It walks by reflection because sqlparser.Walk leaves out CREATE
// TABLE ... AS SELECT and the bodies of procedures, events and triggers.
func rewriteTableFunctions(t parsed) error {
	mentioned := false
	for name := range t.names.TableFunctions {
		mentioned = mentioned || strings.Contains(t.text, name)
	}
	if !mentioned {
		return nil
	}
	Walk(reflect.ValueOf(t.Statement), func(node any) {
		if call, ok := node.(*sqlparser.TableFuncExpr); ok && t.names.TableFunctions[strings.ToLower(call.Name)] {
			rewriteArguments(call.Exprs)
		}
	})
	return nil
}

func rewriteArguments(arguments sqlparser.SelectExprs) {
	for _, given := range arguments {
		aliased, ok := given.(*sqlparser.AliasedExpr)
		if !ok {
			continue
		}
		if name, value, ok := namedArgument(aliased.Expr); ok {
			aliased.Expr = marker(argument.NamedMarker, text(name), reference(value))
			continue
		}
		aliased.Expr = reference(aliased.Expr)
	}
}

// namedArgument takes name = value apart. A qualified left side is not a name:
// it stays a comparison, which the table function refuses.
func namedArgument(e sqlparser.Expr) (string, sqlparser.Expr, bool) {
	comparison, ok := e.(*sqlparser.ComparisonExpr)
	if !ok || comparison.Operator != sqlparser.EqualStr {
		return "", nil, false
	}
	column, ok := comparison.Left.(*sqlparser.ColName)
	if !ok || !column.Qualifier.IsEmpty() {
		return "", nil, false
	}
	return column.Name.String(), comparison.Right, true
}

// reference marks a name and leaves every other expression alone.
func reference(e sqlparser.Expr) sqlparser.Expr {
	column, ok := e.(*sqlparser.ColName)
	if !ok || strings.HasPrefix(column.Name.String(), "@") {
		return e
	}
	qualifier := column.Qualifier.Name.String()
	if database := column.Qualifier.DbQualifier.String(); database != "" {
		qualifier = database + "." + qualifier
	}
	return marker(argument.RefMarker, text(qualifier), text(column.Name.String()))
}

func marker(name string, arguments ...sqlparser.Expr) sqlparser.Expr {
	call := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name)}
	for _, given := range arguments {
		call.Exprs = append(call.Exprs, &sqlparser.AliasedExpr{Expr: given})
	}
	return call
}

func text(s string) sqlparser.Expr { return sqlparser.NewStrVal([]byte(s)) }

// Walk calls visit with every pointer below v, parents first. The trees of
// the parser have no cycles.
func Walk(v reflect.Value, visit func(any)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			Walk(v.Elem(), visit)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		visit(v.Interface())
		Walk(v.Elem(), visit)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				Walk(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			Walk(v.Index(i), visit)
		}
	}
}

// replaceExpressions puts with(e) in the place of every expression e of a
// statement, innermost first.
func replaceExpressions(statement sqlparser.Statement, with func(sqlparser.Expr) sqlparser.Expr) {
	replaceBelow(reflect.ValueOf(statement), with)
}

// replaceBelow goes by reflection, like Walk.
func replaceBelow(v reflect.Value, with func(sqlparser.Expr) sqlparser.Expr) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		replaceBelow(v.Elem(), with)
		if e, ok := v.Interface().(sqlparser.Expr); ok && v.Type() == reflect.TypeFor[sqlparser.Expr]() {
			v.Set(reflect.ValueOf(with(e)))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			replaceBelow(v.Elem(), with)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				replaceBelow(v.Field(i), with)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			replaceBelow(v.Index(i), with)
		}
	}
}
