package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// As in MySQL, SHOW WARNINGS, SHOW ERRORS and their counts are about the last other statement, even if it failed.
func TestDiagnostics(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	conn := s.Connect(t, servertest.Root)
	for _, step := range []struct {
		statement string
		fails     int
		want      string // level and number of SHOW WARNINGS
		warnings  int
		errors    int
	}{
		{"SELECT 1 / 0, CAST('12abc' AS SIGNED)", 0, "Warning 1365, Warning 1292", 2, 0},
		{"SELEC 1", 1064, "Error 1064", 1, 1},
		{"SELECT 1", 0, "", 0, 0},
		{"SELECT CAST('12abc' AS SIGNED)", 0, "Warning 1292", 1, 0},
		{"SELECT * FROM nowhere.at_all", 1049, "Error 1049", 1, 1},
		{"SELECT no_such_column", 1054, "Error 1054", 1, 1},
		{"SET @x = 1", 0, "", 0, 0},
		{"SELECT no_such_column", 1054, "Error 1054", 1, 1},
		{"PREPARE p FROM 'SELECT 1'", 0, "", 0, 0},
	} {
		failsWith(t, conn, step.fails, step.statement)
		for _, counted := range []string{"SHOW COUNT(*) WARNINGS", "SELECT @@warning_count", "SELECT @@session.warning_count"} {
			if got := one[int](t, conn, counted); got != step.warnings {
				t.Errorf("%s: %s is %d, want %d", step.statement, counted, got, step.warnings)
			}
		}
		if got := one[int](t, conn, "SELECT @@error_count"); got != step.errors {
			t.Errorf("%s: %d errors, want %d", step.statement, got, step.errors)
		}
		failsWith(t, conn, step.fails, step.statement)
		for _, show := range []string{"SHOW WARNINGS", "SHOW WARNINGS LIMIT 10", "SHOW WARNINGS"} {
			if got := diagnosed(t, conn, show); got != step.want {
				t.Errorf("%s: %s has %q, want %q", step.statement, show, got, step.want)
			}
		}
		want := ""
		if step.errors > 0 {
			want = step.want
		}
		if got := diagnosed(t, conn, "SHOW ERRORS"); got != want {
			t.Errorf("%s: SHOW ERRORS has %q, want %q", step.statement, got, want)
		}
		first, _, _ := strings.Cut(step.want, ", ")
		if got := diagnosed(t, conn, "SHOW WARNINGS LIMIT 1"); got != first {
			t.Errorf("%s: the first of SHOW WARNINGS is %q, want %q", step.statement, got, first)
		}
	}
}

// diagnosed returns the levels and numbers that a statement shows.
func diagnosed(t *testing.T, conn *dbsql.Conn, show string) string {
	t.Helper()
	rows, err := conn.QueryContext(context.Background(), show)
	if err != nil {
		t.Fatalf("%s: %v", show, err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var level, message string
		var code int
		if err := rows.Scan(&level, &code, &message); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(level, " ", code))
	}
	return strings.Join(list, ", ")
}

// The stock client shows them on request.
func TestDiagnosticsOfTheStockClient(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	got, err := mariadb(t, s, "SELECT 1 / 0 AS x; SELECT no_such_column; SHOW ERRORS;", "--show-warnings", "--force")
	if err != nil || !strings.Contains(got, "Warning (Code 1365)") || !strings.Contains(got, "Error\t1054") {
		t.Errorf("%s%v", got, err)
	}
}
