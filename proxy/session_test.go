package proxy_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/server/servertest"
)

// publishedPeople is a client with a release of a small table.
func publishedPeople(t *testing.T) (*front, *client) {
	t.Helper()
	f, owner := begin(t)
	owner.people(300)
	owner.exec("CALL set_attributes('people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')", "CALL anonymize('people', 'anatomy', 'l=3', 'fit=false')")
	return f, owner
}

// TestUpstreamDoesNotNotice: our answers do not affect upstream's transactions, variables, temporary tables or prepared statements.
func TestUpstreamDoesNotNotice(t *testing.T) {
	_, owner := publishedPeople(t)
	prepared, err := owner.db.Prepare("SELECT ? + @x")
	if err != nil {
		t.Fatal(err)
	}
	defer prepared.Close()
	owner.exec("SET @x = 40", "CREATE TEMPORARY TABLE mine (a INT)", "START TRANSACTION", "INSERT INTO mine VALUES (1)", "INSERT INTO people (id) VALUES (1000)",
		"SAVEPOINT one", "UPDATE people SET zip = 'x' WHERE id = 1000")
	owner.want("SELECT COUNT(*) FROM published.people", "300")
	owner.exec("CALL set_attributes('people', 'ei=id', 'qi=age,sex', 'sa=disease')")
	owner.want("SELECT @x, COUNT(*), @@in_transaction FROM mine", "40|1|1")
	owner.exec("ROLLBACK TO one")
	owner.want("SELECT zip FROM people WHERE id = 1000", "NULL")
	owner.exec("ROLLBACK")
	owner.want("SELECT COUNT(*) FROM people", "300")
	var sum int
	if err := prepared.QueryRow(2).Scan(&sum); err != nil || sum != 42 {
		t.Errorf("the statement prepared before: %d, %v", sum, err)
	}
}

// TestPreparedHere: clients prepare, execute and close our statements and upstream's side by side.
func TestPreparedHere(t *testing.T) {
	_, owner := publishedPeople(t)
	all := owner.query("SELECT COUNT(*) FROM people WHERE age < 40")
	for range 3 {
		owner.want("SELECT COUNT(*) FROM people WHERE age < 40", all...)
		if got := owner.query("SELECT COUNT(*) FROM published.people WHERE age < ?", 40); !slices.Equal(got, all) {
			t.Errorf("prepared: %q, want %q", got, all)
		}
		if got := owner.query("SELECT COUNT(*) FROM people WHERE age < ?", 40); !slices.Equal(got, all) {
			t.Errorf("prepared upstream: %q, want %q", got, all)
		}
	}
	if got := owner.query("SELECT COUNT(*) > 0 FROM ANON_PRIVACY(people) WHERE guarantee <> ?", ""); !slices.Equal(got, []string{"1"}) {
		t.Errorf("a table function: %q", got)
	}
}

// TestUsePublished: everything is ours while published is the current database, and upstream's database is where it was.
func TestUsePublished(t *testing.T) {
	_, owner := publishedPeople(t)
	owner.exec("USE published")
	owner.want("SELECT DATABASE()", "published")
	owner.want("SELECT COUNT(*) FROM people", "300")
	owner.refused("SELECT COUNT(*) FROM nothing", 1146, "nothing")
	if tables := owner.query("SHOW TABLES"); !slices.Equal(tables, []string{"people"}) {
		t.Errorf("tables: %q", tables)
	}
	owner.refused("USE nowhere", 1049, "nowhere")
	owner.want("SELECT DATABASE()", "published")
	owner.exec("USE testusepublished")
	owner.want("SELECT DATABASE(), VERSION() LIKE '%MariaDB%'", "testusepublished|1")
	databases := owner.query("SHOW DATABASES")
	for _, name := range []string{"published", "anonsql", "testusepublished", "information_schema"} {
		if !slices.Contains(databases, name) {
			t.Errorf("SHOW DATABASES has no %s: %q", name, databases)
		}
	}
}

