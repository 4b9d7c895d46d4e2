package assignments

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// ChangedRows are the rows of an UPDATE of one table, before and after. The engine asks the table for its columns to tell
// which have changed: those here compare texts byte for byte, where the table's own would hold 'Rome' and 'ROME' equal and
// leave the row as it was.
type ChangedRows struct {
	plan.UnaryNode // an UpdateSource
	sql.UpdatableTable
	schema sql.Schema
	stamps []int // columns with ON UPDATE CURRENT_TIMESTAMP that the statement does not assign
}

func newChangedRows(source *plan.UpdateSource, table sql.UpdatableTable) *ChangedRows {
	c := &ChangedRows{UnaryNode: plan.UnaryNode{Child: source}, UpdatableTable: table, schema: exactSchema(table.Schema())}
	for _, e := range source.UpdateExprs {
		set, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		_, added := set.RightChild.(*sql.ColumnDefaultValue)
		if field, ok := set.LeftChild.(*expression.GetField); ok && added {
			if at := c.schema.IndexOfColName(field.Name()); at >= 0 && c.schema[at].Generated == nil {
				c.stamps = append(c.stamps, at)
			}
		}
	}
	return c
}

// exactSchema is a schema whose texts are equal when their bytes are.
func exactSchema(schema sql.Schema) sql.Schema {
	exact := schema.Copy()
	for _, c := range exact {
		if text, ok := c.Type.(sql.StringType); ok {
			c.Type = exactText{text}
		}
	}
	return exact
}

// exactText is a type of texts that compares their bytes.
type exactText struct{ sql.StringType }

// Compare implements sql.Type.
func (t exactText) Compare(ctx context.Context, a, b any) (int, error) {
	x, one, err := sql.Unwrap[string](ctx, a)
	if err != nil {
		return 0, err
	}
	y, other, err := sql.Unwrap[string](ctx, b)
	switch {
	case err != nil:
		return 0, err
	case !one || !other:
		return t.StringType.Compare(ctx, a, b) // a NULL, or bytes
	}
	return strings.Compare(x, y), nil
}

// Schema implements sql.Node and sql.Table.
func (c *ChangedRows) Schema() sql.Schema { return c.schema }

// IsReadOnly implements sql.Node.
func (c *ChangedRows) IsReadOnly() bool { return false }

// String implements sql.Node and sql.Table.
func (c *ChangedRows) String() string { return c.Child.String() }

// WithChildren implements sql.Node.
func (c *ChangedRows) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	changed := *c
	changed.Child = children[0]
	return &changed, nil
}

// Rows executes the node.
func (c *ChangedRows) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := below.Build(ctx, c.Child, row)
	if err != nil || len(c.stamps) == 0 {
		return rows, err
	}
	return &stampedRows{rows, c}, nil
}

// stampedRows keep the stamps of rows that nothing else changes.
type stampedRows struct {
	sql.RowIter
	*ChangedRows
}

// Next implements sql.RowIter.
func (s *stampedRows) Next(ctx *sql.Context) (sql.Row, error) {
	both, err := s.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	before, after := both[:len(both)/2], both[len(both)/2:]
	kept := after.Copy()
	for _, at := range s.stamps {
		kept[at] = before[at]
	}
	same, err := before.Equals(ctx, kept, s.schema)
	if err != nil || !same {
		return both, err
	}
	return append(before.Copy(), kept...), nil
}
