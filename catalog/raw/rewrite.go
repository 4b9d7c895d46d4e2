package raw

import (
	"database/sql/driver"
	"fmt"
	"math"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

var _ sql.RewritableTable = (*Table)(nil)

// ShouldRewriteTable implements sql.RewritableTable: true if values change their form, or if a
// key loses or gains a column. Everything else only changes the definition.
func (t *Table) ShouldRewriteTable(_ *sql.Context, before, after sql.PrimaryKeySchema, old, column *sql.Column) bool {
	if len(before.PkOrdinals) != len(after.PkOrdinals) {
		return true
	}
	d := t.newestVersion().definition
	switch {
	case old != nil && column != nil:
		return coding.TypeText(old.Type) != coding.TypeText(column.Type) || computed(after.Schema, column)
	case old != nil:
		at := d.column(old.Name)
		return at >= 0 && slices.ContainsFunc(d.keys(), func(i indexDefinition) bool { return i.hasColumn(d.Columns[at].ID) })
	}
	return false
}

// computed reports whether a column is generated and must be computed again after the change,
// which needs at least one plain column.
func computed(after sql.Schema, column *sql.Column) bool {
	return column.Generated != nil && !column.PrimaryKey && slices.ContainsFunc(after, func(c *sql.Column) bool { return c.Generated == nil })
}

// RewriteInserter implements sql.RewritableTable. The rows go into a new storage, which
// replaces the old one when the inserter is closed.
func (t *Table) RewriteInserter(ctx *sql.Context, before, after sql.PrimaryKeySchema, old, column *sql.Column, key []sql.IndexColumn) (sql.RowInserter, error) {
	if len(before.PkOrdinals) > 0 && len(after.PkOrdinals) == 0 {
		if err := sql.ValidatePrimaryKeyDrop(ctx, t, before); err != nil {
			return nil, err
		}
	}
	for _, c := range key {
		if at := after.Schema.IndexOfColName(c.Name); at < 0 {
			return nil, sql.ErrKeyColumnDoesNotExist.New(c.Name)
		} else if c.Length > 0 && types.IsText(after.Schema[at].Type) {
			return nil, sql.ErrUnsupportedIndexPrefix.New(c.Name)
		}
	}
	clock, err := coding.ClockOf(ctx)
	if err != nil {
		return nil, err
	}
	r := &rewriter{table: t, changed: -1}
	switch {
	case column != nil && old != nil && computed(after.Schema, column): // so that no key has an old value
		r.mend, r.changed = func(*sql.Context, any) (any, error) { return nil, nil }, after.Schema.IndexOfColName(column.Name)
	case column != nil:
		if r.mend, err = mended(old, column); err != nil {
			return nil, err
		}
		r.changed = after.Schema.IndexOfColName(column.Name)
	}
	err = t.store.define(ctx, func(w *Work) error {
		m, err := t.versionIn(w)
		if err != nil {
			return err
		}
		r.before = m
		if r.next, err = w.rewritten(m, after, old, column); err == nil {
			r.codecs = clock.Codecs(r.next.codecs)
			r.keepStored()
		}
		return err
	})
	return r, err
}

// rewritten creates the new storage.
func (w *Work) rewritten(m *TableVersion, after sql.PrimaryKeySchema, old, column *sql.Column) (*TableVersion, error) {
	next := *m
	next.definition = m.definition.clone()
	err := next.definition.setSchema(after, func(name string) string {
		if column != nil && column.Name == name {
			if old == nil {
				return ""
			}
			return old.Name
		}
		return name
	})
	if err != nil {
		return nil, err
	}
	next.definition.dropMissingIndexColumns()
	if next.storage, err = newStorage(w, next.definition); err != nil {
		return nil, err
	}
	return newTableMeta(next)
}

// dropMissingIndexColumns removes dropped columns from the indexes, and indexes without any
// left, as MySQL does.
func (d *definition) dropMissingIndexColumns() {
	kept := d.Indexes[:0:0]
	for _, index := range d.Indexes {
		index.Columns = slices.DeleteFunc(slices.Clone(index.Columns), func(c indexColumn) bool { return d.ordinal(c.Column) < 0 })
		if len(index.Columns) > 0 {
			kept = append(kept, index)
		}
	}
	d.Indexes = kept
}

// A rewriter receives the rows of a table that changes its form.
type rewriter struct {
	table        *Table
	before, next *TableVersion
	codecs       []coding.Codec // of next, for the session
	rows         int64
	args         []driver.Value
	done         bool
	// mend converts the engine's value of column changed to what MySQL makes of it; nil if the engine's is right.
	changed int
	mend    func(ctx *sql.Context, v any) (any, error)
	// numbers are the rowids of the next rows; last is the highest of them.
	numbers []int64
	last    int64
	// values are what the next rows store in next's kept columns: moments, and fractions that become integers.
	values [][]driver.Value
	kept   []int
	stored string // the kept columns in SQLite, each after a comma
}

// keepStored finds the TIMESTAMP columns that keep their type and the floats that become integers. The engine passes
// TIMESTAMPs in the session's time zone, where two moments may look alike, and rounds every half away from 0.
func (r *rewriter) keepStored() {
	for i, c := range r.next.definition.Columns {
		before := r.before.definition.ordinal(c.ID)
		if before < 0 {
			continue
		}
		from, to := r.before.schema.Schema[before].Type, r.next.schema.Schema[i].Type
		if types.IsTimestampType(to) && r.before.definition.Columns[before].Type == c.Type || types.IsFloat(from) && types.IsInteger(to) {
			r.kept = append(r.kept, i)
			r.stored += fmt.Sprintf(", c%d", c.ID)
		}
	}
}

// StatementBegin implements sql.EditOpenerCloser.
func (r *rewriter) StatementBegin(*sql.Context) {}

// StatementComplete implements sql.EditOpenerCloser.
func (r *rewriter) StatementComplete(*sql.Context) error { return nil }

// DiscardChanges drops the new storage.
func (r *rewriter) DiscardChanges(ctx *sql.Context, _ error) error {
	if r.done {
		return nil
	}
	r.done = true
	return r.table.store.define(ctx, func(w *Work) error {
		_, err := sqlite.Execute(w.conn, "DROP TABLE "+storageName(r.next.storage))
		return fault.Cannot("undo the change of table "+r.next.name, err)
	})
}

// Insert implements sql.RowInserter.
func (r *rewriter) Insert(ctx *sql.Context, row sql.Row) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w, err := r.table.session.writer(ctx)
	if err != nil {
		return err
	}
	rowid, stored, err := r.number(w)
	if err != nil {
		return err
	}
	if r.mend != nil && r.changed >= 0 && row[r.changed] != nil {
		row = row.Copy()
		if row[r.changed], err = r.mend(ctx, row[r.changed]); err != nil {
			return err
		}
	}
	if r.args, err = coding.EncodeRow(append(r.args[:0], rowid), r.codecs, row); err != nil {
		return err
	}
	for i, at := range r.kept {
		if f, ok := stored[i].(float64); ok {
			r.args[1+at] = halfToEven(f, r.args[1+at])
		} else if stored[i] != nil && r.args[1+at] != nil {
			r.args[1+at] = stored[i]
		}
	}
	if _, err := sqlite.Execute(w.conn, r.next.statements.insert, r.args...); err != nil {
		if sqlite.IsUniqueViolation(err) {
			return w.duplicate(r.next, r.args[1:], 0)
		}
		return fault.Cannot("rewrite table "+r.next.name, err)
	}
	r.rows++
	return nil
}

