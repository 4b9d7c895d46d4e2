package acceptance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// KILL, the time limit, and a client that leaves end a long planning in the engine.
func TestPlanningEnds(t *testing.T) {
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	servertest.Exec(t, db, "SET GLOBAL anon_max_subqueries = 100000")
	defer servertest.Exec(t, db, "SET GLOBAL anon_max_subqueries = 1500")
	servertest.Exec(t, db, "CREATE DATABASE db", "CREATE TABLE db.t (a INT)")
	queries := map[string]string{
		"subqueries":     "SELECT " + strings.Repeat("(SELECT ", 15) + "1" + strings.Repeat(")", 15),
		"IN subqueries":  "SELECT 1 FROM db.t WHERE 1 IN (SELECT 1" + strings.Repeat(" FROM db.t WHERE 1 IN (SELECT 1", 14) + strings.Repeat(")", 15),
		"doubled CTEs":   doubled("SELECT x.a FROM # x JOIN # y")(14),
		"doubled UNIONs": doubled("SELECT a FROM # UNION ALL SELECT a FROM #")(13),
	}
	for _, name := range testsize.Some(2, slices.Sorted(maps.Keys(queries))) {
		query := queries[name]
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
			case err = <-failed: // it ended earlier
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

// Lists over all columns of an index are not multiplied: 36 texts to the power of five are 60 million ranges, and nothing
// interrupted their planning (MariaDB's main/range.test).
func TestListsOverAnIndex(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (id INT, a VARCHAR(9), b VARCHAR(9), c VARCHAR(9), e VARCHAR(9), f VARCHAR(9), KEY (a, b, c, e, f))",
		"INSERT INTO d.t VALUES (1,'x1','x2','x3','x4','x5'), (2,'x1','x2','x3','x4','y'), (3,'x35','x0','x0','x0','x0'), (4,'y','x0','x0','x0','x0'), (5,'x7',NULL,'x1','x1','x1')")
	texts := make([]string, 36)
	for i := range texts {
		texts[i] = fmt.Sprintf("'x%d'", i)
	}
	list := " IN (" + strings.Join(texts, ",") + ")"
	all := "a" + list + " AND b" + list + " AND c" + list + " AND e" + list + " AND f" + list
	for query, want := range map[string]string{
		"SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t WHERE " + all:                                       "1,3",
		"SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t WHERE (" + all + ") OR id = 4":                      "1,3,4",
		"SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t WHERE NOT (a" + list + ") OR (" + all + ")":         "1,3,4",
		"SELECT GROUP_CONCAT(t.id ORDER BY t.id) FROM d.t JOIN (SELECT 'x1' z) q ON t.a = q.z AND " + all: "1",
		"SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t WHERE a" + list + " AND b = 'x2'":                   "1,2",
	} {
		if got := one[string](t, db, query); got != want {
			t.Errorf("%.90s: %s, want %s", query, got, want)
		}
	}
	servertest.Exec(t, db, "UPDATE d.t SET id = 10 WHERE "+all, "DELETE FROM d.t WHERE id < 10 AND "+all)
	if got := one[string](t, db, "SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t"); got != "2,4,5,10,10" {
		t.Errorf("after UPDATE and DELETE: %s", got)
	}
}
