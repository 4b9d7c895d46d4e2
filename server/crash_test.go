package server_test

import (
	"bufio"
	"context"
	dbsql "database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the client

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/server"
)

// crashDirectory makes this test binary serve a directory instead of testing.
const crashDirectory = "ANONSQL_TEST_SERVE_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirectory); dir != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		err := server.Run(ctx, server.Config{DataDir: dir, Listen: "127.0.0.1:0", Extend: server.Product,
			Ready: func(a net.Addr) { fmt.Println("ready", a) }})
		if err == nil {
			os.Exit(0)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A child is a server in a process of its own, which can be killed.
type child struct {
	process *exec.Cmd
	address string
	db      *dbsql.DB
}

func startChild(t *testing.T, dir string) *child {
	t.Helper()
	c := &child{process: exec.Command(os.Args[0])}
	c.process.Env = append(os.Environ(), crashDirectory+"="+dir)
	output, err := c.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			c.address = address
			break
		}
	}
	if c.address == "" {
		t.Fatal("the child did not serve")
	}
	if c.db, err = dbsql.Open("mysql", "root@tcp("+c.address+")/"); err != nil {
		t.Fatal(err)
	}
	return c
}

// kill is kill -9.
func (c *child) kill() {
	_ = c.process.Process.Kill() // it may be dead already
	_ = c.process.Wait()
	if c.db != nil {
		c.db.Close()
	}
}

// A server killed at any moment of CALL anonymize has the old release or the
// new one, whole: its relations have all rows and its guarantees hold.
func TestKillDuringAnonymize(t *testing.T) {
	if testing.Short() {
		t.Skip("processes that are killed show no races")
	}
	const rows = 20_000
	dir := filepath.Join(t.TempDir(), "data")
	file := writePeople(t, rows)
	c := startChild(t, dir)
	importTo(t, c.address, file)
	call := "CALL anonymize('census.people', 'slppa', 'qi=age,sex,education,region,income', 'sa=disease', 'beta=0.2', 'tables=3', 'replace=true', 'publish=people', 'calibrate=false')"
	started := time.Now()
	run(t, c.db, call)
	whole := time.Since(started)
	version, survived := 1, 0
	for round := range 10 {
		ended := make(chan error, 1)
		go func() {
			_, err := c.db.ExecContext(context.Background(), call)
			ended <- err
		}()
		time.Sleep(whole * time.Duration(round) / 8) // from at once to after the end
		c.kill()
		if <-ended == nil {
			version++ // the client was told: it must be there
			survived++
			checkVersion(t, dir, rows, version, version, &c)
			continue
		}
		version = checkVersion(t, dir, rows, version, version+1, &c)
	}
	t.Logf("%d of 10 calls ended before the kill; version %d at the end", survived, version)
}

// checkVersion starts the server again and returns the release's version.
func checkVersion(t *testing.T, dir string, rows, least, most int, c **child) int {
	t.Helper()
	*c = startChild(t, dir)
	db := (*c).db
	found := fetchRows(t, db, "SELECT version, `rows`, `groups` FROM anonsql.releases")
	if len(found) != 1 {
		t.Fatalf("%d releases", len(found))
	}
	version := int(found[0][0].(float64))
	if version < least || version > most {
		t.Fatalf("version %d, must be between %d and %d", version, least, most)
	}
	for _, relation := range []string{"qi1", "qi2", "qi3", "sa"} {
		got := fetchRows(t, db, "SELECT SUM(count), COUNT(DISTINCT gid) FROM published.people_"+relation)
		if got[0][0] != float64(rows) || got[0][1] != found[0][2] {
			t.Errorf("relation %s has %v records in %v groups, the release %d in %v", relation, got[0][0], got[0][1], rows, found[0][2])
		}
	}
	if broken := fetchRows(t, db, "SELECT guarantee FROM ANON_PRIVACY(published.people) WHERE NOT holds"); len(broken) > 0 {
		t.Errorf("broken guarantees %v", broken)
	}
	return version
}

// A server killed during an import has no table or the whole table.
func TestKillDuringImport(t *testing.T) {
	if testing.Short() {
		t.Skip("processes that are killed show no races")
	}
	const rows = 50_000
	file := writePeople(t, rows)
	dir := filepath.Join(t.TempDir(), "data")
	c := startChild(t, dir)
	started := time.Now()
	importTo(t, c.address, file)
	whole := time.Since(started)
	for round := range 5 {
		run(t, c.db, "DROP TABLE IF EXISTS census.people")
		ended := make(chan error, 1)
		go func() {
			_, err := importer.ToServer(context.Background(), importer.Options{File: file, Database: "census", Table: "people", Server: c.address, User: "root"})
			ended <- err
		}()
		time.Sleep(whole * time.Duration(2*round+1) / 9)
		c.kill()
		complete := <-ended == nil
		c = startChild(t, dir)
		tables := fetchRows(t, c.db, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'census' AND table_name = 'people'")
		if len(tables) == 0 {
			if complete {
				t.Error("the import ended well, and its table is gone")
			}
			continue
		}
		if got := fetchRows(t, c.db, "SELECT COUNT(*) FROM census.people")[0][0]; got != float64(rows) {
			t.Errorf("round %d: the table has %v rows of %d", round, got, rows)
		}
	}
}

func writePeople(t testing.TB, rows int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := sample.WriteCSV(f, rows, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func importTo(t testing.TB, address, file string) {
	t.Helper()
	_, err := importer.ToServer(context.Background(), importer.Options{File: file, Database: "census", Table: "people", Server: address, User: "root"})
	if err != nil {
		t.Fatal(err)
	}
}
