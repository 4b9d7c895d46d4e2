package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

func TestRollbackRollsBack(t *testing.T) {
	b := newBench(t)
	c, other := b.owner(), b.client()
	c.run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, x INT)", "INSERT INTO t (x) VALUES (1), (2)")
	other.session.SetCurrentDatabase("d")
	c.run("START TRANSACTION", "INSERT INTO t (x) VALUES (3)", "UPDATE t SET x = 20 WHERE id = 2", "DELETE FROM t WHERE id = 1")
	c.want("SELECT * FROM t ORDER BY id", "2|20 3|3")
	c.want("SELECT COUNT(*) FROM t", "2")
	other.want("SELECT * FROM t ORDER BY id", "1|1 2|2")
	c.run("ROLLBACK")
	c.want("SELECT * FROM t ORDER BY id", "1|1 2|2")
	c.want("SELECT COUNT(*) FROM t", "2")
	c.run("INSERT INTO t (x) VALUES (4)")
	c.want("SELECT id FROM t WHERE x = 4", "4") // 3 was taken
	c.run("START TRANSACTION", "TRUNCATE TABLE t", "ROLLBACK", "INSERT INTO t (x) VALUES (5)")
	rows, err := c.try("SELECT COUNT(*) FROM t")
	if err != nil || rows[0] != "4" && rows[0] != "1" { // TRUNCATE may commit by itself, as in MySQL
		t.Errorf("after TRUNCATE and ROLLBACK: %v %v", rows, err)
	}
}

func TestSnapshotAndReadYourWrites(t *testing.T) {
	b := newBench(t)
	c, other := b.owner(), b.client()
	other.session.SetCurrentDatabase("d")
	c.run("CREATE TABLE t (x INT)", "INSERT INTO t VALUES (1)")
	other.run("START TRANSACTION")
	other.want("SELECT * FROM t", "1")
	c.run("INSERT INTO t VALUES (2)", "ALTER TABLE t ADD COLUMN y INT")
	other.want("SELECT * FROM t", "1")
	c.want("SELECT * FROM t", "1|NULL 2|NULL")
	other.run("COMMIT")
	other.want("SELECT * FROM t", "1|NULL 2|NULL")
}

func TestSavepoints(t *testing.T) {
	c := newBench(t).owner()
	c.run("CREATE TABLE t (x INT PRIMARY KEY)", "START TRANSACTION", "INSERT INTO t VALUES (1)", "SAVEPOINT a",
		"INSERT INTO t VALUES (2)", "SAVEPOINT b", "INSERT INTO t VALUES (3)", "ROLLBACK TO SAVEPOINT b")
	c.want("SELECT * FROM t", "1 2")
	c.fails("INSERT INTO t VALUES (8), (9), (1)", "duplicate")
	c.want("SELECT * FROM t", "1 2")
	c.run("ROLLBACK TO SAVEPOINT a", "INSERT INTO t VALUES (4)")
	c.want("SELECT COUNT(*) FROM t", "2")
	c.fails("ROLLBACK TO SAVEPOINT b", "does not exist")
	c.run("RELEASE SAVEPOINT a", "COMMIT")
	c.want("SELECT * FROM t", "1 4")
}

func TestWriterWaits(t *testing.T) {
	b := newBench(t)
	c, other := b.owner(), b.client()
	other.session.SetCurrentDatabase("d")
	c.run("CREATE TABLE t (x INT PRIMARY KEY)", "START TRANSACTION", "INSERT INTO t VALUES (1)")
	other.fails("INSERT INTO t VALUES (2)", "Lock wait timeout exceeded")
	other.want("SELECT COUNT(*) FROM t", "0")
	c.session.SessionEnd() // the client goes away
	other.run("INSERT INTO t VALUES (2)")
	other.want("SELECT * FROM t", "2")
	other.fails("INSERT INTO t VALUES (2)", "duplicate") // must not keep the writer's turn
	c = b.client()
	c.session.SetCurrentDatabase("d")
	c.run("INSERT INTO t VALUES (3)")
	c.fails("CREATE TABLE u (x INT, FULLTEXT KEY (x))", "")
	other.run("INSERT INTO t VALUES (4)")
	c.fails("SELECT * FROM u", "table not found")
}

func TestCancelledWait(t *testing.T) {
	b := newBench(t)
	b.catalog.SetLockWait(time.Hour)
	c := b.owner()
	c.run("CREATE TABLE t (x INT)", "START TRANSACTION", "INSERT INTO t VALUES (1)")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.catalog.Update(ctx, func(*dbsql.Conn) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context canceled", err)
	}
}

func TestUpdateJoinsTheSessionsTransaction(t *testing.T) {
	b := newBench(t)
	c := b.owner()
	c.run("CREATE TABLE t (x INT, y INT)", "START TRANSACTION", "INSERT INTO t VALUES (1, 1)")
	if err := b.catalog.SetAttributes(c.context(), "d", "t", map[string]Role{"x": QuasiIdentifier, "Y": SensitiveAttribute}, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.catalog.SetAttributes(c.context(), "d", "t", map[string]Role{"x": "none"}, nil); err == nil {
		t.Error("an unknown role was taken")
	}
	c.run("COMMIT")
	checkAttributes(t, b.catalog, "d.t.x qi", "d.t.y sa")
	c.run("RENAME TABLE t TO u", "ALTER TABLE u RENAME COLUMN x TO z", "ALTER TABLE u MODIFY COLUMN z VARCHAR(5)")
	checkAttributes(t, b.catalog, "d.u.z qi", "d.u.y sa")
	c.run("ALTER TABLE u DROP COLUMN y")
	checkAttributes(t, b.catalog, "d.u.z qi")
	b.reopen()
	checkAttributes(t, b.catalog, "d.u.z qi")
	c = b.client()
	c.run("DROP TABLE d.u")
	checkAttributes(t, b.catalog)
	if _, err := b.catalog.Attributes("d", "u"); !sql.ErrTableNotFound.Is(err) {
		t.Errorf("got %v, want table not found", err)
	}
}

func checkAttributes(t *testing.T, c *Catalog, expected ...string) {
	t.Helper()
	all, err := c.AllAttributes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range all {
		got = append(got, a.Database+"."+a.Table+"."+a.Column+" "+string(a.Role))
	}
	if len(got) != len(expected) {
		t.Fatalf("attributes are %q, want %q", got, expected)
	}
	for i := range got {
		if got[i] != expected[i] {
			t.Fatalf("attributes are %q, want %q", got, expected)
		}
	}
}
