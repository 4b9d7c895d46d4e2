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

	"github.com/anonsql/anonsql/anonymize"
)

// A release that follows its table must know every row that changed, whatever
// statement changed it. SQLite triggers on the rows record that, so that no way
// of writing can forget it, and what is rolled back is not recorded either. A
// table that nothing follows pays nothing.

// A lineage is one release with all its versions, and the table that it
// follows.
type lineage struct {
	id, table int64
	columns   []followedColumn
	lost      string // why the following ended, "" when it did not
}

// changes is the name of the table that holds the changed rows.
func (l lineage) changes() string { return fmt.Sprintf("live%d", l.id) }

// A followedColumn is a released column as it was when the following began.
type followedColumn struct {
	ID   int64
	Name string
	Type string
}

// Follow begins to record which rows of a table change in the named columns, in
// a transaction of its own, so that the table can be read afterwards and no
// change is missed. Publish takes the lineage over with a release (LiveRecord);
// when there will be none, Unfollow ends it, and so does the next start.
//
// The session's snapshot ends here: ask the catalog for the table again. A
// session with uncommitted changes is refused.
func (r *Releases) Follow(ctx *sql.Context, table *Table, columns []string) (id int64, err error) {
	if err := r.refuseOpenWrites(ctx); err != nil {
		return 0, err
	}
	err = r.catalog.write(ctx, func(w *work) error {
		t, err := table.in(w)
		if err != nil {
			return err
		}
		l := lineage{table: t.id}
		if l.columns, err = t.followed(columns); err != nil {
			return err
		}
		text, err := json.Marshal(l.columns)
		if err != nil {
			return err
		}
		last, err := lastRowID(w.conn, t)
		if err != nil {
			return err
		}
		if l.id, err = insertID(w, `INSERT INTO live_lineages (table_id, columns, next_row) VALUES (?, ?, ?)`, t.id, string(text), last+1); err != nil {
			return storageError("follow table "+t.name, err)
		}
		id = l.id
		if _, err := execute(w.conn, fmt.Sprintf(createChanges, id)); err != nil {
			return storageError("follow table "+t.name, err)
		}
		return w.capture(l, t.storage)
	})
	return id, err
}

