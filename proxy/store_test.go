package proxy_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/server/servertest"
)

// tables are those of an upstream database.
func (c *client) tables(database string) []string {
	c.t.Helper()
	return c.query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '" + database + "' ORDER BY TABLE_NAME")
}

// releasesIn creates an empty database for tables of releases.
func (c *client) releasesIn(database string) {
	c.t.Helper()
	c.exec("DROP DATABASE IF EXISTS "+database, "CREATE DATABASE "+database)
}

const publishMeasured = "CALL anonymize('measured', 'slppa', 'beta=1/2', 'tables=2', 'replace=true', 'fit=false', 'calibrate=false', 'attacks=false', 'store=upstream:shown'"

// TestStoreUpstream: the relations of a release are tables upstream with the same rows in the order of groups, and go with the release.
func TestStoreUpstream(t *testing.T) {
	f, owner := begin(t)
	owner.measure(500)
	owner.releasesIn("shown")
	owner.exec(publishMeasured + ", 'publish=first')")
	relations := owner.query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shown' ORDER BY TABLE_NAME")
	if len(relations) < 3 || !slices.Contains(relations, "first_gid") {
		t.Fatalf("the tables are %q", relations)
	}
	for _, relation := range relations {
		kept := owner.query("SELECT * FROM shown." + relation)
		published := owner.query("SELECT * FROM published." + relation)
		if !slices.Equal(kept, published) || len(kept) == 0 {
			t.Errorf("%s: %d rows are kept, %d published, or their order is another", relation, len(kept), len(published))
		}
		gid := owner.query("SELECT gid FROM shown." + relation)
		sorted := owner.query("SELECT gid FROM shown." + relation + " ORDER BY gid")
		if !slices.Equal(gid, sorted) {
			t.Errorf("%s is not in the order of its groups", relation)
		}
	}
	owner.want("SELECT COUNT(DISTINCT COLUMN_TYPE, COLLATION_NAME) FROM information_schema.COLUMNS WHERE COLUMN_NAME = 'town' AND TABLE_SCHEMA IN ('shown', DATABASE())", "1")
	// A second release replaces the first under its name; under another name, the first must be dropped before.
	owner.exec(publishMeasured+", 'publish=first')", "CALL drop_release('first')", publishMeasured+", 'allow_composition=true', 'publish=second')")
	if got := owner.tables("shown"); len(got) != len(relations) || !strings.HasPrefix(got[0], "second_") {
		t.Errorf("after the release was replaced there are %q", got)
	}
	owner.exec("CREATE TABLE shown.mine (a INT)", "DROP TABLE shown.second_gid", "CREATE TABLE shown.second_gid (mine INT)", "CALL drop_release('second')")
	if got := owner.tables("shown"); !slices.Equal(got, []string{"mine", "second_gid"}) {
		t.Errorf("after the release was dropped there are %q", got)
	}
	owner.exec(publishMeasured + ", 'publish=third', 'allow_composition=true')")
	administrator := connect(t, f.server.Addr, "root", "", "")
	administrator.exec("CALL drop_release('third')")
	if notes := administrator.query("SHOW WARNINGS"); len(notes) != 1 || !strings.Contains(notes[0], "those of the database shown with the comment 'anonsql ") {
		t.Errorf("the administrator is told %q", notes)
	}
}

// dryRunTells expects a dry run of a CALL, given without its closing parenthesis, to warn of what would refuse it.
func (c *client) dryRunTells(call, want string) {
	c.t.Helper()
	c.exec(call + ", 'dry_run=true')")
	if notes := strings.Join(c.query("SHOW WARNINGS"), "\n"); !strings.Contains(notes, "without dry_run=true this is refused: ") || !strings.Contains(notes, want) {
		c.t.Errorf("a dry run of %s tells %q, want %q", call, notes, want)
	}
}

