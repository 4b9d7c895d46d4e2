package raw

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

const notAsMade = "it is not as it was made"

// schemaProblems compares what SQLite says of its tables, indexes and triggers with
// what this program makes: the catalog's own as migrations make them, those of raw
// tables as their definitions say. A raw table or an index that is not there is
// found where it is looked for.
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

// checkSchema refuses a catalog whose schema SQLite can read, and in which its
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

// storageText is the text of a table for rows. ALTER TABLE edits it.
var storageText = regexp.MustCompile(`^CREATE TABLE "?t[0-9]+"? \(rowid INTEGER PRIMARY KEY(\s*,\s*"?c[0-9]+"?)*\s*\)$`)

// captureProblem says how the table and the triggers that record changes of a raw
// table differ from what Follow makes.
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
