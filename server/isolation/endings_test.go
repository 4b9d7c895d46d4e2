package isolation_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// TestWorkersEndAtAnyTime: workers are killed or stopped at any time of any statement. Each statement gets the right answer, or an error that says
// what happened, and its connection continues. Another account notices nothing.
func TestWorkersEndAtAnyTime(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	servertest.Exec(t, root, "CALL set_limits('bi', 'statement_timeout=1')")
	var spared []int
	servertest.Eventually(t, "the worker that is nobody's yet", func() bool {
		spared = workerProcesses(t)
		return len(spared) == 1
	})
	other, session := s.Connect(t, colleague), s.Connect(t, analyst)
	servertest.Exec(t, other, "SET @kept = 7") // it starts the worker
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	defer func() {
		end()
		<-ended
	}()
	go func() {
		defer close(ended)
		for random := rand.New(rand.NewPCG(1, 1)); ctx.Err() == nil; {
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(random.IntN(300_000)) * time.Microsecond):
			}
			signal := syscall.SIGKILL
			if random.IntN(10) == 0 {
				signal = syscall.SIGSTOP
			}
			for _, pid := range workerProcesses(t) {
				if !slices.Contains(spared, pid) {
					_ = syscall.Kill(pid, signal) // it may have ended
				}
			}
		}
	}()
	statements := []struct{ sql, want string }{
		{"SELECT 1", "1\n"}, {"SELECT COUNT(*) FROM p", "120\n"}, {"SELECT COUNT(*) > 0, COUNT(DISTINCT disease) FROM p WHERE age >= 0", "1|4\n"},
		{"SELECT name FROM anonsql.releases", "p\n"}, {"SELECT DATABASE()", "published\n"},
	}
	answered, told := 0, 0
	for answered < 40 || told < 8 {
		statement := statements[(answered+told)%len(statements)]
		switch got := tuples(session, statement.sql); {
		case got == statement.want:
			answered++
		case strings.HasPrefix(got, "Error 1105 (HY000): the process that ran the statement has ended"), strings.HasPrefix(got, "Error 3024"):
			told++
		case got == mysql.ErrInvalidConn.Error(): // it had sent rows: the protocol has no other word for the rest
			told++
			session = s.Connect(t, analyst)
		default:
			t.Fatalf("%s: %q, want %q", statement.sql, got, statement.want)
		}
		if got := tuples(other, "SELECT @kept, COUNT(*) FROM p"); got != "7|120\n" {
			t.Fatalf("another account: %q", got)
		}
	}
}

// TestWorkerOutOfMemory: a statement that exceeds its account's memory gets an error, and its connection continues. The audit has the statement,
// although only the ended process knew what it read.
func TestWorkerOutOfMemory(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	servertest.Exec(t, root, "CALL set_limits('bi', 'memory=8MiB')")
	other, session := s.Connect(t, colleague), s.Connect(t, analyst)
	servertest.Exec(t, other, "SET @kept = 7")
	const doubling = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t UNION ALL SELECT n + 1 FROM t) SELECT COUNT(*) FROM t"
	if _, err := session.ExecContext(t.Context(), doubling); servertest.Number(err) != 3170 {
		t.Errorf("beyond its memory: %v", err)
	}
	servertest.Eventually(t, "the audit has what may have been answered in part", func() bool {
		return tuples(root, "SELECT COUNT(*) FROM anonsql.audit WHERE account = 'bi' AND kind = 'estimate' AND `release` IS NULL") == "1\n"
	})
	if got := tuples(session, "SELECT COUNT(*) FROM p"); got != "120\n" {
		t.Errorf("afterwards: %q", got)
	}
	if got := tuples(other, "SELECT @kept"); got != "7\n" {
		t.Errorf("another account: %q", got)
	}
}

