package maintenance_test

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// stocked fills a catalog with everything that it can hold, and closes it.
func stocked(t *testing.T) *catalogtest.Bench {
	t.Helper()
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)",
		"INSERT INTO t (q, s) VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7)",
		"CREATE TABLE u (a VARCHAR(20) COLLATE utf8mb4_0900_ai_ci PRIMARY KEY, b DECIMAL(8,2), d DATETIME, j JSON, KEY by_b (b))",
		"CREATE VIEW v AS SELECT q FROM t")
	for i := range 40 {
		c.Run(fmt.Sprintf("INSERT INTO u VALUES ('name %d', %d.25, '2024-01-%02d', '{\"n\": %d}')", i, i, 1+i%28, i))
	}
	if _, err := c.Publish(r, catalogtest.Grouping(3), "p", nil); err != nil {
		t.Fatal(err)
	}
	c.Run("UPDATE t SET s = 9 WHERE id = 2")
	c.Refresh(r, catalogtest.Grouping(3), "p")
	c.Run("INSERT INTO t (q, s) VALUES (8, 8)")
	c.Session.SessionEnd()
	if err := b.Catalog.Close(); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCheckOfAWholeCatalog(t *testing.T) {
	b := stocked(t)
	before, err := os.ReadFile(filepath.Join(b.Dir, directory.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	told := make(map[string]bool)
	report, err := maintenance.CheckDirectory(context.Background(), b.Dir, func(phase string, done, total int64) {
		told[phase] = true
		if done > total {
			t.Errorf("%s: %d of %d", phase, done, total)
		}
	})
	if err != nil || report.Err() != nil || report.Tables != 2 || report.Rows != 48 || report.Releases != 2 || len(report.Notes) != 0 {
		t.Errorf("%v %+v", err, report)
	}
	if len(told) != 3 {
		t.Errorf("phases %v", told)
	}
	after, err := os.ReadFile(filepath.Join(b.Dir, directory.DatabaseFile))
	if err != nil || string(after) != string(before) {
		t.Error("a check changes the file")
	}
	entries, _ := os.ReadDir(b.Dir)
	if len(entries) != 2 { // and the lock
		t.Errorf("a check leaves %v", entries)
	}
}

// An SQLite statement makes each kind of inconsistency, and the check finds it.
func TestCheckFindsWhatDoesNotAgree(t *testing.T) {
	b := stocked(t)
	file := filepath.Join(b.Dir, directory.DatabaseFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ statement, want string }{
		{"UPDATE tables SET row_count = 9 WHERE name = 't'", "table d.t has 8 rows, and should have 9 -> restore a backup, or drop the table"},
		{"DROP TABLE t1", "table d.t: its rows are not there"},
		{"DROP INDEX i2_1", `table d.u: index "by_b" is not there`},
		{"ALTER TABLE t2 RENAME COLUMN c3 TO c9", `table d.u: column "d" is not there`},
		{"UPDATE t2 SET c3 = 'noon' WHERE rowid = 7", "table d.u cannot be read: the stored bytes are damaged: a stored string is no value of type datetime"},
		{"UPDATE tables SET definition = '{' WHERE name = 'u'", `the definitions cannot be read: the stored bytes are damaged: the definition of table "u"`},
		{`UPDATE tables SET definition = replace(definition, '"column":2', '"column":7')`, `index "by_b" is over column number 7, which is not there`},
		{"DELETE FROM databases", `the database of table "t" is not there`},
		{"CREATE TABLE t77 (c1)", "1 stored tables belong to nothing (t77): start the server once"},
		{"UPDATE releases SET record = substr(record, 2) WHERE id = 1", "release p_v1: its description is damaged"},
		{"DELETE FROM release_parts WHERE release_id = 1 AND kind = 'sizes'", "release p_v1: the stored bytes are damaged"},
		{"UPDATE release_parts SET data = x'01FF' WHERE release_id = 2 AND kind = 'codes'", "CALL drop_release('p')"},
		{"DELETE FROM release_parts WHERE release_id = 2 AND kind = 'dictionary'", "has code 0, beyond its 0 cells"},
		{"UPDATE releases SET record = json_set(record, '$.Groups', 1) WHERE id = 2", "release p: it has 2 groups, and should have 1"},
		{"UPDATE releases SET record = json_set(record, '$.Columns[0]', 'z') WHERE id = 2", "release p: column z is in no fragment"},
		{"DELETE FROM live_state", "the private side of the release is missing"},
		{"UPDATE live_state SET data = x'0107' WHERE part = 'groups'", "its private side: "},
		{"UPDATE releases SET record = json_set(record, '$.Live.Waiting', 5) WHERE id = 2", "its private side has 8 records"},
		{"DROP TRIGGER live1_update", "release p: nothing records the updates of its table"},
		{"DROP TABLE live1", "release p: the record of its table's changes is not there"},
		{"DELETE FROM publications", "release p is public, and it is not remembered that it is"},
		{"UPDATE publications SET sketch = x'0501'", "what is remembered of release p: the stored bytes are damaged"},
		{"INSERT INTO evaluations (release_id, record) VALUES (99, '')", "1 stored parts of evaluations belong to no release"},
		{"INSERT INTO views VALUES (99, 'w', '', '', '')", `the database of view "w" is not there`},
		{"DROP INDEX i2_1; CREATE INDEX i2_1 ON t2 (c3)", "an index of table d.u: the schema of i2_1: it is not as it was made"},
		{"CREATE TABLE t78 (c1); DROP INDEX evaluations_by_release", "the schema of evaluations_by_release: it is not there"},
		{"DROP TRIGGER live1_delete; CREATE TRIGGER live1_delete AFTER DELETE ON t1 BEGIN DELETE FROM live1; END", "release p: live1_delete, which records its table's changes: it is not as it was made"},
		{"UPDATE live1 SET stamp = NULL", "release p: the record of its table's changes: the stored bytes are damaged"},
		{`UPDATE tables SET definition = replace(definition, '"name":"s"', '"name":"Q"') WHERE name = 't'`, `two columns have the name "Q"`},
		{"PRAGMA user_version = 99", "its schema is version 99"},
		{"PRAGMA user_version = 1", "note"},
	} {
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		alter(t, file, c.statement)
		report := catalogtest.Checked(t, b.Dir)
		text := catalogtest.Findings(report)
		if c.want == "note" {
			if len(report.Findings) != 0 || len(report.Notes) != 1 {
				t.Errorf("%s: %s", c.statement, text)
			}
			continue
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s:\nwant %s\n got %s", c.statement, c.want, text)
		}
	}
}

// After every kind of ALTER TABLE, the file agrees with the definitions, also where SQLite edited the text itself,
// and the catalog opens.
func TestSchemaOfAlteredTables(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT, w VARCHAR(20), KEY by_w (w))",
		"INSERT INTO t (q, s, w) VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c'), (4, 4, 'd'), (5, 5, 'e'), (6, 6, 'f')")
	if _, err := c.Publish(r, catalogtest.Grouping(3), "p", nil); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"ALTER TABLE t ADD COLUMN x INT", "ALTER TABLE t ADD COLUMN y INT NOT NULL DEFAULT 7 FIRST", "ALTER TABLE t ADD COLUMN z DATE AFTER q",
		"ALTER TABLE t RENAME COLUMN x TO xx", "ALTER TABLE t DROP COLUMN y", "ALTER TABLE t DROP COLUMN z", "ALTER TABLE t DROP COLUMN xx",
		"CREATE UNIQUE INDEX u ON t (w, q)", "CREATE INDEX prefix ON t (w(3))", "ALTER TABLE t RENAME INDEX u TO v", "ALTER TABLE t DROP INDEX by_w",
		"ALTER TABLE t MODIFY COLUMN w VARCHAR(30) COLLATE utf8mb4_0900_ai_ci", "ALTER TABLE t MODIFY COLUMN id INT", "ALTER TABLE t DROP PRIMARY KEY", "ALTER TABLE t ADD PRIMARY KEY (w, id)",
		"RENAME TABLE t TO tt", "ALTER TABLE tt ADD CONSTRAINT c CHECK (q > 0)", "ALTER TABLE tt COMMENT = 'renamed'", "ALTER TABLE tt ADD COLUMN again INT",
		"TRUNCATE TABLE tt", "CREATE TABLE copied AS SELECT * FROM tt", "ALTER TABLE tt DROP COLUMN s", "DROP TABLE copied", "ALTER TABLE tt DROP COLUMN w",
	} {
		if _, err := c.Try(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		c.Session.SessionEnd()
		if err := b.Catalog.Close(); err != nil {
			t.Fatal(err)
		}
		if err := catalogtest.Checked(t, b.Dir).Err(); err != nil {
			t.Errorf("after %s: %v", statement, err)
		}
		b.Open()
		c = b.Client()
		c.Session.SetCurrentDatabase("d")
	}
}

// alter runs a statement on a file, bypassing the catalog.
func alter(t *testing.T, file, statement string) {
	t.Helper()
	db := dbsql.OpenDB(sqlite.NewConnector(file))
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "PRAGMA foreign_keys = OFF; "+statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestCheckRefuses(t *testing.T) {
	b := catalogtest.NewBench(t)
	if _, err := maintenance.CheckDirectory(context.Background(), b.Dir, nil); !errors.Is(err, directory.ErrLocked) || !strings.Contains(err.Error(), "stop the server first") {
		t.Errorf("a directory that is served: %v", err)
	}
	if _, err := maintenance.CheckDirectory(context.Background(), filepath.Join(b.Dir, "nothing"), nil); err == nil || !strings.Contains(err.Error(), "there is no data directory") {
		t.Error(err)
	}
	if _, err := maintenance.CheckDirectory(context.Background(), t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "there is no catalog") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := maintenance.CheckDirectory(ctx, stocked(t).Dir, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
