package assignments

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// ChangedRows are the rows of an UPDATE of one table, before and after. The engine compares them by the columns of this
// schema, whose texts compare byte for byte; by the table's own, 'Rome' and 'ROME' would be equal and the row would stay
// unchanged.
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

// exactSchema is a schema whose texts compare by bytes.
func exactSchema(schema sql.Schema) sql.Schema {
	exact := schema.Copy()
	for _, c := range exact {
		c.Type = exactType(c.Type)
	}
	return exact
}

func exactType(typ sql.Type) sql.Type {
	if text, ok := typ.(sql.StringType); ok {
		return exactText{text}
	}
	return typ
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

func (c *ChangedRows) IsReadOnly() bool { return false }

// String implements sql.Node and sql.Table.
func (c *ChangedRows) String() string { return c.Child.String() }

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

// stampedRows keep the timestamps of rows without other changes.
type stampedRows struct {
	sql.RowIter
	*ChangedRows
}

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

// changes recognises a column that has another value once it stores the one on the right: texts are other ones when their bytes are.
type changes struct {
	expression.BinaryExpressionStub
	column sql.Type
}

func (c *changes) String() string { return c.LeftChild.String() + " <> " + c.RightChild.String() }

func (c *changes) Type() sql.Type { return types.Boolean }

func (c *changes) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 2)
	}
	return &changes{expression.BinaryExpressionStub{LeftChild: children[0], RightChild: children[1]}, c.column}, nil
}

func (c *changes) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	before, err := c.LeftChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	after, err := c.RightChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if before == nil || after == nil {
		return before != after, nil
	}
	if after, _, err = c.column.Convert(ctx, after); err != nil {
		return true, nil // which the assignment refuses
	}
	order, err := exactType(c.column).Compare(ctx, before, after)
	return order != 0, err
}

// exactCounts makes the engine count the rows that ON DUPLICATE KEY UPDATE changes, comparing texts by bytes.
func exactCounts(insert *plan.InsertInto) *plan.InsertInto {
	made := *insert
	made.Destination = exactDestination(insert.Destination)
	return &made
}

func exactDestination(n sql.Node) sql.Node {
	switch n := n.(type) {
	case *plan.InsertDestination:
		exact := *n
		exact.Sch = exactSchema(n.Sch)
		return &exact
	case *plan.ForeignKeyHandler:
		exact := *n
		exact.OriginalNode = exactDestination(n.OriginalNode)
		return &exact
	}
	return n
}
