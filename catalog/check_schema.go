package catalog

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// schema reports what SQLite's schema says otherwise than this program.
func (c *checker) schema() error {
	problems, err := schemaProblems(c.ctx, c.objects, c.meta)
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		what, do := c.describe(name)
		c.report.find(do, "%s: the schema of %s: %s", what, name, problems[name])
	}
	return err
}

const notAsMade = "it is not as it was made"

// schemaProblems compares what SQLite says of its tables, indexes and triggers with
// what this program makes: the catalog's own as migrations make them, those of raw
// tables as their definitions say. A raw table or an index that is not there is
// found where it is looked for.
func schemaProblems(ctx context.Context, objects map[string]object, meta *metadata) (map[string]string, error) {
	fresh, err := freshObjects(ctx)
	if err != nil {
		return nil, err
	}
	problems := make(map[string]string)
	for name, want := range fresh {
		switch got, ok := objects[name]; {
		case !ok:
			problems[name] = "it is not there"
		case !got.same(want):
			problems[name] = notAsMade
		}
	}
	for _, t := range meta.tables {
		storage := storageName(t.storage)
		for _, index := range t.definition.keys() {
			name := indexName(t.storage, index)
			if o, ok := objects[name]; ok && !o.same(object{"index", storage, createIndex(t.storage, t.definition, index)}) {
				problems[name] = notAsMade
			}
		}
		if o, ok := objects[storage]; ok && !storageText.MatchString(o.text) {
			problems[storage] = notAsMade
		}
	}
	return problems, nil
}

// checkSchema refuses a catalog whose schema SQLite can read, and in which its
// statements would mean something else.
func checkSchema(ctx context.Context, conn *dbsql.Conn, meta *metadata) error {
	objects, _, err := readObjects(ctx, conn)
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
		if t := meta.tables[l.table]; t != nil {
			if problem := l.captureProblem(objects, t); problem != "" {
				problems[l.changes()] = problem
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		return fmt.Errorf("%w: the schema of %s: %s", ErrDamaged, name, problems[name])
	}
	return nil
}

// storageText is the text of a table for rows. ALTER TABLE edits it.
var storageText = regexp.MustCompile(`^CREATE TABLE "?t[0-9]+"? \(rowid INTEGER PRIMARY KEY(\s*,\s*"?c[0-9]+"?)*\s*\)$`)

var (
	fresh      map[string]object
	freshMutex sync.Mutex
)

// freshObjects is the schema of a catalog that was just made, in memory.
func freshObjects(ctx context.Context) (map[string]object, error) {
	freshMutex.Lock()
	defer freshMutex.Unlock()
	if fresh != nil {
		return fresh, nil
	}
	db := dbsql.OpenDB(newConnector(":memory:"))
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := migrate(ctx, conn, "memory"); err != nil {
		return nil, err
	}
	objects, _, err := readObjects(ctx, conn)
	if err == nil {
		fresh = objects
	}
	return objects, err
}

// captureProblem says how the table and the triggers that record changes of a raw
// table differ from what Follow makes.
func (l lineage) captureProblem(objects map[string]object, t *tableMeta) string {
	expected := l.captures(t.storage)
	expected[l.changes()] = object{"table", l.changes(), fmt.Sprintf(createChanges, l.id)}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		switch got, ok := objects[name]; {
		case !ok && name == l.changes():
			return "the record of its table's changes is not there"
		case !ok:
			_, event, _ := strings.Cut(name, "_")
			return "nothing records the " + event + "s of its table"
		case !got.same(expected[name]):
			return name + ", which records its table's changes: " + notAsMade
		}
	}
	return ""
}

// following looks at what records the changes of a raw table, and reads what it
// recorded.
func (c *checker) following(l lineage, t *tableMeta) string {
	if problem := l.captureProblem(c.objects, t); problem != "" {
		return problem
	}
	err := query(c.conn, func(row []driver.Value) error {
		var key, stamp int64
		return scanValues(row, &key, &stamp)
	}, "SELECT row, stamp FROM "+l.changes())
	if err != nil {
		return "the record of its table's changes: " + err.Error()
	}
	return ""
}
