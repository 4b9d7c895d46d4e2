package values

import "github.com/dolthub/go-mysql-server/sql"

// A slot is a place in the row of a function's arguments: the argument itself but
// for its value, which was evaluated before.
type slot struct {
	sql.Expression
	i int
}

var _ sql.CollationCoercible = (*slot)(nil)

func slots(arguments []sql.Expression) []sql.Expression {
	list := make([]sql.Expression, len(arguments))
	for i, argument := range arguments {
		list[i] = &slot{argument, i}
	}
	return list
}

// Eval implements sql.Expression.
func (s *slot) Eval(_ *sql.Context, row sql.Row) (any, error) { return row[s.i], nil }

// CollationCoercibility implements sql.CollationCoercible.
func (s *slot) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, s.Expression)
}

// Children implements sql.Expression: what is within was evaluated.
func (s *slot) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (s *slot) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 0)
	}
	return s, nil
}