// refuseOpenWrites: what follows a table is of committed rows.
func (r *Releases) refuseOpenWrites(ctx *sql.Context) error {
	s := sessionOf(ctx)
	if s == nil || s.catalog != r.catalog {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work != nil && s.work.writer {
		return errors.New("a release that follows its table is not published inside a transaction that changes something: COMMIT or ROLLBACK first")
	}
	return nil
}

// followed describes the named columns.
func (t *tableMeta) followed(columns []string) ([]followedColumn, error) {
	if len(columns) == 0 {
		return nil, errors.New("a release without columns cannot follow its table")
	}
	ordinals, err := t.pick(columns)
	if err != nil {
		return nil, err
	}
	followed := make([]followedColumn, len(ordinals))
	for i, ordinal := range ordinals {
		c := t.definition.Columns[ordinal]
		followed[i] = followedColumn{c.ID, c.Name, c.Type}
	}
	return followed, nil
}

// Unfollow ends a lineage that has no release, also after the client has left.
// One that has a release goes on.
func (r *Releases) Unfollow(ctx *sql.Context, id int64) error {
	return r.catalog.write(ctx.WithContext(context.WithoutCancel(ctx)), func(w *work) error { return endOrphans(w.conn, " AND id = ?", id) })
}

// The changed rows of a lineage are in a table of its own. Its stamp grows with
// every change of the row, so that a refresh removes what it has read. It has no
// constraint that can fail, and no key of two columns: where no part of a
// statement can fail, SQLite keeps no journal for the statement alone. With one a
// DELETE takes five times as long. INSERT and UPDATE of a table with a unique
// key have one anyway.
//
// Processor time, followed and not (BenchmarkCapture, six of ten columns): load
// 3.9 and 3.4 us a row, UPDATE 21 and 12 (a released column or another one),
// DELETE 11 and 11, TRUNCATE 1.0 and 0.3.
const (
	createChanges = `CREATE TABLE live%d (row INTEGER PRIMARY KEY, stamp)`
	recordChange  = `INSERT INTO live%d (row, stamp) VALUES (%s.rowid, 1) ON CONFLICT (row) DO UPDATE SET stamp = stamp + 1`
)

// capture creates the triggers of a lineage. Stored columns have no collation
// and no affinity, so that IS NOT compares bytes.
func (w *work) capture(l lineage, storage int64) error {
	for _, trigger := range l.captures(storage) {
		if _, err := execute(w.conn, trigger.text); err != nil {
			return storageError("record changes of a table", err)
		}
	}
	return nil
}

// captures returns the triggers by name.
func (l lineage) captures(storage int64) map[string]object {
	triggers := make(map[string]object)
	differs := make([]string, len(l.columns))
	for i, c := range l.columns {
		differs[i] = fmt.Sprintf("OLD.c%d IS NOT NEW.c%d", c.ID, c.ID)
	}
	for _, trigger := range []struct{ event, when, row string }{
		{"insert", "", "NEW"},
		{"update", " WHEN " + strings.Join(differs, " OR "), "NEW"},
		{"delete", "", "OLD"},
	} {
		name := l.changes() + "_" + trigger.event
		triggers[name] = object{"trigger", storageName(storage), fmt.Sprintf("CREATE TRIGGER %s AFTER %s ON t%d%s BEGIN %s; END",
			name, strings.ToUpper(trigger.event), storage, trigger.when, fmt.Sprintf(recordChange, l.id, trigger.row))}
	}
	return triggers
}

// uncapture drops the triggers of a lineage and what they recorded.
func uncapture(conn *dbsql.Conn, id int64) error {
	for _, event := range []string{"insert", "update", "delete"} {
		if _, err := execute(conn, fmt.Sprintf("DROP TRIGGER IF EXISTS live%d_%s", id, event)); err != nil {
			return storageError("end the following of a table", err)
		}
	}
	_, err := execute(conn, fmt.Sprintf("DROP TABLE IF EXISTS live%d", id))
	return storageError("end the following of a table", err)
}

func endLineage(conn *dbsql.Conn, id int64) error {
	if err := uncapture(conn, id); err != nil {
		return err
	}
	_, err := execute(conn, "DELETE FROM live_lineages WHERE id = ?", id)
	return storageError("end the following of a table", err)
}

// selectLineages reads lineages by a condition.
const selectLineages = "SELECT id, table_id, columns, lost FROM live_lineages WHERE "

func readLineages(conn *dbsql.Conn, condition string, args ...driver.Value) ([]lineage, error) {
	var found []lineage
	err := query(conn, func(row []driver.Value) error {
		var l lineage
		columns := ""
		err := scanValues(row, &l.id, &l.table, &columns, &l.lost)
		if err == nil {
			err = json.Unmarshal([]byte(columns), &l.columns)
		}
		found = append(found, l)
		return damaged(fmt.Sprintf("what release lineage %d follows", l.id), err)
	}, selectLineages+condition, args...)
	return found, storageError("read what follows a table", err)
}

// readLineage returns one lineage. One whose table was dropped is gone.
func readLineage(conn *dbsql.Conn, record *ReleaseRecord) (lineage, error) {
	found, err := readLineages(conn, "id = ?", record.Live.Lineage)
	if err != nil {
		return lineage{}, err
	}
	reason := "its raw table was dropped"
	if len(found) == 1 {
		if reason = found[0].lost; reason == "" {
			return found[0], nil
		}
	}
	return lineage{}, &anonymize.DataError{Reason: fmt.Sprintf("release %s does not follow its table any more: %s. CALL anonymize with replace=true publishes anew", record.Name, reason)}
}

// nextFollowed returns the lowest row number that no follower of a table may
// remember for another row, 0 when nothing follows it: a release knows a person
// by the number of the row.
func nextFollowed(conn *dbsql.Conn, table int64) (int64, error) {
	next := int64(0)
	higher := func(row []driver.Value) error {
		var number int64
		err := scanValues(row, &number)
		next = max(next, number)
		return err
	}
	var following []int64
	err := query(conn, func(row []driver.Value) error {
		if id, ok := row[0].(int64); ok && row[2] == "" {
			following = append(following, id)
		}
		return higher(row[1:2])
	}, "SELECT id, next_row, lost FROM live_lineages WHERE table_id = ?", table)
	for _, id := range following {
		err = errors.Join(err, query(conn, higher, fmt.Sprintf("SELECT coalesce(max(row), 0) + 1 FROM live%d", id)))
	}
	return next, storageError("read what follows a table", err)
}

// missing says why a table does not have the released columns any more, "" when
// it has.
func (l lineage) missing(d *definition) string {
	for _, c := range l.columns {
		at := d.ordinal(c.ID)
		switch {
		case at < 0:
			return fmt.Sprintf("column %q, which it publishes, was dropped", c.Name)
		case d.Columns[at].Type != c.Type:
			return fmt.Sprintf("column %q, which it publishes, became %s", c.Name, d.Columns[at].Type)
		}
	}
	return ""
}

// keepFollowing lets lineages follow a table through a change of its
// definition. A released column that goes or gets another type ends them: its
// values are not those that the release knows.
func (w *work) keepFollowing(storageBefore int64, t *tableMeta) error {
	lineages, err := readLineages(w.conn, "table_id = ? AND lost = ''", t.id)
	if err != nil {
		return err
	}
	for _, l := range lineages {
		if reason := l.missing(t.definition); reason != "" {
			err = w.lose(l, reason)
		} else if storageBefore != t.storage {
			err = w.capture(l, t.storage)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loseColumn ends the lineages that publish a column which is about to go:
// SQLite does not drop a column that a trigger names.
func (w *work) loseColumn(t *tableMeta, without *definition, column int64) error {
	lineages, err := readLineages(w.conn, "table_id = ? AND lost = ''", t.id)
	for _, l := range lineages {
		if slices.ContainsFunc(l.columns, func(c followedColumn) bool { return c.ID == column }) {
			err = errors.Join(err, w.lose(l, l.missing(without)))
		}
	}
	return err
}

func (w *work) lose(l lineage, reason string) error {
	if err := uncapture(w.conn, l.id); err != nil {
		return err
	}
	_, err := execute(w.conn, "UPDATE live_lineages SET lost = ? WHERE id = ?", reason, l.id)
	return storageError("end the following of a table", err)
}

// dropFollowers ends the lineages of a table that is dropped; their releases
// stay.
func (w *work) dropFollowers(t *tableMeta) error {
	lineages, err := readLineages(w.conn, "table_id = ?", t.id)
	for _, l := range lineages {
		err = errors.Join(err, endLineage(w.conn, l.id))
	}
	return err
}

// dropOrphanLineages ends the lineages that have no release: the process was
// killed between Follow and Publish.
func dropOrphanLineages(conn *dbsql.Conn) error { return endOrphans(conn, "") }

func endOrphans(conn *dbsql.Conn, condition string, args ...driver.Value) error {
	orphans, err := readLineages(conn, `id NOT IN (SELECT coalesce(json_extract(record, '$.Live.Lineage'), 0) FROM releases)`+condition, args...)
	for _, l := range orphans {
		err = errors.Join(err, endLineage(conn, l.id))
	}
	return err
}
