package answer

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// A collatedValue replaces a text expression by its value, and keeps the expression's collation and coercibility.
type collatedValue struct {
	tree.Standin
	typ       sql.Type
	collation sql.CollationID
	strength  byte
}

// collatedAs gives value, a field or a literal, the collation of the expressions whose value it is.
func collatedAs(ctx *sql.Context, value sql.Expression, of ...sql.Expression) sql.Expression {
	typ, ok := value.Type().(sql.StringType)
	if !ok || !types.IsTextOnly(typ) {
		return value
	}
	collation, strength := meeting(ctx, of...)
	if own, its := sql.GetCoercibility(ctx, value); own == collation && its == strength {
		return value
	}
	return &collatedValue{tree.NewStandin(value), inCollation(typ, collation), collation, strength}
}

// meeting is the common collation of texts, and its coercibility.
func meeting(ctx *sql.Context, texts ...sql.Expression) (collation sql.CollationID, strength byte) {
	collation, strength = sql.GetCoercibility(ctx, texts[0])
	for _, other := range texts[1:] {
		another, its := sql.GetCoercibility(ctx, other)
		collation, strength = sql.ResolveCoercibility(collation, strength, another, its)
	}
	return collation, strength
}

// inCollation is a type with another collation of its character set; the type itself if the character sets differ.
func inCollation(typ sql.StringType, collation sql.CollationID) sql.Type {
	if collation.CharacterSet() != typ.Collation().CharacterSet() {
		return typ
	}
	if own, err := types.CreateString(typ.Type(), typ.MaxCharacterLength(), collation); err == nil {
		return own
	}
	return typ
}

func (c *collatedValue) Type() sql.Type { return c.typ }

func (c *collatedValue) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return c.collation, c.strength
}

func (c *collatedValue) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}
