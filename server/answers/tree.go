package answers

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/functions/argument"
	"github.com/anonsql/anonsql/server/answers/trees"
)

// The engine binds the arguments of a table function as scalar expressions, in which a
// bare name is a column that does not exist. So SLPPA(adult, k = 3) is turned into
// SLPPA(__anon_ref('', 'adult'), __anon_named('k', 3)): the two marker functions bind,
// and the table function interprets them (package argument).

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
	trees.Walk(t.Statement, func(node any) {
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
			aliased.Expr = trees.Call(argument.NamedMarker, trees.Text(name), reference(value))
			continue
		}
		aliased.Expr = reference(aliased.Expr)
	}
}

// namedArgument splits name = value. A qualified left side is not a name: it stays a
// comparison, which the table function refuses.
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
	return trees.Call(argument.RefMarker, trees.Text(qualifier), trees.Text(column.Name.String()))
}
