package columns

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// LikeBytes makes LIKE compare bytes if one side is binary and the other is not a text with a stronger collation. The engine converts bytes to
// characters, and fails for invalid ones.
func LikeBytes(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeExprsWithOpaque(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch e := e.(type) {
		case *expression.Like:
			if _, done := e.LeftChild.(*bytesOf); !done && e.LeftChild.Resolved() && e.RightChild.Resolved() && decidesBytes(ctx, e.LeftChild, e.RightChild) {
				return expression.NewLike(&bytesOf{tree.NewStandin(e.LeftChild)}, &bytesOf{tree.NewStandin(e.RightChild)}, e.Escape), transform.NewTree, nil
			}
		case *plan.Subquery:
			query, same, err := LikeBytes(ctx, e.Query)
			if err != nil || bool(same) {
				return e, transform.SameTree, err
			}
			return e.WithQuery(query), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
}

// decidesBytes reports whether one side is binary, and the other has no stronger coercibility.
func decidesBytes(ctx *sql.Context, left, right sql.Expression) bool {
	_, first := sql.GetCoercibility(ctx, left)
	_, second := sql.GetCoercibility(ctx, right)
	return hasBytes(left) && first <= second || hasBytes(right) && second <= first
}

func hasBytes(e sql.Expression) bool {
	return types.IsBinaryType(e.Type()) && !types.IsJSON(e.Type()) && !types.IsGeometry(e.Type())
}

// bytesOf is a text of one character for each byte of a value.
type bytesOf struct{ tree.Standin }

func (b *bytesOf) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_utf8mb4_0900_bin, 0
}

func (b *bytesOf) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(b, children)
}

func (b *bytesOf) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := b.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return nil, err
	}
	bytes, ok := v.([]byte)
	if !ok {
		text, written := v.(string)
		if !written {
			return v, nil
		}
		bytes = []byte(text)
	}
	characters := make([]rune, len(bytes))
	for i, c := range bytes {
		characters[i] = rune(c)
	}
	return string(characters), nil
}
