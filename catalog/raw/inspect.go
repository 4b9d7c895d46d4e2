package raw

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// An Inspection looks at the raw tables of a file that no server has open, and says in
// a report what is wrong with them.
type Inspection struct {
	ctx      context.Context
	conn     *dbsql.Conn
	report   *fault.Report
	progress fault.Progress
	objects  map[string]sqlite.Object
	meta     *metadata
}

// Inspect begins an inspection: it reads the definitions. objects is SQLite's schema.
func Inspect(ctx context.Context, conn *dbsql.Conn, objects map[string]sqlite.Object, report *fault.Report, progress fault.Progress) (*Inspection, error) {
	meta, err := loadMetadata(conn)
	if err != nil {
		return nil, err
	}
	return &Inspection{ctx: ctx, conn: conn, report: report, progress: progress, objects: objects, meta: meta}, nil
}

// TableOf returns the name of the raw table whose rows are in a table of SQLite's, ""
// for none.
func (c *Inspection) TableOf(storage string) string {
	if c == nil {
		return ""
	}
	for _, t := range c.meta.tables {
		if storageName(t.storage) == storage {
			return t.database + "." + t.name
		}
	}
	return ""
}

// SchemaProblems says what SQLite's schema has otherwise than this program makes it, by
// the names of SQLite's objects.
func (c *Inspection) SchemaProblems() (map[string]string, error) {
	return schemaProblems(c.ctx, c.objects, c.meta)
}

// Tables reads every row of every raw table.
func (c *Inspection) Tables() error {
	var total, done int64
	for _, t := range c.meta.tables {
		total += t.rows
	}
	for _, id := range slices.Sorted(maps.Keys(c.meta.tables)) {
		t := c.meta.tables[id]
		c.report.Tables++
		if err := c.table(t, done, total); err != nil {
			return err
		}
		done += t.rows
	}
	return nil
}

func (c *Inspection) table(t *TableVersion, done, total int64) error {
	name := t.database + "." + t.name
	if missing := c.missing(t); missing != "" {
		c.report.Find(fault.DoReload, "table %s: %s", name, missing)
		return nil
	}
	ordinals := make([]int, len(t.definition.Columns))
	for i := range ordinals {
		ordinals[i] = i
	}
	w := &Work{conn: c.conn, meta: c.meta}
	chunks, err := w.chunkNumbers(t)
	rows := int64(0)
	for _, chunk := range chunks {
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		columns, readErr := w.buildColumns(t, chunk, ordinals)
		if readErr != nil {
			err = readErr
			break
		}
		rows += int64(len(columns[0].codes))
		c.progress.Tell("reading the tables", done+rows, total)
	}
	c.report.Rows += rows
	switch {
	case err != nil:
		c.report.Find(fault.DoReload, "table %s cannot be read: %v", name, err)
	case rows != t.rows:
		c.report.Find(fault.DoReload, "table %s has %d rows, and should have %d", name, rows, t.rows)
	}
	return nil
}

// chunkNumbers returns the chunks that have rows. After damage a row may have
// any number, and there are more numbers than one can count through.
func (w *Work) chunkNumbers(t *TableVersion) (chunks []int64, err error) {
	next := int64(0)
	for {
		first := int64(-1)
		err := sqlite.Query(w.conn, func(row []driver.Value) error { return sqlite.Scan(row, &first) },
			fmt.Sprintf("SELECT rowid FROM t%d WHERE rowid >= ? ORDER BY rowid LIMIT 1", t.storage), next)
		if err != nil || first < 0 {
			return chunks, err
		}
		chunks = append(chunks, first/chunkRows)
		next = (first/chunkRows + 1) * chunkRows
		if next < first {
			return chunks, nil
		}
	}
}

// missing says what of a table's definition is not in the file.
func (c *Inspection) missing(t *TableVersion) string {
	storage := storageName(t.storage)
	if c.objects[storage].Kind != "table" {
		return "its rows are not there"
	}
	stored := make(map[string]bool)
	err := sqlite.Query(c.conn, func(row []driver.Value) error {
		var name string
		err := sqlite.Scan(row, &name)
		stored[name] = true
		return err
	}, "SELECT name FROM pragma_table_info(?)", storage)
	if err != nil {
		return err.Error()
	}
	for _, column := range t.definition.Columns {
		if !stored[fmt.Sprintf("c%d", column.ID)] {
			return fmt.Sprintf("column %q is not there", column.Name)
		}
	}
	for _, index := range t.definition.keys() {
		if o := c.objects[indexName(t.storage, index)]; o.Kind != "index" || o.Table != storage {
			return fmt.Sprintf("index %q is not there", index.Name)
		}
	}
	return ""
}

var (
	storageTable = regexp.MustCompile(`^t[0-9]+$`)
	changesTable = regexp.MustCompile(`^live[0-9]+$`)
)

// Storages finds tables for rows that belong to nothing. The next start drops
// them.
func (c *Inspection) Storages() error {
	lineages, err := readLineages(c.conn, "lost = ''")
	if err != nil {
		return err
	}
	known := make(map[string]bool)
	for _, t := range c.meta.tables {
		known[storageName(t.storage)] = true
	}
	for _, l := range lineages {
		known[l.changes()] = true
	}
	var orphans []string
	for name, o := range c.objects {
		if o.Kind == "table" && !known[name] && (storageTable.MatchString(name) || changesTable.MatchString(name)) {
			orphans = append(orphans, name)
		}
	}
	slices.Sort(orphans)
	if len(orphans) > 0 {
		c.report.Notes = append(c.report.Notes, fmt.Sprintf("%d stored tables belong to nothing (%s): %s", len(orphans), strings.Join(orphans, ", "), fault.DoTidy))
	}
	return nil
}

// Lineage says what is wrong with a lineage, of which the named columns are published: "" for
// nothing. A lineage that ended records nothing.
func (c *Inspection) Lineage(id int64, columns []string) string {
	lineages, err := readLineages(c.conn, "id = ?", id)
	if err != nil {
		return err.Error()
	}
	if len(lineages) == 0 || lineages[0].lost != "" {
		return ""
	}
	l := lineages[0]
	t := c.meta.tables[l.Table]
	if t == nil {
		return "the table that it follows is not there"
	}
	if missing := l.missing(t.definition); missing != "" {
		return missing + " while it was followed"
	}
	for _, name := range columns {
		if !l.Follows(name) {
			return fmt.Sprintf("nothing follows column %q of its table", name)
		}
	}
	if problem := l.captureProblem(c.objects, t); problem != "" {
		return problem
	}
	err = sqlite.Query(c.conn, func(row []driver.Value) error {
		var key, stamp int64
		return sqlite.Scan(row, &key, &stamp)
	}, "SELECT row, stamp FROM "+l.changes())
	if err != nil {
		return "the record of its table's changes: " + err.Error()
	}
	return ""
}
