package proxy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/testsize"
)

// following are the statements that create and publish both tables of visits.
var following = []string{
	"CREATE TABLE visits (id INT PRIMARY KEY, age INT, sex ENUM('f','m'), town VARCHAR(20) COLLATE %s, disease VARCHAR(20) COLLATE %[1]s, note VARCHAR(20))",
	"INSERT INTO visits VALUES %[2]s",
	"CALL set_attributes('visits', 'ei=id', 'qi=age,sex,town', 'sa=disease', 'unit=%[4]s')",
	"CALL anonymize('visits', %[5]s, 'publish=%[3]s', 'allow_composition=true', 'fit=false', 'left_out=0.5')",
}

// nothing takes the arguments that a statement of following does not.
const nothing = "%.0[1]s%.0[2]s%.0[3]s%.0[4]s%.0[5]s"

// A changes generates statements that change visits.
type changes struct {
	random *rand.Rand
	next   int
}

func (c *changes) visit(id int) string {
	disease := []string{"flu", "Flu", "cold", "asthma", "gout", "ulcer", "angina"}[c.random.IntN(7)]
	note := fmt.Sprint("p", []string{"P", "p"}[c.random.IntN(2)], id/2%60)
	return fmt.Sprintf("(%d, %d, '%s', 'town %d', '%s', '%s')", id, 20+c.random.IntN(50), []string{"f", "m"}[c.random.IntN(2)], c.random.IntN(3), disease, note)
}

func (c *changes) visits(n int) string {
	var values []string
	for range n {
		c.next++
		values = append(values, c.visit(c.next))
	}
	return strings.Join(values, ", ")
}

// step is one statement. That a text changes its case, or what is not released, is no change.
func (c *changes) step() string {
	id := 1 + c.random.IntN(c.next)
	return []string{
		"INSERT INTO visits VALUES " + c.visits(1+c.random.IntN(4)),
		fmt.Sprintf("DELETE FROM visits WHERE id = %d", id),
		fmt.Sprintf("DELETE FROM visits WHERE id BETWEEN %d AND %d", id, id+3),
		fmt.Sprintf("UPDATE visits SET age = age + 1 WHERE id = %d", id),
		fmt.Sprintf("UPDATE visits SET disease = 'cold', town = 'town 1' WHERE id = %d", id),
		fmt.Sprintf("UPDATE visits SET disease = UPPER(disease) WHERE id %% 5 = %d", c.random.IntN(5)),
		fmt.Sprintf("UPDATE visits SET note = 'seen' WHERE id = %d", id),
	}[c.random.IntN(7)]
}

// TestFollowsAsTheStoreDoes: a release of an upstream table follows the same changes as one of a stored table, with the same promises.
func TestFollowsAsTheStoreDoes(t *testing.T) { followAsTheStoreDoes(t, "rows", "'drasl', 'k=4'") }

// TestAnatomyFollowsAsTheStoreDoes: the same for a method whose batches depend on their sensitive values.
func TestAnatomyFollowsAsTheStoreDoes(t *testing.T) {
	followAsTheStoreDoes(t, "rows", "'anatomy', 'l=3', 'updates=sealed'")
}

// TestFollowsUnitsAsTheStoreDoes: the same for units, whose names also change their case.
func TestFollowsUnitsAsTheStoreDoes(t *testing.T) { followAsTheStoreDoes(t, "note", "'drasl', 'k=4'") }

func followAsTheStoreDoes(t *testing.T, unit, how string) {
	t.Helper()
	f, owner := begin(t)
	stored := connect(t, f.server.Addr, "root", "", "")
	stored.exec("CREATE DATABASE h", "USE h")
	c := &changes{random: rand.New(rand.NewPCG(22, 1))}
	values := c.visits(120)
	for _, s := range following {
		owner.exec(fmt.Sprintf(s+nothing, "utf8mb4_general_ci", values, "up", unit, how))
		stored.exec(fmt.Sprintf(s+nothing, "utf8mb4_0900_ai_ci", values, "stored", unit, how))
	}
	// The version, and who was inserted, deleted, modified and waits. Which units wait depends on the groups that others are in.
	figures := func(row string) string {
		v := strings.Split(row, "|")
		last := 9
		if unit != "rows" {
			last = 8
		}
		return strings.Join(append(v[1:2:2], v[5:last]...), "|")
	}
	rounds := testsize.Of(8, 25)
	total := 0
	for round := range rounds {
		for range 1 + c.random.IntN(6) {
			s := c.step()
			owner.exec(s)
			stored.exec(s)
		}
		up, in := owner.query("CALL refresh_release('up')")[0], stored.query("CALL refresh_release('stored')")[0]
		if figures(up) != figures(in) {
			t.Fatalf("round %d: upstream %s, in the store %s", round, up, in)
		}
		if !strings.Contains(figures(up), "|0|0|0|") {
			total++
		}
		owner.want("SELECT guarantee FROM ANON_PRIVACY(published.up) WHERE NOT holds")
		owner.want("SELECT `rows` - forged + waiting FROM anonsql.releases WHERE name = 'up'", owner.query("SELECT COUNT(*) FROM visits")...)
		const promised = "SELECT guarantee, required, holds FROM anonsql.guarantees WHERE required IS NOT NULL AND `release` = "
		stored.want(promised+"'stored' ORDER BY guarantee", owner.query(promised+"'up' ORDER BY guarantee")...)
	}
	if total < rounds/2 {
		t.Errorf("only %d of %d refreshes changed anything", total, rounds)
	}
}

