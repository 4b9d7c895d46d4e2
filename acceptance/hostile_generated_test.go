package acceptance

import (
	"context"
	dbsql "database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

const (
	// answeredWithin is how long another connection may wait for SELECT 1 while hostile statements run.
	answeredWithin = time.Second
	// hostilePatience is the time after which their client leaves.
	hostilePatience = 2 * time.Second
	// hostileEnds is how long a statement may run after its client has left. The parser, once started, parses to the end
	// of the text.
	hostileEnds = time.Minute
	// hostileBytes is the length of the longest text.
	hostileBytes = 24 << 20
)

// layers are the parts of mixtures: text before and after an expression that makes another expression of it.
var layers = [][2]string{{"!", ""}, {"NOT ", ""}, {"- ", ""}, {"~", ""}, {"BINARY ", ""}, {"(", ")"}, {"ABS(", ")"}, {"CONCAT('a',", ")"}, {"(1,", ")"},
	{"CASE WHEN ", " THEN 1 END"}, {"CASE 1 WHEN 1 THEN 1 ELSE ", " END"}, {"", "+1"}, {"1-", ""}, {"", "%7"}, {"", "/3"}, {"", " AND 1"}, {"1 OR ", ""},
	{"", " XOR 0"}, {"(SELECT ", ")"}, {"EXISTS (SELECT ", ")"}, {"1 IN (SELECT ", ")"}, {"(SELECT a FROM (SELECT ", " AS a) x)"}, {"", " COLLATE utf8mb4_bin"},
	{"", " IS NULL"}, {"IF(1,", ",2)"}, {"CAST(", " AS CHAR)"}, {"/*!50000 ! */ ", ""}, {"", " LIKE 'a'"}, {"", " IN (1,2)"}, {"(", " BETWEEN 1 AND 2)"},
	{"JSON_ARRAY(", ")"}, {"NULLIF(", ",1)"}, {"(", " NOT BETWEEN 1 AND 2)"}, {"(1 BETWEEN ", " AND 2)"}, {"(SELECT ", " UNION SELECT 1)"}, {"", " /* ( */"}, {"", " -- (\n"}, {"COALESCE(NULL,", ")"}, {"INTERVAL(1,", ")"}, {"_utf8mb4 ", ""}}

// mixture nests layers of several kinds, each a random number of times.
func mixture(random *rand.Rand, n int) string {
	head, core, tail := "SELECT ", "1", ""
	switch random.IntN(8) {
	case 0:
		head, tail = "SELECT COUNT(*) FROM db.t WHERE ", " GROUP BY a"
	case 1:
		head = "UPDATE db.t SET a = "
	case 2:
		head = "SET @a = "
	case 3:
		head, tail = "EXPLAIN SELECT a FROM db.t ORDER BY ", " LIMIT 1"
	case 4:
		head, tail = "WITH c AS (SELECT 1 AS a) SELECT * FROM c x JOIN c y ON ", ""
	}
	kinds := 1 + random.IntN(4)
	for range kinds {
		layer := layers[random.IntN(len(layers))]
		times := 1 + random.IntN(max(n/kinds, 1))
		core = strings.Repeat(layer[0], times) + core + strings.Repeat(layer[1], times)
	}
	return head + core + tail
}

// hostile returns a statement of a random production and size.
func hostile(random *rand.Rand) (name, text string) {
	n := 1000 + random.IntN(2000)
	switch p := random.IntN(1000); {
	case p < 200: // some of these are valid
		n = 1 + random.IntN(300)
	case p < 240:
		n = 10_000
	case p < 245:
		n = 100_000
	case p < 246:
		n = 1_000_000
	}
	if random.IntN(5) == 0 {
		return fmt.Sprintf("mixture, %d", n), mixture(random, n)
	}
	p := productions[random.IntN(len(productions))]
	if unit := len(p.of(200)) - len(p.of(100)); unit > 0 {
		n = min(n, max(hostileBytes/unit*100, 1))
	}
	return fmt.Sprintf("%s, %d", p.name, n), p.of(n)
}

// changes maps the beginnings of changing statements to statements that restore what they change. No statement may be
// slow, or refused, because of the effects of earlier ones.
var changes = []struct {
	first string
	made  []string
}{
	{"INSERT", twoRows},
	{"UPDATE", twoRows},
	{"DELETE", twoRows},
	{"ALTER", []string{"DROP TABLE IF EXISTS db.u, db.d", "CREATE TABLE db.u (a INT)", counting("CREATE TABLE db.d (a INT, ", "b# INT", ",", ")")(300)}},
	{"CREATE TABLE", []string{"DROP TABLE IF EXISTS db.c"}},
	{"CREATE PROCEDURE", []string{"DROP PROCEDURE IF EXISTS db.p"}},
}

var twoRows = []string{"DROP TABLE IF EXISTS db.t", "CREATE TABLE db.t (a INT)", "INSERT INTO db.t VALUES (1),(2)"}

// makeAgain restores what a statement may have changed. If a statement whose client has left still writes, makeAgain
// waits for it.
func makeAgain(t *testing.T, child *servertest.Child, text string) {
	t.Helper()
	for _, c := range changes {
		if !strings.HasPrefix(text, c.first) {
			continue
		}
		for _, statement := range c.made {
			if _, err := child.DB.Exec(statement); err != nil && child.Alive() {
				t.Errorf("after %.100s: %.60s: %v", text, statement, err)
			}
		}
	}
}

var hostileStatements = flag.Int("statements", testsize.Levels(30, 60, 1500), "hostile statements that are tried")

// Statements of every production of the grammar that can nest or repeat, at sizes up to a million, as text and
// prepared, from an analyst and from root, do not stop the server. The process stays. Another connection always gets
// answers within a second, or as soon as a busy machine allows. No statement runs for long after its client has left.
func TestHostileStatementsOfTheGrammar(t *testing.T) {
	t.Parallel()
	count := *hostileStatements
	child := servertest.StartChild(t, t.TempDir())
	servertest.Exec(t, child.DB, "CREATE DATABASE db", "CREATE USER ana IDENTIFIED BY 'a long password'", "GRANT SELECT ON db.* TO ana")
	for _, c := range changes {
		servertest.Exec(t, child.DB, c.made...)
	}
	accounts := []*dbsql.DB{openChild(t, child, "root", ""), openChild(t, child, "ana", "a long password")}
	stop, stopIdle := probe(t, child), probe(t, servertest.StartChild(t, t.TempDir()))
	random := rand.New(rand.NewPCG(18, 2))
	tried, refused := 0, 0
	for ; tried < count && child.Alive(); tried++ {
		name, text := hostile(random)
		begun := time.Now()
		err := attempt(accounts[random.IntN(2)], text, random.IntN(4) == 0)
		if took := time.Since(begun); took > hostilePatience {
			t.Logf("%s: %v, %.100v", name, took.Round(time.Millisecond), err)
		}
		switch servertest.Number(err) {
		case 1064, 1390, 1116, 1117:
			refused++
		default:
			makeAgain(t, child, text)
		}
		if !child.Alive() {
			t.Errorf("statement %d, %s, ended the process: %.200s", tried, name, text)
		}
	}
	worst, answers := stop()
	machine, _ := stopIdle()
	t.Logf("%d statements, %d refused; SELECT 1 was answered %d times, within %v, of an idle server within %v", tried, refused, answers, worst.Round(time.Millisecond), machine)
	if worst > max(answeredWithin, 10*machine) { // on a busy machine even an idle server answers late
		t.Errorf("SELECT 1 took %v, of an idle server %v", worst, machine)
	}
	if child.Alive() {
		ends(t, child)
	}
	if tried < count || refused < count/3 || answers == 0 {
		t.Errorf("%d of %d statements were tried, %d refused, %d probes answered", tried, count, refused, answers)
	}
}

// ends waits until no statement of other connections runs.
func ends(t *testing.T, child *servertest.Child) {
	t.Helper()
	const others = "FROM information_schema.processlist WHERE command = 'Query' AND id <> CONNECTION_ID()"
	for begun := time.Now(); one[int](t, child.DB, "SELECT COUNT(*) "+others) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > hostileEnds {
			t.Fatalf("it goes on, though its client has left: %.200s", one[string](t, child.DB, "SELECT MAX(info) "+others))
		}
	}
}

