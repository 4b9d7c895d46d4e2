package assignments

import (
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// An editor writes rows, or removes them.
type editor interface {
	sql.EditOpenerCloser
	sql.Closer
}

// A table is a table of a statement over a join, under all its names.
type table struct {
	sql.Table
	schema sql.Schema // of exact texts
	editor editor
	rows   map[uint64]sql.Row // current rows by original rows; nil if removed
	copies map[uint64]int     // numbers of equal rows of a table without a key, nil if it has one
}

func newTable(ctx *sql.Context, t *target, removes bool) *table {
	made := &table{Table: t.table, schema: exactSchema(t.schema), rows: map[uint64]sql.Row{}}
	if removes {
		made.editor = t.table.(sql.DeletableTable).Deleter(ctx)
	} else {
		made.editor = t.table.(sql.UpdatableTable).Updater(ctx)
	}
	return made
}

func (t *table) remember(key uint64, row sql.Row) {
	if _, known := t.rows[key]; !known {
		t.rows[key] = row
	}
}

// rowKey distinguishes rows by their values. The engine's key confuses NULL with the text <nil>, and ("ab", "c") with ("a", "bc").
func rowKey(ctx *sql.Context, row sql.Row) (uint64, error) {
	written := make(sql.Row, 0, 2*len(row))
	for _, v := range row {
		v, err := sql.UnwrapAny(ctx, v)
		if err != nil {
			return 0, err
		}
		if v == nil {
			written = append(written, -1)
			continue
		}
		text := fmt.Sprint(v)
		written = append(written, len(text), text)
	}
	return sql.HashOf(ctx, written)
}

// countCopies counts the equal rows of a table without a key, since the join shows only the values of a row.
func (t *table) countCopies(ctx *sql.Context) error {
	if t.copies != nil || !sql.IsKeyless(t.schema) {
		return nil
	}
	t.copies = map[uint64]int{}
	partitions, err := t.Partitions(ctx)
	if err != nil {
		return err
	}
	rows := sql.NewTableRowIter(ctx, t.Table, partitions)
	defer rows.Close(ctx)
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		key, err := rowKey(ctx, row)
		if err != nil {
			return err
		}
		if _, found := t.rows[key]; found {
			t.copies[key]++
		}
	}
}

func (t *table) copiesOf(key uint64) int {
	if t.copies == nil {
		return 1
	}
	return t.copies[key]
}

// writeTarget writes the found rows of a target.
func (j *joinWriter) writeTarget(ctx *sql.Context, t *target, found []foundRow) error {
	table := j.tables[t.physical()]
	if err := table.countCopies(ctx); err != nil {
		return err
	}
	for _, f := range found {
		current := table.rows[f.key]
		if current == nil {
			continue
		}
		after, changed := current, true
		if !j.removes {
			var err error
			if after, changed, err = j.changedRow(ctx, t, table, current, f.values); err != nil {
				return err
			}
		}
		wrote, err := j.writeCopies(ctx, table, current, after, table.copiesOf(f.key), changed)
		if err != nil {
			return err
		}
		switch {
		case j.removes:
			table.rows[f.key] = nil
		case wrote:
			table.rows[f.key] = after
		}
	}
	return nil
}

// writeCopies writes all equal copies of a row. As in MySQL, a row that IGNORE skips counts as changed.
func (j *joinWriter) writeCopies(ctx *sql.Context, t *table, before, after sql.Row, copies int, changed bool) (wrote bool, err error) {
	for range copies {
		if err := ctx.Err(); err != nil {
			return wrote, err
		}
		j.count(changed)
		switch {
		case !changed:
		case j.removes:
			err = t.editor.(sql.RowDeleter).Delete(ctx, before)
		default:
			err = t.editor.(sql.RowUpdater).Update(ctx, before, after)
		}
		if err != nil && !j.ignored(ctx, err) {
			return wrote, err
		}
		wrote = wrote || err == nil && changed
	}
	return wrote, nil
}

// changedRow is a row after a target's assignments and their consequences, and whether it must be written.
func (j *joinWriter) changedRow(ctx *sql.Context, t *target, table *table, current, values sql.Row) (sql.Row, bool, error) {
	after := current.Copy()
	for _, at := range t.assigned {
		after[at] = values[at]
	}
	same, err := current.Equals(ctx, after, table.schema)
	if err != nil || same {
		return current, false, err
	}
	if err := derive(ctx, t.stamps, after); err != nil {
		return nil, false, err
	}
	if err := j.fill(ctx, t.schema, after, false); err != nil {
		return nil, false, err
	}
	if err := derive(ctx, t.generated, after); err != nil {
		return nil, false, err
	}
	if err := j.fill(ctx, t.schema, after, true); err != nil {
		return nil, false, err
	}
	for _, check := range t.checks {
		if !check.Enforced {
			continue
		}
		holds, err := sql.EvaluateCondition(ctx, check.Expr, after)
		if err != nil {
			return nil, false, err
		}
		if sql.IsFalse(holds) {
			if err := sql.ErrCheckConstraintViolated.New(check.Name); !j.ignored(ctx, err) {
				return nil, false, err
			}
			return current, false, nil
		}
	}
	return after, true, nil
}

// derive computes columns of a row from the others.
func derive(ctx *sql.Context, list []derived, row sql.Row) (err error) {
	for _, d := range list {
		if row[d.column], err = d.value.Eval(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// fill refuses NULLs for NOT NULL columns, either generated ones or the others, or replaces them by zeros under IGNORE.
func (j *joinWriter) fill(ctx *sql.Context, schema sql.Schema, row sql.Row, generated bool) error {
	for i, c := range schema {
		if row[i] != nil || c.Nullable || (c.Generated != nil) != generated {
			continue
		}
		if err := sql.ErrInsertIntoNonNullableProvidedNull.New(c.Name); !j.ignored(ctx, err) {
			return err
		}
		row[i] = c.Type.Zero()
	}
	return nil
}

// ignored reports whether IGNORE turns an error into a warning, and warns.
func (j *joinWriter) ignored(ctx *sql.Context, err error) bool {
	if !j.ignore {
		return false
	}
	for _, kind := range plan.IgnorableErrors {
		if kind.Is(err) {
			ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: sql.CastSQLError(err).Num, Message: err.Error()})
			return true
		}
	}
	return false
}