// TestWarningsOfWhoAnswered: SHOW WARNINGS goes to the server that answered the previous statement.
func TestWarningsOfWhoAnswered(t *testing.T) {
	_, owner := publishedPeople(t)
	owner.exec("DROP TABLE IF EXISTS nothing")
	if w := owner.query("SHOW WARNINGS"); len(w) != 1 || !strings.Contains(w[0], "nothing") {
		t.Errorf("upstream's warnings: %q", w)
	}
	owner.query("SELECT COUNT(*) FROM published.people WHERE age < 40 AND disease = 'cold'")
	if w := owner.query("SHOW WARNINGS"); len(w) == 0 || !strings.Contains(w[0], "estimate") {
		t.Errorf("warnings of an estimate: %q", w)
	}
	owner.query("SELECT id FROM people LIMIT 1")
	owner.want("SHOW WARNINGS")
}

// TestSeveralStatementsOfOneCommand: a client that may send one gets upstream's error 1064 for several, whosever they are, and nothing of them is done.
func TestSeveralStatementsOfOneCommand(t *testing.T) {
	_, owner := publishedPeople(t)
	for _, text := range []string{
		"USE published; CALL drop_release('people')", "CALL drop_release('people'); SELECT 1", "SELECT 1; CALL drop_release('people')",
		"SHOW WARNINGS; CALL drop_release('people')", "SHOW DATABASES; CALL drop_release('people')",
	} {
		owner.refused(text, 1064, "syntax")
	}
	owner.want("SELECT DATABASE(), @@character_set_client", strings.ToLower(t.Name())+"|utf8mb4")
	owner.want("SELECT COUNT(*) FROM published.people", "300")
}

// TestStatementsInGBK: a semicolon in a literal is none between statements, where the literal has a character whose second byte is a backslash.
func TestStatementsInGBK(t *testing.T) {
	f, owner := publishedPeople(t)
	several := connect(t, f.owners, "root", "", "multiStatements=true")
	const text = "SELECT HEX('\xbf\x5c'), 'x; CALL drop_release(''people'')'"
	several.exec("SET NAMES gbk")
	several.want(text, "BF5C|x; CALL drop_release('people')")
	several.refused("SELECT COUNT(*) FROM published.people WHERE disease = '\xbf\x5c'", 1115, "anonsql reads statements in the character set gbk only as far as they are ASCII")
	for _, text := range []string{"SELECT COUNT(*) FROM published.people WHERE disease <> ?", "SELECT COUNT(*) FROM published.people WHERE ? = ''"} {
		var rows int
		err := several.db.QueryRow(text, "\xbf\x5c").Scan(&rows)
		var refused *mysql.MySQLError
		if !errors.As(err, &refused) || refused.Number != 1115 {
			t.Errorf("%s with a parameter in GBK: %d, %v", text, rows, err)
		}
	}
	several.exec("SET NAMES utf8mb4")
	if got := several.query("SELECT COUNT(*) FROM published.people WHERE disease <> ?", "x"); !slices.Equal(got, []string{"300"}) {
		t.Errorf("with a parameter in UTF-8: %q", got)
	}
	several.refused(text, 1064, "") // a literal that does not end where the client thinks
	several.want("SELECT COUNT(*) FROM published.people WHERE disease <> 'é\\\\'", "300")
	owner.want("SELECT COUNT(*) FROM published.people", "300")
}

// TestStatementsWithANSIQuotes: a semicolon in a name is none between statements, where the session's double quotes are around names and a
// backslash before them escapes nothing.
func TestStatementsWithANSIQuotes(t *testing.T) {
	f, owner := publishedPeople(t)
	several := connect(t, f.owners, "root", "", "multiStatements=true")
	several.exec("SET sql_mode = 'ANSI_QUOTES'")
	several.want(`SELECT 1 AS "a\", 2 AS "; CALL drop_release('people'); "`, "1|2")
	owner.want("SELECT COUNT(*) FROM published.people", "300")
}