// visits creates and publishes a table upstream.
func (c *client) visits(rows int) *changes {
	c.t.Helper()
	made := &changes{random: rand.New(rand.NewPCG(22, 2))}
	values := made.visits(rows)
	for _, s := range following {
		c.exec(fmt.Sprintf(s+nothing, "utf8mb4_general_ci", values, "visits", "rows", "'drasl', 'k=4'"))
	}
	return made
}

// TestRefreshIsRefused: a refresh of a table that has changed too much fails with the reason, and the release stays.
func TestRefreshIsRefused(t *testing.T) {
	f, owner := begin(t)
	owner.visits(60)
	connect(t, f.server.Addr, "root", "", "").refused("CALL refresh_release('visits')", 30001, "--owners-listen")
	for _, c := range []struct{ change, undo, part string }{
		{"ALTER TABLE visits MODIFY id BIGINT", "ALTER TABLE visits MODIFY id INT", "its primary key was (id int(11)) and is (id bigint(20))"},
		{"ALTER TABLE visits DROP PRIMARY KEY", "ALTER TABLE visits ADD PRIMARY KEY (id)", "has no primary key"},
		{"ALTER TABLE visits DROP PRIMARY KEY, ADD PRIMARY KEY (id, age)", "ALTER TABLE visits DROP PRIMARY KEY, ADD PRIMARY KEY (id)", "and is (age int(11), id int(11))"},
		{"RENAME TABLE visits TO old", "RENAME TABLE old TO visits", "Its table is not there under its name, or this account may not read it"},
		{"UPDATE visits SET id = id + 1000", "UPDATE visits SET id = id - 1000", "of 60 keys none is left, and the table has 60 others"},
		{"ALTER TABLE visits DROP COLUMN age", "", `column "age", which it publishes, was dropped`},
	} {
		owner.exec(c.change)
		_, err := owner.tries("CALL refresh_release('visits')")
		if err == nil || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: %v, want %q", c.change, err, c.part)
		}
		owner.want("SELECT version, pending FROM anonsql.releases WHERE name = 'visits'", "1|NULL")
		if c.undo != "" {
			owner.exec(c.undo)
			if rows := owner.query("CALL refresh_release('visits')"); !strings.Contains(rows[0], "nothing changed") {
				t.Errorf("after %s: %q", c.undo, rows)
			}
		}
	}
	owner.exec("CREATE TABLE keyless (age INT, disease INT)", "INSERT INTO keyless SELECT seq, seq % 5 FROM seq_1_to_20", "CALL set_attributes('keyless', 'qi=age', 'sa=disease')")
	owner.refused("CALL anonymize('keyless', 'drasl', 'k=4', 'fit=false')", 30001, "testrefreshisrefused.keyless has no primary key")
	owner.refused("CALL anonymize('visits', 'drasl', 'k=4', 'qi=sex', 'auto_refresh=9', 'replace=true')", 1210, "CALL refresh_release when it has")
	owner.exec("CALL anonymize('keyless', 'drasl', 'k=4', 'updates=none', 'fit=false')")
}

