package assignments

import (
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// JoinedRows writes the targets of an UPDATE or a DELETE over a join. It has one row for each row of a target in the join, which
// says whether it was written, for an UPDATE as values before (0) and after (1), so that the engine counts as for one table.
type JoinedRows struct {
	plan.UnaryNode // of an UPDATE an UpdateSource, of a DELETE the join
	targets        []*target
	ignore         bool
	removes        bool
}

var (
	_ sql.UpdatableTable = (*JoinedRows)(nil)
	_ sql.DeletableTable = (*JoinedRows)(nil)
	_ sql.Node           = (*JoinedRows)(nil)
)

const joinedName = "joined"

// Schema implements sql.Node and sql.Table.
func (j *JoinedRows) Schema() sql.Schema {
	return sql.Schema{{Name: "written", Source: joinedName, Type: types.Int64}}
}

// Name implements sql.Table.
func (j *JoinedRows) Name() string { return joinedName }

// String implements sql.Node and sql.Table.
func (j *JoinedRows) String() string { return j.Child.String() }

// Collation implements sql.Table.
func (j *JoinedRows) Collation() sql.CollationID { return sql.Collation_Default }

// Partitions implements sql.Table.
func (j *JoinedRows) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(), nil
}

// PartitionRows implements sql.Table.
func (j *JoinedRows) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
	return sql.RowsToRowIter(), nil
}

func (j *JoinedRows) IsReadOnly() bool { return false }

func (j *JoinedRows) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(j, len(children), 1)
	}
	changed := *j
	changed.Child = children[0]
	return &changed, nil
}

// Updater implements sql.UpdatableTable.
func (j *JoinedRows) Updater(*sql.Context) sql.RowUpdater { return afterwards{} }

// Deleter implements sql.DeletableTable.
func (j *JoinedRows) Deleter(*sql.Context) sql.RowDeleter { return afterwards{} }

// joinedTarget is the target table of a DELETE, without the join, in which the engine would look for an alias.
type joinedTarget struct{ *JoinedRows }

func (joinedTarget) Children() []sql.Node { return nil }

func (j joinedTarget) WithChildren(children ...sql.Node) (sql.Node, error) {
	return tree.WithoutChildren(j, children)
}

// afterwards is a no-op editor, since the rows have been written.
type afterwards struct{}

func (afterwards) StatementBegin(*sql.Context)                 {}
func (afterwards) DiscardChanges(*sql.Context, error) error    { return nil }
func (afterwards) StatementComplete(*sql.Context) error        { return nil }
func (afterwards) Update(*sql.Context, sql.Row, sql.Row) error { return nil }
func (afterwards) Delete(*sql.Context, sql.Row) error          { return nil }
func (afterwards) Close(*sql.Context) error                    { return nil }

// Rows executes the node.
func (j *JoinedRows) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := below.Build(ctx, j.Child, row)
	if err != nil {
		return nil, err
	}
	join := j.Child
	if source, ok := join.(*plan.UpdateSource); ok {
		join = source.Child
	}
	writer := &joinWriter{JoinedRows: j, rows: rows, join: join}
	return tree.Collect(writer.write, rows), nil
}

// A joinWriter reads the join, and writes.
type joinWriter struct {
	*JoinedRows
	rows   sql.RowIter
	join   sql.Node
	tables map[string]*table // by physical name
	counts []sql.Row
}

// count adds one row of a target.
func (j *joinWriter) count(changed bool) {
	switch {
	case j.removes:
		j.counts = append(j.counts, sql.Row{int64(1)})
	case changed:
		j.counts = append(j.counts, sql.Row{int64(0), int64(1)})
	default:
		j.counts = append(j.counts, sql.Row{int64(0), int64(0)})
	}
}

// write executes the statement atomically, and returns the counts.
func (j *joinWriter) write(ctx *sql.Context) (counts []sql.Row, err error) {
	j.tables = map[string]*table{}
	for _, t := range j.targets {
		if j.tables[t.physical()] == nil {
			j.tables[t.physical()] = newTable(ctx, t, j.removes)
		}
	}
	for _, t := range j.tables {
		t.editor.StatementBegin(ctx)
	}
	defer func() {
		for _, t := range j.tables {
			if err != nil {
				_ = t.editor.DiscardChanges(ctx, err)
			} else if err = t.editor.StatementComplete(ctx); err != nil {
				continue
			}
			_ = t.editor.Close(ctx)
		}
	}()
	found, err := j.read(ctx)
	if err != nil {
		return nil, err
	}
	for i, t := range j.targets {
		if err := j.writeTarget(ctx, t, found[i]); err != nil {
			return nil, err
		}
	}
	return j.counts, nil
}

// A foundRow is a row of a target, and the values assigned to its columns.
type foundRow struct {
	key    uint64
	values sql.Row
}

// read reads the join: for each target, its rows in order of first occurrence.
func (j *joinWriter) read(ctx *sql.Context) (found [][]foundRow, err error) {
	schema := j.join.Schema()
	places := make([][]int, len(j.targets))
	seen := make([]map[uint64]bool, len(j.targets))
	for i, t := range j.targets {
		places[i], seen[i] = t.places(schema), map[uint64]bool{}
	}
	found = make([][]foundRow, len(j.targets))
	for {
		row, err := j.rows.Next(ctx)
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		before, after := row, row
		if !j.removes {
			before, after = row[:len(row)/2], row[len(row)/2:]
		}
		before, after = before[len(before)-len(schema):], after[len(after)-len(schema):] // of a routine, outer values come first
		for i, t := range j.targets {
			old := pick(before, places[i])
			if !slices.ContainsFunc(old, func(v any) bool { return v != nil }) && t.complemented() {
				continue
			}
			key, err := rowKey(ctx, old)
			if err != nil {
				return nil, err
			}
			if seen[i][key] {
				continue
			}
			seen[i][key] = true
			j.tables[t.physical()].remember(key, old)
			found[i] = append(found[i], foundRow{key, pick(after, places[i])})
		}
	}
}

// places are where a row of the join has the target's columns.
func (t *target) places(join sql.Schema) []int {
	places := make([]int, len(t.schema))
	for i, c := range t.schema {
		places[i] = slices.IndexFunc(join, func(of *sql.Column) bool {
			return strings.EqualFold(of.Name, c.Name) && t.is(of.DatabaseSource, of.Source)
		})
	}
	return places
}

func pick(row sql.Row, places []int) sql.Row {
	picked := make(sql.Row, len(places))
	for i, at := range places {
		picked[i] = row[at]
	}
	return picked
}

// complemented reports whether a row of NULLs comes from an outer join and not from the table.
func (t *target) complemented() bool {
	return t.optional || slices.ContainsFunc(t.schema, func(c *sql.Column) bool { return !c.Nullable })
}
