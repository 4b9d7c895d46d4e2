package raw_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/catalog/sqlite"
	"github.com/anonsql/anonsql/testsize"
)

// limit bounds the growth of the file in pages; 0 lifts the bound. It simulates SQLite's full disk, at the same
// places and with the same consequences.
func limit(b *catalogtest.Bench, pages int) {
	b.T.Helper()
	var count int
	conn := b.Catalog.Writer()
	if err := conn.QueryRowContext(context.Background(), "PRAGMA page_count").Scan(&count); err != nil {
		b.T.Fatal(err)
	}
	most := count + pages
	if pages == 0 {
		most = 1 << 30
	}
	if err := conn.QueryRowContext(context.Background(), fmt.Sprintf("PRAGMA max_page_count = %d", most)).Scan(&count); err != nil {
		b.T.Fatal(err)
	}
}

func wantFull(c *catalogtest.Client, err error) {
	c.T.Helper()
	if err == nil || !strings.Contains(err.Error(), "the disk is full; nothing of the statement is stored") && !errors.Is(err, fault.ErrUndone) {
		c.T.Errorf("got %v, want that the disk is full", err)
	}
}

// A statement, transaction or definition that does not fit leaves nothing behind, and acknowledged data remain, also
// after a restart.
func TestFullDisk(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE f (id INT PRIMARY KEY, filler TEXT)", "INSERT INTO f VALUES (0, 'kept')")
	const row = "INSERT INTO f VALUES (%d, REPEAT('x', 9000))"
	for pages := 1; pages <= 24; pages++ {
		limit(b, pages)
		stored := 0
		for i := 1; ; i++ { // single statements, until one does not fit
			if _, err := c.Try(fmt.Sprintf(row, i)); err != nil {
				wantFull(c, err)
				break
			}
			stored++
		}
		c.Want("SELECT COUNT(*) FROM f", fmt.Sprint(stored+1))
		_, err := c.Try("CREATE TABLE g AS SELECT * FROM f")
		if pages > 6 {
			wantFull(c, err)
		}
		c.Run("DROP TABLE IF EXISTS g")
		if _, err := c.Try("CREATE INDEX by_filler ON f (filler(500))"); err != nil {
			wantFull(c, err)
		} else {
			c.Run("DROP INDEX by_filler ON f")
		}
		limit(b, 0)
		c.Run("DELETE FROM f WHERE id > 0")
		limit(b, pages)
		c.Session.SessionEnd()
		fillInTransaction(c, row)
		limit(b, 0)
		c.Want("SELECT COUNT(*), MIN(filler) FROM f", "1|kept")
	}
	b.ReopenWith(c)
	c.Want("SELECT COUNT(*), MIN(filler) FROM f", "1|kept")
	wantWhole(c)
}

