package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// TestUpstreamDies: an upstream server that dies while CALL anonymize reads leaves nothing published, and the owner gets an
// error. Releases stay available throughout.
func TestUpstreamDies(t *testing.T) {
	t.Parallel()
	upstream := mariadbtest.Start(t, mariadbtest.Options{})
	direct := connect(t, upstream.Address, "root", "", "")
	direct.exec("CREATE DATABASE house")
	f := start(t, upstream)
	owner := connect(t, f.owners, "root", "house", "")
	owner.people(300)
	owner.exec("CALL set_attributes('people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')", "CALL anonymize('people', 'anatomy', 'l=3', 'fit=false')",
		"CREATE TABLE large (a INT, b INT, c INT, d INT)", "INSERT INTO large SELECT FLOOR(RAND()*1000), FLOOR(RAND()*1000), seq, seq % 17 FROM seq_1_to_"+testsize.Levels("400000", "1000000", "1000000"),
		"CALL set_attributes('large', 'qi=a,b,c', 'sa=d')")
	administrator := connect(t, f.server.Addr, "root", "", "")
	ended := make(chan error, 1)
	go func() {
		_, err := owner.tries("CALL anonymize('large', 'anatomy', 'l=3', 'fit=false')")
		ended <- err
	}()
	servertest.Eventually(t, "the table is read", func() bool {
		if len(ended) > 0 {
			t.Fatalf("the statement ended by itself: %v", <-ended)
		}
		rows := administrator.query("SELECT phase, done FROM anonsql.jobs WHERE status = 'running'")
		return len(rows) == 1 && strings.HasPrefix(rows[0], "read the table") && !strings.HasSuffix(rows[0], "|0")
	})
	upstream.Kill()
	err := <-ended
	if err == nil {
		t.Error("the statement ended without an error, though its table is gone")
	} else if !strings.Contains(err.Error(), "CALL it again when the server is back") {
		t.Errorf("the owner is told %v", err)
	}
	analyst := f.analyst(t)
	analyst.want("SELECT COUNT(*) FROM published.people", "300")
	administrator.want("SELECT name FROM anonsql.releases", "people")
	later := connect(t, f.owners, "root", "", "")
	later.refused("SELECT 1", 1429, "cannot reach the upstream server")
}

// TestStartsWithoutUpstream: without the upstream server, releases are available and their owners get an error.
func TestStartsWithoutUpstream(t *testing.T) {
	upstream := mariadbtest.Start(t, mariadbtest.Options{WithoutAccounts: true})
	upstream.Kill()
	f := start(t, upstream)
	f.analyst(t).want("SELECT DATABASE()", "published")
	connect(t, f.owners, "root", "", "").refused("SELECT 1", 1429, "cannot reach the upstream server")
}

