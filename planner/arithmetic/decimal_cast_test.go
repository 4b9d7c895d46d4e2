package arithmetic_test

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/planner/arithmetic"
)

// A cast has the digits of its type, all of its scale and no more.
func TestDecimalCast(t *testing.T) {
	ctx := sql.NewEmptyContext()
	tens := types.MustCreateDecimalType(6, 2)
	for _, c := range []struct {
		name   string
		number sql.Expression
		want   string
	}{
		{"a whole number", literal(int64(7), types.Int64), "7.00"},
		{"a double", literal(1.005, types.Float64), "1.01"},
		{"a decimal", literal(decimal.RequireFromString("-2.5"), types.InternalDecimalType), "-2.50"},
		{"NULL", literal(nil, types.Null), "NULL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := arithmetic.NewDecimalCast(c.number, tens).Eval(ctx, nil)
			got := "NULL"
			if number, ok := v.(decimal.Decimal); ok {
				got = number.StringFixed(-number.Exponent())
			}
			if err != nil || got != c.want {
				t.Errorf("it is %v, %v, want %s", v, err, c.want)
			}
		})
	}
	if v, err := arithmetic.NewDecimalCast(literal("much", types.Text), tens).Eval(ctx, nil); err == nil {
		t.Errorf("a text is %v", v)
	}
}

func TestDecimalCastIsAnExpression(t *testing.T) {
	tens := types.MustCreateDecimalType(6, 0)
	cast := arithmetic.NewDecimalCast(column(types.Int32), tens)
	if cast.Type() != tens || !cast.IsNullable() || cast.String() != "CAST(c AS decimal(6,0))" {
		t.Errorf("it is %s of the type %s", cast, cast.Type())
	}
	other, err := cast.WithChildren(expression.NewLiteral(int8(1), types.Int8))
	if err != nil || other.Type() != tens || other.IsNullable() || cast.IsNullable() == other.IsNullable() {
		t.Errorf("over another number it is %v, %v", other, err)
	}
	if collation, coercibility := cast.CollationCoercibility(nil); collation != sql.Collation_binary || coercibility != 5 {
		t.Errorf("its collation is %v of coercibility %d", collation, coercibility)
	}
}
