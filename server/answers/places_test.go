package answers

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/testsize"
)

// places are the places of a query; each has its own engine. %s is the query, %q the query in a string.
var places = map[string][]string{
	"a derived table":           {"SELECT * FROM (%s) AS x"},
	"a derived table in one":    {"SELECT * FROM (SELECT x.* FROM (%s) AS x) AS y"},
	"a common table expression": {"WITH x AS (%s) SELECT * FROM x"},
	"a view":                    {"CREATE VIEW v AS %s", "SELECT * FROM v"},
	"a procedure":               {"CREATE PROCEDURE p() %s", "CALL p()"},
	"a block of a procedure":    {"CREATE PROCEDURE p() BEGIN IF TRUE THEN %s; END IF; END", "CALL p()"},
	"a prepared statement":      {"PREPARE p FROM '%q'", "EXECUTE p"},
	"a table that is made":      {"CREATE TABLE made AS %s", "SELECT * FROM made"},
}

// misplaced are the places where a probe may not stand.
var misplaced = map[string]string{
	"union columns": "a table that is made", // its columns have one name, which is error 1060
	"in":            "a table that is made", // its column has no name that the engine takes
}

// A rewrite is done wherever a query stands.
func TestPlaces(t *testing.T) {
	for i, r := range rewrites {
		for j, place := range slices.Sorted(maps.Keys(places)) {
			if (i+j)%testsize.Of(4, 1) != 0 {
				continue // two places for every rewrite, in turn
			}
			statements := places[place]
			answers := probed[r.name]
			if misplaced[r.name] == place || len(answers) == 0 || strings.HasPrefix(answers[0].want, "error") || !strings.HasPrefix(r.probe, "SELECT") {
				continue
			}
			a, got := newAsked(t, true, tables...), ""
			for _, statement := range statements {
				statement = strings.ReplaceAll(statement, "%s", r.probe)
				if got = a.ask(strings.ReplaceAll(statement, "%q", strings.ReplaceAll(r.probe, "'", "''"))); strings.HasPrefix(got, "error") {
					t.Errorf("%s: %s", statement, got)
				}
			}
			if !answers[0].is(got) {
				t.Errorf("%s in %s:\n got %s\nwant %s", r.name, place, got, answers[0].want)
			}
		}
	}
}
