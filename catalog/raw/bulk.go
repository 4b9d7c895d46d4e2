package raw

import (
	"database/sql/driver"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// bulkVariables limits the variables of one statement: beyond some hundreds there is no gain,
// and SQLite's limit is 32766.
const bulkVariables = 1000

// A BulkLoader inserts many rows fast, within the session's transaction and as one statement of
// it: all rows or none. It enforces keys; checks, defaults and NOT NULL are the caller's, as
// they are the engine's for INSERT. NULL or 0 in the AUTO_INCREMENT column gets the next
// number.
type BulkLoader struct {
	table     *Table
	perInsert int
	statement string
	args      []driver.Value
	buffered  []sql.Row
	// deferred are the indexes to build at the end: sorting once is faster than inserting at
	// random.
	deferred []indexDefinition
	closed   bool
}

// BulkLoad begins a load and takes the write lock. Outside a statement of the engine, the
// caller must commit (Session.CommitTransaction).
func (t *Table) BulkLoad(ctx *sql.Context) (*BulkLoader, error) {
	w, m, err := t.writing(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.beginStatement(m); err != nil {
		return nil, err
	}
	rows := max(1, min(100, bulkVariables/(len(m.codecs)+1)))
	b := &BulkLoader{table: t, perInsert: rows, statement: insertStatement(m.storage, m.definition, rows)}
	if err := b.deferIndexes(w, m); err != nil {
		w.discard()
		return nil, err
	}
	return b, nil
}

// deferIndexes drops the indexes of an empty table, except the primary key's, until the end of
// the load. Close then reports duplicates.
func (b *BulkLoader) deferIndexes(w *Work, m *TableVersion) error {
	if w.rows(m) > 0 {
		return nil
	}
	for _, index := range m.definition.keys() {
		if index.ID == primaryIndex {
			continue
		}
		if _, err := sqlite.Execute(w.conn, "DROP INDEX "+indexName(m.storage, index)); err != nil {
			return fault.Cannot("load into "+m.name, err)
		}
		b.deferred = append(b.deferred, index)
	}
	return nil
}

func (b *BulkLoader) buildDeferred(ctx *sql.Context) error {
	w, m, err := b.table.writing(ctx)
	if err != nil {
		return err
	}
	for _, index := range b.deferred {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.buildIndex(m, index); err != nil {
			return err
		}
	}
	return nil
}

// Append adds a row with all columns in schema order, already converted to their types.
func (b *BulkLoader) Append(ctx *sql.Context, row sql.Row) error {
	if b.closed {
		return errors.New("the load has ended")
	}
	m := b.table.newestVersion()
	if len(row) != len(m.codecs) {
		return sql.ErrInsertIntoMismatchValueCount.New()
	}
	if m.automatic >= 0 {
		if n, ok := unsigned(row[m.automatic]); row[m.automatic] == nil || ok && n == 0 {
			next, _, err := m.codecs[m.automatic].Type.Convert(ctx, b.table.store.counters.take(m))
			if err != nil {
				return err
			}
			row = row.Copy()
			row[m.automatic] = next
		}
	}
	b.buffered = append(b.buffered, row)
	if len(b.buffered) < b.perInsert {
		return nil
	}
	return b.flush(ctx)
}

// flush inserts the buffered rows in one statement. If a key refuses it, it inserts them one by
// one, so that the error names the offending row.
func (b *BulkLoader) flush(ctx *sql.Context) error {
	e := &editor{table: b.table}
	w, m, ch, err := e.begin(ctx)
	if err != nil {
		return err
	}
	rows := b.buffered
	b.buffered = b.buffered[:0]
	if len(rows) == b.perInsert {
		err := b.insertMany(w, m, ch, rows)
		if err == nil || !sqlite.IsUniqueViolation(err) {
			return err
		}
	}
	for _, row := range rows {
		if err := e.insert(w, m, ch, row); err != nil {
			return err
		}
	}
	return nil
}

func (b *BulkLoader) insertMany(w *Work, m *TableVersion, ch *change, rows []sql.Row) error {
	b.args = b.args[:0]
	var err error
	for i, row := range rows {
		if b.args, err = coding.EncodeRow(append(b.args, ch.next+int64(i)), m.codecs, row); err != nil {
			return err
		}
	}
	if _, err := sqlite.Execute(w.conn, b.statement, b.args...); err != nil {
		return fault.Cannot("load into "+m.name, err)
	}
	width := len(m.codecs) + 1
	for i, row := range rows {
		if ch.locator != nil {
			ch.locator.add(b.args[i*width+1:(i+1)*width], ch.next)
		}
		ch.touch(ch.next)
		ch.next++
		ch.rows++
		w.store.passAutoIncrement(m, row)
	}
	return nil
}

// Close inserts the buffered rows and ends the statement. If that fails, it undoes the load.
func (b *BulkLoader) Close(ctx *sql.Context) error {
	if b.closed {
		return nil
	}
	err := b.flush(ctx)
	if err == nil {
		err = b.buildDeferred(ctx)
	}
	if err == nil {
		b.closed = true
		return (&editor{table: b.table}).StatementComplete(ctx)
	}
	if abort := b.Abort(ctx); abort != nil {
		return errors.Join(err, abort)
	}
	return err
}

// Abort undoes the load.
func (b *BulkLoader) Abort(ctx *sql.Context) error {
	if b.closed {
		return nil
	}
	b.closed, b.buffered = true, nil
	return (&editor{table: b.table}).DiscardChanges(ctx, nil)
}
