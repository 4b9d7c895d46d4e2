package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// Concurrent clients read every table of information_schema, while others create and drop tables, views and columns.
// There is no error, and no race under the race detector. The engine's own tables are shared between statements and
// do race here.
func TestMetadataDuringDefinitions(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	var names []string
	for _, row := range fetchRows(t, root, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'information_schema'") {
		names = append(names, fmt.Sprint(row[0]))
	}
	if len(names) < 50 {
		t.Fatalf("%d tables in information_schema", len(names))
	}
	const readers, definers = 3, 2
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var reading, defining sync.WaitGroup
	for n := range readers {
		conn := s.Connect(t, servertest.Root)
		at := n * len(names) / readers
		inTurn := slices.Concat(names[at:], names[:at])
		reading.Go(func() {
			// Whole rounds: every reader has read every table at least once.
			for round := 0; round == 0 || ctx.Err() == nil; round++ {
				if err := readTables(conn, inTurn); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for n := range definers {
		conn := s.Connect(t, servertest.Root)
		defining.Go(func() {
			for round := range testsize.Of(5, 15) {
				if err := defineAndDrop(conn, fmt.Sprintf("defined%d", n)); err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
			}
		})
	}
	defining.Wait()
	cancel()
	reading.Wait()
}

// information_schema.columns has the lengths of MariaDB 10.11: a TEXT is limited by its bytes, and a DATE has no precision.
func TestLengthsOfColumns(t *testing.T) {
	t.Parallel()
	root := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE shop",
		"CREATE TABLE shop.lengths (a TINYTEXT, b TEXT, c MEDIUMTEXT, d LONGTEXT, e VARCHAR(40), f BLOB, g ENUM('a', 'bcd'), h DATE, i DATETIME(6), j DECIMAL(10,2))")
	got := fetchRows(t, root, `SELECT CONCAT_WS(' ', column_name, IFNULL(character_maximum_length, '-'), IFNULL(character_octet_length, '-'), IFNULL(numeric_precision, '-'), IFNULL(datetime_precision, '-'))
FROM information_schema.columns WHERE table_schema = 'shop' ORDER BY ordinal_position`)
	want := []string{
		"a 255 255 - -", "b 65535 65535 - -", "c 16777215 16777215 - -", "d 4294967295 4294967295 - -", "e 40 160 - -",
		"f 65535 65535 - -", "g 3 12 - -", "h - - - -", "i - - - 6", "j - - 10 -",
	}
	if len(got) != len(want) {
		t.Fatalf("%d columns, want %d", len(got), len(want))
	}
	for i, row := range got {
		if text := fmt.Sprint(row[0]); text != want[i] {
			t.Errorf("%s, want %s", text, want[i])
		}
	}
}

// readTables reads every named table of information_schema.
func readTables(conn *dbsql.Conn, names []string) error {
	for _, name := range names {
		if _, err := answerText(context.Background(), conn, "SELECT * FROM information_schema."+name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// defineAndDrop creates a database with a table and a view, changes them, reads their columns, and drops it.
func defineAndDrop(conn *dbsql.Conn, database string) error {
	for _, statement := range []string{
		"CREATE DATABASE " + database, "USE " + database,
		"CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20) DEFAULT 'x', made DATETIME DEFAULT CURRENT_TIMESTAMP)",
		"CREATE VIEW v AS SELECT id, name FROM t", "ALTER TABLE t ADD COLUMN more DOUBLE DEFAULT (1 + 0.5), ADD INDEX by_name (name)",
		"ALTER TABLE t DROP COLUMN made", "SHOW COLUMNS FROM t", "SHOW CREATE TABLE t", "SHOW INDEX FROM t", "SHOW TABLE STATUS",
	} {
		if _, err := answerText(context.Background(), conn, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	got, err := answerText(context.Background(), conn, "SELECT table_name, GROUP_CONCAT(column_name ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = '"+database+"' GROUP BY table_name ORDER BY table_name")
	if want := "t|id,name,more|\nv|id,name|\n"; err != nil || got != want {
		return fmt.Errorf("%s has the columns\n%s, want\n%s, error %v", database, got, want, err)
	}
	_, err = answerText(context.Background(), conn, "DROP DATABASE "+database)
	return err
}

// Views that expand to too many others make a list of views fail; the list does not silently omit them.
func TestManyViewsHideNoOthers(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Connect(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE a", "CREATE DATABASE z", "CREATE VIEW z.last AS SELECT 1 AS n")
	for i := range 4 {
		servertest.Exec(t, root, fmt.Sprintf("CREATE VIEW a.v%d AS SELECT 1 AS n", i))
	}
	const list = "SELECT table_name FROM information_schema.columns WHERE table_schema = 'z'"
	if found := servertest.Query(t, root, list); len(found) != 1 {
		t.Errorf("found %q", found)
	}
	for i := 3; i > 0; i-- { // from the last one, so that none expands to many views at CREATE
		tables := make([]string, 30)
		for n := range tables {
			tables[n] = fmt.Sprintf("a.v%d AS x%d", i-1, n)
		}
		servertest.Exec(t, root, fmt.Sprintf("CREATE OR REPLACE VIEW a.v%d AS SELECT x0.n FROM %s", i, strings.Join(tables, ", ")))
	}
	servertest.Refused(t, root, 1064, "more than 20000 views", list)
}