// TestModeOfCommandsInProgress: a command that is sent at once with a change of the SQL mode is cut as upstream will read it.
func TestModeOfCommandsInProgress(t *testing.T) {
	f, _ := publishedPeople(t)
	w := dialWire(t, f.owners, "testmodeofcommandsinprogress")
	var sent []byte
	for _, text := range []string{"SET @x = SLEEP(0.2), sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')", `SELECT '\', ' FROM published.people -- '`} {
		sent, _ = protocol.AppendPacket(sent, 0, append([]byte{byte(protocol.Query)}, text...))
	}
	if _, err := w.conn.Write(sent); err != nil {
		t.Fatal(err)
	}
	if packet := w.packet(); packet[0] != 0 {
		t.Fatalf("the mode is not changed: %q", packet)
	}
	if packet := w.packet(); len(packet) != 1 || packet[0] != 2 {
		t.Errorf("the answer begins with %q, must have upstream's two columns", packet)
	}
}

// TestSettingsOfUpstream: session settings made upstream apply to our answers too, or we refuse the statement.
func TestSettingsOfUpstream(t *testing.T) {
	_, owner := publishedPeople(t)
	young := owner.query("SELECT COUNT(*) FROM people WHERE age < 40")
	owner.exec("SET @a = 40")
	owner.refused("SELECT COUNT(*) FROM published.people WHERE age < @a", 1235, "@a")
	owner.refused("SELECT COUNT(*) INTO @n FROM published.people", 1235, "@n")
	owner.refused("SET @n = (SELECT COUNT(*) FROM published.people)", 1235, "@n")
	owner.exec("SET sql_mode = 'ANSI_QUOTES'")
	owner.want(`SELECT COUNT(*) FROM published.people WHERE "age" < 40`, young...)
	owner.want(`SELECT COUNT(*) FROM "published"."people" WHERE "age" < 40`, young...)
	owner.exec("SET sql_mode = 'PIPES_AS_CONCAT'")
	owner.refused("SELECT COUNT(*) FROM published.people WHERE sex || 'x' = 'fx'", 1235, "CONCAT")
	owner.exec("SET sql_mode = 'NO_BACKSLASH_ESCAPES'")
	owner.refused(`SELECT COUNT(*) FROM published.people WHERE sex = 'a\b'`, 1235, "NO_BACKSLASH_ESCAPES")
	owner.want("SELECT COUNT(*) FROM published.people WHERE age < 40", young...)
	owner.exec("SET sql_mode = DEFAULT", "SET timestamp = 86400")
	owner.want("SELECT COUNT(*), MAX(DATE(NOW())) FROM published.people WHERE NOW() < '1971-01-01'", "300|1970-01-02")
	owner.exec("SET timestamp = DEFAULT", "SET default_week_format = 3", "SET sql_select_limit = 1")
	owner.want("SELECT WEEK('2021-01-03'), COUNT(*) FROM published.people GROUP BY 1", "53|300")
	if got := owner.query("SELECT sex, COUNT(*) FROM published.people GROUP BY sex"); len(got) != 1 {
		t.Errorf("with sql_select_limit: %q", got)
	}
	owner.exec("CALL anonymize('people', 'anatomy', 'l=3', 'fit=false', 'publish=again', 'private=true')", "SET sql_select_limit = DEFAULT")
	owner.want("SELECT `rows` FROM anonsql.releases WHERE name = 'again'", "300")
	owner.exec("SET lc_time_names = 'de_DE'")
	owner.refused("SELECT DAYNAME('2024-01-01') FROM published.people", 1235, "lc_time_names")
	owner.want("SELECT COUNT(*) FROM published.people", "300")
	owner.exec("USE published")
	owner.exec("SET @own = 40")
	owner.want("SELECT COUNT(*) FROM people WHERE age < @own", young...)
}

