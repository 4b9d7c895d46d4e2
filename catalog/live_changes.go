package catalog

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
)

// Pending is what a refresh starts from: a release that follows its table and
// the rows that changed since, all of one moment.
type Pending struct {
	Record  *ReleaseRecord
	Release *anonymize.Release
	Live    *anonymize.Live
	History []byte
	// Changed has the touched rows as they are now, under the names, the types
	// and the spellings of the Live.
	Changed *anonymize.Changed
	// Domains are what the owner says of the columns, by their names in the Live.
	Domains map[string]*anonymize.Domain
	// SourceVersion is the table's version at that moment.
	SourceVersion int64
	// stamps has the stamp of every touched row, in the order of Changed.Key.
	stamps []int64
}

// Changes reads what a refresh of the named release starts from, in a snapshot
// of its own: what the session has not committed is not in it. Accounts that may
// not read the raw table are refused; a context without a session is the
// server's own work.
func (r *Releases) Changes(ctx *sql.Context, name string) (*Pending, error) {
	if err := r.checkRefresh(ctx, name); err != nil {
		return nil, err
	}
	w, err := r.catalog.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer w.end()
	pending := &Pending{}
	if pending.Record, err = readRecord(ctx, w.conn, name); err != nil {
		return nil, err
	}
	if pending.Record.Imported {
		return nil, errImported(pending.Record, "it cannot be refreshed: CALL import_release with replace=true imports a newer one")
	}
	if !pending.Record.Follows() {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("release %s does not follow its table: CALL anonymize with replace=true publishes anew", pending.Record.Name)}
	}
	l, err := readLineage(w.conn, pending.Record)
	if err != nil {
		return nil, err
	}
	if pending.Live, pending.History, err = readLive(ctx, w.conn, pending.Record.ID); err != nil {
		return nil, explained("read release "+pending.Record.Name, fmt.Errorf("release %s: %w", pending.Record.Name, err))
	}
	if problem := pending.Record.disagrees(pending.Live); problem != "" {
		return nil, explained("read release "+pending.Record.Name, fmt.Errorf("%w: release %s: %s", ErrDamaged, pending.Record.Name, problem))
	}
	if pending.Release, err = r.releaseIn(ctx, w, pending.Record); err != nil {
		return nil, err
	}
	return pending, pending.readChanged(ctx, w, l)
}

// checkRefresh refuses sessions that may not read the raw table.
func (r *Releases) checkRefresh(ctx *sql.Context, name string) error {
	if sessionOf(ctx) == nil {
		return nil
	}
	p, err := r.Find(ctx, name)
	if err != nil || r.mayReadSource(ctx, p.record) {
		return err
	}
	client := ctx.Session.Client()
	return mysql.NewSQLError(tableAccessDenied, "42000",
		"SELECT command denied to user '%s'@'%s' for the table behind published.%s, which a refresh reads",
		client.User, client.Address, p.record.Name)
}

// readRecord returns the description of one release.
func readRecord(ctx context.Context, tx *dbsql.Conn, name string) (*ReleaseRecord, error) {
	record, text := &ReleaseRecord{}, ""
	err := tx.QueryRowContext(ctx, `SELECT id, record FROM releases WHERE name = ?`, name).Scan(&record.ID, &text)
	if errors.Is(err, dbsql.ErrNoRows) {
		return nil, errNoRelease(name)
	}
	if err != nil {
		return nil, storageError("read release "+name, err)
	}
	if err := json.Unmarshal([]byte(text), record); err != nil {
		return nil, storageError("read release "+name, damaged("its description", err))
	}
	return record, nil
}

// releaseIn returns the fragments of a release: those in memory, or else those
// of the snapshot.
func (r *Releases) releaseIn(ctx *sql.Context, w *work, record *ReleaseRecord) (*anonymize.Release, error) {
	for _, p := range r.current.Load().releases {
		if p.record.ID == record.ID {
			return p.Release(ctx)
		}
	}
	return readRelease(ctx, w.conn, record)
}

// readChanged reads the touched rows as they are in the snapshot, in the order
// of their numbers: one look-up a row.
func (p *Pending) readChanged(ctx context.Context, w *work, l lineage) error {
	t := w.meta.tables[l.table]
	if t == nil {
		return &anonymize.DataError{Reason: fmt.Sprintf("the raw table of release %s does not exist any more", p.Record.Name)}
	}
	p.SourceVersion = t.version
	merges := make([]*columnMerge, len(p.Live.Columns))
	names := make([]string, len(p.Live.Columns))
	for i, c := range p.Live.Columns {
		ordinal, err := l.ordinal(t, c)
		if err != nil {
			return err
		}
		merges[i] = newColumnMerge(t, ordinal, 0)
		names[i] = fmt.Sprintf(", t.c%d", t.definition.Columns[ordinal].ID)
	}
	p.Changed = &anonymize.Changed{}
	err := query(w.conn, func(row []driver.Value) error {
		if len(p.stamps)%rowidsAtOnce == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return p.add(row, merges)
	}, fmt.Sprintf(`SELECT c.row, c.stamp, t.rowid%s FROM live%d AS c LEFT JOIN t%d AS t ON t.rowid = c.row ORDER BY c.row`,
		strings.Join(names, ""), l.id, t.storage))
	if err != nil {
		return storageError("read the changes of table "+t.name, err)
	}
	for i, m := range merges {
		p.Changed.Columns = append(p.Changed.Columns, asSpelled(m.finish(), p.Live.Columns[i]))
	}
	return p.readDomains(w, t, l)
}

// add takes a touched row: its number, its stamp, its number once more when it
// is there, and its values.
func (p *Pending) add(row []driver.Value, merges []*columnMerge) error {
	var key, stamp int64
	if err := scanValues(row[:2], &key, &stamp); err != nil {
		return err
	}
	p.Changed.Key = append(p.Changed.Key, key)
	p.stamps = append(p.stamps, stamp)
	if row[2] == nil {
		p.Changed.Row = append(p.Changed.Row, -1)
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
	p.Changed.Row = append(p.Changed.Row, at)
	return nil
}

// ordinal finds a column of the private side in the table of today.
func (l lineage) ordinal(t *tableMeta, c *anonymize.Column) (int, error) {
	at := l.column(c.Name)
	if at < 0 {
		return 0, storageError("refresh a release", fmt.Errorf("%w: it has a column %q that it did not begin to follow", ErrDamaged, c.Name))
	}
	ordinal := t.definition.ordinal(l.columns[at].ID)
	if ordinal < 0 || t.definition.Columns[ordinal].Type != c.Type {
		return 0, &anonymize.DataError{Reason: fmt.Sprintf("column %q, which the release publishes as %s, was dropped or has another type", c.Name, c.Type)}
	}
	return ordinal, nil
}

// column finds a followed column by the name that it had.
func (l lineage) column(name string) int {
	return slices.IndexFunc(l.columns, func(f followedColumn) bool { return strings.EqualFold(f.Name, name) })
}
