package raw

import (
	dbsql "database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Following must miss no changed row, whatever statement changed it, and record no change that is
// rolled back. SQLite triggers on the rows ensure both. A table that nothing follows pays nothing.

// A Lineage is the following of a table by one release and all its versions.
type Lineage struct {
	ID, Table int64 // permanent numbers
	columns   []followedColumn
	lost      string // why the following ended; "" if it continues
}

// changes returns the name of the table with the changed rows.
func (l Lineage) changes() string { return fmt.Sprintf("live%d", l.ID) }

// A followedColumn is a released column as of the beginning of the following.
type followedColumn struct {
	ID   int64
	Name string
	Type string
}

// column finds a followed column by its name at that time.
func (l Lineage) column(name string) int {
	return slices.IndexFunc(l.columns, func(f followedColumn) bool { return strings.EqualFold(f.Name, name) })
}

// Follows reports whether changes of a column are recorded. column is its name when the following began.
func (l Lineage) Follows(column string) bool { return l.column(column) >= 0 }

// NamesNow maps names as of the beginning of the following to current names; "" for a dropped column. Columns that are not followed keep their names.
func (l Lineage) NamesNow(t *TableVersion, names []string) []string {
	now := slices.Clone(names)
	for i, name := range names {
		if at := l.column(name); at >= 0 {
			c, _ := t.ColumnByID(l.columns[at].ID)
			now[i] = c.Name
		}
	}
	return now
}

// Follow begins to record which rows of a table change in the named columns. It uses a separate
// transaction, so a caller that then reads the table misses no change. It returns the lineage's number.
//
// It ends the session's snapshot: open the table again.
func (c *Store) Follow(ctx *sql.Context, table *Table, columns []string) (id int64, err error) {
	err = c.Write(ctx, func(w *Work) error {
		t, err := table.versionIn(w)
		if err != nil {
			return err
		}
		l := Lineage{Table: t.id}
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
		if l.ID, err = insertID(w, `INSERT INTO live_lineages (table_id, columns, next_row) VALUES (?, ?, ?)`, t.id, string(text), last+1); err != nil {
			return fault.Cannot("follow table "+t.name, err)
		}
		id = l.ID
		if _, err := sqlite.Execute(w.conn, fmt.Sprintf(createChanges, id)); err != nil {
			return fault.Cannot("follow table "+t.name, err)
		}
		return w.capture(l, t.storage)
	})
	return id, err
}

// followed describes the named columns.
func (t *TableVersion) followed(columns []string) ([]followedColumn, error) {
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

// Each lineage records its changed rows in a separate table. A row's stamp grows with every change, so a refresh removes only
// what it has read. The table has no constraint that can fail and no composite key: SQLite then needs no statement journal, which
// would make a DELETE several times slower. INSERT and UPDATE of a table with a unique key need that journal anyway.
const (
	createChanges = `CREATE TABLE live%d (row INTEGER PRIMARY KEY, stamp)`
	recordChange  = `INSERT INTO live%d (row, stamp) VALUES (%s.rowid, 1) ON CONFLICT (row) DO UPDATE SET stamp = stamp + 1`
)

// capture creates the triggers of a lineage. Stored columns have no collation and no affinity, so IS NOT compares bytes.
func (w *Work) capture(l Lineage, storage int64) error {
	for _, trigger := range l.captures(storage) {
		if _, err := sqlite.Execute(w.conn, trigger.Text); err != nil {
			return fault.Cannot("record changes of a table", err)
		}
	}
	return nil
}

// captures returns the triggers by name.
func (l Lineage) captures(storage int64) map[string]sqlite.Object {
	triggers := make(map[string]sqlite.Object)
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
		triggers[name] = sqlite.Object{Kind: "trigger", Table: storageName(storage), Text: fmt.Sprintf("CREATE TRIGGER %s AFTER %s ON t%d%s BEGIN %s; END",
			name, strings.ToUpper(trigger.event), storage, trigger.when, fmt.Sprintf(recordChange, l.ID, trigger.row))}
	}
	return triggers
}

// uncapture drops the triggers of a lineage and what they recorded.
func uncapture(conn *dbsql.Conn, id int64) error {
	for _, event := range []string{"insert", "update", "delete"} {
		if _, err := sqlite.Execute(conn, fmt.Sprintf("DROP TRIGGER IF EXISTS live%d_%s", id, event)); err != nil {
			return fault.Cannot("end the following of a table", err)
		}
	}
	_, err := sqlite.Execute(conn, fmt.Sprintf("DROP TABLE IF EXISTS live%d", id))
	return fault.Cannot("end the following of a table", err)
}

// EndLineage ends the following of a table and deletes what was recorded.
func EndLineage(conn *dbsql.Conn, id int64) error {
	if err := uncapture(conn, id); err != nil {
		return err
	}
	_, err := sqlite.Execute(conn, "DELETE FROM live_lineages WHERE id = ?", id)
	return fault.Cannot("end the following of a table", err)
}

// selectLineages selects lineages by a condition.
const selectLineages = "SELECT id, table_id, columns, lost FROM live_lineages WHERE "

func readLineages(conn *dbsql.Conn, condition string, args ...driver.Value) ([]Lineage, error) {
	var found []Lineage
	err := sqlite.Query(conn, func(row []driver.Value) error {
		var l Lineage
		columns := ""
		err := sqlite.Scan(row, &l.ID, &l.Table, &columns, &l.lost)
		if err == nil {
			err = json.Unmarshal([]byte(columns), &l.columns)
		}
		found = append(found, l)
		return fault.Damaged(fmt.Sprintf("what release lineage %d follows", l.ID), err)
	}, selectLineages+condition, args...)
	return found, fault.Cannot("read what follows a table", err)
}

// LineageByID returns a lineage, and why the following of its table ended; "" if it continues.
func LineageByID(conn *dbsql.Conn, id int64) (l Lineage, ended string, err error) {
	found, err := readLineages(conn, "id = ?", id)
	switch {
	case err != nil:
		return Lineage{}, "", err
	case len(found) == 0:
		return Lineage{}, "its raw table was dropped", nil
	}
	return found[0], found[0].lost, nil
}

// nextFollowed returns the lowest row number that no follower of a table may remember for
// another row, 0 if nothing follows it: a release identifies a person by the row's number.
func nextFollowed(conn *dbsql.Conn, table int64) (int64, error) {
	next := int64(0)
	higher := func(row []driver.Value) error {
		var number int64
		err := sqlite.Scan(row, &number)
		next = max(next, number)
		return err
	}
	var following []int64
	err := sqlite.Query(conn, func(row []driver.Value) error {
		if id, ok := row[0].(int64); ok && row[2] == "" {
			following = append(following, id)
		}
		return higher(row[1:2])
	}, "SELECT id, next_row, lost FROM live_lineages WHERE table_id = ?", table)
	for _, id := range following {
		err = errors.Join(err, sqlite.Query(conn, higher, fmt.Sprintf("SELECT coalesce(max(row), 0) + 1 FROM live%d", id)))
	}
	return next, fault.Cannot("read what follows a table", err)
}

// missing says why a table no longer has the released columns with the same or wider types; "" if it does.
func (l Lineage) missing(d *definition) string {
	for _, c := range l.columns {
		at := d.ordinal(c.ID)
		switch {
		case at < 0:
			return fmt.Sprintf("column %q, which it publishes, was dropped", c.Name)
		case d.Columns[at].Type != c.Type && !coding.Widens(c.Type, d.Columns[at].Type):
			return fmt.Sprintf("column %q, which it publishes, became %s", c.Name, d.Columns[at].Type)
		}
	}
	return ""
}

// keepFollowing lets lineages follow a table through a change of its definition. It ends the lineages
// whose released columns go or change their type, except for a change that keeps all values.
func (w *Work) keepFollowing(storageBefore int64, t *TableVersion) error {
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

// loseColumn ends the lineages that publish a column which is about to be dropped: SQLite does not drop a column that a trigger names.
func (w *Work) loseColumn(t *TableVersion, without *definition, column int64) error {
	lineages, err := readLineages(w.conn, "table_id = ? AND lost = ''", t.id)
	for _, l := range lineages {
		if slices.ContainsFunc(l.columns, func(c followedColumn) bool { return c.ID == column }) {
			err = errors.Join(err, w.lose(l, l.missing(without)))
		}
	}
	return err
}

func (w *Work) lose(l Lineage, reason string) error {
	w.ended = append(w.ended, reason)
	if err := uncapture(w.conn, l.ID); err != nil {
		return err
	}
	_, err := sqlite.Execute(w.conn, "UPDATE live_lineages SET lost = ? WHERE id = ?", reason, l.ID)
	return fault.Cannot("end the following of a table", err)
}

// dropFollowers ends the lineages of a dropped table; their releases stay.
func (w *Work) dropFollowers(t *TableVersion) error {
	lineages, err := readLineages(w.conn, "table_id = ?", t.id)
	for _, l := range lineages {
		err = errors.Join(err, EndLineage(w.conn, l.ID))
	}
	return err
}

// EndLineagesBut ends the lineages for which keep is false and deletes their records.
func EndLineagesBut(conn *dbsql.Conn, keep func(id int64) bool) error {
	var ended []int64
	err := sqlite.Query(conn, func(row []driver.Value) error {
		var id int64
		if err := sqlite.Scan(row, &id); err != nil {
			return err
		}
		if !keep(id) {
			ended = append(ended, id)
		}
		return nil
	}, "SELECT id FROM live_lineages")
	for _, id := range ended {
		err = errors.Join(err, EndLineage(conn, id))
	}
	return fault.Cannot("read what follows a table", err)
}
