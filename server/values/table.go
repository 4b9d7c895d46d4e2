package values

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/tree"
)

// Document is what JSON_TABLE reads: the document that the engine makes of a text is
// taken from the statement's keeper before.
func (b *Bounds) Document(e sql.Expression, keeper func(*sql.Context) Keeper) sql.Expression {
	return &read{tree.For(e), b, keeper}
}

type read struct {
	tree.Standin
	bounds *Bounds
	keeper func(*sql.Context) Keeper
}

// WithChildren implements sql.Expression.
func (r *read) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(r, children)
}

// Eval implements sql.Expression.
func (r *read) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := r.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	memory := int64(0)
	switch v := v.(type) {
	case string:
		memory = parsedMemory(v)
	case []byte:
		memory = parsedBytes(v)
	}
	return v, r.keeper(ctx).Take(memory)
}
