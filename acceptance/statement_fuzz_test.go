package acceptance

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// changing matches statements that may change what others see.
var changing = regexp.MustCompile(`(?i)insert|update|delete|replace|truncate|drop|alter|load|call|create|rename|import|execute|grant|revoke|set\s+password|analyze`)

// vaultStatements create a raw table, with the marker in its explicit identifiers and in a column without a role, and
// a release of it.
func vaultStatements(marker string) []string {
	rows := make([]string, 12)
	for i := range rows {
		rows[i] = fmt.Sprintf("('%s%d', %d, '%s', '%s', '%d%s')", marker, i, 30+i%5, []string{"F", "M"}[i%2], []string{"flu", "cold", "gout", "asthma"}[i%4], i, marker)
	}
	return []string{
		"CREATE DATABASE zvault", "CREATE DATABASE mine",
		"CREATE TABLE zvault.zledger (zident VARCHAR(40), age INT, sex VARCHAR(6), disease VARCHAR(20), zother VARCHAR(40))",
		"INSERT INTO zvault.zledger VALUES " + strings.Join(rows, ", "),
		"CALL set_attributes('zvault.zledger', 'qi=age,sex', 'sa=disease', 'ei=zident')",
		"CALL set_taxonomy('zvault.zledger', 'age', 'intervals=5,10')",
		"CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'tables=2', 'calibrate=true', 'publish=p')",
		"CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'private=true', 'publish=zprivate')",
		"CREATE VIEW zvault.zview AS SELECT zident FROM zvault.zledger",
		"CREATE PROCEDURE zvault.zproc() SELECT * FROM zvault.zledger",
	}
}

var vaultNames = []string{"zvault", "zledger", "zident", "zother", "zview", "zproc", "zprivate"}

// said reports whether a statement contains any three letters of a name, from which it may have composed the name.
func said(statement, name string) bool {
	for i := 0; i+3 <= len(name); i++ {
		if strings.Contains(statement, name[i:i+3]) {
			return true
		}
	}
	return false
}

// An analystTarget is a server with accounts that may read published data. One of them has its own database.
type analystTarget struct {
	*fuzzed
	marker  string
	clients map[string]*wire
	raw     string // the raw table and the list of releases
}

func newAnalystTarget(f *testing.F) *analystTarget {
	a := &analystTarget{marker: strings.ToLower(rand.Text()[:16]), clients: map[string]*wire{}}
	a.fuzzed = fuzzedServer(f, server.Config{StatementTimeout: time.Second, MaxResultRows: 5000, MemoryLimit: 2 << 30}, vaultStatements(a.marker)...)
	a.accounts(f)
	a.raw = a.state(f)
	return a
}

func (a *analystTarget) accounts(t testing.TB) {
	servertest.Exec(t, a.root, "DROP USER IF EXISTS bare, rich", "CREATE USER bare@'%' IDENTIFIED BY 's'", "CREATE USER rich@'%' IDENTIFIED BY 's'",
		"GRANT SELECT ON published.* TO bare, rich", "GRANT SELECT ON anonsql.* TO rich", "GRANT ALL ON mine.* TO rich", "GRANT EXECUTE, SHOW VIEW ON *.* TO rich")
}

func (a *analystTarget) state(t testing.TB) string {
	t.Helper()
	var all strings.Builder
	for _, query := range []string{"SELECT * FROM zvault.zledger ORDER BY zident", "SELECT name, version, status FROM anonsql.releases ORDER BY 1", "SHOW FULL TABLES FROM zvault"} {
		rows, err := tryRows(a.root, query)
		fmt.Fprintln(&all, rows, err)
	}
	return all.String()
}

// client returns the account's connection, in the state after a login.
func (a *analystTarget) client(t testing.TB, user string) *wire {
	t.Helper()
	if w := a.clients[user]; w != nil {
		if _, err := w.command([]byte{0x1f}); err == nil { // COM_RESET_CONNECTION
			return w
		}
		w.close()
	}
	w, err := wireLogin(a.Addr, user, "s", capUsual)
	if err != nil { // the input may have changed the account's password
		a.accounts(t)
		if w, err = wireLogin(a.Addr, user, "s", capUsual); err != nil {
			t.Fatal(err)
		}
	}
	a.clients[user] = w
	return w
}

func (a *analystTarget) drop(user string) {
	if w := a.clients[user]; w != nil {
		w.close()
		delete(a.clients, user)
	}
}