// number returns the rowid of the next row: its previous one, since releases that follow the
// table identify rows by it. The engine passes all rows in the order of a scan, which is that
// of rowids. It also returns what the row stores in the kept columns.
func (r *rewriter) number(w *Work) (rowid int64, values []driver.Value, err error) {
	if len(r.numbers) == 0 {
		r.values = r.values[:0]
		err := sqlite.Query(w.conn, func(row []driver.Value) error {
			r.last = row[0].(int64)
			r.numbers = append(r.numbers, r.last)
			r.values = append(r.values, slices.Clone(row[1:]))
			return nil
		}, fmt.Sprintf("SELECT rowid%s FROM t%d WHERE rowid > ? ORDER BY rowid LIMIT %d", r.stored, r.before.storage, rowsPerLook), r.last)
		if err != nil {
			return 0, nil, fault.Cannot("rewrite table "+r.next.name, err)
		}
		if len(r.numbers) == 0 {
			return 0, nil, fmt.Errorf("the change of table %s has more rows than the table", r.next.name)
		}
	}
	rowid, values = r.numbers[0], r.values[len(r.values)-len(r.numbers)]
	r.numbers = r.numbers[1:]
	return rowid, values, nil
}

// halfToEven corrects the rounding of a half away from 0: MySQL rounds a DOUBLE half to even.
func halfToEven(half float64, rounded driver.Value) driver.Value {
	if n, ok := rounded.(int64); ok && n%2 != 0 && math.Abs(half-math.Trunc(half)) == .5 {
		return n - int64(math.Copysign(1, half))
	}
	return rounded
}

// Close replaces the old storage by the new one.
func (r *rewriter) Close(ctx *sql.Context) error {
	if r.done {
		return nil
	}
	r.done = true
	return r.table.store.define(ctx, func(w *Work) error {
		ch, err := w.change(r.before)
		if err != nil {
			return err
		}
		if _, err := sqlite.Execute(w.conn, "DROP TABLE "+storageName(r.before.storage)); err != nil {
			return fault.Cannot("rewrite table "+r.next.name, err)
		}
		ch.all, ch.rows, ch.locator, ch.next = true, r.rows-r.before.rows, nil, 0 // next is computed anew
		if err := w.redefine(r.next); err != nil {
			return err
		}
		return w.dropAttributes(r.next)
	})
}
