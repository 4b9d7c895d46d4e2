package indexes

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// One list with more values than an index takes is left to the rows, for any index; so are two lists on an index of several columns.
func TestLongLists(t *testing.T) {
	list := func(column string, n int) sql.Expression {
		values := make(expression.Tuple, n)
		for i := range values {
			values[i] = expression.NewLiteral(int64(i), types.Int64)
		}
		return expression.NewInTuple(expression.NewGetField(0, types.Int64, column, true), values)
	}
	for name, c := range map[string]struct {
		condition sql.Expression
		several   bool
		left      int // to the rows
	}{
		"one":                      {list("a", maxValues), true, 0},
		"long":                     {list("a", maxValues+1), false, 1},
		"not in a long":            {expression.NewNot(list("a", maxValues)), false, 1},
		"two, an index each":       {expression.NewAnd(list("a", 100), list("b", 100)), false, 0},
		"two of an index":          {expression.NewAnd(list("a", 100), list("b", 100)), true, 1},
		"a long and a short one":   {expression.NewAnd(list("a", maxValues+1), list("b", 3)), true, 1},
		"two that are long by far": {expression.NewAnd(list("a", 30_000), list("b", 30_000)), false, 2},
	} {
		left := 0
		if bounded := boundedRanges(c.condition, c.several); bounded != nil {
			for _, e := range expression.SplitConjunction(bounded) {
				if _, is := e.(*expression.IsTrue); is {
					left++
				}
			}
		}
		if left != c.left {
			t.Errorf("%s: %d conditions are left to the rows, want %d", name, left, c.left)
		}
	}
}
