package answers

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/percentile"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/tree"
)

// missingFunctions are MySQL's that the engine lacks and tools send: binning
// of dates and numbers, and the other names of USER().
func missingFunctions() []sql.Function {
	pair := func(name string, typ func(first sql.Type) sql.Type, compute func(ctx *sql.Context, a, b any) (any, error)) sql.Function {
		return sql.Function2{Name: name, Fn: func(a, b sql.Expression) sql.Expression {
			return &computed{tree.Nary{Operands: []sql.Expression{a, b}}, name, typ, compute}
		}}
	}
	return []sql.Function{
		pair("makedate", func(sql.Type) sql.Type { return types.Date }, makeDate),
		sql.Function0{Name: "session_user", Fn: function.NewUser},
		sql.Function0{Name: "system_user", Fn: function.NewUser},
		swapped("uuid_to_bin", function.NewUUIDToBin),
		swapped("bin_to_uuid", function.NewBinToUUID),
	}
}

// swapped is a function whose second argument is a truth: the engine's fails for NULL and for numbers other than 0 and 1.
func swapped(name string, of func(...sql.Expression) (sql.Expression, error)) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		if len(arguments) == 2 {
			arguments = []sql.Expression{arguments[0], expression.NewIsTrue(arguments[1])}
		}
		return of(arguments...)
	}}
}

// callPercentiles calls MEDIAN as package percentile has it, in place, and refuses what of
// its aggregates would be misread.
func callPercentiles(t parsed) (err error) {
	trees.Walk(reflect.ValueOf(t.Statement), func(node any) {
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

// makeDate is the day of a year, counted from 1; NULL before the first and
// after year 9999. Years below 100 are those of 1970 to 2069.
func makeDate(ctx *sql.Context, a, b any) (any, error) {
	year, err := toInt64(ctx, a)
	if err != nil {
		return nil, err
	}
	day, err := toInt64(ctx, b)
	if err != nil {
		return nil, err
	}
	switch {
	case year >= 0 && year < 70:
		year += 2000
	case year >= 70 && year < 100:
		year += 1900
	}
	if day < 1 || year < 0 || year > 9999 || day > 366*10000 {
		return nil, nil
	}
	date := time.Date(int(year), 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(day)-1)
	if date.Year() > 9999 {
		return nil, nil
	}
	return date, nil
}

func toInt64(ctx *sql.Context, v any) (int64, error) {
	converted, _, err := types.Int64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	number, ok := converted.(int64)
	if !ok {
		return 0, fmt.Errorf("%v is no whole number", v)
	}
	return number, nil
}

// computed is a function whose value follows from those of its arguments; it
// is NULL where one of them is.
type computed struct {
	tree.Nary
	name    string
	typ     func(first sql.Type) sql.Type
	compute func(ctx *sql.Context, a, b any) (any, error)
}

var (
	_ sql.FunctionExpression = (*computed)(nil)
	_ sql.CollationCoercible = (*computed)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (f *computed) FunctionName() string { return f.name }

// Description implements sql.FunctionExpression.
func (f *computed) Description() string { return "MySQL's function of that name" }

// String implements sql.Expression.
func (f *computed) String() string {
	list := make([]string, len(f.Operands))
	for i, a := range f.Operands {
		list[i] = a.String()
	}
	return f.name + "(" + strings.Join(list, ",") + ")"
}

// Type implements sql.Expression.
func (f *computed) Type() sql.Type { return f.typ(f.Operands[0].Type()) }

// CollationCoercibility implements sql.CollationCoercible.
func (f *computed) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// IsNullable implements sql.Expression.
func (f *computed) IsNullable() bool { return true }

// WithChildren implements sql.Expression.
func (f *computed) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(f, children)
}

// Eval implements sql.Expression.
func (f *computed) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	values := make([]any, len(f.Operands))
	for i, a := range f.Operands {
		v, err := a.Eval(ctx, row)
		if v == nil || err != nil {
			return nil, err
		}
		values[i] = v
	}
	result, err := f.compute(ctx, values[0], values[1])
	if result == nil || err != nil {
		return nil, err
	}
	result, _, err = f.Type().Convert(ctx, result)
	return result, err
}
