package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
)

// CALL anonymize reports what the release has lost, and how far an attacker gets: a dry run in notes, since nobody
// can query it later, otherwise in ANON_UTILITY.
func TestAnonymizeMeasures(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, 2000))
	db := s.Open(t, servertest.Root)
	db.SetMaxOpenConns(1) // SHOW WARNINGS belongs to the session
	call := "CALL anonymize('census.people', 'slppa', 'qi=age,sex,region', 'sa=disease', 'beta=0.25', 'tables=1', 'calibrate=false'"
	if row := resultRow(t, db, call+", 'dry_run=true')"); !regexp.MustCompile(`presence|beta`).MatchString(row["guarantees"]) {
		t.Errorf("dry run: %v", row)
	}
	var notes strings.Builder
	for _, note := range fetchRows(t, db, "SHOW WARNINGS") {
		fmt.Fprintf(&notes, "%s\n", note[2])
	}
	for _, want := range []string{`(?m)^guarantees: .*definetti 0\.\d+.*learned 0\.\d+`,
		`(?m)^utility: GLP 0\.\d+; mean probability 0\.25; greatest probability 0\.25; reconstruction error 1500 \(bound 1500\)$`} {
		if !regexp.MustCompile(want).MatchString(notes.String()) {
			t.Errorf("no note is %s:\n%s", want, notes.String())
		}
	}
	if row := resultRow(t, db, call+", 'attacks=false', 'fit=false')"); !regexp.MustCompile(`presence|beta`).MatchString(row["guarantees"]) {
		t.Errorf("without attacks: %v", row)
	}
	if phases := fetchRows(t, db, "SELECT COUNT(*) FROM ANON_UTILITY(people) WHERE measure = 'glp' AND value BETWEEN 0 AND 1"); phases[0][0] != 1.0 {
		t.Errorf("ANON_UTILITY has %v rows of GLP", phases[0][0])
	}
}

// resultRow returns the only row of a statement as texts by column.
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
	if rows.Next() || !slices.Contains(names, "guarantees") {
		t.Fatalf("columns %v, or more rows than one", names)
	}
	row := make(map[string]string)
	for i, name := range names {
		row[name] = fields[i].String
	}
	return row
}