// TestStoreIsRefused: a release that cannot be kept upstream is not published, and leaves no table.
func TestStoreIsRefused(t *testing.T) {
	f, owner := begin(t)
	owner.measure(200)
	owner.releasesIn("shown")
	const call = "CALL anonymize('measured', 'anatomy', 'l=3', 'fit=false', 'allow_composition=true', 'publish=kept', "
	owner.refused(call+"'store=downstream:shown')", 1210, "must be upstream:database")
	owner.refused(call+"'store=upstream:shown', 'private=true')", 1210, "private=true")
	owner.refused("CALL anonymize('measured', 'drasl', 'k=4', 'store=upstream:shown')", 1210, "updates=none")
	owner.dryRunTells(call+"'store=upstream:nowhere'", "Unknown database 'nowhere'")
	owner.refused(call+"'store=upstream:nowhere')", 1049, "the upstream server says: Unknown database 'nowhere'")
	owner.exec("CREATE TABLE shown.kept_sa (a INT)")
	owner.dryRunTells(call+"'store=upstream:shown'", "has a table `shown`.`kept_sa`, which is not anonsql's")
	owner.refused(call+"'store=upstream:shown')", 1050, "kept_sa")
	if got := owner.tables("shown"); !slices.Equal(got, []string{"kept_sa"}) {
		t.Errorf("tables are left: %q", got)
	}
	direct := connect(t, f.upstream.Address, "root", "", "")
	direct.exec("DROP TABLE shown.kept_sa", "CREATE OR REPLACE USER keeper", "GRANT SELECT, ALTER ON teststoreisrefused.* TO keeper", "GRANT CREATE ON shown.* TO keeper")
	keeper := connect(t, f.owners, "keeper", "teststoreisrefused", "")
	keeper.dryRunTells(call+"'store=upstream:shown'", "needs CREATE, INSERT, ALTER and DROP on database `shown`")
	_, err := keeper.tries(call + "'store=upstream:shown')")
	if err == nil || !strings.Contains(err.Error(), "INSERT command denied") || !strings.Contains(err.Error(), "some may be left, and you can drop them: `shown`.`anonsql_") {
		t.Errorf("who may not insert, nor drop, is told %v", err)
	}
	if got := owner.tables("shown"); len(got) != 1 || !strings.HasPrefix(got[0], "anonsql_") {
		t.Errorf("the tables are %q, want the one that is named", got)
	}
	owner.want("SELECT COUNT(*) FROM anonsql.releases", "0")
	stored := connect(t, f.server.Addr, "root", "", "")
	stored.exec("CREATE DATABASE h", "CREATE TABLE h.t (q INT, s INT)")
	stored.refused("CALL anonymize('h.t', 'anatomy', 'l=2', 'qi=q', 'sa=s', 'store=upstream:shown')", 1210, "leads to no upstream server")
}

// TestUpstreamDiesWhileItKeeps: a server that is killed while tables of a release are written leaves no release, and says where the names of the tables are.
func TestUpstreamDiesWhileItKeeps(t *testing.T) {
	t.Parallel()
	upstream := mariadbtest.Start(t, mariadbtest.Options{})
	direct := connect(t, upstream.Address, "root", "", "")
	direct.exec("CREATE DATABASE house", "CREATE DATABASE shown")
	f := start(t, upstream)
	owner := connect(t, f.owners, "root", "house", "")
	owner.exec("CREATE TABLE large (a INT, b INT, c INT)", "INSERT INTO large SELECT seq % 1009, seq % 2003, seq % 17 FROM seq_1_to_600000", "CALL set_attributes('large', 'qi=a,b', 'sa=c')")
	ended := make(chan error, 1)
	go func() {
		_, err := owner.tries("CALL anonymize('large', 'anatomy', 'l=3', 'fit=false', 'calibrate=false', 'attacks=false', 'store=upstream:shown')")
		ended <- err
	}()
	servertest.Eventually(t, "tables are written", func() bool {
		if len(ended) > 0 {
			t.Fatalf("the statement ended by itself: %v", <-ended)
		}
		return len(direct.tables("shown")) > 0
	})
	upstream.Kill()
	// The owner's session or the work that writes the tables reports the loss of the server, whichever notices first.
	var told *mysql.MySQLError
	if err := <-ended; !errors.As(err, &told) || told.Number != 1430 || !strings.Contains(told.Message, "what store=upstream has left on that server, anonsql.jobs") &&
		!strings.Contains(told.Message, "some may be left, and you can drop them: `shown`.`anonsql_") {
		t.Errorf("the owner is told %v", err)
	}
	administrator := connect(t, f.server.Addr, "root", "", "")
	servertest.Eventually(t, "the job has ended", func() bool {
		return len(administrator.query("SELECT 1 FROM anonsql.jobs WHERE kind = 'anonymize' AND error LIKE '%some may be left, and you can drop them: `shown`.`anonsql\\_%'")) == 1
	})
	administrator.want("SELECT COUNT(*) FROM anonsql.releases", "0")
}

