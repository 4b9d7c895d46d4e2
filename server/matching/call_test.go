package matching

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

func column(i int) sql.Expression {
	return expression.NewGetField(i, types.LongText, fmt.Sprint("c", i), true)
}

func text(s string) sql.Expression { return expression.NewLiteral(s, types.LongText) }

// newTest returns a call of a function by name, with results of at most 1000 bytes.
func newTest(t testing.TB, name string, arguments ...sql.Expression) *call {
	t.Helper()
	bounds := Bounds{Most: func() int64 { return 1000 }, TooLong: func(*sql.Context, string, int64) (any, error) { return nil, nil }}
	for _, f := range Functions(bounds) {
		if f.FunctionName() == name {
			made, err := f.NewInstance(arguments)
			if err != nil {
				t.Fatal(err)
			}
			return made.(*call)
		}
	}
	t.Fatalf("no function %s", name)
	return nil
}

// A pattern is compiled once, also by copies of the expression; a text is matched
// once while the rest stays the same.
func TestRemembers(t *testing.T) {
	ctx := sql.NewEmptyContext()
	c := newTest(t, "regexp_like", column(0), text("^a.*b$"))
	for i := range 1000 {
		var e sql.Expression = c
		if i%2 == 1 {
			copied, err := c.WithChildren(c.Children()...)
			if err != nil {
				t.Fatal(err)
			}
			e = copied
		}
		want := int8(i % 2)
		if got, err := e.Eval(ctx, sql.Row{[]string{"xb", "acb"}[i%2]}); err != nil || got != want {
			t.Fatalf("row %d: %v, %v", i, got, err)
		}
	}
	if n := len(c.patterns.shared.compiled); n != 1 || c.patterns.own == nil || len(c.answers.known) != 2 {
		t.Errorf("%d patterns, its own is %v, %d answers", n, c.patterns.own, len(c.answers.known))
	}
}

// A cached answer is valid only for its pattern, flags and positions.
func TestForgetsOtherQuestions(t *testing.T) {
	ctx := sql.NewEmptyContext()
	c := newTest(t, "regexp_substr", column(0), column(1), column(2))
	for range 3 {
		for _, row := range []struct {
			row  sql.Row
			want any
		}{
			{sql.Row{"abab", "a.", 1}, "ab"}, {sql.Row{"abab", "a.", 4}, nil}, {sql.Row{"abab", "b", 1}, "b"}, {sql.Row{"abab", "b", 1}, "b"}, {sql.Row{nil, "b", 1}, nil}, {sql.Row{"abab", nil, 1}, nil}, {sql.Row{"abab", "b", nil}, nil},
		} {
			if got, err := c.Eval(ctx, row.row); err != nil || got != row.want {
				t.Errorf("%v: %v, %v, want %v", row.row, got, err, row.want)
			}
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	ctx := sql.NewEmptyContext()
	c := newTest(t, "regexp_like", column(0), column(1))
	for i := range 2 * maxPatterns {
		if _, err := c.Eval(ctx, sql.Row{"a", fmt.Sprint("a{", i, "}")}); err != nil {
			t.Fatal(err)
		}
	}
	shared := c.patterns.shared
	if n := len(shared.compiled); n > maxPatterns {
		t.Errorf("%d patterns", n)
	}
	for i := range 40 {
		if _, err := c.Eval(ctx, sql.Row{"a", fmt.Sprint("a{", 10_000+i, "}")}); err != nil {
			t.Fatal(err)
		}
	}
	if n := shared.instructions; n > maxInstructions || n < maxInstructions/4 {
		t.Errorf("%d instructions", n)
	}
	if n := c.patterns.own.Instructions(); n > ownInstructions {
		t.Errorf("the call keeps %d instructions", n)
	}
	for i := range maxAnswers + 1000 {
		if _, err := c.Eval(ctx, sql.Row{fmt.Sprint("text ", i), "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.answers.known) != maxAnswers {
		t.Errorf("%d answers, want %d", len(c.answers.known), maxAnswers)
	}
	long := newTest(t, "regexp_like", column(0), text("a"))
	for i := range 3 {
		if _, err := long.Eval(ctx, sql.Row{strings.Repeat("x", maxAnswerText+1+i)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(long.answers.known) != 0 {
		t.Errorf("%d long texts are kept", len(long.answers.known))
	}
}

func TestErrorsHaveNumbers(t *testing.T) {
	ctx := sql.NewEmptyContext()
	for _, c := range []struct {
		call   *call
		number int
		state  string
	}{
		{newTest(t, "regexp_like", text("a"), text("(")), 3691, "HY000"},
		{newTest(t, "regexp_like", expression.NewLiteral(nil, types.Null), text("(")), 3691, "HY000"},
		{newTest(t, "regexp_substr", text("a"), text("a"), expression.NewLiteral(0, types.Int64)), 1583, "42000"},
		{newTest(t, "regexp_instr", text("a"), text("a"), expression.NewLiteral(int64(1)<<60, types.Int64)), 3686, "HY000"},
	} {
		_, err := c.call.Eval(ctx, nil)
		var known *mysql.SQLError
		if !errors.As(err, &known) || known.Num != c.number || known.State != c.state {
			t.Errorf("%s: %v, want %d (%s)", c.call, err, c.number, c.state)
		}
	}
}

func TestEndsWithItsStatement(t *testing.T) {
	plain, cancel := context.WithCancel(context.Background())
	cancel()
	c := newTest(t, "regexp_like", column(0), text("a"))
	if _, err := c.Eval(sql.NewContext(plain), sql.Row{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a row after the statement's end: %v", err)
	}
}
