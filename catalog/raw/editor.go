package raw

import (
	"database/sql/driver"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// An editor changes rows. All editors of a session share its transaction, so a statement may have several.
type editor struct {
	table *Table
	err   error // of StatementBegin, which cannot return an error
	args  []driver.Value
	seen  *TableVersion // the session's view of the version that it changes
	of    *TableVersion // that version
	// removes is true once the editor has removed a row: a DELETE over a join names a row once for every match.
	removes bool
}

var (
	_ sql.InsertableTable   = (*Table)(nil)
	_ sql.UpdatableTable    = (*Table)(nil)
	_ sql.DeletableTable    = (*Table)(nil)
	_ sql.ReplaceableTable  = (*Table)(nil)
	_ sql.TruncateableTable = (*Table)(nil)
	_ sql.TableEditor       = (*editor)(nil)
)

// Inserter implements sql.InsertableTable.
func (t *Table) Inserter(*sql.Context) sql.RowInserter { return &editor{table: t} }

// Updater implements sql.UpdatableTable.
func (t *Table) Updater(*sql.Context) sql.RowUpdater { return &editor{table: t} }

// Deleter implements sql.DeletableTable.
func (t *Table) Deleter(*sql.Context) sql.RowDeleter { return &editor{table: t} }

// Replacer implements sql.ReplaceableTable.
func (t *Table) Replacer(*sql.Context) sql.RowReplacer { return &editor{table: t} }

// StatementBegin implements sql.EditOpenerCloser. It takes the write lock before the statement reads its first row.
func (e *editor) StatementBegin(ctx *sql.Context) {
	w, m, err := e.table.writing(ctx)
	if err == nil {
		err = w.beginStatement(m)
	}
	e.err = err
}

// DiscardChanges implements sql.EditOpenerCloser. If the transaction has nothing else, it releases the write lock at once.
func (e *editor) DiscardChanges(*sql.Context, error) error {
	s := e.table.session
	if s == nil {
		return nil
	}
	s.endIf(func(w *Work) bool {
		w.discard()
		return w.writer && w.untouched()
	})
	return nil
}

// StatementComplete implements sql.EditOpenerCloser.
func (e *editor) StatementComplete(*sql.Context) error {
	s := e.table.session
	if s == nil || s.work == nil || !s.work.writer {
		return nil
	}
	return s.work.completeStatement()
}

// Close implements sql.Closer.
func (e *editor) Close(*sql.Context) error { return nil }

// begin returns what an operation on a row needs.
func (e *editor) begin(ctx *sql.Context) (*Work, *TableVersion, *change, error) {
	if e.err != nil {
		return nil, nil, nil, e.err
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, nil, err
	}
	w, m, err := e.table.writing(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	ch, err := w.change(m)
	if err == nil && e.of != m {
		var clock coding.Clock
		if clock, err = coding.ClockOf(ctx); err == nil {
			e.of, e.seen = m, m.seenBy(clock)
		}
	}
	return w, e.seen, ch, err
}

// Insert implements sql.RowInserter.
func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	w, m, ch, err := e.begin(ctx)
	if err != nil {
		return err
	}
	return e.insert(w, m, ch, row)
}

func (e *editor) insert(w *Work, m *TableVersion, ch *change, row sql.Row) (err error) {
	if e.args, err = coding.EncodeRow(append(e.args[:0], ch.next), m.codecs, row); err != nil {
		return err
	}
	if _, err := sqlite.Execute(w.conn, m.statements.insert, e.args...); err != nil {
		if sqlite.IsUniqueViolation(err) {
			return w.duplicate(m, e.args[1:], 0)
		}
		return fault.Cannot("insert into "+m.name, err)
	}
	if ch.locator != nil {
		ch.locator.add(e.args[1:], ch.next)
	}
	ch.touch(ch.next)
	ch.next++
	ch.rows++
	w.store.passAutoIncrement(m, row)
	return nil
}

// touch marks the chunk of a rowid as changed.
func (ch *change) touch(rowid int64) { ch.chunks[rowid/chunkRows] = struct{}{} }

// Delete implements sql.RowDeleter.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	w, m, ch, err := e.begin(ctx)
	if err != nil {
		return err
	}
	if e.args, err = coding.EncodeRow(e.args[:0], m.codecs, row); err != nil {
		return err
	}
	rowid, err := w.locate(m, ch, e.args)
	if gone := (rowGone{}); e.removes && errors.As(err, &gone) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := sqlite.Execute(w.conn, m.statements.remove, rowid); err != nil {
		return fault.Cannot("delete from "+m.name, err)
	}
	e.removes = true
	if ch.locator != nil {
		ch.locator.remove(e.args, rowid)
	}
	ch.touch(rowid)
	ch.rows--
	return nil
}

// Update implements sql.RowUpdater.
func (e *editor) Update(ctx *sql.Context, old, row sql.Row) error {
	w, m, ch, err := e.begin(ctx)
	if err != nil {
		return err
	}
	before, err := coding.EncodeRow(nil, m.codecs, old)
	if err != nil {
		return err
	}
	rowid, err := w.locate(m, ch, before)
	if err != nil {
		return err
	}
	if e.args, err = coding.EncodeRow(e.args[:0], m.codecs, row); err != nil {
		return err
	}
	after := e.args
	e.args = append(e.args, rowid)
	if _, err := sqlite.Execute(w.conn, m.statements.update, e.args...); err != nil {
		if sqlite.IsUniqueViolation(err) {
			return w.duplicate(m, after, rowid)
		}
		return fault.Cannot("update "+m.name, err)
	}
	if ch.locator != nil {
		ch.locator.remove(before, rowid)
		ch.locator.add(after, rowid)
	}
	ch.touch(rowid)
	w.store.passAutoIncrement(m, row)
	return nil
}

// Truncate implements sql.TruncateableTable.
func (t *Table) Truncate(ctx *sql.Context) (int, error) {
	w, m, err := t.writing(ctx)
	if err != nil {
		return 0, err
	}
	ch, err := w.change(m)
	if err != nil {
		return 0, err
	}
	removed := w.rows(m)
	if _, err := sqlite.Execute(w.conn, "DELETE FROM "+storageName(m.storage)); err != nil {
		return 0, fault.Cannot("empty table "+m.name, err)
	}
	ch.all, ch.rows, ch.locator = true, -m.rows, nil
	return int(removed), nil
}

// passAutoIncrement moves the counter beyond a row's AUTO_INCREMENT value.
func (c *Store) passAutoIncrement(m *TableVersion, row sql.Row) {
	if m.automatic < 0 {
		return
	}
	if n, ok := unsigned(row[m.automatic]); ok {
		c.counters.pass(m, n)
	}
}
