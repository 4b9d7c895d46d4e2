package values

import "github.com/dolthub/go-mysql-server/sql"

// Document is what JSON_TABLE reads: the document that the engine makes of a text is
// taken from the statement's keeper before.
func (b *Bounds) Document(e sql.Expression, keeper func(*sql.Context) Keeper) sql.Expression {
	return &read{e, b, keeper}
}

type read struct {
	sql.Expression
	bounds *Bounds
	keeper func(*sql.Context) Keeper
}

// Children implements sql.Expression.
func (r *read) Children() []sql.Expression { return []sql.Expression{r.Expression} }

// WithChildren implements sql.Expression.
func (r *read) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(r, len(children), 1)
	}
	return &read{children[0], r.bounds, r.keeper}, nil
}

// Eval implements sql.Expression.
func (r *read) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := r.Expression.Eval(ctx, row)
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