// A refresh that does not fit leaves the version before, and fits when there is room.
func TestRefreshOnFullDisk(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c, g := b.Releases(), b.Owner(), catalogtest.Grouping(3)
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", "INSERT INTO t (q, s) VALUES (1, 1), (2, 2), (3, 3)")
	if _, err := c.Publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	for range 12 { // 12,288 rows: more than free pages hold
		c.Run("INSERT INTO t (q, s) SELECT q + 1, s + 1 FROM t")
	}
	pending, err := r.Changes(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	c.Session.SessionEnd()
	for range 3 {
		limit(b, -100+1) // less than there is: no page more
		_, err = c.Refreshed(r, g, pending)
		wantFull(c, err)
		limit(b, 0)
		if record := r.All(c.Context())[0].Record(); record.Version != 1 || len(r.All(c.Context())) != 1 {
			t.Errorf("a refresh that did not fit left version %d", record.Version)
		}
		c.Session.SessionEnd()
	}
	if _, err := c.Refreshed(r, g, pending); err != nil {
		t.Error(err)
	}
	b.ReopenWith(c)
	c.Want("SELECT COUNT(*) FROM t", "12288")
	wantWhole(c)
}

// wantWhole closes the catalog and wants nothing wrong with it.
func wantWhole(c *catalogtest.Client) {
	c.T.Helper()
	c.Session.SessionEnd()
	c.Catalog.Close()
	if report := catalogtest.Checked(c.T, c.Dir); report.Err() != nil || len(report.Notes) != 0 {
		c.T.Error(catalogtest.Findings(report))
	}
}

// fillInTransaction writes until nothing fits. Its earlier writes are not committed either, since SQLite may have
// rolled back everything; the session reports this until the client rolls back.
func fillInTransaction(c *catalogtest.Client, row string) {
	c.T.Helper()
	c.Run("START TRANSACTION")
	failed := 0
	for i := 1; failed < 3; i++ {
		if _, err := c.Try(fmt.Sprintf(row, i)); err != nil {
			wantFull(c, err)
			failed++
		} else if failed > 0 {
			// Only the statement was undone: the transaction continues.
			break
		}
	}
	before, lost := c.Try("SELECT COUNT(*) FROM f")
	_, err := c.Try("COMMIT")
	after, _ := c.Try("SELECT COUNT(*) FROM f")
	switch {
	case err == nil && (lost != nil || before[0] != after[0]):
		c.T.Errorf("COMMIT is acknowledged, with %v (%v) before and %v after", before, lost, after)
	case err != nil:
		wantFull(c, err)
		if after[0] != "1" {
			c.T.Errorf("COMMIT failed, and %v rows are there", after)
		}
	}
	c.Session.SessionEnd()
	c.Catalog.Writer().ExecContext(context.Background(), "PRAGMA max_page_count = 1073741823")
	c.Run("DELETE FROM f WHERE id > 0")
	c.Session.SessionEnd()
}

// onSmallDisk runs f in a file system of this size.
func onSmallDisk(t *testing.T, bytes int, f func(dir string)) {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		testsize.Missing(t, "no file system can be mounted here (%v): TestFullDisk tries the same with SQLite's own limit", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	f(filepath.Join(dir, "data"))
}

// The same on a disk that is full for everybody: for the log too, and for the
// checkpoint.
func TestFullFileSystem(t *testing.T) {
	onSmallDisk(t, 3<<20, func(dir string) {
		b := &catalogtest.Bench{T: t, Dir: dir}
		b.Open()
		c := b.Owner()
		c.Run("CREATE TABLE f (id INT PRIMARY KEY, filler TEXT)")
		stored := 0
		for i := 1; i < 1000; i++ {
			if _, err := c.Try(fmt.Sprintf("INSERT INTO f VALUES (%d, REPEAT('x', 9000))", i)); err != nil {
				wantFull(c, err)
				break
			}
			stored++
		}
		if stored == 999 {
			t.Fatal("the disk does not fill")
		}
		c.Want("SELECT COUNT(*) FROM f", fmt.Sprint(stored))
		c.Session.SessionEnd()
		if _, err := maintenance.Backup(context.Background(), dir, filepath.Join(dir, "backup"), false, nil); err == nil {
			t.Error("a backup fits on a full disk")
		}
		b.Catalog.Close()
		b.Open()
		*c = *b.Client()
		c.Want("SELECT COUNT(*) FROM d.f", fmt.Sprint(stored))
		c.Session.SessionEnd()
		b.Catalog.Close()
		if report := catalogtest.Checked(t, dir); report.Err() != nil {
			t.Error(catalogtest.Findings(report))
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// A directory that cannot be written is refused by the server and can be checked
// and backed up.
func TestReadOnlyDirectory(t *testing.T) {
	onSmallDisk(t, 8<<20, func(dir string) {
		b := &catalogtest.Bench{T: t, Dir: dir}
		b.Open()
		c := b.Owner()
		c.Run("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
		c.Session.SessionEnd()
		b.Catalog.Close()
		mounted := filepath.Dir(dir)
		if err := syscall.Mount("", mounted, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			testsize.Missing(t, "no file system can be made read-only here: %v", err)
		}
		if _, err := catalog.Open(dir); err == nil || !strings.Contains(err.Error(), "needs to write into its data directory; mount it for writing") {
			t.Errorf("Open: %v", err)
		}
		if report := catalogtest.Checked(t, dir); report.Err() != nil || report.Rows != 1 {
			t.Error(catalogtest.Findings(report))
		}
		if _, err := maintenance.Restore(context.Background(), "nothing", dir, true, nil); err == nil {
			t.Error("a restore into a read-only directory")
		}
		if _, err := catalog.Open(filepath.Join(mounted, "another")); err == nil || !errors.Is(err, syscall.EROFS) && !errors.Is(err, os.ErrPermission) {
			t.Errorf("Open of a new directory: %v", err)
		}
	})
}

// A file becomes read-only while it is served: writes are refused with MySQL's number and a way out, reads continue,
// and nothing is lost once it is writable again. SQLite's own switch simulates the file system's, which a test cannot
// change while files are open.
func TestBecomesReadOnly(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", "INSERT INTO t (q, s) VALUES (1, 1), (2, 2), (3, 3)")
	if _, err := c.Publish(r, catalogtest.Grouping(3), "p", nil); err != nil {
		t.Fatal(err)
	}
	c.Run("INSERT INTO t (q, s) VALUES (4, 4), (5, 5), (6, 6)")
	pending, err := r.Changes(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	c.Session.SessionEnd()
	readOnly(b, 1)
	for _, statement := range []string{"INSERT INTO t (q, s) VALUES (7, 7)", "UPDATE t SET q = 9", "DELETE FROM t", "TRUNCATE TABLE t",
		"CREATE TABLE u (a INT)", "DROP TABLE t", "ALTER TABLE t ADD COLUMN x INT", "CREATE INDEX by_q ON t (q)", "CREATE VIEW v AS SELECT q FROM t"} {
		_, err := c.Try(statement)
		wantReadOnly(c, statement, err)
		c.Want("SELECT COUNT(*), SUM(q) FROM t", "6|21")
	}
	_, err = c.Refreshed(r, catalogtest.Grouping(3), pending)
	wantReadOnly(c, "a refresh", err)
	if all := r.All(c.Context()); len(all) != 1 || all[0].Record().Version != 1 {
		t.Errorf("%d versions", len(all))
	}
	readOnly(b, 0)
	c.Run("INSERT INTO t (q, s) VALUES (7, 7)")
	c.Want("SELECT COUNT(*), SUM(q) FROM t", "7|28")
	c.Session.SessionEnd()
	c.Refresh(r, catalogtest.Grouping(3), "p")
	b.ReopenWith(c)
	c.Want("SELECT COUNT(*), SUM(q) FROM t", "7|28")
}

func readOnly(b *catalogtest.Bench, on int) {
	b.T.Helper()
	if _, err := sqlite.Execute(b.Catalog.Writer(), fmt.Sprintf("PRAGMA query_only = %d", on)); err != nil {
		b.T.Fatal(err)
	}
}

func wantReadOnly(c *catalogtest.Client, doing string, err error) {
	c.T.Helper()
	if err == nil || !strings.Contains(err.Error(), "the catalog's files cannot be written; nothing of the statement is stored") ||
		!strings.Contains(err.Error(), "mount it for writing") {
		c.T.Errorf("%s: %v", doing, err)
	}
	c.Session.SessionEnd()
}

// Failures of the storage have MySQL's numbers.
func TestStorageErrorNumbers(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE f (id INT PRIMARY KEY, filler TEXT)")
	limit(b, 1)
	_, err := c.Try("CREATE TABLE g AS SELECT REPEAT('x', 90000) AS x FROM f UNION SELECT REPEAT('x', 900000)")
	var wrapped sql.WrappedInsertError // which the server unwraps
	if errors.As(err, &wrapped) {
		err = wrapped.Cause
	}
	var known *mysql.SQLError
	if !errors.As(err, &known) || known.Num != 1021 || known.State != "HY000" {
		t.Errorf("%v: %+v", err, known)
	}
}
