package arithmetic_test

import (
	"fmt"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/arithmetic"
)

func column(t sql.Type) sql.Expression { return expression.NewGetField(0, t, "c", true) }

func literal(v any, t sql.Type) sql.Expression { return expression.NewLiteral(v, t) }

// The types that MySQL 8 gives SUM and AVG, in DESCRIBE of CREATE TABLE ... AS SELECT.
func TestTypesOfColumns(t *testing.T) {
	price := types.MustCreateDecimalType(8, 2)
	for _, c := range []struct {
		of       sql.Type
		sum, avg string
	}{
		{types.Int8, "decimal(25,0)", "decimal(7,4)"},
		{types.Uint16, "decimal(27,0)", "decimal(9,4)"},
		{types.Int24, "decimal(30,0)", "decimal(12,4)"},
		{types.Int32, "decimal(32,0)", "decimal(14,4)"},
		{types.Int64, "decimal(41,0)", "decimal(23,4)"},
		{types.Uint64, "decimal(42,0)", "decimal(24,4)"},
		{price, "decimal(30,2)", "decimal(12,6)"},
		{types.MustCreateDecimalType(65, 30), "decimal(65,30)", "decimal(65,30)"},
		{types.Float64, "double", "double"},
		{types.Float32, "double", "double"},
		{types.Text, "double", "double"},
		{types.Date, "double", "double"},
		{types.JSON, "double", "double"},
	} {
		class := arithmetic.ClassOf(column(c.of))
		if got := name(class.Sum()); got != c.sum {
			t.Errorf("SUM over %s is %s, want %s", c.of, got, c.sum)
		}
		if got := name(class.Average()); got != c.avg {
			t.Errorf("AVG over %s is %s, want %s", c.of, got, c.avg)
		}
	}
}

// name is the type as SHOW COLUMNS writes it.
func name(typ sql.Type, known bool) string {
	if !known {
		return "double"
	}
	return typ.String()
}

// What an expression is made of decides, not the type that the engine gives it.
func TestExpressions(t *testing.T) {
	whole, price, real := column(types.Int32), column(types.MustCreateDecimalType(8, 2)), column(types.Float64)
	half := literal(0.5, types.Float64)
	for _, c := range []struct {
		e     sql.Expression
		whole bool
		sum   string
	}{
		{expression.NewPlus(whole, whole), true, "decimal(33,0)"},
		{expression.NewMult(whole, price), false, "decimal(40,2)"},
		{expression.NewMinus(price, real), false, "double"},
		{expression.NewDiv(whole, whole), false, "double"},
		{expression.NewMod(whole, whole), false, "double"},
		{expression.NewUnaryMinus(price), false, "decimal(30,2)"},
		{expression.NewGreaterThan(real, half), true, "decimal(25,0)"},
		{function.NewIf(whole, whole, price), false, "decimal(34,2)"},
		{function.NewIf(whole, whole, half), false, "double"}, // the engine says INT
		{expression.NewCase(nil, []expression.CaseBranch{{Cond: whole, Value: whole}}, half), false, "double"},
		{expression.NewCase(nil, []expression.CaseBranch{{Cond: whole, Value: whole}}, literal(nil, types.Null)), true, "decimal(32,0)"},
		{expression.NewConvert(real, expression.ConvertToSigned), true, "decimal(41,0)"},
		{expression.NewConvertWithLengthAndScale(real, expression.ConvertToDecimal, 6, 1), false, "decimal(28,1)"},
		{expression.NewAlias("a", whole), true, "decimal(32,0)"},
		{function.NewLength(column(types.Text)), true, "decimal(41,0)"},
		{function.NewSqrt(whole), false, "double"},
		{nil, false, "double"},
	} {
		class := arithmetic.ClassOf(c.e)
		if got := name(class.Sum()); got != c.sum || class.IsWhole() != c.whole {
			t.Errorf("SUM over %v is %s, whole %v; want %s, %v", c.e, got, class.IsWhole(), c.sum, c.whole)
		}
	}
}

func TestCommon(t *testing.T) {
	price := types.MustCreateDecimalType(8, 2)
	for _, c := range []struct {
		a, b sql.Type
		want string
	}{
		{types.Int64, types.Int64, "bigint"},
		{types.Int64, price, "decimal(21,2)"},
		{types.MustCreateDecimalType(14, 4), types.MustCreateDecimalType(32, 0), "decimal(36,4)"},
		{types.Int64, types.Float64, "double"},
		{price, types.Float32, "double"},
		{price, types.Text, "none"},
	} {
		for _, pair := range [][2]sql.Type{{c.a, c.b}, {c.b, c.a}} {
			got := "none"
			if typ, ok := arithmetic.Common(pair[0], pair[1]); ok {
				got = typ.String()
			}
			if got != c.want {
				t.Errorf("%s", fmt.Sprintf("%s and %s have %s in common, want %s", pair[0], pair[1], got, c.want))
			}
		}
	}
}

// What is added row by row is taken by its type where nothing else is known of it, and quotients have four places more.
func TestRows(t *testing.T) {
	whole, price := column(types.Int32), column(types.MustCreateDecimalType(8, 2))
	third := expression.NewDiv(whole, literal(int8(3), types.Int8))
	for _, c := range []struct {
		e   sql.Expression
		sum string
	}{
		{third, "decimal(36,4)"},
		{expression.NewDiv(price, price), "decimal(36,6)"},
		{expression.NewMult(third, price), "decimal(44,6)"},
		{function.NewFloor(whole), "decimal(32,0)"},
		{expression.NewPlus(column(types.MustCreateDecimalType(65, 0)), whole), "decimal(65,0)"},
		{column(types.Float64), "double"},
		{nil, "double"},
	} {
		if got := name(arithmetic.OfRows(c.e).Sum()); got != c.sum {
			t.Errorf("SUM over the rows of %s is %s, want %s", c.e, got, c.sum)
		}
	}
}
