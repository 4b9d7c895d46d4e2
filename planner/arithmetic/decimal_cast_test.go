package arithmetic_test

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
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
