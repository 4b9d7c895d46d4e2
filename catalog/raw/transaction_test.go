package raw_test

import (
	"context"
	dbsql "database/sql"
	"errors"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

func TestRollbackRollsBack(t *testing.T) {
	b := catalogtest.NewBench(t)
	c, other := b.Owner(), b.Client()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, x INT)", "INSERT INTO t (x) VALUES (1), (2)")
	other.Session.SetCurrentDatabase("d")
	c.Run("START TRANSACTION", "INSERT INTO t (x) VALUES (3)", "UPDATE t SET x = 20 WHERE id = 2", "DELETE FROM t WHERE id = 1")
	c.Want("SELECT * FROM t ORDER BY id", "2|20 3|3")
	c.Want("SELECT COUNT(*) FROM t", "2")
	other.Want("SELECT * FROM t ORDER BY id", "1|1 2|2")
	c.Run("ROLLBACK")
	c.Want("SELECT * FROM t ORDER BY id", "1|1 2|2")
	c.Want("SELECT COUNT(*) FROM t", "2")
	c.Run("INSERT INTO t (x) VALUES (4)")
	c.Want("SELECT id FROM t WHERE x = 4", "4") // 3 was taken
	c.Run("START TRANSACTION", "TRUNCATE TABLE t", "ROLLBACK", "INSERT INTO t (x) VALUES (5)")
	rows, err := c.Try("SELECT COUNT(*) FROM t")
	if err != nil || rows[0] != "4" && rows[0] != "1" { // TRUNCATE may commit by itself, as in MySQL
		t.Errorf("after TRUNCATE and ROLLBACK: %v %v", rows, err)
	}
}

func TestSnapshotAndReadYourWrites(t *testing.T) {
	b := catalogtest.NewBench(t)
	c, other := b.Owner(), b.Client()
	other.Session.SetCurrentDatabase("d")
	c.Run("CREATE TABLE t (x INT)", "INSERT INTO t VALUES (1)")
	other.Run("START TRANSACTION")
	other.Want("SELECT * FROM t", "1")
	c.Run("INSERT INTO t VALUES (2)", "ALTER TABLE t ADD COLUMN y INT")
	other.Want("SELECT * FROM t", "1")
	c.Want("SELECT * FROM t", "1|NULL 2|NULL")
	other.Run("COMMIT")
	other.Want("SELECT * FROM t", "1|NULL 2|NULL")
}

func TestSavepoints(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE t (x INT PRIMARY KEY)", "START TRANSACTION", "INSERT INTO t VALUES (1)", "SAVEPOINT a",
		"INSERT INTO t VALUES (2)", "SAVEPOINT b", "INSERT INTO t VALUES (3)", "ROLLBACK TO SAVEPOINT b")
	c.Want("SELECT * FROM t", "1 2")
	c.Fails("INSERT INTO t VALUES (8), (9), (1)", "duplicate")
	c.Want("SELECT * FROM t", "1 2")
	c.Run("ROLLBACK TO SAVEPOINT a", "INSERT INTO t VALUES (4)")
	c.Want("SELECT COUNT(*) FROM t", "2")
	c.Fails("ROLLBACK TO SAVEPOINT b", "does not exist")
	c.Run("RELEASE SAVEPOINT a", "COMMIT")
	c.Want("SELECT * FROM t", "1 4")
}

func TestWriterWaits(t *testing.T) {
	b := catalogtest.NewBench(t)
	c, other := b.Owner(), b.Client()
	other.Session.SetCurrentDatabase("d")
	c.Run("CREATE TABLE t (x INT PRIMARY KEY)", "START TRANSACTION", "INSERT INTO t VALUES (1)")
	other.Fails("INSERT INTO t VALUES (2)", "Lock wait timeout exceeded")
	other.Want("SELECT COUNT(*) FROM t", "0")
	c.Session.SessionEnd() // the client goes away
	other.Run("INSERT INTO t VALUES (2)")
	other.Want("SELECT * FROM t", "2")
	other.Fails("INSERT INTO t VALUES (2)", "duplicate") // must not keep the writer's turn
	c = b.Client()
	c.Session.SetCurrentDatabase("d")
	c.Run("INSERT INTO t VALUES (3)")
	c.Fails("CREATE TABLE u (x INT, FULLTEXT KEY (x))", "")
	other.Run("INSERT INTO t VALUES (4)")
	c.Fails("SELECT * FROM u", "table not found")
}

func TestCancelledWait(t *testing.T) {
	b := catalogtest.NewBench(t)
	b.Catalog.SetLockWait(time.Hour)
	c := b.Owner()
	c.Run("CREATE TABLE t (x INT)", "START TRANSACTION", "INSERT INTO t VALUES (1)")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.Catalog.Update(ctx, func(*dbsql.Conn) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context canceled", err)
	}
}

func TestUpdateJoinsTheSessionsTransaction(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (x INT, y INT)", "START TRANSACTION", "INSERT INTO t VALUES (1, 1)")
	if err := b.Catalog.SetAttributes(c.Context(), "d", "t", map[string]attributes.Role{"x": attributes.QuasiIdentifier, "Y": attributes.SensitiveAttribute}, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Catalog.SetAttributes(c.Context(), "d", "t", map[string]attributes.Role{"x": "none"}, nil); err == nil {
		t.Error("an unknown role was taken")
	}
	c.Run("COMMIT")
	checkAttributes(t, b.Catalog, "d.t.x qi", "d.t.y sa")
	c.Run("RENAME TABLE t TO u", "ALTER TABLE u RENAME COLUMN x TO z", "ALTER TABLE u MODIFY COLUMN z VARCHAR(5)")
	checkAttributes(t, b.Catalog, "d.u.z qi", "d.u.y sa")
	c.Run("ALTER TABLE u DROP COLUMN y")
	checkAttributes(t, b.Catalog, "d.u.z qi")
	b.Reopen()
	checkAttributes(t, b.Catalog, "d.u.z qi")
	c = b.Client()
	c.Run("DROP TABLE d.u")
	checkAttributes(t, b.Catalog)
	if _, err := b.Catalog.Attributes("d", "u"); !sql.ErrTableNotFound.Is(err) {
		t.Errorf("got %v, want table not found", err)
	}
}

func checkAttributes(t *testing.T, c *catalog.Catalog, expected ...string) {
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
