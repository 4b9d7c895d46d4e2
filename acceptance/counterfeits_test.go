package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// forged is the number of counterfeits among the 70 records of the explained release.
const forged = 14

// publishForged publishes the explained release. Between two runs of the server, it changes the stored description to
// say that some records are counterfeits, as in a release whose table lost records. before runs while there are none.
func publishForged(t *testing.T, before func(*dbsql.DB)) *dbsql.DB {
	t.Helper()
	config := server.Config{Extend: server.Product, DataDir: t.TempDir()}
	first := servertest.Start(t, config)
	db := first.Open(t, servertest.Account{User: "root", MultiStatements: true, Variables: servertest.ListsRelations})
	fillExplained(t, db)
	before(db)
	db.Close()
	first.Stop(t)
	stored, err := dbsql.Open("sqlite3", filepath.Join(config.DataDir, "anonsql.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	run(t, stored, fmt.Sprintf("UPDATE releases SET record = json_set(record, '$.Forged', %d)", forged))
	stored.Close()
	return servertest.Start(t, config).Open(t, servertest.Account{User: "root", MultiStatements: true, Variables: servertest.ListsRelations})
}

// rest is the share of the records that are not counterfeits.
const rest = (70.0 - forged) / 70

// corrected are queries with the factor by which counterfeits change each figure.
var corrected = []struct {
	query   string
	factors []float64
}{
	{"SELECT COUNT(*) FROM published.p", []float64{rest}},
	{"SELECT COUNT(*), COUNT(age), SUM(age), AVG(age), MIN(age), MAX(age), STDDEV_POP(age) FROM published.p WHERE sex = 'F'", []float64{rest, rest, rest, 1, 1, 1, 1}},
	{"SELECT COUNT(*), SUM(age), AVG(age), MIN(age), VAR_POP(age) FROM published.p WHERE disease = 'flu' AND sex = 'F'", []float64{rest, rest, 1, 1, 1}},
	{"SELECT COUNT(*) FROM published.p WHERE disease = 'flu' OR age > 40", []float64{rest}},
	{"SELECT MIN(n), MAX(n) FROM (SELECT age, disease, COUNT(*) AS n FROM published.p GROUP BY age, disease) t", []float64{rest, rest}},
	{"SELECT COUNT(*), SUM(level), AVG(age + level), MAX(level) FROM published.p JOIN hospital.codes c ON c.level > p.age AND p.disease = 'flu'", []float64{rest, rest, 1, 1}},
}

// numbers returns the first row of an answer.
func numbers(t *testing.T, db *dbsql.DB, q string) (list []float64) {
	t.Helper()
	for _, x := range fetchRows(t, db, q)[0] {
		var number float64
		if _, err := fmt.Sscan(fmt.Sprint(x), &number); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		list = append(list, number)
	}
	return list
}

// On every path, counts and sums are corrected to the records that are not counterfeits; quotients and extremes are
// unchanged.
func TestCounterfeitsAreCorrectedFor(t *testing.T) {
	t.Parallel()
	var whole [][]float64
	db := publishForged(t, func(db *dbsql.DB) {
		for _, c := range corrected {
			whole = append(whole, numbers(t, db, c.query))
		}
	})
	for i, c := range corrected {
		t.Run(c.query, func(t *testing.T) {
			for j, got := range numbers(t, db, c.query) {
				allowed := 1e-9 * (1 + math.Abs(got))
				if c.factors[j] == 1 {
					allowed = 0.51e-4 // only without counterfeits is an average exact, with four decimals
				}
				if want := whole[i][j] * c.factors[j]; math.Abs(got-want) > allowed {
					t.Errorf("figure %d is %v, was %v, must be %v", j, got, whole[i][j], want)
				}
			}
		})
	}
	if rows := fetchRows(t, db, "SELECT * FROM published.p"); len(rows) != 70-forged {
		t.Errorf("%d rows are drawn", len(rows))
	}
	t.Run("bounds", func(t *testing.T) { boundsWithCounterfeits(t, db) })
	// HAVING and ORDER BY see corrected figures.
	for _, row := range fetchRows(t, db, "SELECT sex, COUNT(*) AS n FROM published.p GROUP BY sex HAVING n < 56 ORDER BY n") {
		if count := fmt.Sprint(row[1]); !strings.Contains(count, ".") {
			t.Errorf("%v of the published records are %v", row[0], count)
		}
	}
}

// boundsWithCounterfeits checks standard errors and bounds for all and for some records.
func boundsWithCounterfeits(t *testing.T, db *dbsql.DB) {
	all := numbers(t, db, "SELECT COUNT(*), ANON_STDERR(COUNT(*)), ANON_LOW(COUNT(*)), ANON_HIGH(COUNT(*)) FROM published.p")
	if fmt.Sprint(all) != "[56 0 56 56]" {
		t.Errorf("COUNT(*) with its standard error and bounds is %v", all)
	}
	some := numbers(t, db, "SELECT COUNT(*), ANON_STDERR(COUNT(*)), ANON_LOW(COUNT(*)), ANON_HIGH(COUNT(*)), COUNT(DISTINCT age) FROM published.p WHERE sex = 'F'")
	n := some[0] / rest // of 70 known records: between none and 14 are counterfeits
	if want := max(n-some[0], some[0]-(n-forged)); math.Abs(some[1]-want) > 1e-9 ||
		some[2] != n-forged || some[3] != n || some[4] >= 8 || some[4] < 6 {
		t.Errorf("of one fragment: %v, the standard error must be %v", some, want)
	}
}

// EXPLAIN and the note say that figures are corrected. Nothing that reads a column is exact.
func TestCounterfeitsAreExplained(t *testing.T) {
	t.Parallel()
	const correction = "corrected for 14 counterfeits among 70 records as if these were spread evenly; whichever they are, intervals and bounds hold"
	db := publishForged(t, func(db *dbsql.DB) {
		if plan := fmt.Sprint(fetchRows(t, db, "EXPLAIN SELECT COUNT(*) FROM published.p")); strings.Contains(plan, "counterfeits") {
			t.Errorf("a release without counterfeits: %s", plan)
		}
	})
	for q, path := range map[string]string{
		"SELECT COUNT(*) FROM published.p":                                     "path: exact (no fragments to join)",
		"SELECT COUNT(*) FROM published.p WHERE sex = 'F'":                     "answer: estimated",
		"SELECT COUNT(*) FROM published.p WHERE sex = 'F' AND disease = 'flu'": "path: kernel",
	} {
		plan := fmt.Sprint(fetchRows(t, db, "EXPLAIN "+q))
		if !strings.Contains(plan, path) || !strings.Contains(plan, correction) {
			t.Errorf("EXPLAIN %s\n%s\ndoes not say %q and %q", q, plan, path, correction)
		}
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var count float64
	if err := conn.QueryRowContext(context.Background(), "SELECT COUNT(*) FROM published.p WHERE sex = 'F'").Scan(&count); err != nil {
		t.Fatal(err)
	}
	var level, text string
	var code int
	if err := conn.QueryRowContext(context.Background(), "SHOW WARNINGS").Scan(&level, &code, &text); err != nil || !strings.Contains(text, correction) || !strings.HasPrefix(text, "estimated") {
		t.Errorf("the note is %q, %v", text, err)
	}
}

// The plain SQL has the correction as a factor and gives the same figures, also in SQLite.
func TestPlainSQLWithCounterfeits(t *testing.T) {
	t.Parallel()
	db := publishForged(t, func(*dbsql.DB) {})
	lite := copyToSQLite(t, db)
	compared := 0
	questions := testsize.Some(10, explained)
	for _, q := range questions {
		var text string
		err := db.QueryRowContext(context.Background(), "CALL explain_sql(?)", q).Scan(&text)
		if strings.Contains(q, "COUNT(DISTINCT") {
			if servertest.Number(err) != 1235 || !strings.Contains(err.Error(), "counterfeits") {
				t.Errorf("%s: %v", q, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", q, err)
			continue
		}
		if !strings.Contains(text, " * 56 / 70 AS ") {
			t.Errorf("%s has no factor in\n%s", q, text)
		}
		ordered := strings.Contains(q[strings.LastIndex(q, ")")+1:], "ORDER BY")
		want, roundings := comparableRows(t, db, q, ordered), roundingsOf(t, db, q)
		for name, engine := range map[string]*dbsql.DB{"server": db, "SQLite": lite} {
			if got := comparableRows(t, engine, text, ordered); !nearlyEqualRows(got, want, roundings) {
				t.Errorf("%s\n%s answers %v, the estimate is %v\n%s", q, name, got, want, text)
			}
		}
		compared++
	}
	if compared < len(questions)-5 {
		t.Errorf("only %d of %d queries were compared", compared, len(questions))
	}
}

// evaluate returns and stores the error with and without the correction.
func TestEvaluateWithCounterfeits(t *testing.T) {
	t.Parallel()
	const call = "CALL evaluate('p', 'queries=60', 'qi=1-2', 'seed=3')"
	const kept = "SELECT mean, uncorrected_mean, uncorrected_median FROM anonsql.evaluations"
	db := publishForged(t, func(db *dbsql.DB) {
		run(t, db, call)
		if row := fetchRows(t, db, kept)[0]; row[0] == nil || row[1] != nil || row[2] != nil {
			t.Errorf("uncorrected errors of a release without counterfeits: %v", row)
		}
	})
	run(t, db, fmt.Sprintf("DELETE FROM hospital.patients ORDER BY disease, id LIMIT %d", forged))
	run(t, db, call)
	stored := fetchRows(t, db, kept)
	if len(stored) != 2 || stored[1][1] == nil || stored[1][2] == nil || fmt.Sprint(stored[1][0]) == fmt.Sprint(stored[1][1]) {
		t.Errorf("%v is kept", stored)
	}
}

// The finding of an outside test: if all records of one occupation below an age leave, an estimate that assumes
// evenly spread counterfeits is three times too large. The note states the assumption. Intervals and bounds contain
// the actual figure for every occupation, and for sums and means.
func TestIntervalsWhereAllOfAKindLeave(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := s.Open(t, servertest.Account{User: "root", MultiStatements: true, Variables: servertest.ListsRelations})
	run(t, db, "CREATE DATABASE census; CREATE TABLE census.people (id INT PRIMARY KEY, age INT, sex VARCHAR(9), occupation VARCHAR(20))")
	random := rand.New(rand.NewPCG(2, 18))
	var values []string
	for i := range 3000 {
		sex := random.IntN(2)
		values = append(values, fmt.Sprintf("(%d, %d, '%s', '%s')", i, 18+random.IntN(60), []string{"f", "m"}[sex],
			[]string{"Sales", "Repair", "Farming", "Transport", "Clerical", "Science"}[(random.IntN(5)+sex)%6]))
	}
	run(t, db, "INSERT INTO census.people VALUES "+strings.Join(values, ","))
	run(t, db, "CALL anonymize('census.people', 'drasl', 'qi=age,sex', 'sa=occupation', 'k=5', 'publish=people', 'calibrate=true', 'seed=1')")
	run(t, db, "DELETE FROM census.people WHERE occupation = 'Sales' AND age < 45")
	run(t, db, "CALL refresh_release('people', 'seed=2')")
	if forged := fetchRows(t, db, "SELECT forged FROM anonsql.releases WHERE name = 'people'"); fmt.Sprint(forged) == "[[0]]" {
		t.Fatal("nobody left a counterfeit")
	}
	asked, far := 0, false
	for _, figure := range []string{"COUNT(*)", "SUM(age)", "AVG(age)"} {
		for _, where := range []string{"1=1", "age < 45", "age >= 45", "sex = 'f'"} {
			q := strings.ReplaceAll("SELECT occupation, #, ANON_ACTUAL(#), ANON_LOW(#), ANON_HIGH(#), ANON_INTERVAL_LOW(#), ANON_INTERVAL_HIGH(#), ANON_STDERR(#) FROM published.people WHERE "+where+" GROUP BY occupation", "#", figure)
			for _, row := range fetchRows(t, db, q) {
				numbers := make([]float64, 7)
				for i := range numbers[:6] {
					if _, err := fmt.Sscan(fmt.Sprint(row[i+1]), &numbers[i]); err != nil && row[2] != nil {
						t.Fatalf("%s: %v", q, row)
					}
				}
				if row[2] == nil {
					continue // no record is left, so there is no mean
				}
				asked++
				const slack = 1e-6
				estimate, actual := numbers[0], numbers[1]
				if actual < numbers[2]-slack || actual > numbers[3]+slack || actual < numbers[4]-slack || actual > numbers[5]+slack {
					t.Errorf("%s: %v: the actual figure is outside", q, row)
				}
				if (row[7] == nil) != (figure == "AVG(age)") {
					t.Errorf("%s: the standard error is %v", q, row[7])
				}
				far = far || estimate > 1.5*actual
			}
		}
	}
	if asked < 60 || !far {
		t.Errorf("%d figures were compared, one of them far off: %v", asked, far)
	}
}