func openChild(t *testing.T, child *servertest.Child, user, password string) *dbsql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd = "tcp", child.Address, user, password
	config.Logger = &mysql.NopLogger{}
	db := servertest.Dial(t, config)
	db.SetMaxOpenConns(2)
	return db
}

// attempt sends a statement, and leaves if there is no answer for long.
func attempt(db *dbsql.DB, text string, prepared bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), hostilePatience)
	defer cancel()
	query := db.QueryContext
	if prepared {
		statement, err := db.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		defer statement.Close()
		query = func(ctx context.Context, _ string, arguments ...any) (*dbsql.Rows, error) {
			return statement.QueryContext(ctx, arguments...)
		}
	}
	return servertest.Drain(query(ctx, text))
}

// probe repeats SELECT 1. The function that it returns ends this, and returns the slowest answer's time and the
// number of answers.
func probe(t *testing.T, child *servertest.Child) func() (worst time.Duration, answers int) {
	t.Helper()
	conn, err := child.DB.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var (
		wait   sync.WaitGroup
		done   = make(chan struct{})
		worst  time.Duration
		counts int
	)
	wait.Go(func() {
		defer conn.Close()
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond): // leave the processor to others
			}
			begun := time.Now()
			var got int
			if err := conn.QueryRowContext(context.Background(), "SELECT 1").Scan(&got); err != nil {
				t.Errorf("SELECT 1: %v", err)
				return
			}
			worst, counts = max(worst, time.Since(begun)), counts+1
		}
	})
	return func() (time.Duration, int) {
		close(done)
		wait.Wait()
		return worst, counts
	}
}
