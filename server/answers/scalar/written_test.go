package scalar_test

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/scalar"
)

// A count is a whole number when LAG(n, 1, 0) is bound, and has a fraction once the planner estimates it.
func TestAsKeepsFractionsOfEstimates(t *testing.T) {
	field := func(typ sql.Type) sql.Expression { return expression.NewGetField(0, typ, "n", false) }
	counted := scalar.As(field(types.Int32), types.Int64)
	if v, err := counted.Eval(sql.NewEmptyContext(), sql.Row{int32(7)}); v != int64(7) || err != nil || counted.Type() != types.Int64 {
		t.Errorf("a count is %v of %v, %v", v, counted.Type(), err)
	}
	estimated, err := counted.WithChildren(field(types.Float64))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := estimated.Eval(sql.NewEmptyContext(), sql.Row{7.4}); v != 7.4 || err != nil || estimated.Type() != types.Float64 {
		t.Errorf("an estimate is %v of %v, %v", v, estimated.Type(), err)
	}
	decimal := scalar.As(field(types.Float64), types.Int64)
	if v, err := decimal.Eval(sql.NewEmptyContext(), sql.Row{7.4}); v != int64(7) || err != nil {
		t.Errorf("7.4 as a whole number is %v, %v", v, err)
	}
}

// A CASE that has a type or a collation shows the engine's, for rules that look for a choice.
func TestTypedCasesShowTheEngines(t *testing.T) {
	for _, value := range []sql.Expression{expression.NewLiteral("a", types.LongText), expression.NewLiteral(decimal.New(15, -1), types.MustCreateDecimalType(2, 1))} {
		of := expression.NewCase(nil, []expression.CaseBranch{{Cond: expression.NewLiteral(true, types.Boolean), Value: value}}, value)
		if typed, ok := scalar.Typed(of).(interface{ Untyped() *expression.Case }); !ok || typed.Untyped() != of {
			t.Errorf("%s is %T", of, scalar.Typed(of))
		}
	}
}
