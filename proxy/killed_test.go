package proxy_test

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/leftovers"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/server/servertest"
)

// A mortal is anonsql in its own process, in front of the shared MariaDB.
type mortal struct {
	dir, owners string
	child       *servertest.Child
	direct      *client
}

// beginMortal starts one in front of an empty database with the name of the test, and an empty one for tables of releases.
func beginMortal(t *testing.T) *mortal {
	t.Helper()
	upstream, err := shared()
	mariadbtest.Need(t, err)
	started = true
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mortal{dir: t.TempDir(), owners: free.Addr().String(), direct: connect(t, upstream.Address, "root", "", "")}
	free.Close()
	t.Setenv(childUpstream, upstream.Address)
	t.Setenv(childOwners, m.owners)
	m.direct.exec("CREATE OR REPLACE DATABASE "+strings.ToLower(t.Name()), "CREATE OR REPLACE DATABASE shown")
	m.child = servertest.StartChild(t, m.dir)
	return m
}

func (m *mortal) owner(t *testing.T) *client {
	t.Helper()
	c := connect(t, m.owners, "root", strings.ToLower(t.Name()), "")
	servertest.Eventually(t, "owners are served", func() bool { return c.db.Ping() == nil })
	return c
}

// TestKilledWhileTablesAreWritten: after a kill -9 the job is interrupted, and the next publication drops the tables that were left, and no
// other: not a copy that the owner has made of one, nor one of another anonsql.
func TestKilledWhileTablesAreWritten(t *testing.T) {
	m := beginMortal(t)
	owner := m.owner(t)
	owner.measure(200)
	owner.exec("CREATE TABLE large (a INT, b INT, c INT)", "INSERT INTO large SELECT seq % 1009, seq % 2003, seq % 17 FROM seq_1_to_300000", "CALL set_attributes('large', 'qi=a,b', 'sa=c')")
	ended := make(chan error, 1)
	go func() {
		_, err := owner.tries("CALL anonymize('large', 'anatomy', 'l=3', 'fit=false', 'calibrate=false', 'attacks=false', 'store=upstream:shown')")
		ended <- err
	}()
	servertest.Eventually(t, "tables are written", func() bool {
		if len(ended) > 0 {
			t.Fatalf("the statement ended by itself: %v", <-ended)
		}
		return len(m.direct.tables("shown")) > 0
	})
	m.child.Kill()
	<-ended
	left := m.direct.tables("shown")
	if len(left) == 0 {
		t.Fatal("no table is left: the test shows nothing")
	}
	m.direct.exec("CREATE TABLE shown.mine LIKE shown."+left[0], "CREATE TABLE shown.anonsql_0123456789abcdef_0 (a INT) COMMENT = 'anonsql 0123456789abcdef'")
	m.child = servertest.StartChild(t, m.dir)
	owner = m.owner(t)
	jobs := owner.query("SELECT kind, subject, status, error, ended_at IS NOT NULL FROM anonsql.jobs WHERE subject LIKE '%.large' AND kind = 'anonymize'")
	if len(jobs) != 1 || !strings.Contains(jobs[0], "|interrupted|the server ended while this ran") || !strings.HasSuffix(jobs[0], "|1") {
		t.Errorf("the jobs are %q", jobs)
	}
	owner.exec(publishMeasured + ", 'publish=small')")
	if notes := strings.Join(owner.query("SHOW WARNINGS"), "\n"); !strings.Contains(notes, "tables that a publication had left: `shown`.`"+left[0]+"`") {
		t.Errorf("the owner is told %q", notes)
	}
	got := m.direct.tables("shown")
	if stays := []string{"anonsql_0123456789abcdef_0", "mine"}; !slices.Equal(got[:2], stays) || !strings.HasPrefix(got[2], "small_") {
		t.Errorf("the tables are %q, want %q and those of small", got, stays)
	}
	m.direct.exec("CREATE TABLE shown.archive LIKE shown.small_gid", "INSERT INTO shown.archive SELECT * FROM shown.small_gid")
	owner.exec("CALL drop_release('small')")
	if got := m.direct.tables("shown"); !slices.Equal(got, []string{"anonsql_0123456789abcdef_0", "archive", "mine"}) {
		t.Errorf("after the release was dropped there are %q", got)
	}
}

// TestKilledBetweenNamesAndRelease: a kill -9 after the tables of a replacing release got their names, and before the release was stored. The next
// publication of another table gives the tables of the release that stayed their names again.
func TestKilledBetweenNamesAndRelease(t *testing.T) {
	m := beginMortal(t)
	owner := m.owner(t)
	owner.measure(300)
	owner.exec(publishMeasured + ", 'publish=first')")
	names := m.direct.tables("shown")
	rows := m.direct.query("SELECT * FROM shown.first_gid")
	m.child.Kill()
	entry := leftovers.Entry{Kept: source.Kept{Database: "shown", Mark: "00112233445566aa"}, Server: "db.example:3306", Account: "'root@%'", Tables: names}
	var forth []string
	for i, name := range names {
		old := strings.TrimPrefix(m.direct.query("SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shown' AND TABLE_NAME = '" + name + "'")[0], "anonsql ")
		path, parked, made := "`shown`.`"+name+"`", fmt.Sprintf("`shown`.`anonsql_%s_%d`", old, i), fmt.Sprintf("`shown`.`anonsql_%s_%d`", entry.Mark, i)
		m.direct.exec(fmt.Sprintf("CREATE TABLE %s (a INT) COMMENT = 'anonsql %s'", made, entry.Mark))
		forth = append(forth, path+" TO "+parked, made+" TO "+path)
		entry.Back = append([]source.Move{{From: path, To: made}, {From: parked, To: path}}, entry.Back...)
	}
	m.direct.exec("RENAME TABLE " + strings.Join(forth, ", "))
	m.remember(t, entry)
	m.child = servertest.StartChild(t, m.dir)
	owner = m.owner(t)
	owner.exec("CREATE TABLE other (id INT PRIMARY KEY, q INT, s INT)", "INSERT INTO other SELECT seq, seq * 7 % 90, seq % 5 FROM seq_1_to_200",
		"CALL anonymize('other', 'anatomy', 'l=3', 'qi=q', 'sa=s', 'fit=false', 'store=upstream:shown')")
	got := slices.DeleteFunc(m.direct.tables("shown"), func(name string) bool { return strings.HasPrefix(name, "other_") })
	if !slices.Equal(got, names) {
		t.Errorf("the tables are %q, want %q", got, names)
	}
	if got := m.direct.query("SELECT * FROM shown.first_gid"); !slices.Equal(got, rows) {
		t.Errorf("first_gid has %d rows, want the %d that it had", len(got), len(rows))
	}
}

// remember records a table that the server of this directory, which is not running, created upstream.
func (m *mortal) remember(t *testing.T, e leftovers.Entry) {
	t.Helper()
	c, err := catalog.Open(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var all []leftovers.Entry
	text, err := c.Setting(leftovers.Setting)
	if err != nil || json.Unmarshal(text, &all) != nil || len(all) != 1 {
		t.Fatalf("the directory has made %q, %v", text, err)
	}
	if text, err = json.Marshal(append(all, e)); err == nil {
		err = c.SetSetting(t.Context(), leftovers.Setting, text)
	}
	if err != nil {
		t.Fatal(err)
	}
}
