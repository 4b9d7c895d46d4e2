package answers

import (
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// A countedText counts how often it is evaluated.
type countedText struct {
	*expression.Literal
	times *int
}

func (c countedText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	*c.times++
	return c.Literal.Eval(ctx, row)
}

// A function that joins its arguments evaluates no more of them than max_allowed_packet holds.
func TestArgumentsAreCountedWhileTheyAreCollected(t *testing.T) {
	setUp()
	functions := make(map[string]sql.Function)
	for _, f := range Functions() {
		functions[f.FunctionName()] = f
	}
	text := func(v string) sql.Expression { return expression.NewLiteral(v, types.LongText) }
	for _, c := range []struct {
		name     string
		first    []sql.Expression
		repeated []sql.Expression // before every long text
	}{
		{name: "concat"},
		{name: "concat_ws", first: []sql.Expression{text(",")}},
		{name: "make_set", first: []sql.Expression{expression.NewLiteral(int64(-1), types.Int64)}},
		{name: "json_array"},
		{name: "json_object", repeated: []sql.Expression{text("a")}},
		{name: "json_array_append", first: []sql.Expression{text("[]")}, repeated: []sql.Expression{text("$")}},
		{name: "json_merge_preserve"},
	} {
		times := 0
		long := countedText{expression.NewLiteral(`"`+strings.Repeat("x", maxPacket/2)+`"`, types.LongText), &times}
		arguments := slices.Clone(c.first)
		for i := range 40 {
			for _, e := range c.repeated {
				if c.name == "json_object" {
					e = text("a" + string(rune('A'+i)))
				}
				arguments = append(arguments, e)
			}
			arguments = append(arguments, long)
		}
		call, err := functions[c.name].NewInstance(arguments)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := call.Eval(sql.NewEmptyContext(), nil); v != nil || err != nil || times > 8 {
			t.Errorf("%s evaluates %d texts, is NULL %t, %v", c.name, times, v == nil, err)
		}
	}
}
