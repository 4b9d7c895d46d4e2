package catalog

import (
	"database/sql/driver"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

var _ sql.RewritableTable = (*Table)(nil)

// ShouldRewriteTable implements sql.RewritableTable: when values change their
// form, or when a key loses or gains a column. Everything else is done on the
// definition.
func (t *Table) ShouldRewriteTable(_ *sql.Context, before, after sql.PrimaryKeySchema, old, column *sql.Column) bool {
	if len(before.PkOrdinals) != len(after.PkOrdinals) {
		return true
	}
	d := t.now().definition
	switch {
	case old != nil && column != nil:
		return TypeText(old.Type) != TypeText(column.Type)
	case old != nil:
		at := d.column(old.Name)
		return at >= 0 && slices.ContainsFunc(d.keys(), func(i indexDefinition) bool { return i.has(d.Columns[at].ID) })
	}
	return false
}

// RewriteInserter implements sql.RewritableTable: the rows go into a new
// storage, which takes the old one's place when the inserter is closed.
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
	r := &rewriter{table: t}
	err := t.catalog.define(ctx, func(w *work) error {
		m, err := t.in(w)
		if err != nil {
			return err
		}
		r.before = m
		r.next, err = w.rewritten(m, after, old, column)
		return err
	})
	return r, err
}

// rewritten creates the new storage.
func (w *work) rewritten(m *tableMeta, after sql.PrimaryKeySchema, old, column *sql.Column) (*tableMeta, error) {
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

// dropMissingIndexColumns takes dropped columns out of the indexes, and
// indexes that have none left away, as MySQL does.
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

// A rewriter takes the rows of a table that changes its form.
type rewriter struct {
	table        *Table
	before, next *tableMeta
	rows         int64
	args         []driver.Value
	done         bool
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
	return r.table.catalog.define(ctx, func(w *work) error {
		_, err := execute(w.conn, "DROP TABLE "+storageName(r.next.storage))
		return storageError("undo the change of table "+r.next.name, err)
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
	if r.args, err = encodeRow(append(r.args[:0], r.rows+1), r.next.codecs, row); err != nil {
		return err
	}
	if _, err := execute(w.conn, r.next.statements.insert, r.args...); err != nil {
		if isUniqueViolation(err) {
			return w.duplicate(r.next, r.args[1:], 0)
		}
		return storageError("rewrite table "+r.next.name, err)
	}
	r.rows++
	return nil
}

// Close puts the new storage in the old one's place.
func (r *rewriter) Close(ctx *sql.Context) error {
	if r.done {
		return nil
	}
	r.done = true
	return r.table.catalog.define(ctx, func(w *work) error {
		ch, err := w.change(r.before)
		if err != nil {
			return err
		}
		if _, err := execute(w.conn, "DROP TABLE "+storageName(r.before.storage)); err != nil {
			return storageError("rewrite table "+r.next.name, err)
		}
		ch.all, ch.rows, ch.locator, ch.next = true, r.rows-r.before.rows, nil, r.rows+1
		if err := w.redefine(r.next); err != nil {
			return err
		}
		return w.dropAttributes(r.next)
	})
}