// TestWidenedColumns: a column that becomes wider keeps its values: the release follows on, and publishes a value that did not fit before.
func TestWidenedColumns(t *testing.T) {
	_, owner := begin(t)
	owner.exec("CREATE TABLE stays (id INT PRIMARY KEY, age SMALLINT, disease VARCHAR(10), cost DECIMAL(6,2))",
		"INSERT INTO stays SELECT seq, 20 + seq % 9, CONCAT('d', seq % 5), seq % 3 FROM seq_1_to_200",
		"CALL set_attributes('stays', 'ei=id', 'qi=age,cost', 'sa=disease')", "CALL anonymize('stays', 'drasl', 'k=4', 'fit=false', 'private=true')",
		"ALTER TABLE stays MODIFY disease VARCHAR(40), MODIFY age INT, MODIFY cost DECIMAL(12,2)")
	if rows := owner.query("CALL refresh_release('stays')"); !strings.Contains(rows[0], "nothing changed") {
		t.Errorf("after the columns were widened: %q", rows)
	}
	owner.exec("UPDATE stays SET disease = 'a disease with a long name', age = 70000, cost = 12345678.5 WHERE id BETWEEN 1 AND 40")
	owner.exec("CALL refresh_release('stays')")
	owner.want("SELECT SUM(count) >= 40 FROM published.stays_sa WHERE disease = 'a disease with a long name'", "1") // counterfeits may have it, too
	owner.want("SELECT DATA_TYPE, CHARACTER_MAXIMUM_LENGTH FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'disease'", "varchar|40")
	owner.want("SELECT MAX(age), MAX(cost) FROM published.stays", "70000|12345678.50")
	owner.exec("ALTER TABLE stays MODIFY disease VARCHAR(30)")
	if _, err := owner.tries("CALL refresh_release('stays')"); err == nil || !strings.Contains(err.Error(), "has another type") {
		t.Errorf("after a column was narrowed: %v", err)
	}
}

// TestReplacedTable: a reloaded table is recognised by its keys. A new table that has few of them is a different one.
func TestReplacedTable(t *testing.T) {
	_, owner := begin(t)
	c := owner.visits(60)
	time.Sleep(time.Second) // upstream counts the age of tables in seconds
	owner.exec("CREATE TABLE next LIKE visits", "INSERT INTO next SELECT * FROM visits WHERE id > 20", "INSERT INTO next VALUES "+c.visits(5), "DROP TABLE visits", "RENAME TABLE next TO visits")
	if rows := owner.query("CALL refresh_release('visits')"); !strings.Contains(rows[0], "|5|20|0|") {
		t.Errorf("the table with 40 of 60 keys: %q", rows)
	}
	time.Sleep(time.Second)
	owner.exec("CREATE TABLE next LIKE visits", "INSERT INTO next SELECT * FROM visits WHERE id > 50", "INSERT INTO next VALUES "+c.visits(40), "DROP TABLE visits", "RENAME TABLE next TO visits")
	if _, err := owner.tries("CALL refresh_release('visits')"); err == nil || !strings.Contains(err.Error(), "was created anew, and has 15 of 45 keys") {
		t.Errorf("the table with 15 of 45 keys: %v", err)
	}
	owner.exec("CALL anonymize('visits', 'drasl', 'k=4', 'replace=true', 'allow_composition=true', 'fit=false')")
	owner.want("SELECT version, status FROM anonsql.releases WHERE name = 'visits'", "3|public")
}

// servedUpstream is the variable with the directory and the upstream server of TestServingChild.
const servedUpstream = "ANONSQL_TEST_SERVED_UPSTREAM"

// The child of TestKillDuringRefresh: a server in front of its parent's MariaDB, until it is killed.
func TestServingChild(t *testing.T) {
	dir, upstream, ok := strings.Cut(os.Getenv(servedUpstream), "|")
	if !ok {
		return // nothing to do but as the child of TestKillDuringRefresh
	}
	ready := make(chan string, 1)
	config := inFrontOf(upstream, server.Config{DataDir: dir, Listen: "127.0.0.1:0", Ready: func(net.Addr) {}}, ready, "127.0.0.1:0")
	go func() { fmt.Println("owners", <-ready) }()
	if err := server.Run(context.Background(), config); err != nil {
		t.Fatal(err)
	}
}

// TestKillDuringRefresh: a server that is killed during refreshes leaves complete versions. The next refresh finds the missing changes.
func TestKillDuringRefresh(t *testing.T) {
	f, _ := begin(t)
	direct := connect(t, f.upstream.Address, "root", "testkillduringrefresh", "")
	dir := t.TempDir()
	var c *changes
	for round := range 6 {
		child := catalogtest.StartProcess(t, "TestServingChild", servedUpstream, dir+"|"+f.upstream.Address)
		owner := connect(t, child.Await("owners "), "root", "testkillduringrefresh", "")
		if c == nil {
			c = owner.visits(400)
		}
		checkFollowed(t, owner)
		direct.exec("INSERT INTO visits VALUES "+c.visits(30), c.step(), c.step(), c.step())
		ended := make(chan error, 1)
		go func() {
			_, err := owner.tries("CALL refresh_release('visits')")
			ended <- err
		}()
		// The pause only chooses when the kill comes: while the table is read, or the version made or stored.
		time.Sleep(time.Duration(round) * 8 * time.Millisecond)
		child.Kill()
		<-ended
	}
	report, err := maintenance.CheckDirectory(t.Context(), dir, fault.Progress(nil))
	if err == nil {
		err = report.Err()
	}
	if err != nil || report.Releases < 2 {
		t.Errorf("the files have %d releases, %v", report.Releases, err)
	}
}