// heldBytes returns the memory that the process holds.
func heldBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}

// attack runs one text as an analyst and checks all promises.
func (a *analystTarget) attack(t *testing.T, user, text string) {
	w := a.client(t, user)
	answer, err := w.query(text)
	lower := strings.ToLower(text)
	if err != nil {
		a.drop(user)
		if !strings.Contains(lower, "kill") {
			t.Errorf("%q: the connection ended: %v", text, err)
		}
	}
	if fault := a.faults.take(); fault != "" {
		t.Errorf("%q: %s", text, fault)
	}
	shown := strings.ToLower(string(answer.shown))
	if strings.Contains(shown, a.marker) {
		t.Errorf("%q shows a raw cell: %q", text, answer.shown)
	}
	for _, name := range vaultNames {
		if strings.Contains(shown, name) && !said(lower, name) {
			t.Errorf("%q shows the name %s: %q", text, name, answer.shown)
		}
	}
	for _, e := range answer.errors {
		if word := internal(text, e.message); word != "" {
			t.Errorf("%q: error %d says %q: %s", text, e.number, word, e.message)
		}
	}
	if held := heldBytes(); held > 6<<30 {
		t.Errorf("%q: the process holds %d MB", text, held>>20)
	}
	if !changing.MatchString(text) {
		return
	}
	if now := a.state(t); now != a.raw {
		t.Errorf("%q changed the raw table or the releases from\n%s\nto\n%s", text, a.raw, now)
		a.raw = now
	}
	if rows, err := tryRows(a.root, "SHOW FULL TABLES FROM mine"); err != nil || len(rows) > 0 {
		servertest.Exec(t, a.root, "DROP DATABASE IF EXISTS mine", "CREATE DATABASE mine")
	}
}

// FuzzStatement: any text from an analyst is answered, in time, without a panic and without mention of the server's
// inside. It shows no unreleased cell of a raw table, and changes only what the account may change.
func FuzzStatement(f *testing.F) {
	for _, statement := range scriptStatements(f) {
		f.Add(strings.NewReplacer("hospital.patients", "published.p").Replace(statement), false)
	}
	for i, door := range doors {
		if fuzzing() || i%4 == 0 {
			f.Add(door.statement, true)
		}
	}
	for _, statement := range []string{"SELECT COUNT(*), ANON_STDERR(COUNT(*)) FROM published.p WHERE age > 31 GROUP BY disease", "SELECT * FROM anonsql.releases", "TABLE published.p_sa",
		"SELECT sex, SUM(age) FROM published.p p JOIN published.p_sa s ON p.disease = s.disease GROUP BY 1 WITH ROLLUP",
		"SELECT GROUPING(sex, disease), sex, MEDIAN(age) FROM published.p GROUP BY sex, disease WITH ROLLUP HAVING GROUPING(sex) ORDER BY 1",
		"SELECT MEDIAN(age) OVER (PARTITION BY sex), PERCENTILE_DISC(.5) WITHIN GROUP (ORDER BY disease DESC) OVER w FROM published.p WINDOW w AS ()",
		"SELECT REPEAT('a', 1e9)", "SELECT SLEEP(0.01)", "EXPLAIN ANALYZE SELECT COUNT(*) FROM p",
		"CREATE TABLE mine.t (a INT PRIMARY KEY, b TEXT); INSERT INTO mine.t VALUES (1, 'x') ON DUPLICATE KEY UPDATE b = a; SELECT * FROM mine.t", "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r",
		"LOAD DATA LOCAL INFILE 'x' INTO TABLE mine.t", "PREPARE s FROM 'SELECT COUNT(*) FROM published.p WHERE age > ?'; SET @x = 30; EXECUTE s USING @x", "SET SESSION sql_mode = 'ANSI_QUOTES'; SELECT \"disease\" FROM published.p",
		"SELECT JSON_EXTRACT('{\"a\": [1]}', '$.a[0]')", "SHOW PROCESSLIST", "SELECT CAST(age AS CHAR CHARACTER SET latin1) COLLATE latin1_bin FROM published.p", "SELECT DISTINCT age, ROW_NUMBER() OVER (ORDER BY age) FROM published.p LIMIT 3"} {
		f.Add(statement, true)
	}
	a := newAnalystTarget(f)
	f.Fuzz(func(t *testing.T, text string, rich bool) {
		a.attack(t, map[bool]string{true: "rich", false: "bare"}[rich], text)
	})
}
