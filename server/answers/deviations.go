package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
)

// numericAggregates are the engine's aggregates of numbers and of bits, with arguments converted to numbers: the
// engine takes the seconds since 1970 of a date or a time, or nothing, and all of a text or nothing. Deviations
// and variances convert their argument to DOUBLE: the engine's have the type of their argument, so the standard
// deviation of an INT loses its fraction in the output.
func numericAggregates() (list []sql.Function) {
	double := func(e sql.Expression) sql.Expression {
		if t := e.Type(); !coercion.IsNumber(t) && !types.IsDeferredType(t) {
			e = scalar.Number(e)
		}
		return expression.NewConvert(e, expression.ConvertToDouble)
	}
	// Over a published view, arguments of sums become numbers before package planner sees them.
	added := func(e sql.Expression) sql.Expression {
		if distinct, ok := e.(*expression.DistinctExpression); ok {
			return expression.NewDistinctExpression(numberOfTime(distinct.Child))
		}
		return numberOfTime(e)
	}
	add := func(name string, of func(sql.Expression) sql.Expression, made func(sql.Expression) sql.Expression) {
		list = append(list, sql.Function1{Name: name, Fn: func(e sql.Expression) sql.Expression { return made(of(e)) }})
	}
	for _, name := range []string{"std", "stddev", "stddev_pop"} {
		add(name, double, func(e sql.Expression) sql.Expression { return aggregation.NewStdDevPop(e) })
	}
	for _, name := range []string{"variance", "var_pop"} {
		add(name, double, func(e sql.Expression) sql.Expression { return aggregation.NewVarPop(e) })
	}
	add("stddev_samp", double, func(e sql.Expression) sql.Expression { return aggregation.NewStdDevSamp(e) })
	add("var_samp", double, func(e sql.Expression) sql.Expression { return aggregation.NewVarSamp(e) })
	add("sum", added, func(e sql.Expression) sql.Expression { return aggregation.NewSum(e) })
	add("avg", added, func(e sql.Expression) sql.Expression { return aggregation.NewAvg(e) })
	add("bit_and", scalar.Bits, func(e sql.Expression) sql.Expression { return aggregation.NewBitAnd(e) })
	add("bit_or", scalar.Bits, func(e sql.Expression) sql.Expression { return aggregation.NewBitOr(e) })
	add("bit_xor", scalar.Bits, func(e sql.Expression) sql.Expression { return aggregation.NewBitXor(e) })
	add("min", scalar.OfEnum, func(e sql.Expression) sql.Expression { return aggregation.NewMin(e) })
	return list
}

// numberOfTime converts a date, a time or bytes to a number, and returns others unchanged.
func numberOfTime(e sql.Expression) sql.Expression {
	t := e.Type()
	if coercion.IsInstant(t) || coercion.IsTimespan(t) || types.IsBinaryType(t) && !types.IsJSON(t) && !types.IsGeometry(t) {
		return scalar.Number(e)
	}
	return e
}
