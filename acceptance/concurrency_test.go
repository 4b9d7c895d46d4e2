package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// Concurrent clients use state that the engine shares between sessions. The test is most useful under the race
// detector.
func TestClientsAtOnce(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE d", "CREATE TABLE d.log (client INT, n INT, PRIMARY KEY (client, n))")
	account := analyst(t, s)
	const clients = 6
	rounds := testsize.Of(4, 15)
	var wait sync.WaitGroup
	for client := range clients {
		wait.Add(1)
		go func() {
			defer wait.Done()
			db, seen := s.Open(t, servertest.Root), s.Open(t, account)
			for n := range rounds {
				if _, err := db.Exec("INSERT INTO d.log VALUES (?, ?)", client, n); err != nil {
					t.Errorf("client %d: %v", client, err)
				}
				if _, err := db.Exec(fmt.Sprintf("CREATE TABLE d.t%d_%d (x INT)", client, n)); err != nil {
					t.Errorf("client %d: %v", client, err)
				}
				var tables string
				if err := seen.QueryRow("SELECT GROUP_CONCAT(table_name) FROM information_schema.tables WHERE table_schema <> 'information_schema'").Scan(&tables); err != nil || tables != "adult" {
					t.Errorf("client %d: the analyst sees %q, error %v", client, tables, err)
				}
				for _, query := range []string{"SELECT COUNT(*) FROM information_schema.columns", "SELECT COUNT(*) FROM d.log WHERE client = 1", "SELECT COUNT(*) FROM information_schema.processlist"} {
					var count int
					if err := db.QueryRow(query).Scan(&count); err != nil {
						t.Errorf("client %d: %s: %v", client, query, err)
					}
				}
			}
		}()
	}
	wait.Wait()
	if n := one[int](t, root, "SELECT COUNT(*) FROM d.log"); n != clients*rounds {
		t.Errorf("%d rows, want %d", n, clients*rounds)
	}
	if tables := strings.Count(all(t, root, "SHOW TABLES FROM d"), "\n"); tables != clients*rounds+1 {
		t.Errorf("%d tables, want %d", tables, clients*rounds+1)
	}
}

// Every client reads its own values, in results with one row, some rows, and more than the server holds back.
func TestResultsAreNotShared(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE d", "CREATE TABLE d.digit (n INT)",
		"INSERT INTO d.digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)")
	queries := map[int]string{
		1:    "SELECT '%[1]s'",
		10:   "SELECT CONCAT('%[1]s', n - n, '') FROM d.digit",
		1000: "SELECT CONCAT('%[1]s', a.n - a.n, '') FROM d.digit a, d.digit b, d.digit c",
		9000: "SELECT CONCAT('%[1]s', a.n - a.n, '') FROM d.digit a, d.digit b, d.digit c, d.digit e WHERE e.n > 0",
	}
	var wait sync.WaitGroup
	for client := range 6 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			db := s.Open(t, servertest.Root)
			mine := strings.Repeat(string(rune('a'+client)), 40)
			for want, query := range queries {
				for range 9000 / want / testsize.Of(45, 9) {
					if n, err := count(db, fmt.Sprintf(query, mine), mine); err != nil || n != want {
						t.Errorf("client %d: %d rows of its own, want %d, error %v", client, n, want, err)
						return
					}
				}
			}
		}()
	}
	wait.Wait()
}

// count returns the number of rows whose value begins with prefix.
func count(db *dbsql.DB, query, prefix string) (int, error) {
	rows, err := db.Query(query)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return n, err
		}
		if strings.HasPrefix(value, prefix) {
			n++
		}
	}
	return n, rows.Err()
}
