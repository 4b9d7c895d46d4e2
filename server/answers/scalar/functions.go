package scalar

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// Functions are all that this room has, those that trees call by a marker's name too.
func Functions() []sql.Function {
	var list []sql.Function
	for _, d := range slices.Concat(choices(), casts(), texts(), weeks(), months(), clock(), parsing(), rounding(), formats(), numbers(), places()) {
		list = append(list, d.function())
	}
	list = append(list, intervals()...)
	list = append(list, sql.FunctionN{Name: "format", Fn: inLocale}, sql.FunctionN{Name: "round", Fn: makeRound}, sql.Function3{Name: "convert_tz", Fn: convertTZ}, sql.FunctionN{Name: "unix_timestamp", Fn: unixTimestamp})
	return append(list, sql.Function1{Name: DoubleFunction, Fn: double}, sql.Function1{Name: TextFunction, Fn: writtenText},
		sql.Function1{Name: ExactFunction, Fn: asWritten})
}

// double leaves the cast of a number to the engine, which package planner knows.
func double(e sql.Expression) sql.Expression {
	if isNumber(e.Type()) {
		return expression.NewConvert(e, expression.ConvertToDouble)
	}
	return &call{tree.Nary{Operands: []sql.Expression{e}}, doubleCast}
}

var doubleCast = &definition{name: DoubleFunction, typ: constant(types.Float64), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
	return float(ctx, v[0], c.of(0))
}}

// asWritten gives a literal the widest type: the engine rounds one beside a column that is
// wider to the column's places.
func asWritten(e sql.Expression) sql.Expression {
	literal, ok := e.(*expression.Literal)
	if !ok {
		return e
	}
	given, ok := literal.Type().(sql.DecimalType)
	if !ok {
		return e
	}
	return expression.NewLiteral(literal.Value(), types.MustCreateDecimalType(types.DecimalTypeMaxPrecision, given.Scale()))
}
