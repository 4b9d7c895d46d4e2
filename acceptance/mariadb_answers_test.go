package acceptance

import (
	dbsql "database/sql"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Rollups and percentiles over windows have MariaDB's rows, in its order.
func TestMariaDBsAnswers(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	answersOf(t, s.Open(t, servertest.Root), filepath.Join("..", "testdata", "mariadb", "rollup.txt"))
}

var mariadbSource = flag.String("mariadb", "", "data source name of the MariaDB whose answers are written to files")

// answersOf compares the answers in a file with those of our database. Empty lines separate the sections: "setup" and
// a statement, or "query", a statement, ---- and rows. If -mariadb names a server, answersOf writes its answers to
// the file instead.
func answersOf(t *testing.T, db *dbsql.DB, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	source := *mariadbSource
	if source != "" {
		if db, err = dbsql.Open("mysql", source); err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		run(t, db, "DROP DATABASE IF EXISTS compared")
	}
	db.SetMaxOpenConns(1)
	run(t, db, "CREATE DATABASE compared CHARACTER SET utf8mb4")
	run(t, db, "USE compared")
	asked := 0
	sections := strings.Split(strings.TrimSpace(string(text)), "\n\n")
	for i, section := range sections {
		kind, rest, _ := strings.Cut(section, "\n")
		statement, want, _ := strings.Cut(rest, "\n----")
		switch {
		case strings.HasPrefix(kind, "#"):
		case kind == "setup":
			run(t, db, statement)
		default:
			asked++
			got := textOfRows(fetchRows(t, db, statement))
			if sections[i] = "query\n" + statement + "\n----" + got; source == "" && !sameCells(got, want) {
				t.Errorf("%s\ngot%s\nwant%s", statement, got, want)
			}
		}
	}
	if asked < 50 {
		t.Errorf("only %d statements were compared", asked)
	}
	if source != "" {
		if err := os.WriteFile(file, []byte(strings.Join(sections, "\n\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// textOfRows puts each row after a line break.
func textOfRows(rows [][]any) string {
	var b strings.Builder
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, v := range row {
			if cells[i] = fmt.Sprint(v); v == nil {
				cells[i] = "NULL"
			}
		}
		b.WriteString("\n" + strings.Join(cells, "|"))
	}
	return b.String()
}

// sameCells compares two answers cell by cell. It compares numbers with a tolerance, because MariaDB rounds them.
func sameCells(got, want string) bool {
	rows, others := strings.Split(got, "\n"), strings.Split(want, "\n")
	return slices.EqualFunc(rows, others, func(row, other string) bool {
		return slices.EqualFunc(strings.Split(row, "|"), strings.Split(other, "|"), func(a, b string) bool {
			x, notNumber := strconv.ParseFloat(a, 64)
			y, notNumberEither := strconv.ParseFloat(b, 64)
			return a == b || notNumber == nil && notNumberEither == nil && math.Abs(x-y) <= 1e-5*math.Abs(y)
		})
	})
}
