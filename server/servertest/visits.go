package servertest

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"
)

// PublishVisits creates clinic.visits with 120 rows, and the release p.
func PublishVisits(t testing.TB, root *dbsql.DB) {
	t.Helper()
	var rows []string
	for i := range 120 {
		rows = append(rows, fmt.Sprintf("(%d, %d, '%s')", i, 20+i%50, []string{"flu", "cold", "gout", "asthma"}[i%4]))
	}
	Exec(t, root, "CREATE DATABASE clinic", "CREATE TABLE clinic.visits (id INT PRIMARY KEY, age INT, disease VARCHAR(20))",
		"INSERT INTO clinic.visits VALUES "+strings.Join(rows, ", "),
		"CALL set_attributes('clinic.visits', 'qi=age', 'sa=disease', 'ei=id')", "CALL anonymize('clinic.visits', 'anatomy', 'l=3', 'publish=p', 'seed=1')")
}
