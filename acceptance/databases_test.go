package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A statement that waits for another session's transaction blocks no third one, ends when it is killed, and runs in
// its turn.
func TestWaitingForTheWriter(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE house", "CREATE TABLE house.t (n INT)", "CREATE TABLE house.open (n INT)",
		"CREATE DATABASE other", "CREATE TABLE other.t (n INT)")
	for _, statement := range []string{
		"DROP DATABASE other", "CREATE DATABASE third", "CREATE SCHEMA fourth", "DROP DATABASE IF EXISTS third",
		"CREATE TABLE house.u (n INT)", "DROP TABLE house.u", "ALTER DATABASE house COLLATE utf8mb4_bin",
		"CREATE VIEW house.v AS SELECT 1", "DROP VIEW house.v", "CREATE PROCEDURE house.p() SELECT 1", "DROP PROCEDURE house.p",
		"ALTER TABLE house.t ADD COLUMN m INT", "RENAME TABLE t TO s", "RENAME TABLE s TO t",
		"CREATE INDEX i ON house.t (n)", "TRUNCATE TABLE house.t",
		"CREATE USER u", "GRANT SELECT ON house.* TO u", "DROP USER u", "LOCK TABLES house.t WRITE", "UNLOCK TABLES",
		"CALL set_attributes('house.t', 'qi=n')", "CALL create_analyst('bi', 'long enough')",
	} {
		t.Run(statement, func(t *testing.T) {
			writer, waits, asks := s.Connect(t, servertest.Root), s.Connect(t, servertest.Root), s.Connect(t, servertest.Root)
			servertest.Exec(t, waits, "USE house")
			servertest.Exec(t, writer, "START TRANSACTION", "INSERT INTO house.open VALUES (1)")
			id := one[int](t, waits, "SELECT CONNECTION_ID()")
			killed := begun(t, root, waits, id, statement)
			asksAtOnce(t, asks, killed)
			servertest.Exec(t, root, fmt.Sprintf("KILL QUERY %d", id))
			if err := <-killed; err != nil && servertest.Number(err) != 1317 {
				t.Errorf("killed: %v", err)
			}
			after := make(chan error, 1)
			go func() { _, err := waits.ExecContext(context.Background(), statement); after <- err }()
			asksAtOnce(t, asks, after)
			servertest.Exec(t, writer, "ROLLBACK")
			if err := <-after; err != nil && servertest.Number(err) != 1007 && servertest.Number(err) != 1396 {
				t.Errorf("after the transaction: %v", err)
			}
		})
	}
}

// begun runs a statement and returns once the server has it.
func begun(t *testing.T, root *dbsql.DB, conn *dbsql.Conn, id int, statement string) chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { _, err := conn.ExecContext(context.Background(), statement); ended <- err }()
	servertest.Eventually(t, "the server has, or has done, "+statement, func() bool {
		return len(ended) > 0 ||
			one[int](t, root, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d AND command = 'Query'", id)) == 1
	})
	return ended
}

// asksAtOnce expects answers within a second while another statement waits.
func asksAtOnce(t *testing.T, conn *dbsql.Conn, waiting chan error) {
	t.Helper()
	for range 5 {
		for _, question := range []string{"SELECT 1", "SELECT COUNT(*) FROM house.open", "SHOW DATABASES", "SHOW TABLES FROM house",
			"SELECT COUNT(*) FROM information_schema.tables"} {
			began := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), servertest.Soon)
			err := servertest.Drain(conn.QueryContext(ctx, question))
			cancel()
			if err != nil {
				t.Fatalf("%s, after %v: %v", question, time.Since(began), err)
			}
		}
	}
}
