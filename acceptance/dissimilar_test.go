package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// dissimilar are methods whose releases keep several sensitive attributes together.
var dissimilar = []string{"'cdt', 'k=3'", "'cdt', 'k=4', 'variant=paper'"}

// publishWorkers serves a table of random workers with three sensitive attributes, two of which are associated, and
// its release.
func publishWorkers(t *testing.T, method string) *dbsql.DB {
	t.Helper()
	db := servertest.Start(t, server.Config{Extend: server.Product}).Open(t, servertest.Root)
	run(t, db, "CREATE DATABASE d")
	run(t, db, "CREATE TABLE d.workers (id INT PRIMARY KEY, age INT NOT NULL, sex VARCHAR(1) NOT NULL, disease VARCHAR(10), job VARCHAR(10) NOT NULL, income INT NOT NULL)")
	random := rand.New(rand.NewPCG(51, 52))
	var values []string
	for i := range 120 {
		job := random.IntN(4)
		values = append(values, fmt.Sprintf("(%d, %d, '%c', %s, '%s', %d)", i, 20+random.IntN(40), "FM"[random.IntN(2)],
			[]string{"'flu'", "'cold'", "'gout'", "'asthma'", "NULL"}[random.IntN(5)], []string{"clerk", "cook", "driver", "nurse"}[job], 1000+500*job+100*random.IntN(10)))
	}
	run(t, db, "INSERT INTO d.workers VALUES "+strings.Join(values, ", "))
	run(t, db, "CALL set_attributes('d.workers', 'qi=age,sex', 'sa=disease,job,income', 'ei=id')")
	run(t, db, "CALL anonymize('d.workers', "+method+", 'seed=3', 'publish=workers')")
	return db
}

// A worker is a possible record of the release; disease is "" for NULL.
type worker struct {
	age          int
	sex          string
	disease, job string
	income       int
}

// A workerClass is a class of the published relations: its cells, and the number of records with each sensitive
// tuple.
type workerClass struct {
	low, high int
	sexes     []string
	tuples    map[worker]int // with the sensitive values alone
}

func readWorkers(t *testing.T, db *dbsql.DB) map[float64]*workerClass {
	t.Helper()
	classes := map[float64]*workerClass{}
	for _, row := range fetchRows(t, db, "SELECT gid, age_low, age_high, sex FROM published.workers_qi1") {
		if classes[row[0].(float64)] != nil {
			t.Fatalf("class %v has two tuples", row[0])
		}
		classes[row[0].(float64)] = &workerClass{low: int(row[1].(float64)), high: int(row[2].(float64)),
			sexes: strings.Split(strings.Trim(row[3].(string), "{}"), ","), tuples: map[worker]int{}}
	}
	for _, row := range fetchRows(t, db, "SELECT gid, COALESCE(disease, ''), job, income, count FROM published.workers_sa") {
		tuple := worker{disease: row[1].(string), job: row[2].(string), income: int(row[3].(float64))}
		classes[row[0].(float64)].tuples[tuple] += int(row[4].(float64))
	}
	return classes
}

// expected enumerates every possible worker of a record: its tuple is one of the class's, and its age and sex are
// anything in the cells, independent of the tuple. It returns the mean and variance of COUNT(*), SUM(age) and
// SUM(income).
func expected(classes map[float64]*workerClass, holds func(worker) bool) (mean, variance [3]float64) {
	for _, c := range classes {
		share := 1 / float64((c.high-c.low+1)*len(c.sexes))
		for tuple, count := range c.tuples {
			var sum, squares [3]float64
			for age := c.low; age <= c.high; age++ {
				for _, sex := range c.sexes {
					w := tuple
					if w.age, w.sex = age, sex; !holds(w) {
						continue
					}
					for i, x := range []float64{1, float64(age), float64(w.income)} {
						sum[i] += share * x
						squares[i] += share * x * x
					}
				}
			}
			for i := range mean {
				mean[i] += float64(count) * sum[i]
				variance[i] += float64(count) * (squares[i] - sum[i]*sum[i])
			}
		}
	}
	return mean, variance
}

// A workerCondition is the same condition in SQL and in Go. known is false if it is neither true nor false because of
// NULL. sensitive means that it reads only sensitive attributes.
type workerCondition struct {
	text      string
	holds     func(worker) bool
	known     func(worker) bool
	sensitive bool
}

