package raw

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Touched are the rows of a followed table that changed since the last Forget, as of one
// snapshot.
type Touched struct {
	anonymize.Changed
	// stamps are the stamps of the rows, in the order of Key.
	stamps []int64
}

// rowsPerLook is the number of rows between two checks of the context, and of the rowids that a
// rewriter buffers.
const rowsPerLook = 4096

// Touched reads the touched rows of a lineage of t in the order of their numbers, with one
// look-up per row. They take names, types and spellings from columns, which the lineage must
// follow. An *anonymize.DataError says that the table has lost one of these columns.
func (w *Work) Touched(ctx context.Context, l Lineage, t *TableVersion, columns []*anonymize.Column) (*Touched, error) {
	merges := make([]*columnMerge, len(columns))
	names := make([]string, len(columns))
	for i, c := range columns {
		now, err := l.ColumnNow(t, c)
		if err != nil {
			return nil, err
		}
		merges[i] = newColumnMerge(t, now.Ordinal, 0)
		names[i] = fmt.Sprintf(", t.c%d", now.ID)
	}
	touched := &Touched{}
	err := sqlite.Query(w.conn, func(row []driver.Value) error {
		if len(touched.stamps)%rowsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return touched.add(row, merges)
	}, fmt.Sprintf(`SELECT c.row, c.stamp, t.rowid%s FROM live%d AS c LEFT JOIN t%d AS t ON t.rowid = c.row ORDER BY c.row`,
		strings.Join(names, ""), l.ID, t.storage))
	if err != nil {
		return nil, fault.Cannot("read the changes of table "+t.name, err)
	}
	for i, m := range merges {
		touched.Columns = append(touched.Columns, coding.AsSpelled(m.finish(), columns[i]))
	}
	return touched, nil
}

// add adds a touched row: its number, its stamp, its number again if the row exists (else
// NULL), and its values.
func (t *Touched) add(row []driver.Value, merges []*columnMerge) error {
	var key, stamp int64
	if err := sqlite.Scan(row[:2], &key, &stamp); err != nil {
		return err
	}
	t.Key = append(t.Key, key)
	t.stamps = append(t.stamps, stamp)
	if row[2] == nil {
		t.Row = append(t.Row, -1)
		return nil
	}
	at := 0
	for i, m := range merges {
		at = len(m.column.Codes)
		code, err := m.code(row[3+i])
		if err != nil {
			return err
		}
		m.column.Codes = append(m.column.Codes, code)
	}
	t.Row = append(t.Row, at)
	return nil
}

// ColumnNow finds a followed column in the table's current version. If its type is wider now, c
// gets that type. An *anonymize.DataError says that the column was dropped or has another type.
func (l Lineage) ColumnNow(t *TableVersion, c *anonymize.Column) (Column, error) {
	at := l.column(c.Name)
	if at < 0 {
		return Column{}, fault.Cannot("refresh a release", fmt.Errorf("%w: it has a column %q that it did not begin to follow", fault.ErrDamaged, c.Name))
	}
	now, ok := t.ColumnByID(l.columns[at].ID)
	if ok && coding.Widens(c.Type, now.Type) {
		c.Type = now.Type
	}
	if !ok || now.Type != c.Type {
		return Column{}, &anonymize.DataError{
			Reason: fmt.Sprintf("column %q, which the release follows as %s, was dropped or has another type", c.Name, c.Type),
		}
	}
	return now, nil
}

// Forget removes touched rows from the record of changes, except those that have changed again.
// It remembers that their numbers were used. Errors are SQLite's.
func (l Lineage) Forget(ctx context.Context, conn *dbsql.Conn, touched *Touched) error {
	remove := fmt.Sprintf("DELETE FROM live%d WHERE row = ? AND stamp = ?", l.ID)
	for i, row := range touched.Key {
		if i%rowsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := sqlite.Execute(conn, remove, row, touched.stamps[i]); err != nil {
			return err
		}
	}
	highest := int64(0)
	if len(touched.Key) > 0 {
		highest = slices.Max(touched.Key)
	}
	_, err := sqlite.Execute(conn, `UPDATE live_lineages SET next_row = max(next_row, ?), problem = '' WHERE id = ?`, highest+1, l.ID)
	return err
}

// CountTouched counts the touched rows of a lineage, up to limit; a negative limit is none.
// Errors are SQLite's.
func CountTouched(conn *dbsql.Conn, lineage int64, limit int) (n int64, err error) {
	err = sqlite.Query(conn, func(row []driver.Value) error { return sqlite.Scan(row, &n) },
		fmt.Sprintf("SELECT COUNT(*) FROM (SELECT 1 FROM live%d LIMIT %d)", lineage, limit))
	return n, err
}

// NoteProblem stores with a lineage why its last refresh failed, "" for success, until the next
// [Lineage.Forget].
func NoteProblem(conn *dbsql.Conn, lineage int64, problem string) error {
	_, err := sqlite.Execute(conn, `UPDATE live_lineages SET problem = ? WHERE id = ?`, problem, lineage)
	return err
}

// Problem returns the text that NoteProblem stored.
func Problem(conn *dbsql.Conn, lineage int64) (problem string, err error) {
	err = sqlite.Query(conn, func(row []driver.Value) error { return sqlite.Scan(row, &problem) },
		"SELECT problem FROM live_lineages WHERE id = ?", lineage)
	return problem, err
}
