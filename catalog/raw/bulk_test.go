package raw_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/catalogtest"
)

func TestBulkLoadKeepsKeys(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE k (id BIGINT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(9) COLLATE utf8mb4_0900_ai_ci UNIQUE)", "INSERT INTO k VALUES (3, 'c')")
	row := func(i int) sql.Row { return sql.Row{nil, fmt.Sprint("r", i)} }
	c.Load("k", row, 0, 500)
	c.Commit()
	c.Want("SELECT COUNT(*), MIN(id), MAX(id) FROM k", "501|3|503")
	c.Want("SELECT id FROM k WHERE s = 'R499'", "503")
	ctx := c.Context()
	loader, err := c.Table("k").BulkLoad(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := 600; i < 1100 && err == nil; i++ {
		err = loader.Append(ctx, row(i))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err = loader.Append(ctx, sql.Row{int64(9999), "C"}); err == nil {
		err = loader.Close(ctx)
	}
	if !sql.ErrUniqueKeyViolation.Is(err) {
		t.Errorf("got %v, want a unique key violation", err)
	}
	if err := loader.Abort(ctx); err != nil {
		t.Error(err)
	}
	if err := loader.Append(ctx, row(1)); err == nil {
		t.Error("a load that ended took a row")
	}
	c.Commit()
	c.Want("SELECT COUNT(*) FROM k", "501")
	c.Run("INSERT INTO k (s) VALUES ('after')")
}

// The indexes of an empty table are built at the end of a load; an aborted
// load must leave them as they were.
func TestBulkLoadBuildsIndexes(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE k (a INT, s VARCHAR(9) COLLATE utf8mb4_0900_ai_ci, KEY sa (s, a), KEY (a))")
	for _, keep := range []bool{false, true} {
		ctx := c.Context()
		loader, err := c.Table("k").BulkLoad(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			if err := loader.Append(ctx, sql.Row{int32(i), fmt.Sprint("R", i%10)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := map[bool]func(*sql.Context) error{true: loader.Close, false: loader.Abort}[keep](ctx); err != nil {
			t.Fatal(err)
		}
		c.Commit()
		want := map[bool]string{true: "30", false: "0"}[keep]
		c.Want("SELECT COUNT(a) FROM k WHERE s = 'r7'", want)
		var indexes int
		err = c.Catalog.Writer().QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name GLOB 'i[0-9]*'").Scan(&indexes)
		if err != nil || indexes != 2 {
			t.Errorf("%d indexes (%v), want 2", indexes, err)
		}
	}
}

const crashDirectory = "ANONSQL_TEST_CRASH_DIRECTORY"

// The child of TestKillDuringBulkLoad: it loads transactions of 5,000 rows forever and reports each.
func TestCrashingChild(t *testing.T) {
	dir := os.Getenv(crashDirectory)
	if dir == "" {
		return // nothing to do but as the child of TestKillDuringBulkLoad
	}
	b := &catalogtest.Bench{T: t, Dir: dir}
	b.Open()
	c := b.Client()
	c.Session.SetCurrentDatabase("d")
	row := func(i int) sql.Row { return sql.Row{int32(i), fmt.Sprint("row ", i)} }
	for n := 0; ; n += 5000 {
		c.Load("t", row, n, n+5000)
		fmt.Println("loaded")
		c.Commit()
	}
}

// A process killed in the middle of loads leaves whole transactions only.
func TestKillDuringBulkLoad(t *testing.T) {
	for round := range 3 {
		b := catalogtest.NewBench(t)
		c := b.Owner()
		c.Run("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20), KEY (s))")
		if err := b.Catalog.Close(); err != nil {
			t.Fatal(err)
		}
		child := catalogtest.StartProcess(t, "TestCrashingChild", crashDirectory, b.Dir)
		for range 2 + 3*round {
			child.Await("loaded")
		}
		// The pause only chooses the moment of the kill, during the commit or the next load.
		time.Sleep(time.Duration(round) * 3 * time.Millisecond)
		child.Kill()
		b.Open()
		c = b.Client()
		c.Session.SetCurrentDatabase("d")
		rows, err := c.Try("SELECT COUNT(id), MAX(id) + 1 FROM t")
		if err != nil {
			t.Fatal(err)
		}
		var counted, highest int
		if _, err := fmt.Sscanf(rows[0], "%d|%d", &counted, &highest); err != nil || counted == 0 || counted%5000 != 0 || counted != highest {
			t.Errorf("round %d: after the kill %s (%v)", round, rows[0], err)
		}
		c.Want("SELECT COUNT(*) FROM t", fmt.Sprint(counted))
		var check string
		if err := b.Catalog.Writer().QueryRowContext(c.Context(), "PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
			t.Errorf("integrity check: %s %v", check, err)
		}
	}
}
