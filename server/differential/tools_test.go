package differential

import (
	dbsql "database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// visits is a table for both servers, of dates of nearly two years.
func visits() []string {
	var rows []string
	cities := []string{"'Arden'", "'Brill'", "'Corve'", "'Dunmore'", "NULL"}
	for i := range 500 {
		rows = append(rows, fmt.Sprintf("(CAST('2024-01-01 00:00:07' AS DATETIME) + INTERVAL %d MINUTE, %s, %d.%02d, %d, '%s')",
			i*1777, cities[i*i%7%5], i*37%200, i*11%100, i%7, []string{"flu", "cold", "asthma", "none"}[i%4]))
	}
	return []string{
		"CREATE TABLE visits (created DATETIME, city VARCHAR(20), amount DECIMAL(8,2), party INT, illness VARCHAR(20))",
		"INSERT INTO visits VALUES " + strings.Join(rows, ", "),
		"SET time_zone = '+00:00'",
	}
}

// Statements of tools get MariaDB's answers: over the ordinary table, and over a release that has all of the question's
// columns in one fragment.
func TestStatementsOfTools(t *testing.T) {
	p := newPair(t)
	for _, db := range []*dbsql.DB{p.own, p.other} {
		db.SetMaxOpenConns(1) // the zone of time is of the session
		servertest.Exec(t, db, visits()...)
	}
	servertest.Exec(t, p.own, "CALL anonymize('d.visits', 'anatomy', 'l=2', 'qi=created,city,amount,party', 'sa=illness', 'publish=visits', 'fit=false')")
	text, err := os.ReadFile("testdata/tools.sql")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, paragraph := range strings.Split(string(text), "\n\n")[1:] {
		name, statement, _ := strings.Cut(strings.TrimSpace(paragraph), "\n")
		other := ask(t, p.other, statement)
		if other.err != nil || len(other.rows) == 0 {
			t.Errorf("%s: MariaDB: %v, %d rows", name, other.err, len(other.rows))
			continue
		}
		asked++
		for _, database := range []string{"d", "published"} {
			servertest.Exec(t, p.own, "USE "+database)
			if own := ask(t, p.own, statement); own.err != nil || !equal(own, other, false, averaged.MatchString(statement)) {
				t.Errorf("%s, of %s\n%s\n  own   %.400v\n  other %.400v", name, database, statement, own, other)
			}
		}
	}
	if asked < 35 {
		t.Errorf("only %d statements were asked", asked)
	}
}
