package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

// killedRows is the size of the table; without ANONSQL_TESTS=all the test uses a smaller one.
const killedRows = 100_000

// killedWithin bounds how long a killed statement may run. The promise is about a second on a machine without other
// load.
const killedWithin = servertest.Soon

// killedCalls are calls that take long, one or more for every method.
var killedCalls = map[string][]string{
	"slppa": {"'beta=0.2', 'tables=3'"}, "slicing": {"'l=3', 'tables=3'"}, "asn": {"'beta=0.2'"}, "anatomy": {"'l=3'"},
	"arp": {"'l=3'"}, "aip": {"'l=3', 'partition=mondrian'"}, "nonhomogeneous": {"'l=3'"}, "mondrian": {"'k=5', 'l=2'"},
	"cross_bucket": {"'k=4', 'l=4', 'search=paper'", "'k=4', 'l=4'"}, "fulldomain": {"'k=5', 'l=2'"},
	"drasl": {"'k=8', 'improve=true'", "'k=4'"}, "oka": {"'k=4', 'search=exact'", "'k=4'"}, "ika": {"'k=4'"}, "dpp": {"'k=4', 'nominal=joint'"},
	"cdt": {"'k=4', 'l=2', 'variant=paper'", "'k=1000', 'l=2'"}, "modeled": {"'block=60000'"},
}

const killedColumns = "'qi=age,sex,education,marital_status,workclass,region,hours_per_week', 'sa=disease', 'publish=killed', 'calibrate=true', 'attacks=true', 'allow_composition=true'"

// A killer runs statements on one connection and kills them from another.
type killer struct {
	t     *testing.T
	conn  *dbsql.Conn
	id    int
	other *dbsql.DB
}

func newKiller(t *testing.T, s *servertest.Server) *killer {
	k := &killer{t: t, conn: s.Connect(t, servertest.Root), other: s.Open(t, servertest.Root)}
	k.id = one[int](t, k.conn, "SELECT CONNECTION_ID()")
	return k
}

// kill starts a statement, kills it after a while and expects it to end soon. It reports whether the statement was
// still running.
func (k *killer) kill(statement string, after time.Duration) bool {
	k.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- servertest.Drain(k.conn.QueryContext(context.Background(), statement)) }()
	select {
	case err := <-ended:
		if err != nil {
			k.t.Errorf("%.150s\n%v, before it was killed", statement, err)
		}
		return false
	case <-time.After(after):
	}
	phase := fetchRows(k.t, k.other, "SELECT phase, done, total FROM anonsql.jobs WHERE status = 'running'")
	run(k.t, k.other, fmt.Sprintf("KILL QUERY %d", k.id))
	killed := time.Now()
	select {
	case err := <-ended:
		took := time.Since(killed)
		if took > time.Second {
			k.t.Logf("%.150s\nwent on for %v after %v, in %v", statement, took, after, phase)
		}
		if err == nil {
			return false // it ended before the kill arrived
		}
		if servertest.Number(err) != 1317 || took > killedWithin || !strings.Contains(err.Error(), "Query execution was interrupted") {
			k.t.Errorf("%.150s\nended %v after it was killed in %v, with %v", statement, took, phase, err)
		}
	case <-time.After(time.Minute):
		k.t.Fatalf("%.150s\ndid not end within a minute, in %v", statement, phase)
	}
	return true
}

// importKilled fills census.people.
func importKilled(t *testing.T, s *servertest.Server) {
	t.Helper()
	census.Import(t, s.Addr, census.Write(t, testsize.Of(killedRows/15, killedRows)))
}

// A killed CALL anonymize ends soon with error 1317, whatever the method and its phase, and nothing is stored.
func TestKilledMethods(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	importKilled(t, s)
	delays := testsize.Of([]time.Duration{200 * time.Millisecond}, []time.Duration{50 * time.Millisecond, 400 * time.Millisecond, 1500 * time.Millisecond})
	all := methods.All()
	for _, m := range all {
		if killedCalls[m.Name] == nil {
			t.Errorf("method %s has no line in killedCalls", m.Name)
		}
	}
	for _, m := range testsize.Some(testsize.Levels(5, len(all), len(all)), all) {
		calls := killedCalls[m.Name]
		t.Run(m.Name, func(t *testing.T) {
			k := newKiller(t, s)
			for _, call := range calls {
				for _, after := range delays {
					if !k.kill(fmt.Sprintf("CALL anonymize('census.people', '%s', %s, %s)", m.Name, killedColumns, call), after) {
						if stored := fetchRows(t, k.other, "SELECT name FROM anonsql.releases"); len(stored) != 1 {
							t.Errorf("%v are stored", stored)
						}
						run(t, k.other, "CALL drop_release('killed')")
						break
					}
					if stored := fetchRows(t, k.other, "SELECT name FROM anonsql.releases"); len(stored) != 0 {
						t.Errorf("%v are stored", stored)
					}
				}
			}
		})
	}
	for _, job := range fetchRows(t, s.Open(t, servertest.Root), "SELECT subject, phase, done, total FROM anonsql.jobs WHERE status = 'running'") {
		t.Errorf("still running: %v", job)
	}
}

