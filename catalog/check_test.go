package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stocked fills a catalog with everything that it can hold, and closes it.
func stocked(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	r, c := b.releases(), b.owner()
	c.run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)",
		"INSERT INTO t (q, s) VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7)",
		"CREATE TABLE u (a VARCHAR(20) COLLATE utf8mb4_0900_ai_ci PRIMARY KEY, b DECIMAL(8,2), d DATETIME, j JSON, KEY by_b (b))",
		"CREATE VIEW v AS SELECT q FROM t")
	for i := range 40 {
		c.run(fmt.Sprintf("INSERT INTO u VALUES ('name %d', %d.25, '2024-01-%02d', '{\"n\": %d}')", i, i, 1+i%28, i))
	}
	if _, err := c.publish(r, grouping{3}, "p", nil); err != nil {
		t.Fatal(err)
	}
	c.run("UPDATE t SET s = 9 WHERE id = 2")
	c.refresh(r, grouping{3}, "p")
	c.run("INSERT INTO t (q, s) VALUES (8, 8)")
	c.session.SessionEnd()
	if err := b.catalog.Close(); err != nil {
		t.Fatal(err)
	}
	return b
}

func checked(t *testing.T, dir string) *CheckReport {
	t.Helper()
	report, err := CheckDirectory(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func findings(r *CheckReport) string {
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, f.What+" -> "+f.Do)
	}
	return strings.Join(append(lines, r.Notes...), "\n")
}

func TestCheckOfAWholeCatalog(t *testing.T) {
	b := stocked(t)
	before, err := os.ReadFile(filepath.Join(b.dir, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	told := make(map[string]bool)
	report, err := CheckDirectory(context.Background(), b.dir, func(phase string, done, total int64) {
		told[phase] = true
		if done > total {
			t.Errorf("%s: %d of %d", phase, done, total)
		}
	})
	if err != nil || report.Whole() != nil || report.Tables != 2 || report.Rows != 48 || report.Releases != 2 || len(report.Notes) != 0 {
		t.Errorf("%v %+v", err, report)
	}
	if len(told) != 3 {
		t.Errorf("phases %v", told)
	}
	after, err := os.ReadFile(filepath.Join(b.dir, databaseFile))
	if err != nil || string(after) != string(before) {
		t.Error("a check changes the file")
	}
	entries, _ := os.ReadDir(b.dir)
	if len(entries) != 2 { // and the lock
		t.Errorf("a check leaves %v", entries)
	}
}

// Every kind of disagreement is made by a statement of SQLite's, and found.
func TestCheckFindsWhatDoesNotAgree(t *testing.T) {
	b := stocked(t)
	file := filepath.Join(b.dir, databaseFile)
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
		{"PRAGMA user_version = 99", "its schema is version 99"},
		{"PRAGMA user_version = 1", "note"},
	} {
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		alter(t, file, c.statement)
		report := checked(t, b.dir)
		text := findings(report)
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

// alter runs a statement on a file behind the catalog's back.
func alter(t *testing.T, file, statement string) {
	t.Helper()
	connector := newConnector(file)
	connector.source = dataSourceOf(file, nil)
	conn, end, err := openDriver(context.Background(), connector)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if _, err := conn.Exec(statement, nil); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestCheckRefuses(t *testing.T) {
	b := newBench(t)
	if _, err := CheckDirectory(context.Background(), b.dir, nil); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "stop the server first") {
		t.Errorf("a directory that is served: %v", err)
	}
	if _, err := CheckDirectory(context.Background(), filepath.Join(b.dir, "nothing"), nil); err == nil || !strings.Contains(err.Error(), "there is no data directory") {
		t.Error(err)
	}
	if _, err := CheckDirectory(context.Background(), t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "there is no catalog") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := CheckDirectory(ctx, stocked(t).dir, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
