package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// weightOf is a number (64 bits, a hash) that two texts share when their
// collation holds them equal.
type weightOf struct {
	tree.Unary // a text
	collation  sql.CollationID
}

func newWeight(text sql.Expression, collation sql.CollationID) *weightOf {
	return &weightOf{tree.Unary{Child: text}, collation}
}

// Eval implements sql.Expression.
func (w *weightOf) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := w.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return weight(ctx, value, w.collation)
}

// weight is nil for nil.
func weight(ctx *sql.Context, value any, collation sql.CollationID) (any, error) {
	value, err := sql.UnwrapAny(ctx, value)
	if err != nil || value == nil {
		return nil, err
	}
	text, ok := value.(string)
	if !ok {
		converted, _, err := types.LongText.Convert(ctx, value)
		if err != nil {
			return nil, err
		}
		if text, ok = converted.(string); !ok {
			return converted, nil
		}
	}
	hash, err := collation.HashToUint(text)
	if err != nil { // no text of the character set
		return sql.CollationID(sql.Collation_binary).HashToUint(text)
	}
	return hash, nil
}

func (w *weightOf) Type() sql.Type { return types.Uint64 }
func (w *weightOf) String() string { return "weight_string(" + w.Child.String() + ")" }

// WithChildren implements sql.Expression.
func (w *weightOf) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(w, children)
}

// byWeight returns a text's weight under its type's collation, and every other
// expression as it is.
func byWeight(e sql.Expression) sql.Expression {
	if !types.IsTextOnly(e.Type()) {
		return e
	}
	return newWeight(e, typeCollation(e.Type()))
}

func typeCollation(t sql.Type) sql.CollationID {
	if t, ok := t.(sql.TypeWithCollation); ok {
		return t.Collation()
	}
	return sql.Collation_binary
}
