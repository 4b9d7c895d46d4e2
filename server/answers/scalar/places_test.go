package scalar

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// SUBSTRING_INDEX returns a part of its text, and allocates nothing.
func TestPartsAreNotCollected(t *testing.T) {
	for _, c := range []struct {
		text, delimiter string
		n               int64
		want            string
	}{
		{"a.b.c", ".", 2, "a.b"},
		{"a.b.c", ".", -2, "b.c"},
		{"a.b.c", ".", 3, "a.b.c"},
		{"a.b.c", ".", -3, "a.b.c"},
		{"a.b.c", ".", 1, "a"},
		{"a.b.c", ".", -1, "c"},
		{"a.b.c", ".", -1 << 63, "a.b.c"},
		{"a.b.c", ".", 1<<63 - 1, "a.b.c"},
		{"aaa", "aa", -1, "a"},
		{"aaa", "aa", 1, ""},
		{"", ".", 1, ""},
		{"a", "", 1, ""},
		{"a", ".", 0, ""},
		{strings.Repeat(".", 1<<16) + "x", ".", -1, "x"},
	} {
		if got := partOf(c.text, c.delimiter, c.n); got != c.want {
			t.Errorf("part %d of %.10s is %.10q, want %q", c.n, c.text, got, c.want)
		}
		if n := testing.AllocsPerRun(1, func() { partOf(c.text, c.delimiter, c.n) }); n > 0 {
			t.Errorf("part %d of %.10s makes %.0f allocations", c.n, c.text, n)
		}
	}
}

// FIND_IN_SET ends with its statement.
func TestFindInSetEnds(t *testing.T) {
	text := func(v string) sql.Expression { return expression.NewLiteral(v, types.LongText) }
	for _, f := range Functions() {
		if f.FunctionName() != "find_in_set" {
			continue
		}
		call, err := f.NewInstance([]sql.Expression{text("b"), text("a,b,c")})
		if err != nil {
			t.Fatal(err)
		}
		ctx := sql.NewEmptyContext()
		if v, err := call.Eval(ctx, nil); v != int64(2) || err != nil {
			t.Errorf("b is member %v, %v", v, err)
		}
		ended, end := context.WithCancel(ctx)
		end()
		if v, err := call.Eval(ctx.WithContext(ended), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a statement that has ended finds %v, %v", v, err)
		}
	}
}
