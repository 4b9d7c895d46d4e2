package matching

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// A call is a function with its arguments. Copies share its caches.
type call struct {
	function *function
	bounds   *Bounds
	tree.Nary
	patterns *compiler
	answers  *answers
}

var (
	_ sql.FunctionExpression = (*call)(nil)
	_ sql.CollationCoercible = (*call)(nil)
)

func newCall(f *function, bounds *Bounds, shared *library, given []sql.Expression) (sql.Expression, error) {
	if len(given) < f.least || len(given) > len(f.roles) {
		return nil, sql.ErrInvalidArgumentNumber.New(f.name, fmt.Sprintf("%d to %d", f.least, len(f.roles)), len(given))
	}
	return &call{function: f, bounds: bounds, Nary: tree.Nary{Operands: given}, patterns: &compiler{shared: shared}, answers: &answers{}}, nil
}

func (c *call) FunctionName() string { return c.function.name }

func (c *call) Description() string { return "matches a regular expression in linear time" }

func (c *call) String() string {
	return c.CallText(c.function.name)
}

func (c *call) Type() sql.Type {
	if c.function.typ != nil {
		return c.function.typ
	}
	if c.isBinary() {
		return types.LongBlob
	}
	return types.LongText
}

func (c *call) isBinary() bool {
	return c.Operands[0].Resolved() && types.IsBinaryType(c.Operands[0].Type())
}

// CollationCoercibility implements sql.CollationCoercible. It combines the collations of text and pattern.
func (c *call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	text, strength := sql.GetCoercibility(ctx, c.Operands[0])
	own, ownStrength := sql.GetCoercibility(ctx, c.Operands[1])
	return sql.ResolveCoercibility(text, strength, own, ownStrength)
}

func (c *call) ignoresCase(ctx *sql.Context) bool {
	collation, _ := c.CollationCoercibility(ctx)
	return strings.HasSuffix(collation.Name(), "_ci")
}

func (c *call) IsNullable() bool { return true }

func (c *call) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}