// The same holds for other long statements.
func TestKilledStatements(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	importKilled(t, s)
	k := newKiller(t, s)
	run(t, k.other, "CALL anonymize('census.people', 'drasl', "+strings.Replace(strings.Replace(killedColumns, "true', 'attacks=true", "true", 1), "killed", "people", 1)+", 'k=6', 'updates=sealed')")
	run(t, k.other, "CALL anonymize('census.people', 'anatomy', 'l=2', 'qi=age,sex,education', 'sa=disease', 'publish=later', 'private=true', 'calibrate=false', 'attacks=false', 'fit=false')")
	run(t, k.other, "CREATE TABLE census.second (person_id INT, name VARCHAR(200))")
	mysql.RegisterReaderHandler("long", func() io.Reader { return &longFile{left: longFileBytes} })
	defer mysql.DeregisterReaderHandler("long")
	people := one[int](t, k.conn, "SELECT COUNT(*) FROM census.people")
	run(t, k.other, "UPDATE census.people SET disease = IF(disease = 'Asthma', 'Gout', 'Asthma') WHERE person_id % 2 = 0")
	type statement struct {
		statement string
		after     time.Duration
	}
	for _, c := range testsize.Some(testsize.Levels(2, 3, 3), []statement{
		{"CALL evaluate('people', 'queries=1000000')", 500 * time.Millisecond},
		{"CALL evaluate('people', 'queries=1000000', 'aggregate=sum', 'of=age')", 500 * time.Millisecond},
		{"CALL fit_release('later')", 500 * time.Millisecond},
		{"CALL refresh_release('people', 'calibrate=true')", 100 * time.Millisecond},
		{"CALL refresh_release('people', 'calibrate=true')", 1500 * time.Millisecond},
		{"LOAD DATA LOCAL INFILE 'Reader::long' INTO TABLE census.second FIELDS TERMINATED BY ',' (person_id, name)", time.Second},
		{"INSERT INTO census.second SELECT person_id, name FROM census.people", 200 * time.Millisecond},
		{"CREATE TABLE census.again AS SELECT * FROM census.people", 200 * time.Millisecond},
		{"SELECT COUNT(*) FROM census.people a, census.people b, census.people c WHERE a.age + b.age + c.age < 0", 500 * time.Millisecond},
		{"SELECT COUNT(*) FROM census.people a JOIN census.people b ON a.region = b.region WHERE a.age + b.age < 0", 500 * time.Millisecond},
		{"SELECT * FROM census.people WHERE name REGEXP '(a|b|ab)*(c|d)*x$' AND age < 0", 500 * time.Millisecond},
		{"SELECT a.name FROM census.people a ORDER BY (SELECT COUNT(*) FROM census.people b WHERE b.age = a.age)", 500 * time.Millisecond},
		{"SELECT COUNT(*) FROM ANON_UTILITY(published.people)", 300 * time.Millisecond},
		{"UPDATE census.people SET age = age + 1", 200 * time.Millisecond},
		{"ALTER TABLE census.people ADD COLUMN more INT", 100 * time.Millisecond},
		{"CREATE INDEX by_name ON census.people (name)", 50 * time.Millisecond},
	}) {
		t.Run(fmt.Sprintf("%.60s after %v", c.statement, c.after), func(t *testing.T) {
			k.t = t
			if !k.kill(c.statement, c.after) {
				t.Logf("ended before it was killed")
			}
		})
	}
	k.t = t
	for question, want := range map[string]int{"SELECT COUNT(*) FROM census.people": people, "SELECT COUNT(*) FROM anonsql.evaluations": 0} {
		if got := one[int](t, k.conn, question); got != want {
			t.Errorf("%s: %d, want %d", question, got, want)
		}
	}
}

// longFile is a file of many rows. It has an end, because a client sends the whole file, whatever the server does.
type longFile struct{ left int }

const (
	longFileLine  = "1,somebody\n"
	longFileBytes = 10_000_000 * len(longFileLine)
)

func (f *longFile) Read(b []byte) (int, error) {
	n := min(f.left, len(b)/len(longFileLine)*len(longFileLine))
	if n == 0 {
		return 0, io.EOF
	}
	for i := 0; i < n; i += len(longFileLine) {
		copy(b[i:], longFileLine)
	}
	f.left -= n
	return n, nil
}

// A statement whose client has left ends as well, and stores nothing.
func TestClientGoes(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	// Enough rows that no call ends before its client leaves.
	census.Import(t, s.Addr, census.Write(t, testsize.Of(killedRows/3, killedRows)))
	watching := s.Open(t, servertest.Root)
	for _, call := range []string{"'drasl', 'k=8', 'improve=true'", "'cdt', 'k=4', 'l=2', 'variant=paper'", "'oka', 'k=4', 'search=exact'"} {
		conn := s.Connect(t, servertest.Root)
		ctx, leave := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			// The driver closes the connection when its context ends.
			_, _ = conn.ExecContext(ctx, "CALL anonymize('census.people', "+call+", "+killedColumns+")")
		}()
		servertest.Eventually(t, "the method is at work: "+call, func() bool {
			select {
			case <-ended:
				t.Fatalf("%s ended before it was seen", call)
			default:
			}
			return len(fetchRows(t, watching, "SELECT id FROM anonsql.jobs WHERE status = 'running' AND phase NOT IN ('', 'prepare', 'read the table')")) > 0
		})
		leave()
		left := time.Now()
		<-ended
		servertest.Eventually(t, "the job ends without a client: "+call, func() bool {
			return len(fetchRows(t, watching, "SELECT id FROM anonsql.jobs WHERE status = 'running'")) == 0
		})
		if took := time.Since(left); took > killedWithin {
			t.Errorf("%s went on for %v without a client", call, took)
		}
		if stored := fetchRows(t, watching, "SELECT name FROM anonsql.releases"); len(stored) != 0 {
			t.Errorf("%s: %v are stored", call, stored)
		}
	}
}
