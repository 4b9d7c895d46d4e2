package scalar

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// Functions returns all functions of this package, including the markers of trees.
func Functions() []sql.Function {
	var list []sql.Function
	for _, d := range slices.Concat(choices(), casts(), texts(), rounding(), numbers(), places(), encryption(), addresses(), compression()) {
		list = append(list, d.Function())
	}
	list = append(list, sql.FunctionN{Name: "format", Fn: makeFormat}, sql.FunctionN{Name: "round", Fn: makeRound},
		sql.FunctionN{Name: "rand", Fn: makeRandom})
	return append(list, sql.Function1{Name: DoubleFunction, Fn: double}, sql.Function1{Name: TextFunction, Fn: writtenText},
		sql.Function1{Name: ExactFunction, Fn: asWritten})
}

// double casts to DOUBLE. For numbers it uses the engine's cast, which package planner knows.
func double(e sql.Expression) sql.Expression {
	if coercion.IsNumber(e.Type()) {
		return expression.NewConvert(e, expression.ConvertToDouble)
	}
	return doubleCast.Call(e)
}

var doubleCast = &builtin.Definition{
	Name: DoubleFunction,
	Type: builtin.Constant(types.Float64),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		return coercion.Float(ctx, v[0], c.OperandType(0))
	},
}

// asWritten gives a literal the widest type. The engine rounds a literal to the places of
// a wider column next to it.
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
