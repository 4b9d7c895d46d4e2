package server_test

import (
	"context"
	dbsql "database/sql"
	"regexp"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// CALL anonymize says in its row what the release has lost, and how far an
// attacker gets.
func TestAnonymizeMeasures(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	importTo(t, s.Addr, writePeople(t, 2000))
	db := s.Open(t, servertest.Root)
	call := "CALL anonymize('census.people', 'slppa', 'qi=age,sex,region', 'sa=disease', 'beta=0.25', 'tables=1', 'calibrate=false'"
	for _, c := range []struct {
		options             string
		guarantees, utility string
	}{
		{", 'dry_run=true')", `definetti 0\.\d+; learned 0\.\d+$`, `^GLP 0\.\d+; mean probability 0\.25; greatest probability 0\.25; reconstruction error 1500 \(bound 1500\)$`},
		{", 'attacks=false', 'fit=false')", `presence|beta`, `^GLP 0\.\d+; `},
	} {
		row := resultRow(t, db, call+c.options)
		if !regexp.MustCompile(c.guarantees).MatchString(row["guarantees"]) || !regexp.MustCompile(c.utility).MatchString(row["utility"]) {
			t.Errorf("%s: %v", c.options, row)
		}
	}
	if phases := fetchRows(t, db, "SELECT COUNT(*) FROM ANON_UTILITY(people) WHERE measure = 'glp' AND value BETWEEN 0 AND 1"); phases[0][0] != 1.0 {
		t.Errorf("ANON_UTILITY has %v rows of GLP", phases[0][0])
	}
}

// resultRow reads the one row of a statement as texts by column.
func resultRow(t *testing.T, db *dbsql.DB, statement string) map[string]string {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), statement)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil || !rows.Next() {
		t.Fatal(err, rows.Err())
	}
	fields := make([]dbsql.NullString, len(names))
	into := make([]any, len(names))
	for i := range fields {
		into[i] = &fields[i]
	}
	if err := rows.Scan(into...); err != nil {
		t.Fatal(err)
	}
	if rows.Next() || !slices.Contains(names, "utility") {
		t.Fatalf("columns %v, or more rows than one", names)
	}
	row := make(map[string]string)
	for i, name := range names {
		row[name] = fields[i].String
	}
	return row
}
