package server_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Clients that read every table of information_schema at once, and others that
// define and drop tables, views and columns meanwhile: no error, and under the
// race detector no race. The engine's own tables are shared between statements
// and race here.
func TestMetadataDuringDefinitions(t *testing.T) {
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
	rounds := 15
	if testing.Short() {
		rounds = 4
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var reading, defining sync.WaitGroup
	for n := range readers {
		conn := only(t, s, servertest.Root)
		reading.Go(func() {
			// Whole rounds: every reader has read every table at least once.
			for round := 0; round == 0 || ctx.Err() == nil; round++ {
				for i := range names {
					name := names[(i+n*len(names)/readers)%len(names)]
					if _, err := answerText(context.Background(), conn, "SELECT * FROM information_schema."+name); err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
				}
			}
		})
	}
	for n := range definers {
		conn := only(t, s, servertest.Root)
		defining.Go(func() {
			database := fmt.Sprintf("defined%d", n)
			for round := range rounds {
				for _, statement := range []string{
					"CREATE DATABASE " + database, "USE " + database,
					"CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20) DEFAULT 'x', made DATETIME DEFAULT CURRENT_TIMESTAMP)",
					"CREATE VIEW v AS SELECT id, name FROM t", "ALTER TABLE t ADD COLUMN more DOUBLE DEFAULT (1 + 0.5), ADD INDEX by_name (name)",
					"ALTER TABLE t DROP COLUMN made", "SHOW COLUMNS FROM t", "SHOW CREATE TABLE t", "SHOW INDEX FROM t", "SHOW TABLE STATUS",
				} {
					if _, err := answerText(context.Background(), conn, statement); err != nil {
						t.Errorf("%s: %v", statement, err)
						return
					}
				}
				got, err := answerText(context.Background(), conn, "SELECT table_name, GROUP_CONCAT(column_name ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = '"+database+"' GROUP BY table_name ORDER BY table_name")
				if want := "t|id,name,more|\nv|id,name|\n"; err != nil || got != want {
					t.Errorf("round %d: %s has the columns\n%s, want\n%s, error %v", round, database, got, want, err)
					return
				}
				if _, err := answerText(context.Background(), conn, "DROP DATABASE "+database); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	defining.Wait()
	cancel()
	reading.Wait()
}
