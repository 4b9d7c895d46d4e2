package tree_test

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// standing prints like the expression that it replaces.
type standing struct{ tree.Standin }

func (s *standing) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(s, children)
}

// Two expressions are the same if they compute the same: a column named like an expression is not, nor are two columns with one name.
func TestSame(t *testing.T) {
	column := func(id int, name string) sql.Expression {
		return tree.Field(sql.ColumnId(id), types.Int32, "", name, true)
	}
	sum := func(id int) sql.Expression { return expression.NewPlus(column(id, "a"), number(1)) }
	later := func(unit string) sql.Expression {
		e, err := function.NewDateAdd(column(1, "a"), expression.NewInterval(number(1), unit))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	text := func(s string) sql.Expression { return expression.NewLiteral(s, types.LongText) }
	like := func(escape sql.Expression) sql.Expression {
		return expression.NewLike(column(1, "a"), text("%"), escape)
	}
	for _, c := range []struct {
		name string
		a, b sql.Expression
		want bool
	}{
		{"a pattern", like(nil), like(nil), true},
		{"a pattern with ESCAPE", like(text("!")), like(text("!")), true},
		{"patterns with another ESCAPE", like(text("!")), like(text("#")), false},
		{"a pattern without ESCAPE", like(text("!")), like(nil), false},
		{"a column", column(1, "a"), column(1, "a"), true},
		{"an operator", sum(1), sum(1), true},
		{"an alias", alias(9, sum(1)), sum(1), true},
		{"a call of two arguments", later("DAY"), later("DAY"), true},
		{"what stands for it", &standing{tree.NewStandin(sum(1))}, sum(1), true},
		{"what stands for a part", expression.NewNot(&standing{tree.NewStandin(sum(1))}), expression.NewNot(sum(1)), true},
		{"a column without id", column(0, "a"), column(1, "a"), true},
		{"a part inside a longer calculation", sum(1), expression.NewMult(sum(1), number(2)).LeftChild, true},
		{"another column", column(1, "a"), column(2, "b"), false},
		{"another column of the name", sum(1), sum(2), false},
		{"a column named like it", sum(1), column(3, sum(1).String()), false},
		{"a column named like a part", expression.NewNot(sum(1)), expression.NewNot(column(3, sum(1).String())), false},
		{"a column named like a literal", text("x"), column(3, "'x'"), false},
		{"a column named like a number", number(1), column(3, "1"), false},
		{"another interval", later("DAY"), later("HOUR"), false},
		{"letters of the other case", text("x"), text("X"), false},
		{"another operator", sum(1), expression.NewMinus(column(1, "a"), number(1)), false},
	} {
		if got := tree.Same(c.a, c.b); got != c.want || tree.Same(c.b, c.a) != got {
			t.Errorf("%s: %s and %s are the same: %v", c.name, c.a, c.b, got)
		}
	}
}
