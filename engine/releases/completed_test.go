package releases_test

import (
	dbsql "database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
)

// TestCompletedInTheEngine: the engine keeps the completed tables of a release that is not read. Its answers have intervals, and DROP removes the
// tables. A release that is read has its completed tables here.
func TestCompletedInTheEngine(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 6003)
	f := serve(t, c.URL, schema, 5000)
	f.owner.SetMaxOpenConns(1)
	for _, of := range [][2]string{{`_imputed" AS`, "KILL inside"}, {`_weights" AS`, "KILL"}, {`_imputed" AS`, "failure"}} {
		f.ends(t, c, schema, completes, of[0], of[1])
	}
	query(t, f.owner, completes, schema, "")
	if published := left(t, c, schema); len(published) != 3 || !strings.HasSuffix(published[0], "_imputed") {
		t.Errorf("in the engine are %v, want two relations and the completed tables", published)
	}
	reader := f.analyst(t)
	f.gate.heard()
	f.answers(t, reader, "age < 30 AND disease = 'd3'")
	if heard := f.gate.heard(); !slices.ContainsFunc(heard, func(text string) bool {
		return strings.HasPrefix(text, "SELECT count(CASE WHEN ") && strings.Contains(text, `_imputed" WHERE "f0c0" BETWEEN 17 AND 29`)
	}) {
		t.Errorf("the engine was asked %q", heard)
	}
	if note := query(t, reader, "SHOW WARNINGS"); !strings.Contains(strings.Join(note, ""), "imputed: the mean of 12 completed tables") {
		t.Errorf("the note is %q", note)
	}
	// What independent fragments have no bounds for has intervals.
	f.answers(t, reader, "age < 20 OR disease = 'd3'")
	sums := query(t, reader, "SELECT SUM(COUNT) FROM (SELECT disease, COUNT(*) AS count FROM published.people WHERE age < 30 GROUP BY disease) AS t")
	if exact := query(t, reader, "SELECT COUNT(*) FROM published.people WHERE age < 30"); !servertest.SameAnswers(sums, exact, 1e-9) {
		t.Errorf("%q records by disease, %q of all", sums, exact)
	}
	servertest.Exec(t, reader, "SET anon_estimator = 'independent'")
	query(t, reader, "SELECT COUNT(*) FROM published.people WHERE age < 30 AND disease = 'd3'")
	if note := query(t, reader, "SHOW WARNINGS"); !strings.Contains(strings.Join(note, ""), "independent fragments") {
		t.Errorf("the note is %q", note)
	}
	f.readsRows(t, reader)
	refused(t, f.owner, 30001, "publish it anew", "CALL fit_release('people')")
	query(t, f.owner, "CALL drop_release('people')")
	if again := left(t, c, schema); len(again) != 0 {
		t.Errorf("left are %v", again)
	}
	f.restart(t, c.URL, schema, 0)
	query(t, f.owner, completes, schema, ", 'allow_composition=true'")
	if published := left(t, c, schema); len(published) != 2 {
		t.Errorf("in the engine are %v, want two relations: completed tables are here", published)
	}
	f.answers(t, f.Open(t, servertest.Account{User: "ana", Password: ana}), "age < 30 AND disease = 'd3'")
}

// answers asks for a number of records, which must be in its interval, or nearly.
func (f *front) answers(t *testing.T, reader *dbsql.DB, where string) {
	t.Helper()
	row := query(t, reader, "SELECT COUNT(*), ANON_INTERVAL_LOW(COUNT(*)), ANON_INTERVAL_HIGH(COUNT(*)) FROM published.people WHERE %s", where)[0]
	actual := query(t, f.owner, "SELECT ANON_ACTUAL(COUNT(*)) FROM published.people WHERE %s", where)[0]
	var estimate, low, high, truth float64
	if _, err := fmt.Sscan(strings.ReplaceAll(row+" "+actual, "|", " "), &estimate, &low, &high, &truth); err != nil {
		t.Fatalf("%q, %q: %v", row, actual, err)
	}
	if spread := high - low; !(low < estimate && estimate < high) || truth < low-spread || truth > high+spread {
		t.Errorf("%s: %v in [%v, %v], and %v are true", where, estimate, low, high, truth)
	}
}

// readsRows reads the rows of completed tables, page by page, and has a window look at them.
func (f *front) readsRows(t *testing.T, reader *dbsql.DB) {
	t.Helper()
	truth := query(t, f.owner, "SELECT ANON_ACTUAL(COUNT(*)), ANON_ACTUAL(SUM(age)) FROM published.people")[0]
	byDraw := query(t, reader, "SELECT draw, COUNT(*), SUM(age) FROM published.people_imputed GROUP BY draw ORDER BY draw")
	if len(byDraw) != 12 || byDraw[11] != "12|"+truth {
		t.Errorf("completed tables are %q, must have %s each", byDraw, truth)
	}
	counted := query(t, reader, "SELECT COUNT(*) / 12e0 FROM published.people_imputed WHERE age < 30 AND disease = 'd3'")
	servertest.Exec(t, reader, "SET anon_estimator = 'imputed'")
	if asked := query(t, reader, "SELECT COUNT(*) FROM published.people WHERE age < 30 AND disease = 'd3'"); !servertest.SameAnswers(counted, asked, 1e-9) {
		t.Errorf("the rows of completed tables say %q, the view %q", counted, asked)
	}
	ranked := query(t, reader, "SELECT COUNT(*) FROM (SELECT age, RANK() OVER (PARTITION BY married ORDER BY age) AS place FROM published.people) AS t WHERE place = 1")
	if youngest := query(t, reader, "SELECT COUNT(*) FROM published.people WHERE age = 17"); !servertest.SameAnswers(ranked, youngest, 1e-9) {
		t.Errorf("a window finds %q, %q are the youngest", ranked, youngest)
	}
}

// answersOfThree asks a release of three relations whose groups are large.
func (f *front) answersOfThree(t *testing.T, c *enginetest.Cluster) {
	t.Helper()
	sums := query(t, f.owner, "SELECT SUM(count) FROM (SELECT town, COUNT(*) AS count FROM published.people WHERE age < 30 AND disease = 'd3' GROUP BY town) AS t")
	all := query(t, f.owner, "SELECT COUNT(*) FROM published.people WHERE age < 30 AND disease = 'd3'")
	if !servertest.SameAnswers(sums, all, 1e-9) {
		t.Errorf("%q records by town, %q of all", sums, all)
	}
	if exact := query(t, f.owner, "SELECT COUNT(*), ANON_INTERVAL_LOW(COUNT(*)), ANON_INTERVAL_HIGH(COUNT(*)) FROM published.people WHERE disease = 'd3'"); strings.Count(exact[0], strings.Split(exact[0], "|")[0]) != 3 {
		t.Errorf("of one relation the answer is %q", exact)
	}
}
