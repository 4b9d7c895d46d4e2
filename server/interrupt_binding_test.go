package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// What the engine plans for long ends by KILL, by the time limit, and when the client
// leaves, while it is being planned.
func TestPlanningEnds(t *testing.T) {
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	servertest.Exec(t, db, "SET GLOBAL anon_max_subqueries = 100000")
	defer servertest.Exec(t, db, "SET GLOBAL anon_max_subqueries = 1500")
	servertest.Exec(t, db, "CREATE DATABASE db", "CREATE TABLE db.t (a INT)")
	for name, query := range map[string]string{
		"subqueries":     "SELECT " + strings.Repeat("(SELECT ", 15) + "1" + strings.Repeat(")", 15),
		"IN subqueries":  "SELECT 1 FROM db.t WHERE 1 IN (SELECT 1" + strings.Repeat(" FROM db.t WHERE 1 IN (SELECT 1", 14) + strings.Repeat(")", 15),
		"doubled CTEs":   doubled("SELECT x.a FROM # x JOIN # y")(14),
		"doubled UNIONs": doubled("SELECT a FROM # UNION ALL SELECT a FROM #")(13),
	} {
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		servertest.Exec(t, conn, "SET max_execution_time = 200")
		begun := time.Now()
		_, err = conn.ExecContext(context.Background(), query)
		took := time.Since(begun)
		t.Logf("%s: %v, %.80v", name, took, err)
		if err != nil && servertest.Number(err) != 3024 || took > servertest.Soon {
			t.Errorf("%s: %v after %v", name, err, took)
		}
		servertest.Exec(t, conn, "SET max_execution_time = 0")
		id := one[int](t, conn, "SELECT CONNECTION_ID()")
		failed := make(chan error, 1)
		go func() {
			_, err := conn.ExecContext(context.Background(), query)
			failed <- err
		}()
		err = nil
		for killed := false; !killed; {
			select {
			case err = <-failed: // it was done sooner
				killed = true
			default:
				if one[int](t, db, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d AND command = 'Query'", id)) > 0 {
					servertest.Exec(t, db, fmt.Sprintf("KILL QUERY %d", id))
					err, killed = <-failed, true
				}
			}
		}
		if err != nil && servertest.Number(err) != 1317 {
			t.Errorf("%s, killed: %v", name, err)
		}
		conn.Close()
	}
}
