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

	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// An Inspection examines the raw tables of a file that no server has open, and reports what is
// wrong.
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

// TableOf returns the name of the raw table whose rows a SQLite table has; "" for none.
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

// SchemaProblems returns the differences of SQLite's schema from the one that this program
// makes, by name of SQLite's object.
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
		c.progress.Report("reading the tables", done+rows, total)
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

// chunkNumbers returns the chunks that have rows. After damage a row may have any number, and
// there are too many to count through.
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

// missing says what of a table's definition the file lacks.
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

// Storages finds storages that belong to nothing. The next start drops them.
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
		c.report.Notes = append(
			c.report.Notes,
			fmt.Sprintf("%d stored tables belong to nothing (%s): %s", len(orphans), strings.Join(orphans, ", "), fault.DoTidy),
		)
	}
	return nil
}

// Lineage says what is wrong with a lineage whose named columns are published; "" if nothing. A
// lineage that ended records nothing.
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

const notAsMade = "it is not as it was made"

// schemaProblems compares SQLite's tables, indexes and triggers with those that this program
// makes: the catalog's own by migrations, those of raw tables by their definitions. Other
// checks find missing raw tables and indexes.
func schemaProblems(ctx context.Context, objects map[string]sqlite.Object, meta *metadata) (map[string]string, error) {
	fresh, err := directory.FreshObjects(ctx)
	if err != nil {
		return nil, err
	}
	problems := make(map[string]string)
	for name, want := range fresh {
		switch got, ok := objects[name]; {
		case !ok:
			problems[name] = "it is not there"
		case !got.Same(want):
			problems[name] = notAsMade
		}
	}
	for _, t := range meta.tables {
		storage := storageName(t.storage)
		for _, index := range t.definition.keys() {
			name := indexName(t.storage, index)
			if o, ok := objects[name]; ok && !o.Same(sqlite.Object{Kind: "index", Table: storage, Text: createIndex(t.storage, t.definition, index)}) {
				problems[name] = notAsMade
			}
		}
		if o, ok := objects[storage]; ok && !storageText.MatchString(o.Text) {
			problems[storage] = notAsMade
		}
	}
	return problems, nil
}

// checkSchema refuses a catalog whose schema SQLite can read but in which this program's
// statements would mean something else.
func checkSchema(ctx context.Context, conn *dbsql.Conn, meta *metadata) error {
	objects, _, err := sqlite.Objects(ctx, conn)
	if err != nil {
		return err
	}
	problems, err := schemaProblems(ctx, objects, meta)
	if err != nil {
		return err
	}
	lineages, err := readLineages(conn, "lost = ''")
	if err != nil {
		return err
	}
	for _, l := range lineages {
		if t := meta.tables[l.Table]; t != nil {
			if problem := l.captureProblem(objects, t); problem != "" {
				problems[l.changes()] = problem
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		return fmt.Errorf("%w: the schema of %s: %s", fault.ErrDamaged, name, problems[name])
	}
	return nil
}

// storageText matches the definition of a storage. ALTER TABLE edits it.
var storageText = regexp.MustCompile(`^CREATE TABLE "?t[0-9]+"? \(rowid INTEGER PRIMARY KEY(\s*,\s*"?c[0-9]+"?)*\s*\)$`)

// captureProblem says how the table and the triggers that record changes of a raw table differ
// from what Follow makes.
func (l Lineage) captureProblem(objects map[string]sqlite.Object, t *TableVersion) string {
	expected := l.captures(t.storage)
	expected[l.changes()] = sqlite.Object{Kind: "table", Table: l.changes(), Text: fmt.Sprintf(createChanges, l.ID)}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		switch got, ok := objects[name]; {
		case !ok && name == l.changes():
			return "the record of its table's changes is not there"
		case !ok:
			_, event, _ := strings.Cut(name, "_")
			return "nothing records the " + event + "s of its table"
		case !got.Same(expected[name]):
			return name + ", which records its table's changes: " + notAsMade
		}
	}
	return ""
}
