package answer

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// A ViewColumn is a reference to a column of the published view. It is not the
// engine's GetField, so that no rule of the engine renumbers it.
type ViewColumn struct {
	tree.Atom
	name string
	typ  sql.Type
	null bool
}

// NewViewColumn refers to a column of the view's schema.
func NewViewColumn(c *sql.Column) *ViewColumn {
	return &ViewColumn{name: c.Name, typ: c.Type, null: c.Nullable}
}

var (
	_ sql.Expression         = (*ViewColumn)(nil)
	_ sql.CollationCoercible = (*ViewColumn)(nil)
)

func (c *ViewColumn) String() string { return c.name }

// Name is the column's name.
func (c *ViewColumn) Name() string { return c.name }

func (c *ViewColumn) Type() sql.Type { return c.typ }

func (c *ViewColumn) IsNullable() bool { return c.null }

// IsColumn implements arithmetic.Column.
func (c *ViewColumn) IsColumn() bool { return true }

// CollationCoercibility implements sql.CollationCoercible: a column's, as that of a table.
func (c *ViewColumn) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	if text, ok := c.typ.(sql.TypeWithCollation); ok {
		return text.Collation(), 2
	}
	return sql.Collation_binary, 5
}

func (c *ViewColumn) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}

// Eval implements sql.Expression, and fails: a questioner first replaces the column by
// a value of the dictionary.
func (c *ViewColumn) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, fmt.Errorf("column %s of a published view has no row", c.name)
}

// ViewColumns lists the view columns that e reads, each once.
func ViewColumns(e sql.Expression) []string {
	var names []string
	transform.InspectExpr(e, func(e sql.Expression) bool {
		if c, ok := e.(*ViewColumn); ok && !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
		return false
	})
	return names
}
