package raw_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/raw"
)

// A killed statement does not wait for the writer until its mirror can be made.
func TestKilledMirrorDoesNotWait(t *testing.T) {
	b := catalogtest.NewBench(t)
	b.Catalog.SetLockWait(time.Second)
	killed, kill := context.WithCancel(t.Context())
	kill()
	var err error
	if writing := b.Catalog.Write(t.Context(), func(*raw.Work) error {
		_, err = b.Catalog.Mirror(sql.NewContext(killed), raw.ServerScheme+"db.example/s", "t", sql.Schema{{Name: "a", Type: types.Int64}}, nil)
		return nil
	}); writing != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", writing, err)
	}
}

// Transfers between accounts by several sessions, while others read: every
// snapshot adds up, and a reader never waits for a writer.
func TestConcurrentSessions(t *testing.T) {
	b := catalogtest.NewBench(t)
	b.Catalog.SetLockWait(time.Minute)
	c := b.Owner()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	for i := range 20 {
		c.Run(fmt.Sprintf("INSERT INTO t VALUES (%d, 100)", i))
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		w := b.Client()
		w.Session.SetCurrentDatabase("d")
		wg.Go(func() {
			defer w.Session.SessionEnd()
			for i := range 15 {
				from, to := (worker*7+i)%20, (worker*3+i*5+1)%20
				statements := []string{"START TRANSACTION", fmt.Sprintf("UPDATE t SET n = n - 1 WHERE id = %d", from),
					fmt.Sprintf("UPDATE t SET n = n + 1 WHERE id = %d", to), []string{"COMMIT", "ROLLBACK"}[i%3/2]}
				for _, s := range statements {
					if _, err := w.Try(s); err != nil {
						t.Errorf("%s: %v", s, err)
						return
					}
				}
			}
		})
	}
	for range 2 {
		r := b.Client()
		r.Session.SetCurrentDatabase("d")
		wg.Go(func() {
			for range 40 {
				rows, err := r.Try("SELECT SUM(n), COUNT(n) FROM t")
				if err != nil || rows[0] != "2000|20" {
					t.Errorf("a reader sees %v %v", rows, err)
				}
			}
		})
	}
	ddl := b.Client()
	ddl.Session.SetCurrentDatabase("d")
	wg.Go(func() {
		for i := range 10 {
			name := fmt.Sprint("x", i)
			for _, s := range []string{"CREATE TABLE " + name + " (a INT UNIQUE)", "INSERT INTO " + name + " SELECT id FROM t",
				"ALTER TABLE " + name + " ADD COLUMN b INT DEFAULT 3", "DROP TABLE " + name} {
				if _, err := ddl.Try(s); err != nil {
					t.Errorf("%s: %v", s, err)
				}
			}
		}
	})
	wg.Wait()
	c.Want("SELECT SUM(n) FROM t", "2000")
	c.Want("SHOW TABLES", "t")
}

// A transaction planned before an ALTER of another session must not write rows
// of the old form.
func TestChangedDefinitionIsNoticed(t *testing.T) {
	b := catalogtest.NewBench(t)
	c, other := b.Owner(), b.Client()
	other.Session.SetCurrentDatabase("d")
	c.Run("CREATE TABLE t (x INT)", "INSERT INTO t VALUES (1)")
	other.Run("START TRANSACTION")
	other.Want("SELECT * FROM t", "1")
	c.Run("ALTER TABLE t ADD COLUMN y INT FIRST")
	other.Fails("INSERT INTO t VALUES (2)", "definition of t has changed")
	other.Run("ROLLBACK", "INSERT INTO t VALUES (2, 3)")
	other.Want("SELECT * FROM t", "NULL|1 2|3")
	id := c.Table("t").ID()
	c.Session.SessionEnd()
	c.Run("DROP TABLE t", "CREATE TABLE t (x INT)")
	if again := c.Table("t").ID(); again == id {
		t.Errorf("a new table got the id %d of a dropped one", id)
	}
}

// Transactions inside procedures go on where the caller was.
func TestProcedureJoinsTransaction(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE t (x INT)", "CREATE PROCEDURE p(n INT) BEGIN INSERT INTO t VALUES (n); INSERT INTO t VALUES (n + 1); END",
		"START TRANSACTION", "INSERT INTO t VALUES (1)", "CALL p(2)")
	c.Want("SELECT * FROM t", "1 2 3")
	c.Run("ROLLBACK")
	c.Want("SELECT COUNT(*) FROM t", "0")
	c.Run("CALL p(5)")
	c.Session.SessionEnd()
	c.Want("SELECT * FROM t", "5 6")
}
