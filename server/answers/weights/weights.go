// Package weights has hashes of texts that agree if their collation takes the texts as equal.
//
// Groups, DISTINCT and joins compare texts by them. The package knows no plans, and
// imports only the engine and package tree.
package weights

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// Weight is a 64-bit hash of a text. Texts that are equal under the collation share it.
type Weight struct {
	tree.Unary // a text
	collation  sql.CollationID
}

func New(text sql.Expression, collation sql.CollationID) *Weight {
	return &Weight{tree.Unary{Child: text}, collation}
}

func (w *Weight) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := w.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return Hash(ctx, value, w.collation)
}

// Hash returns the hash of a value under a collation, nil for nil.
func Hash(ctx *sql.Context, value any, collation sql.CollationID) (any, error) {
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
	if err != nil { // not a text of the character set
		return sql.CollationID(sql.Collation_binary).HashToUint(text)
	}
	return hash, nil
}

func (w *Weight) Type() sql.Type { return types.Uint64 }
func (w *Weight) String() string { return "weight_string(" + w.Child.String() + ")" }

func (w *Weight) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(w, children)
}

// WeightOf returns a text's weight under its type's collation, and other expressions
// unchanged.
func WeightOf(e sql.Expression) sql.Expression {
	if !types.IsTextOnly(e.Type()) {
		return e
	}
	return New(e, Collation(e.Type()))
}

func Collation(t sql.Type) sql.CollationID {
	if t, ok := t.(sql.TypeWithCollation); ok {
		return t.Collation()
	}
	return sql.Collation_binary
}

// Text evaluates an expression as a text, nil for NULL.
func Text(ctx *sql.Context, e sql.Expression, row sql.Row) (*string, error) {
	v, err := e.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	if v, _, err = types.LongText.Convert(ctx, v); err != nil {
		return nil, err
	}
	text, _, err := sql.Unwrap[string](ctx, v)
	if err != nil {
		return nil, err
	}
	return &text, nil
}
