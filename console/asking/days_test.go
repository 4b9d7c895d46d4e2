package asking_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/console/asking"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// TestDaysOfMoments: a release answers the form's conditions on a day, and counts all records of that day.
func TestDaysOfMoments(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	owner := s.Open(t, servertest.Root)
	var rows []string
	for i := range 120 {
		at := fmt.Sprintf("'2024-12-%d %02d:30:00'", 30+i%2, i%24)
		if i%3 == 0 {
			at = fmt.Sprintf("'2025-01-01 %02d:00:00'", i%24)
		}
		rows = append(rows, fmt.Sprintf("(%s, %[1]s, '%s')", at, []string{"flu", "cold", "gout", "none"}[i/6%4]))
	}
	servertest.Exec(t, owner, "CREATE DATABASE d", "CREATE TABLE d.visits (seen DATETIME, noted TIMESTAMP, disease VARCHAR(10))",
		"INSERT INTO d.visits VALUES "+strings.Join(rows, ","),
		"CALL anonymize('d.visits', 'anatomy', 'l=2', 'qi=seen,noted', 'sa=disease', 'publish=visits')")
	var columns []asking.Column
	types, err := servertest.Rows(owner, "SELECT column_name, data_type FROM information_schema.columns "+
		"WHERE table_schema = 'published' AND table_name = 'visits'")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range types {
		columns = append(columns, asking.Column{Name: row[0].String, Kind: asking.KindOf(row[1].String), Type: row[1].String})
	}
	for _, c := range []struct{ operator, value, meant string }{
		{"=", "2024-12-31", "DATE(seen) = '2024-12-31'"},
		{"<>", "2024-12-31", "DATE(seen) <> '2024-12-31'"},
		{"<=", "2024-12-31", "DATE(seen) <= '2024-12-31'"},
		{">=", "2024-12-31", "DATE(seen) >= '2024-12-31'"},
		{"IN", "2024-12-30, 2025-01-01", "DATE(seen) IN ('2024-12-30', '2025-01-01')"},
	} {
		want := servertest.Query(t, owner, "SELECT COUNT(*) FROM d.visits WHERE %s", c.meant)
		for _, column := range []string{"seen", "noted"} {
			choice := asking.Choice{Release: "visits", Where: []asking.Condition{{Column: column, Operator: c.operator, Value: c.value}}}
			statement := strings.Replace(choice.Statement(columns), "FROM visits", "FROM published.visits", 1)
			if got := servertest.Query(t, owner, "%s", statement); !slices.Equal(got, want) || want[0] == "0" || want[0] == "120" {
				t.Errorf("%s: %s, want %s", statement, got, want)
			}
		}
	}
}