// TestKilledWhileItKeeps: KILL of a statement that writes tables of a release leaves no release, and no table that anonsql.jobs does not name.
func TestKilledWhileItKeeps(t *testing.T) {
	f, owner := begin(t)
	owner.releasesIn("shown")
	owner.exec("CREATE TABLE large (a INT, b INT, c INT)", "INSERT INTO large SELECT seq % 1009, seq % 2003, seq % 17 FROM seq_1_to_300000", "CALL set_attributes('large', 'qi=a,b', 'sa=c')")
	number := owner.query("SELECT CONNECTION_ID()")[0]
	ended := make(chan error, 1)
	go func() {
		_, err := owner.tries("CALL anonymize('large', 'anatomy', 'l=3', 'fit=false', 'calibrate=false', 'attacks=false', 'store=upstream:shown')")
		ended <- err
	}()
	killer := connect(t, f.upstream.Address, "root", "", "")
	administrator := connect(t, f.server.Addr, "root", "", "")
	servertest.Eventually(t, "tables are written", func() bool {
		if len(ended) > 0 {
			t.Fatalf("the statement ended by itself: %v", <-ended)
		}
		return len(killer.tables("shown")) > 0
	})
	connect(t, f.owners, "root", "", "").exec("KILL QUERY " + number)
	if err := <-ended; err == nil {
		t.Error("the statement ended without an error")
	}
	servertest.Eventually(t, "the job has ended", func() bool {
		return len(administrator.query("SELECT 1 FROM anonsql.jobs WHERE status = 'running'")) == 0
	})
	named := strings.Join(administrator.query("SELECT error FROM anonsql.jobs WHERE kind = 'anonymize'"), "; ")
	for _, table := range killer.tables("shown") {
		if !strings.Contains(named, table) {
			t.Errorf("table %s is left, and anonsql.jobs says %s", table, named)
		}
	}
	administrator.want("SELECT COUNT(*) FROM anonsql.releases", "0")
}

// TestStoreIsUndone: if a release is refused after its tables got their names, the tables of the old release get theirs back.
func TestStoreIsUndone(t *testing.T) {
	_, owner := begin(t)
	owner.measure(300)
	owner.releasesIn("shown")
	owner.exec("CREATE TABLE other LIKE measured", "INSERT INTO other SELECT seq, 200 + seq * 11 % 70, 5000 + seq * 7, seq * 3 / 11, seq * 5 / 13, 1, CONCAT('Wells ', seq % 8), '1999-01-01' + INTERVAL seq DAY, "+
		"TIMESTAMP '1999-01-01 00:00:00' + INTERVAL seq HOUR, CONCAT('ailment ', seq * 17 % 9) FROM seq_1_to_300",
		"CALL set_attributes('other', 'ei=id', 'qi=age,cents,weight,height,sex,town,day,seen', 'sa=disease')", "CALL anonymize('other', 'anatomy', 'l=3', 'fit=false', 'publish=other')",
		publishMeasured+", 'publish=first')")
	tables, rows := owner.tables("shown"), owner.query("SELECT * FROM shown.first_gid")
	owner.exec("DELETE FROM measured", "INSERT INTO measured SELECT * FROM other")
	if _, err := owner.tries(publishMeasured + ", 'publish=first')"); err == nil || !strings.Contains(err.Error(), "are records of table") {
		t.Fatalf("the records of another release are published: %v", err)
	}
	if got := owner.tables("shown"); !slices.Equal(got, tables) {
		t.Errorf("the tables are %q, want %q", got, tables)
	}
	owner.want("SELECT * FROM shown.first_gid", rows...)
	owner.exec("CALL drop_release('first')")
	if got := owner.tables("shown"); len(got) != 0 {
		t.Errorf("after the release was dropped there are %q", got)
	}
}