// checkFollowed refreshes, then compares every version with its stored files, and the last one with the table.
func checkFollowed(t *testing.T, owner *client) {
	t.Helper()
	owner.query("CALL refresh_release('visits')")
	owner.want("SELECT `rows` - forged + waiting FROM anonsql.releases WHERE name = 'visits'", owner.query("SELECT COUNT(*) FROM visits")...)
	newest := owner.query("SELECT versions, version FROM anonsql.releases WHERE name = 'visits'")[0]
	if versions, version, _ := strings.Cut(newest, "|"); versions != version {
		t.Errorf("version %s has %s versions", version, versions)
	}
	for _, release := range owner.query("SELECT name, `rows` FROM anonsql.releases") {
		name, rows, _ := strings.Cut(release, "|")
		owner.want("SELECT SUM(count) FROM published."+name+"_sa", rows)
	}
	if got := owner.query("CALL refresh_release('visits')"); !strings.Contains(got[0], "nothing changed") {
		t.Errorf("a second refresh: %q", got)
	}
}

// TestRefreshOfManySpellings: no record has changed when more texts than are compared at once are spelled in another way that upstream holds equal.
func TestRefreshOfManySpellings(t *testing.T) {
	_, owner := begin(t)
	owner.exec("CREATE TABLE streets (id VARCHAR(20) PRIMARY KEY, street VARCHAR(30) COLLATE utf8mb4_general_ci, disease INT)",
		"INSERT INTO streets SELECT CONCAT('person ', seq), CONCAT('street ', seq), seq % 9 FROM seq_1_to_1200",
		"CALL set_attributes('streets', 'ei=id', 'qi=street', 'sa=disease')", "CALL anonymize('streets', 'drasl', 'k=4', 'fit=false', 'calibrate=false', 'attacks=false')",
		"UPDATE streets SET street = UPPER(street)", "UPDATE streets SET street = CONCAT(street, ' ') WHERE disease = 1")
	if rows := owner.query("CALL refresh_release('streets')"); !strings.Contains(rows[0], "nothing changed") {
		t.Errorf("the refresh says %q", rows)
	}
	owner.exec("UPDATE streets SET street = 'street 1' WHERE id = 'person 7'", "UPDATE streets SET id = 'person X' WHERE id = 'person 9'")
	if rows := owner.query("CALL refresh_release('streets')"); !strings.Contains(rows[0], "|1|1|1|") {
		t.Errorf("one is modified, and one has another key: %q", rows)
	}
	owner.query("SELECT ANON_ACTUAL(COUNT(*)) FROM published.streets WHERE street = 'street 1' AND disease = 7")
	if notes := strings.Join(owner.query("SHOW WARNINGS"), "; "); strings.Contains(notes, "has changed") {
		t.Errorf("the new version has the columns of now, and the notes are %q", notes)
	}
}

// TestRefreshReadsTheTableOnce: the rows in which a refresh looks for repeated persons are those that it publishes.
func TestRefreshReadsTheTableOnce(t *testing.T) {
	_, owner := begin(t)
	const rows = 600
	owner.exec("CREATE TABLE stays (id INT PRIMARY KEY, chart INT, age INT, disease INT)",
		fmt.Sprintf("INSERT INTO stays SELECT seq, 7 * seq, seq %% 40, seq %% 9 FROM seq_1_to_%d", rows), "CALL set_attributes('stays', 'ei=chart', 'qi=age', 'sa=disease')",
		"CALL anonymize('stays', 'drasl', 'k=4', 'fit=false', 'calibrate=false', 'attacks=false')", "UPDATE stays SET age = 7 WHERE id = 3")
	before := owner.sent()
	owner.query("CALL refresh_release('stays')")
	if sent := owner.sent() - before; sent < rows || sent > rows+rows/2 {
		t.Errorf("upstream has sent %d rows of a table of %d", sent, rows)
	}
	owner.exec("UPDATE stays SET chart = 7 WHERE id < 20")
	if _, err := owner.tries("CALL refresh_release('stays')"); err == nil || !strings.Contains(err.Error(), "column chart of") {
		t.Errorf("a person with several rows: %v", err)
	}
}
