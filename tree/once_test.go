package tree

import (
	"errors"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// counting is a function that counts how often it is evaluated, and fails the first times.
type counting struct {
	Unary
	name         string
	asked, fails *int
}

var errCounted = errors.New("not yet")

func (c *counting) FunctionName() string { return c.name }
func (c *counting) Description() string  { return "" }
func (c *counting) String() string       { return c.name }

func (c *counting) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if *c.asked++; *c.asked <= *c.fails {
		return nil, errCounted
	}
	return c.Child.Eval(ctx, row)
}

func (c *counting) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return WithChildren(c, children)
}

func TestOnce(t *testing.T) {
	literal, column := expression.NewLiteral(int64(7), types.Int64), Field(1, types.Int64, "t", "a", false)
	for _, c := range []struct {
		name        string
		of          sql.Expression
		fails, want int
	}{
		{"f", literal, 0, 1},
		{"f", literal, 2, 3},                              // a failure is not cached
		{"f", expression.NewPlus(literal, literal), 0, 1}, //
		{"f", column, 0, 5},                               // another value for every row
		{"f", expression.NewPlus(literal, column), 0, 5},  //
		{"sleep", literal, 0, 5},                          // it acts
		{"f", expression.NewUserVar("x"), 0, 5},           // it may be set
	} {
		asked := 0
		e := EvaluateOnce(&counting{Unary{c.of}, c.name, &asked, &c.fails})
		failed := 0
		for range 5 {
			if _, err := e.Eval(sql.NewEmptyContext(), sql.Row{nil, int64(1)}); err != nil {
				failed++
			}
		}
		if asked != c.want || failed != c.fails {
			t.Errorf("%s(%s) is evaluated %d times and fails %d times, want %d and %d", c.name, c.of, asked, failed, c.want, c.fails)
		}
	}
	if got := EvaluateOnce(column); got != column {
		t.Errorf("a column becomes %T", got)
	}
	if random, err := function.NewRand(); err != nil || EvaluateOnce(random) != random {
		t.Errorf("RAND() is evaluated once (%v)", err)
	}
}

func TestTimesOfTexts(t *testing.T) {
	ctx := sql.NewEmptyContext()
	text := func(s string) sql.Expression { return expression.NewLiteral(s, types.LongText) }
	at := Field(1, types.Datetime, "t", "at", true)
	row := sql.Row{nil, time.Date(2024, 2, 29, 10, 11, 12, 0, time.UTC)}
	for _, c := range []struct {
		e    sql.Expression
		same bool
	}{
		{expression.NewGreaterThan(at, text("2024-02-29 10:11:11.5")), false},
		{expression.NewEquals(text("20240229101112"), at), false},
		{expression.NewLessThanOrEqual(at, text("2024-02-29")), false},
		{expression.NewBetween(at, text("2024-01-01"), text("2024-02-29 10:11:12")), false},
		{expression.NewEquals(at, text("no time")), true},
		{expression.NewEquals(at, expression.NewLiteral(nil, types.Null)), true},
		{expression.NewEquals(Field(1, types.LongText, "t", "s", true), text("2024-01-01")), true},
		{expression.NewEquals(Field(1, types.Time, "t", "s", true), text("10:00:00")), true},
		{expression.NewAnd(at, text("2024-01-01")), true},
	} {
		changed, same, err := TimesOfTexts(ctx, c.e)
		if err != nil || bool(same) != c.same || c.same && changed != c.e {
			t.Errorf("%s becomes %s (%v)", c.e, changed, err)
			continue
		}
		if c.same {
			continue
		}
		got, err := changed.Eval(ctx, row)
		want, wrong := c.e.Eval(ctx, row)
		if got != want || err != nil || wrong != nil {
			t.Errorf("%s is %v (%v), want %v (%v)", changed, got, err, want, wrong)
		}
	}
}