// loops returns statements that take hours, mostly within one row, where nothing checks for the end.
func loops() map[string]string {
	list := func(n int, item func(i int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ", ")
	}
	const numbers = "WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 140), t(n) AS (SELECT 141 * a.n + b.n FROM s a, s b) "
	const text, absent = "REPEAT('a', 30000000)", "CONCAT(REPEAT('a', 3000000), n)"
	return map[string]string{
		"LOCATE":              numbers + "SELECT MAX(LOCATE(" + absent + ", " + text + ")) FROM t",
		"INSTR":               numbers + "SELECT MAX(INSTR(" + text + ", " + absent + ")) FROM t",
		"POSITION":            numbers + "SELECT MAX(POSITION(" + absent + " IN " + text + ")) FROM t",
		"REGEXP":              "SELECT " + text + " REGEXP '^(a|aa|aaa)*(a|aa|aaa)*(a|aa)*b$'",
		"REGEXP_REPLACE":      "SELECT LENGTH(REGEXP_REPLACE(" + text + ", '(a?){40}a{40}', 'b'))",
		"REPLACE":             numbers + "SELECT MAX(LENGTH(REPLACE(" + text + ", 'a', CHAR(64 + n % 9)))) FROM t",
		"SUBSTRING_INDEX":     numbers + "SELECT MAX(LENGTH(SUBSTRING_INDEX(" + text + ", CHAR(97 + n % 2), 1000000))) FROM t",
		"SLEEP":               "SELECT SLEEP(100000)",
		"SHA2":                numbers + "SELECT MAX(SHA2(CONCAT(" + text + ", n), 512)) FROM t",
		"COMPRESS":            numbers + "SELECT MAX(LENGTH(COMPRESS(CONCAT(" + text + ", n)))) FROM t",
		"SOUNDEX":             numbers + "SELECT MAX(SOUNDEX(CONCAT(" + text + ", n))) FROM t",
		"FIELD":               numbers + "SELECT SUM(FIELD(CONCAT('y', n), " + list(40_000, func(i int) string { return "'x" + strconv.Itoa(i) + "'" }) + ")) FROM t",
		"IN":                  numbers + "SELECT COUNT(*) FROM t WHERE (n, n) IN (" + list(60_000, func(i int) string { return fmt.Sprintf("(%d, %d)", i, -i-1) }) + ")",
		"window of rows":      numbers + "SELECT MAX(x) FROM (SELECT MAX(CONCAT('r', n)) OVER (ORDER BY n ROWS BETWEEN 9000 PRECEDING AND 9000 FOLLOWING) x FROM t) s",
		"window of a range":   numbers + "SELECT MAX(x) FROM (SELECT SUM(n) OVER (ORDER BY n RANGE BETWEEN 9000 PRECEDING AND 9000 FOLLOWING) x FROM t) s",
		"JSON_TABLE":          "SELECT COUNT(*) FROM (SELECT " + document + " j) t, JSON_TABLE(t.j, '$[*]' COLUMNS (x INT PATH '$')) q, JSON_TABLE(t.j, '$[*]' COLUMNS (x INT PATH '$')) r",
		"JSON_CONTAINS":       endless,
		"JSON_OVERLAPS":       "SELECT JSON_OVERLAPS(" + document + ", REPLACE(REPLACE(" + document + ", '1', '4'), '2]', '3]'))",
		"JSON_SEARCH":         numbers + "SELECT COUNT(JSON_SEARCH(" + document + ", 'all', CONCAT('%', n))) FROM t",
		"JSON_MERGE_PRESERVE": numbers + "SELECT MAX(JSON_LENGTH(JSON_MERGE_PRESERVE(" + document + ", " + document + ", CAST(n AS JSON)))) FROM t",
		"a product":           numbers + "SELECT COUNT(*) FROM t a, t b, t c WHERE a.n + b.n = c.n",
		"a correlated query":  numbers + "SELECT SUM((SELECT COUNT(*) FROM t b WHERE b.n < a.n AND EXISTS (SELECT 1 FROM t c WHERE c.n = b.n - a.n))) FROM t a",
		"a recursion":         "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT 1 FROM t UNION ALL SELECT 2 FROM t) SELECT COUNT(*) FROM t",
		"ORDER BY":            numbers + "SELECT a.n FROM t a, t b ORDER BY SHA2(CONCAT(a.n, b.n), 256) LIMIT 1",
		"GROUP_CONCAT":        numbers + "SELECT LENGTH(GROUP_CONCAT(DISTINCT a.n, b.n ORDER BY b.n)) FROM t a, t b",
	}
}

// TestLoopsEnd: each ends by its limit, with an error that says why. Its connection continues, and another account gets answers.
func TestLoopsEnd(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	servertest.Exec(t, root, "CALL set_limits('bi', 'statement_timeout=1')")
	other := s.Connect(t, colleague)
	servertest.Exec(t, other, "SET @kept = 7")
	all := loops()
	for _, name := range testsize.Some(testsize.Levels(2, 4, 4), slices.Sorted(maps.Keys(all))) { // each uses both cores for a second
		statement := all[name]
		t.Run(name, func(t *testing.T) {
			session := s.Connect(t, analyst)
			failed := make(chan error, 1)
			go func() {
				_, err := session.ExecContext(context.Background(), statement)
				failed <- err
			}()
			var err error
			for asked := false; !asked; {
				select {
				case err = <-failed:
					asked = true
				case <-time.After(10 * time.Millisecond): // the other account leaves the processor to the loop
				}
				if got := tuples(other, "SELECT @kept"); got != "7\n" {
					t.Fatalf("another account: %q", got)
				}
			}
			if !slices.Contains([]int{3024, 3170, 1038}, servertest.Number(err)) {
				t.Errorf("it ended with %v", err)
			}
			if got := tuples(session, "SELECT COUNT(*) FROM p"); got != "120\n" {
				t.Errorf("afterwards: %q", got)
			}
		})
	}
}
