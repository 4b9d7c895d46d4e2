package answers

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/percentile"
	"github.com/anonsql/anonsql/server/answers/trees"
)

// missingFunctions are MySQL's functions that the engine lacks, which are synonyms of USER(), or implements differently.
func missingFunctions() []sql.Function {
	return []sql.Function{
		sql.Function0{Name: "session_user", Fn: function.NewUser},
		sql.Function0{Name: "system_user", Fn: function.NewUser},
		swapped("uuid_to_bin", function.NewUUIDToBin),
		swapped("bin_to_uuid", function.NewBinToUUID),
	}
}

// swapped is a function with a Boolean second argument: the engine's fails for NULL and for numbers other than 0 and 1.
func swapped(name string, of func(...sql.Expression) (sql.Expression, error)) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		if len(arguments) == 2 {
			arguments = []sql.Expression{arguments[0], expression.NewIsTrue(arguments[1])}
		}
		return of(arguments...)
	}}
}

// callPercentiles rewrites MEDIAN as a call of package percentile, in place, and refuses
// uses of its aggregates that would be misread.
func callPercentiles(t parsed) (err error) {
	trees.Walk(t.Statement, func(node any) {
		call, ok := node.(*sqlparser.FuncExpr)
		if !ok || err != nil || !call.Qualifier.IsEmpty() {
			return
		}
		name := strings.TrimPrefix(call.Name.Lowered(), percentile.Marker(""))
		switch name {
		case percentile.Median, percentile.Continuous, percentile.Discrete:
		default:
			return
		}
		switch marked := name != call.Name.Lowered(); {
		case call.Distinct:
			err = mysql.NewSQLError(
				mysql.ERNotSupportedYet,
				"42000",
				"%s(DISTINCT ...) is not supported: take it over SELECT DISTINCT in a derived table",
				strings.ToUpper(name),
			)
		case !marked && name != percentile.Median:
			err = mysql.NewSQLError(mysql.ERNotSupportedYet, "42000", "%s is written %[1]s(0.5) WITHIN GROUP (ORDER BY x)", strings.ToUpper(name))
		case !marked:
			call.Name = sqlparser.NewColIdent(percentile.Marker(name))
			called := *call
			*call = sqlparser.FuncExpr{Name: sqlparser.NewColIdent("max"), Exprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: &called}}}
		}
	})
	return err
}