func randomWorkerCondition(random *rand.Rand, depth int) workerCondition {
	if depth > 0 && random.IntN(4) > 0 {
		a, b := randomWorkerCondition(random, depth-1), randomWorkerCondition(random, depth-1)
		own := a.sensitive && b.sensitive
		switch random.IntN(3) {
		case 0:
			return workerCondition{"NOT (" + a.text + ")", func(w worker) bool { return a.known(w) && !a.holds(w) }, a.known, a.sensitive}
		case 1:
			return workerCondition{"(" + a.text + " OR " + b.text + ")", func(w worker) bool { return a.holds(w) || b.holds(w) },
				func(w worker) bool { return a.holds(w) || b.holds(w) || a.known(w) && b.known(w) }, own}
		}
		return workerCondition{"(" + a.text + " AND " + b.text + ")", func(w worker) bool { return a.holds(w) && b.holds(w) },
			func(w worker) bool {
				return a.known(w) && b.known(w) || a.known(w) && !a.holds(w) || b.known(w) && !b.holds(w)
			}, own}
	}
	always := func(worker) bool { return true }
	n := 20 + random.IntN(30)
	switch random.IntN(6) {
	case 0:
		return workerCondition{"disease IN ('flu', 'gout')", func(w worker) bool { return w.disease == "flu" || w.disease == "gout" },
			func(w worker) bool { return w.disease != "" }, true}
	case 1:
		return workerCondition{"job <> 'cook'", func(w worker) bool { return w.job != "cook" }, always, true}
	case 2:
		return workerCondition{fmt.Sprintf("income > %d", 60*n), func(w worker) bool { return w.income > 60*n }, always, true}
	case 3:
		return workerCondition{"(job = 'nurse') = (income > 2800)", func(w worker) bool { return (w.job == "nurse") == (w.income > 2800) }, always, true}
	case 4:
		return workerCondition{"sex = 'F'", func(w worker) bool { return w.sex == "F" }, always, false}
	}
	return workerCondition{fmt.Sprintf("age BETWEEN %d AND %d", n, n+12), func(w worker) bool { return w.age >= n && w.age <= n+12 }, always, false}
}

// Estimates with conditions on several sensitive attributes follow from the published relations. With conditions only
// on sensitive attributes they equal the actual answers, because tuples stay together.
func TestSeveralSensitiveEqualBruteForce(t *testing.T) {
	t.Parallel()
	for _, method := range dissimilar {
		t.Run(method, func(t *testing.T) {
			db := publishWorkers(t, method)
			classes := readWorkers(t, db)
			random, alone := rand.New(rand.NewPCG(53, 54)), 0
			conditions := testsize.Of(40, 250)
			for range conditions {
				condition := randomWorkerCondition(random, 3)
				compareWorkers(t, db, classes, condition)
				if condition.sensitive {
					alone++
				}
			}
			if alone < conditions*4/25 {
				t.Errorf("only %d conditions were on sensitive attributes alone", alone)
			}
			compareWorkerKeys(t, db, classes)
		})
	}
}

func compareWorkers(t *testing.T, db *dbsql.DB, classes map[float64]*workerClass, condition workerCondition) {
	t.Helper()
	const sums = "SELECT COUNT(*), COALESCE(SUM(age), 0), COALESCE(SUM(income), 0)"
	actual := fetchRows(t, db, sums+" FROM d.workers WHERE "+condition.text)[0]
	got := fetchRows(t, db, sums+`, ANON_STDERR(COUNT(*)), COALESCE(ANON_STDERR(SUM(age)), 0), COALESCE(ANON_STDERR(SUM(income)), 0),
		ANON_LOW(COUNT(*)), COALESCE(ANON_LOW(SUM(age)), 0), COALESCE(ANON_LOW(SUM(income)), 0),
		ANON_HIGH(COUNT(*)), COALESCE(ANON_HIGH(SUM(age)), 0), COALESCE(ANON_HIGH(SUM(income)), 0) FROM published.workers WHERE `+condition.text)[0]
	mean, variance := expected(classes, condition.holds)
	for i, name := range []string{"COUNT(*)", "SUM(age)", "SUM(income)"} {
		estimate, deviation, low, high, truth := got[i].(float64), got[3+i].(float64), got[6+i].(float64), got[9+i].(float64), actual[i].(float64)
		if math.Abs(estimate-mean[i]) > 1e-6*(1+mean[i]) {
			t.Errorf("%s: %s is %v, the relations say %v", condition.text, name, estimate, mean[i])
		}
		if math.Abs(deviation*deviation-variance[i]) > 1e-6*(1+variance[i]+mean[i]) {
			t.Errorf("%s: the variance of %s is %v, the relations say %v", condition.text, name, deviation*deviation, variance[i])
		}
		if truth < low-1e-6 || truth > high+1e-6 {
			t.Errorf("%s: %s of the table is %v, the bounds are %v to %v", condition.text, name, truth, low, high)
		}
		if condition.sensitive && i != 1 && (math.Abs(estimate-truth) > 1e-6 || math.Abs(high-low) > 1e-6) {
			t.Errorf("%s: %s is %v in %v to %v, of the table %v", condition.text, name, estimate, low, high, truth)
		}
	}
}

// compareWorkerKeys groups by two sensitive attributes.
func compareWorkerKeys(t *testing.T, db *dbsql.DB, classes map[float64]*workerClass) {
	t.Helper()
	rows := fetchRows(t, db, "SELECT COALESCE(disease, ''), job, COUNT(*), SUM(age), SUM(income) FROM published.workers WHERE age > 30 GROUP BY COALESCE(disease, ''), job")
	if len(rows) < 15 {
		t.Errorf("only %d combinations of disease and job", len(rows))
	}
	for _, row := range rows {
		mean, _ := expected(classes, func(w worker) bool { return w.age > 30 && w.disease == row[0] && w.job == row[1] })
		for i, want := range mean {
			if got := row[2+i].(float64); math.Abs(got-want) > 1e-6*(1+want) {
				t.Errorf("%v, %v: figure %d is %v, the relations say %v", row[0], row[1], i, got, want)
			}
		}
	}
}