// TestDumpOfAllDatabases: mariadb-dump dumps the server's databases, without our two.
func TestDumpOfAllDatabases(t *testing.T) {
	f, owner := publishedPeople(t)
	dump, err := exec.LookPath("mariadb-dump")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(f.owners)
	arguments := []string{"--no-defaults", "-h", host, "-P", port, "-u", "root", "--all-databases", "--ignore-database=published", "--ignore-database=anonsql"}
	for _, other := range databasesOfOtherTests(t, owner) { // one has a view that cannot be dumped
		arguments = append(arguments, "--ignore-database="+other)
	}
	for _, more := range []string{"--lock-tables", "--single-transaction"} {
		text, err := exec.Command(dump, append(arguments, more)...).CombinedOutput()
		if err != nil || !strings.Contains(string(text), "CREATE DATABASE /*!32312 IF NOT EXISTS*/ `testdumpofalldatabases`") {
			t.Errorf("%s: %v: %.300s", more, err, text[max(0, len(text)-300):])
		}
	}
}

// databasesOfOtherTests are on the server that all tests share.
func databasesOfOtherTests(t *testing.T, owner *client) (others []string) {
	t.Helper()
	rows, err := owner.db.Query("SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'test%' AND schema_name <> ?", strings.ToLower(t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		others = append(others, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return others
}

// TestBatches: several statements of both kinds in one command are answered in their order, up to the first error.
func TestBatches(t *testing.T) {
	f, owner := publishedPeople(t)
	several := connect(t, f.owners, "root", "testbatches", "multiStatements=true")
	rows, err := several.db.Query("SELECT COUNT(*) FROM people; SELECT COUNT(*) FROM published.people; SET @y = 7; SELECT @y; SELECT nothing FROM published.people; SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var found []string
	for {
		for rows.Next() {
			var v string
			if err := rows.Scan(&v); err != nil {
				t.Fatal(err)
			}
			found = append(found, v)
		}
		if !rows.NextResultSet() {
			break
		}
	}
	if want := []string{"300", "300", "7"}; !slices.Equal(found, want) {
		t.Errorf("results %q, want %q", found, want)
	}
	if err := rows.Err(); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("the batch ends with %v, want the error of its fifth statement", err)
	}
	rows.Close()
	several.want("SELECT @y", "7")
	owner.want("SELECT COUNT(*) FROM published.people", "300")
}

// TestLoadDataLocal: a client's file reaches upstream, also where the text could be read in two ways, and is refused beside statements of ours.
func TestLoadDataLocal(t *testing.T) {
	f, owner := publishedPeople(t)
	mysql.RegisterReaderHandler("rows", func() io.Reader { return strings.NewReader("1\";2\n3\";4\n") })
	defer mysql.DeregisterReaderHandler("rows")
	owner.exec("CREATE TABLE loaded (a INT, b INT)")
	several := connect(t, f.owners, "root", "testloaddatalocal", "multiStatements=true")
	const load = `LOAD DATA LOCAL INFILE 'Reader::rows' INTO TABLE loaded FIELDS TERMINATED BY "\";"`
	for _, c := range []*client{owner, several} {
		c.exec(load)
		c.want("SELECT a, b FROM loaded", "1|2", "3|4")
		c.exec("DELETE FROM loaded")
	}
	several.refused(load+"; SELECT COUNT(*) FROM published.people", 1235, "alone")
	several.want("SELECT COUNT(*) FROM loaded", "0")
	several.want("SELECT COUNT(*) FROM published.people", "300")
}

// TestKill: KILL QUERY ends a statement of ours, and KILL also its connection. Upstream decides who may do so.
func TestKill(t *testing.T) {
	f, owner := publishedPeople(t)
	direct := connect(t, f.upstream.Address, "root", "testkill", "")
	direct.exec("CREATE TABLE large (id INT AUTO_INCREMENT PRIMARY KEY, a INT, b INT, c INT, d INT)",
		"INSERT INTO large (a, b, c, d) SELECT FLOOR(RAND()*1000), FLOOR(RAND()*1000), FLOOR(RAND()*1000), seq % 17 FROM seq_1_to_60000",
		"CREATE OR REPLACE USER other", "GRANT SELECT ON testkill.* TO other")
	owner.exec("CALL set_attributes('large', 'ei=id', 'qi=a,b,c', 'sa=d')")
	running := func(c *client) []string {
		return c.query("SELECT kind FROM anonsql.jobs WHERE status = 'running'")
	}
	other, killer := connect(t, f.owners, "other", "testkill", ""), connect(t, f.owners, "root", "", "")
	for _, how := range []string{"KILL QUERY", "KILL"} {
		number := owner.query("SELECT CONNECTION_ID()")[0]
		ended := make(chan error, 1)
		go func() {
			_, err := owner.tries("CALL anonymize('large', 'slppa', 'beta=1/5', 'tables=3')")
			ended <- err
		}()
		servertest.Eventually(t, "the statement runs", func() bool {
			if len(ended) > 0 {
				t.Fatalf("the statement ended by itself: %v", <-ended)
			}
			return len(running(killer)) == 1
		})
		other.refused(how+" "+number, 1095, "not owner")
		killer.exec(how + " " + number)
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("%s: the statement ended without an error", how)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s did not end the statement", how)
		}
		servertest.Eventually(t, "nothing runs any more", func() bool {
			return len(running(killer)) == 0
		})
	}
}

// TestClientLeaves: a statement of ours ends when its client does.
func TestClientLeaves(t *testing.T) {
	f, owner := begin(t)
	owner.exec("CREATE TABLE large (a INT, b INT, c INT, d INT)",
		"INSERT INTO large SELECT FLOOR(RAND()*1000), FLOOR(RAND()*1000), FLOOR(RAND()*1000), seq % 17 FROM seq_1_to_60000",
		"CALL set_attributes('large', 'qi=a,b,c', 'sa=d')")
	watcher := connect(t, f.owners, "root", "", "")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := owner.db.QueryContext(ctx, "CALL anonymize('large', 'slppa', 'beta=1/5', 'tables=3')")
		ended <- err
	}()
	running := func() bool {
		return len(watcher.query("SELECT kind FROM anonsql.jobs WHERE status = 'running'")) == 1
	}
	servertest.Eventually(t, "the statement runs", func() bool {
		if len(ended) > 0 {
			t.Fatalf("the statement ended by itself: %v", <-ended)
		}
		return running()
	})
	cancel()
	if err := <-ended; err == nil {
		t.Error("the statement ended without an error")
	}
	servertest.Eventually(t, "nothing runs any more", func() bool { return !running() })
	watcher.want("SELECT COUNT(*) FROM anonsql.releases", "0")
}

// TestPrivileges: publishing wants SELECT and ALTER upstream; figures that compare with the raw table want SELECT there.
func TestPrivileges(t *testing.T) {
	f, owner := publishedPeople(t)
	direct := connect(t, f.upstream.Address, "root", "", "")
	direct.exec("CREATE OR REPLACE USER reader, writer, nobody", "GRANT SELECT ON testprivileges.* TO reader", "GRANT SELECT, ALTER ON testprivileges.people TO writer")
	reader, writer, nobody := connect(t, f.owners, "reader", "testprivileges", ""), connect(t, f.owners, "writer", "testprivileges", ""), connect(t, f.owners, "nobody", "", "")
	reader.want("SELECT COUNT(*) = ANON_ACTUAL(COUNT(*)) FROM published.people", "1")
	reader.refused("CALL set_attributes('people', 'qi=age', 'sa=disease')", 1142, "ALTER command denied to user 'reader@%'@'db.example:3306'")
	writer.exec("CALL set_attributes('people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')")
	nobody.refused("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people", 1142, "denied")
	nobody.refused("CALL anonymize('testprivileges.people', 'anatomy', 'l=2')", 1142, "denied")
	nobody.want("SELECT COUNT(*) FROM published.people", "300")
	nobody.refused("CALL drop_release('people')", 1142, "denied")
	direct.exec("REVOKE SELECT ON testprivileges.* FROM reader")
	later := connect(t, f.owners, "reader", "", "") // upstream keeps privileges on the current database up to the next USE
	later.refused("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people", 1142, "denied")
	later.refused("ALTER USER root IDENTIFIED BY 'x'", 1227, "CREATE USER")
	later.exec("USE anonsql")
	later.refused("ALTER USER root IDENTIFIED BY 'x'", 1227, "denied")
	later.refused("GRANT ALL ON *.* TO root", 1227, "denied")
	later.refused("CREATE USER anybody", 1227, "denied")
	later.refused("DROP DATABASE published", 1044, "denied")
	later.refused("SELECT * FROM mysql.user", 1142, "denied")
	owner.exec("CALL drop_release('people')")
}

// TestTableIsReadWhole: the session's row limit cuts no table, whatever its names are.
func TestTableIsReadWhole(t *testing.T) {
	_, owner := begin(t)
	owner.exec("CREATE TABLE visits (id INT PRIMARY KEY, `the LIMIT 1` INT, disease INT)", "INSERT INTO visits SELECT seq, seq % 9, seq % 5 FROM seq_1_to_100",
		"CALL set_attributes('visits', 'ei=id', 'qi=the LIMIT 1', 'sa=disease')", "SET sql_select_limit = 30", "CALL anonymize('visits', 'anatomy', 'l=3', 'fit=false')")
	owner.want("SELECT `rows` FROM anonsql.releases", "100")
}

// TestTemporaryTableGivesNothing: a temporary table of an account's own gives it no right to the release of the table that it hides.
func TestTemporaryTableGivesNothing(t *testing.T) {
	f, owner := publishedPeople(t)
	direct := connect(t, f.upstream.Address, "root", "", "")
	direct.exec("CREATE OR REPLACE USER thief", "GRANT ALTER, CREATE TEMPORARY TABLES ON testtemporarytablegivesnothing.* TO thief")
	thief := connect(t, f.owners, "thief", "testtemporarytablegivesnothing", "")
	thief.refused("CALL drop_release('people')", 1142, "denied")
	thief.exec("CREATE TEMPORARY TABLE people (id INT PRIMARY KEY, age INT, sex CHAR(1), zip VARCHAR(9), disease VARCHAR(20))")
	thief.want("SELECT COUNT(*) FROM people", "0")
	thief.refused("CALL drop_release('people')", 1142, "denied")
	thief.refused("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people", 1142, "denied")
	owner.exec("CALL anonymize('people', 'anatomy', 'l=3', 'publish=secret', 'private=true', 'fit=false')")
	thief.refused("SELECT COUNT(*) FROM published.secret", 1146, "secret")
	direct.exec("REVOKE ALTER ON testtemporarytablegivesnothing.* FROM thief")
	thief.refused("SELECT COUNT(*) FROM published.secret", 1146, "secret")
	for _, set := range []string{"utf16", "utf16le", "utf32", "ucs2", "filename"} {
		thief.exec("USE testtemporarytablegivesnothing", "SET character_set_results = "+set, "USE published")
		thief.refused("SELECT COUNT(*) FROM secret", 1115, "no results in the character set "+set)
	}
	owner.want("SELECT COUNT(*) FROM published.people", "300")
}

// TestUpstreamWaitsMeanwhile: a long statement here keeps its upstream connection beyond upstream's wait_timeout.
func TestUpstreamWaitsMeanwhile(t *testing.T) {
	_, owner := begin(t)
	owner.exec("SET SESSION wait_timeout = 3", "USE published")
	owner.want("SELECT SLEEP(5)", "0")
	owner.exec("USE testupstreamwaitsmeanwhile")
	owner.want("SELECT @@SESSION.wait_timeout", "3")
}
