package acceptance

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// An adultCall is a call of anonymize with either the rows and groups of its release, or a part of the error.
type adultCall struct {
	call         string
	rows, groups int
	words        []string
}

var adultCalls = []adultCall{
	{"'census.complete', 'slppa', 'beta=0.2', 'delta=0.2', 'tables=3', 'publish=adult'", 45222, 9044, nil},
	{"'census.complete', 'slppa', 'beta=0.15', 'delta=0.15', 'tables=3', 'publish=adult', 'replace=true'", 45222, 6460, nil},
	{"'census.complete', 'slppa', 'beta=0.1', 'delta=0.1', 'tables=3', 'publish=adult', 'replace=true'", 0, 0, []string{"Craft-repair", "0.1332"}},
	// Two ratios of 48,842 rows: within rounding of the paper's 2,471.
	{"'census.adult', 'slppa', 'beta=0.9', 'delta=0.05', 'tables=3', 'publish=country', 'allow_composition=true'", 48842, 2471, nil},
	{"'census.adult', 'slppa', 'beta=0.05', 'publish=country', 'replace=true', 'allow_composition=true'", 0, 0, []string{"United-States", "0.8975"}},
}

// adultErrors are relative errors for the owner, and whether they are zero.
var adultErrors = map[string]bool{
	"SELECT ANON_RELATIVE_ERROR(COUNT(*)) FROM published.adult":                                                              true,
	"SELECT ANON_RELATIVE_ERROR(COUNT(*)) FROM published.adult WHERE occupation = 'Sales'":                                   true,
	"SELECT ANON_RELATIVE_ERROR(COUNT(*)) FROM published.country WHERE native_country = 'Mexico'":                            true,
	"SELECT ANON_RELATIVE_ERROR(COUNT(*)) FROM published.adult WHERE occupation = 'Sales' AND sex = 'Female'":                false,
	"SELECT ANON_RELATIVE_ERROR(AVG(hours_per_week)) FROM published.adult WHERE occupation = 'Exec-managerial' AND age > 40": false,
	"SELECT ANON_RELATIVE_ERROR(COUNT(*)) FROM published.country WHERE native_country IS NULL AND age BETWEEN 20 AND 60":     false,
	"SELECT ANON_RELATIVE_ERROR(COUNT(*)) FROM published.adult WHERE (race = 'Black' OR age < 30) AND NOT income LIKE '>%'":  false,
}

// UCI Adult over the wire: imported, published with feasible parameters, refused with infeasible ones, and compared
// with actual answers.
func TestAdult(t *testing.T) {
	t.Parallel() // long, with servers of its own
	path := anontest.AdultPath(t)
	s := servertest.Start(t, server.Config{Extend: server.Product})
	_, err := importer.ToServer(context.Background(), importer.Options{
		File: path, Database: "census", Table: "adult", Server: s.Addr, User: "root", NullTokens: []string{"?"}})
	if err != nil {
		t.Fatal(err)
	}
	db := s.Open(t, servertest.Root)
	run(t, db, "CREATE TABLE census.complete AS SELECT * FROM census.adult WHERE workclass IS NOT NULL AND occupation IS NOT NULL AND native_country IS NOT NULL")
	run(t, db, "CALL set_attributes('census.complete', 'qi=age,workclass,education,marital_status,race,sex,hours_per_week,native_country,income', 'sa=occupation')")
	run(t, db, "CALL set_attributes('census.adult', 'qi=age,workclass,education,marital_status,race,sex,hours_per_week,income', 'sa=native_country')")
	for _, c := range adultCalls {
		t.Run(c.call, func(t *testing.T) {
			_, err := db.Exec("CALL anonymize(" + c.call + ", 'fit=false', 'attacks=false', 'calibrate=false')")
			if c.words != nil {
				c.refused(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			c.published(t, db)
		})
	}
	for query, exact := range adultErrors {
		t.Run(query, func(t *testing.T) {
			got, ok := fetchRows(t, db, query)[0][0].(float64)
			if !ok || got < 0 || got > 0.5 || exact && got != 0 {
				t.Errorf("relative error %v (exact: %v)", got, exact)
			}
		})
	}
}

// refused checks that the error contains the words.
func (c adultCall) refused(t *testing.T, err error) {
	t.Helper()
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		t.Fatalf("%v, want a refusal", err)
	}
	for _, word := range c.words {
		if !strings.Contains(refused.Message, word) {
			t.Errorf("%s, want %s in it", refused.Message, word)
		}
	}
}

// published checks the size of the release.
func (c adultCall) published(t *testing.T, db *dbsql.DB) {
	t.Helper()
	got := fetchRows(t, db, "SELECT `rows`, `groups` FROM anonsql.releases ORDER BY published_at DESC, name DESC LIMIT 1")[0]
	if c.rows == 48842 {
		got = fetchRows(t, db, "SELECT `rows`, `groups` FROM anonsql.releases WHERE name = 'country'")[0]
	}
	if want := fmt.Sprint([]any{float64(c.rows), float64(c.groups)}); fmt.Sprint(got) != want {
		t.Errorf("rows and groups %v, want %v", got, want)
	}
}
