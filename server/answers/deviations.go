package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
)

// varianceFunctions are the engine's deviations and variances over the
// argument as a DOUBLE: the engine's own have the type of their argument, and
// the standard deviation of an INT loses its fraction on the way out.
func varianceFunctions() []sql.Function {
	double := func(e sql.Expression) sql.Expression { return expression.NewConvert(e, expression.ConvertToDouble) }
	deviation := func(e sql.Expression) sql.Expression { return aggregation.NewStdDevPop(double(e)) }
	deviationOfSample := func(e sql.Expression) sql.Expression { return aggregation.NewStdDevSamp(double(e)) }
	variance := func(e sql.Expression) sql.Expression { return aggregation.NewVarPop(double(e)) }
	varianceOfSample := func(e sql.Expression) sql.Expression { return aggregation.NewVarSamp(double(e)) }
	return []sql.Function{
		sql.Function1{Name: "std", Fn: deviation},
		sql.Function1{Name: "stddev", Fn: deviation},
		sql.Function1{Name: "stddev_pop", Fn: deviation},
		sql.Function1{Name: "stddev_samp", Fn: deviationOfSample},
		sql.Function1{Name: "variance", Fn: variance},
		sql.Function1{Name: "var_pop", Fn: variance},
		sql.Function1{Name: "var_samp", Fn: varianceOfSample},
	}
}
