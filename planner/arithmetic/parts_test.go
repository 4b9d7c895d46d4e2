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

// A typedCase is a CASE with a type, as the server makes them.
type typedCase struct{ *expression.Case }

func (c typedCase) Untyped() *expression.Case { return c.Case }

// A choice has the values of its branches, and none of its conditions.
func TestChosen(t *testing.T) {
	field := func(at int) sql.Expression { return expression.NewGetField(at, types.Int32, fmt.Sprint("c", at), true) }
	branch := []expression.CaseBranch{{Cond: field(1), Value: field(2)}}
	for _, c := range []struct {
		e    sql.Expression
		want string
	}{
		{field(3), "[3]"},
		{function.NewIf(field(0), field(1), literal(int32(0), types.Int32)), "[1]"},
		{function.NewIf(field(0), function.NewIfNull(field(1), field(2)), field(3)), "[1 2 3]"},
		{function.NewIf(field(0), expression.NewPlus(field(1), field(2)), field(3)), "[3]"},
		{expression.NewCase(field(0), branch, nil), "[2]"},
		{expression.NewCase(nil, branch, field(3)), "[3 2]"},
		{typedCase{expression.NewCase(nil, branch, field(3))}, "[3 2]"},
		{expression.NewGreaterThan(field(0), field(1)), "[]"},
	} {
		if got := fmt.Sprint(arithmetic.Chosen(c.e)); got != c.want {
			t.Errorf("of %s the fields %s are chosen, want %s", c.e, got, c.want)
		}
	}
}

func TestParts(t *testing.T) {
	x, one, two := column(types.Int32), literal(int32(1), types.Int32), literal(int32(2), types.Int32)
	equal := expression.NewEquals(one, x)
	for _, c := range []struct {
		e    sql.Expression
		want string // "" where they are not known
	}{
		{x, "[c]"},
		{one, "[]"},
		{expression.NewPlus(one, expression.NewUnaryMinus(x)), "[(1 + -c)]"},
		{expression.NewMult(x, x), ""},
		{function.NewFloor(expression.NewDiv(x, two)), "[floor((c / 2))]"},
		{function.NewAbsVal(x), ""},
		{expression.NewLessThan(x, one), "[(c < 1)]"},
		{expression.NewLessThan(x, expression.NewMinus(x, one)), ""},
		{equal, "[(c >= 1) (c <= 1)]"},
		{expression.NewNot(expression.NewBetween(x, one, two)), "[(c >= 1) (c <= 2)]"},
		{expression.NewInTuple(x, expression.NewTuple(one, two)), "[(c >= 1) (c <= 1) (c >= 2) (c <= 2)]"},
		{expression.NewAnd(equal, expression.NewIsNull(x)), "[(c >= 1) (c <= 1) c IS NULL]"},
		{expression.NewNot(x), ""},
		{expression.NewCase(nil, []expression.CaseBranch{{Cond: expression.NewGreaterThan(x, one), Value: x}}, two), "[(c > 1) c]"},
		{typedCase{expression.NewCase(nil, []expression.CaseBranch{{Cond: expression.NewGreaterThan(x, one), Value: x}}, two)}, "[(c > 1) c]"},
		{expression.NewCase(x, []expression.CaseBranch{{Cond: one, Value: x}}, two), ""},
		{expression.NewCase(nil, []expression.CaseBranch{{Cond: x, Value: one}}, two), ""},
	} {
		parts, known := arithmetic.Parts(c.e)
		if got := fmt.Sprint(parts); known != (c.want != "") || known && got != c.want {
			t.Errorf("%s has the parts %s, %v, want %s", c.e, got, known, c.want)
		}
	}
}
