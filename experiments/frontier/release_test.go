package frontier

import (
	"bufio"
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/anonsql/client"
)

// serve builds the server, which is another module, and starts it on a directory of the test's own.
func serve(t *testing.T) *sql.DB {
	t.Helper()
	program := filepath.Join(t.TempDir(), "anonsql")
	build := exec.Command("go", "build", "-o", program, "./cmd/anonsql")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(program, "serve", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0")
	log, err := run.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		run.Process.Kill()
		run.Wait()
	})
	ready := regexp.MustCompile(`ready for clients.* address=(\S+)`)
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if found := ready.FindStringSubmatch(lines.Text()); found != nil {
			account := client.Account{Server: found[1], User: "root"}
			db, err := account.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}
	}
	t.Fatal("the server is not ready")
	return nil
}

// Through a server, a release of one relation's columns is exact, attacks are read, and the release is gone after it was measured.
func TestReleaseThroughSQL(t *testing.T) {
	db, table := serve(t), people(t, 1600)
	statements := []string{"CREATE DATABASE town", "CREATE TABLE town.people (age INT, town CHAR(1), sex CHAR(1), disease VARCHAR(9))"}
	var rows []string
	for row := range table.Rows {
		rows = append(rows, fmt.Sprintf("(%s, '%s', '%s', '%s')", table.values[0][row], table.values[1][row], table.values[2][row], table.values[3][row]))
	}
	for _, statement := range append(statements, "INSERT INTO town.people VALUES "+strings.Join(rows, ", ")) {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	bench, err := NewBench(t.Context(), db, "town.people", table.Attributes)
	if err != nil {
		t.Fatal(err)
	}
	if bench.Table.Rows != 1600 || bench.Table.keys[0][0] != "2" || bench.Table.numbers[0] == nil {
		t.Errorf("read %d rows, the first of band %s", bench.Table.Rows, bench.Table.keys[0][0])
	}
	p, err := bench.Release(t.Context(), "anatomy l=2 model=counts attacks=true seed=3")
	if err != nil {
		t.Fatal(err)
	}
	own, err := judge(t.Context(), bench.questions, table.asked(table.Rows))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range Kinds {
		if e := p.Errors[kind]; e.Cells != own[kind].Cells || e.Mean > 0.2 || e.Covered < 0.5 {
			t.Errorf("%s: %+v, want %d cells of small errors", kind, e, own[kind].Cells)
		}
	}
	if learned := p.attack("learned"); learned.Mean < 0.4 || learned.AboveHalf < 0 || p.Seconds <= 0 {
		t.Errorf("learned is %+v after %v seconds", learned, p.Seconds)
	}
	if _, err := db.ExecContext(t.Context(), "SELECT 1 FROM published."+name+" LIMIT 1"); err == nil {
		t.Error("the release is still there")
	}
	if _, err := bench.Release(t.Context(), "anatomy l=9"); err == nil || !strings.HasPrefix(err.Error(), "anatomy l=9: ") {
		t.Errorf("an impossible release: %v", err)
	}
}