// TestChangesWhileItIsRead: every row is of one moment, whatever others write meanwhile.
func TestChangesWhileItIsRead(t *testing.T) {
	f, owner := begin(t)
	owner.exec("CREATE TABLE pairs (id INT PRIMARY KEY, a INT, b INT)", "INSERT INTO pairs SELECT seq, 5, 5 FROM seq_1_to_20000")
	stop, stopped := make(chan struct{}), make(chan error, 1)
	writer := connect(t, f.upstream.Address, "root", "testchangeswhileitisread", "")
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if _, err := writer.db.Exec(fmt.Sprintf("UPDATE pairs SET a = %d, b = %d", i%7, i%7)); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 5 {
		owner.exec("CALL set_attributes('pairs', 'qi=a', 'sa=b')")
		// All rows have one pair of values at any moment, so anything else than a refusal has mixed two.
		owner.refused("SELECT COUNT(*) FROM ANATOMY(pairs, 2, sa = 'b', qi = 'a')", 30002, "20000 of 20000 records")
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
}

// TestTimeLimitWhileUpstreamIsBusy: a statement of ours ends at its time limit also while upstream keeps it waiting, and the session goes on.
func TestTimeLimitWhileUpstreamIsBusy(t *testing.T) {
	f, owner := publishedPeople(t)
	direct := connect(t, f.upstream.Address, "root", "testtimelimitwhileupstreamisbusy", "")
	direct.exec("LOCK TABLES people WRITE")
	owner.refused("SELECT /*+ MAX_EXECUTION_TIME(500) */ COUNT(*) FROM ANATOMY(people, 2)", 3024, "")
	direct.exec("UNLOCK TABLES")
	owner.want("SELECT COUNT(*) FROM people", "300")
	owner.want("SELECT COUNT(*) FROM published.people", "300")
}

// TestErrorsOfUpstream: an upstream error during a statement of ours reaches the client with upstream's number.
func TestErrorsOfUpstream(t *testing.T) {
	_, owner := publishedPeople(t)
	owner.exec("CREATE VIEW broken AS SELECT age, disease FROM people", "ALTER TABLE people DROP COLUMN age")
	owner.refused("SELECT * FROM ANATOMY(broken, 2, sa = 'disease', qi = 'age')", 1356, "broken")
	owner.refused("CALL set_attributes('nothing', 'qi=age')", 1146, "nothing' doesn't exist")
	owner.refused("CALL anonymize('people', 'anatomy', 'l=3', 'qi=age', 'replace=true')", 1210, "which is no column")
}

// TestReadOnlyUpstream: a replica accepts no rows, but its tables can be published.
func TestReadOnlyUpstream(t *testing.T) {
	f, owner := begin(t)
	owner.people(300)
	owner.exec("CREATE OR REPLACE USER steward", "GRANT SELECT, INSERT, ALTER ON testreadonlyupstream.* TO steward", "SET GLOBAL read_only = ON")
	t.Cleanup(func() { owner.exec("SET GLOBAL read_only = OFF") })
	steward := connect(t, f.owners, "steward", "testreadonlyupstream", "")
	steward.refused("INSERT INTO people (id) VALUES (1000)", 1290, "read-only")
	steward.exec("CALL set_attributes('people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')", "CALL anonymize('people', 'anatomy', 'l=3', 'fit=false')")
	steward.want("SELECT ANON_ACTUAL(COUNT(*)), COUNT(*) FROM published.people", "300|300")
}

// TestUpstreamsOwnRefusals: a wrong password, and a packet that is too large, end as they do without anonsql.
func TestUpstreamsOwnRefusals(t *testing.T) {
	f, owner := begin(t)
	owner.exec("CREATE OR REPLACE USER guarded IDENTIFIED BY 'right'", "SET GLOBAL max_allowed_packet = 1 << 20")
	t.Cleanup(func() { owner.exec("SET GLOBAL max_allowed_packet = DEFAULT") })
	long := "SELECT LENGTH('" + strings.Repeat("x", 2<<20) + "')"
	for name, c := range map[string]struct{ user, statement string }{
		"a wrong password":    {"guarded:wrong", "SELECT 1"},
		"nobody":              {"nobody", "SELECT 1"},
		"no such database":    {"root", "USE nothing"},
		"a packet of 2 MB":    {"root", long},
		"ours, and too large": {"root", strings.Replace(long, "SELECT ", "SELECT COUNT(*) FROM published.nothing WHERE 1 = ", 1)},
	} {
		_, direct := connect(t, f.upstream.Address, c.user, "", "maxAllowedPacket=0").tries(c.statement)
		_, through := connect(t, f.owners, c.user, "", "maxAllowedPacket=0").tries(c.statement)
		if direct == nil || through == nil {
			t.Errorf("%s: %v direct, %v through anonsql", name, direct, through)
			continue
		}
		if strings.HasPrefix(c.statement, "SELECT COUNT") { // anonsql executes it, with limits of its own
			continue
		}
		if direct.Error() != through.Error() {
			t.Errorf("%s: %v direct, %v through anonsql", name, direct, through)
		}
	}
}

// TestTableIsGone: what needs the raw table says which release and what upstream says; what does not goes on.
func TestTableIsGone(t *testing.T) {
	f, owner := publishedPeople(t)
	analyst := f.analyst(t)
	for _, change := range []struct {
		statement string
		number    uint16
		text      string
	}{
		{"ALTER TABLE people DROP COLUMN disease", 30001, `column "disease" of release people was renamed or dropped`},
		{"RENAME TABLE people TO persons", 1146, "people"},
	} {
		owner.exec(change.statement)
		owner.refused("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people WHERE disease = 'flu'", change.number, change.text)
		owner.refused("CALL evaluate('people')", change.number, change.text)
		analyst.want("SELECT COUNT(*) FROM published.people", "300")
	}
}
