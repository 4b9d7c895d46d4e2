package documents

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
)

// Compared converts an expression to a document that compares by MySQL's order, with exact numbers. A text becomes a JSON string;
// it is not parsed.
func Compared(e sql.Expression) sql.Expression {
	if literal, ok := e.(*expression.Literal); ok && literal.Value() != nil {
		if v, err := Value(sql.NewEmptyContext(), literal.Value(), literal.Type()); err == nil {
			return expression.NewLiteral(compared{v}, types.JSON)
		}
	}
	return comparedWith.Call(e)
}

var comparedWith = &builtin.Definition{Name: "__anon_compared", Type: isJSON, Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	made, err := Value(ctx, v[0], c.OperandType(0))
	return compared{made}, err
}}

// Key returns a text that equal documents share.
func Key(e sql.Expression) sql.Expression { return keyOf.Call(e) }

var keyOf = &builtin.Definition{Name: "__anon_key", Type: builtin.Constant(types.LongText),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		made, err := Value(ctx, v[0], c.OperandType(0))
		if err != nil {
			return nil, err
		}
		return types.JsonToMySqlString(types.JSONDocument{Val: made})
	}}

// compared is a document with this package's order.
type compared struct{ value any }

var _ types.ComparableJSON = compared{}

// ToInterface implements sql.JSONWrapper.
func (c compared) ToInterface() (any, error) { return c.value, nil }

// Clone implements sql.JSONWrapper.
func (c compared) Clone(context.Context) sql.JSONWrapper { return c }

// String implements fmt.Stringer: groups and DISTINCT compare it.
func (c compared) String() string { return types.JSONDocument{Val: c.value}.String() }

// Type implements types.ComparableJSON.
func (c compared) Type(context.Context) (string, error) { return typeName(c.value).(string), nil }

// Compare implements types.ComparableJSON.
func (c compared) Compare(other any) (int, error) {
	if doc, ok := other.(sql.JSONWrapper); ok {
		var err error
		if other, err = doc.ToInterface(); err != nil {
			return 0, err
		}
	}
	return order(c.value, other), nil
}
