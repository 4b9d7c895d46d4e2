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

// generalizing are methods whose groups have one cell for each attribute.
var generalizing = []string{"'mondrian', 'k=3', 'l=2'", "'drasl', 'k=3'", "'ika', 'k=3'", "'cdt', 'k=3'"}

// publishGeneralized serves a table of random people and its release by a method.
func publishGeneralized(t *testing.T, method string) *dbsql.DB {
	t.Helper()
	db := servertest.Start(t, server.Config{Extend: server.Product}).Open(t, servertest.Root)
	run(t, db, "CREATE DATABASE d")
	run(t, db, "CREATE TABLE d.people (id INT PRIMARY KEY, age INT NOT NULL, height INT NOT NULL, sex VARCHAR(1) NOT NULL, disease VARCHAR(10) NOT NULL)")
	random := rand.New(rand.NewPCG(41, 42))
	var values []string
	for i := range 90 {
		values = append(values, fmt.Sprintf("(%d, %d, %d, '%c', '%s')", i, 16+random.IntN(60), 150+random.IntN(50), "FM"[random.IntN(2)],
			[]string{"flu", "cold", "gout", "asthma"}[random.IntN(4)]))
	}
	run(t, db, "INSERT INTO d.people VALUES "+strings.Join(values, ", "))
	run(t, db, "CALL anonymize('d.people', "+method+", 'qi=age,height,sex', 'sa=disease', 'seed=3', 'publish=people')")
	return db
}

// A person is a possible record of a generalized release.
type person struct {
	age, height  int
	sex, disease string
}

// A generalizedGroup is a group of the published relations: the cells that all its records share, and the number of
// records with each disease.
type generalizedGroup struct {
	age, height [2]int
	sexes       []string
	diseases    map[string]int
}

func readGroups(t *testing.T, db *dbsql.DB) map[float64]*generalizedGroup {
	t.Helper()
	groups := map[float64]*generalizedGroup{}
	for _, row := range fetchRows(t, db, "SELECT gid, age_low, age_high, height_low, height_high, sex FROM published.people_qi1") {
		if groups[row[0].(float64)] != nil {
			t.Fatalf("group %v has two tuples", row[0])
		}
		integer := func(i int) int { return int(row[i].(float64)) }
		groups[row[0].(float64)] = &generalizedGroup{age: [2]int{integer(1), integer(2)}, height: [2]int{integer(3), integer(4)},
			sexes: strings.Split(strings.Trim(row[5].(string), "{}"), ","), diseases: map[string]int{}}
	}
	for _, row := range fetchRows(t, db, "SELECT gid, disease, count FROM published.people_sa") {
		groups[row[0].(float64)].diseases[row[1].(string)] += int(row[2].(float64))
	}
	return groups
}

// A figures has the relations' statistics of records with a property and a key: COUNT(*) and SUM(age) with their
// variances and bounds.
type figures struct {
	count, countVariance, sum, sumVariance float64
	countLow, countHigh, sumLow, sumHigh   float64
}

// compute enumerates every person that a record of a group may be. All records of a group have the same cells, so
// their values are drawn independently, whatever the diseases.
func compute(groups map[float64]*generalizedGroup, holds func(person) bool) figures {
	var total figures
	for _, g := range groups {
		for disease, count := range g.diseases {
			p, sum, squares, all := 0.0, 0.0, 0.0, true
			least, greatest := math.Inf(1), math.Inf(-1)
			share := 1 / float64((g.age[1]-g.age[0]+1)*(g.height[1]-g.height[0]+1)*len(g.sexes))
			for age := g.age[0]; age <= g.age[1]; age++ {
				for height := g.height[0]; height <= g.height[1]; height++ {
					for _, sex := range g.sexes {
						if !holds(person{age, height, sex, disease}) {
							all = false
							continue
						}
						x := float64(age)
						p, sum, squares = p+share, sum+share*x, squares+share*x*x
						least, greatest = min(least, x), max(greatest, x)
					}
				}
			}
			n := float64(count)
			total.count += n * p
			total.countVariance += n * p * (1 - p)
			total.sum += n * sum
			total.sumVariance += n * (squares - sum*sum)
			if p > 0 {
				total.countHigh += n
				total.sumHigh += n * greatest
			}
			if all {
				total.countLow += n
				total.sumLow += n * least
			}
		}
	}
	return total
}

// A personCondition is the same condition in SQL and in Go; own means that it reads only one fragment.
type personCondition struct {
	text  string
	holds func(person) bool
	own   bool
}

func randomPersonCondition(random *rand.Rand, depth int) personCondition {
	if depth > 0 && random.IntN(3) > 0 {
		a, b := randomPersonCondition(random, depth-1), randomPersonCondition(random, depth-1)
		own := a.own && b.own
		switch random.IntN(3) {
		case 0:
			return personCondition{"NOT (" + a.text + ")", func(p person) bool { return !a.holds(p) }, a.own}
		case 1:
			return personCondition{"(" + a.text + " OR " + b.text + ")", func(p person) bool { return a.holds(p) || b.holds(p) }, own}
		}
		return personCondition{"(" + a.text + " AND " + b.text + ")", func(p person) bool { return a.holds(p) && b.holds(p) }, own}
	}
	low, width := 10+random.IntN(60), random.IntN(40)
	switch random.IntN(6) {
	case 0:
		return personCondition{fmt.Sprintf("height > %d", 140+low), func(p person) bool { return p.height > 140+low }, true}
	case 1:
		return personCondition{"sex = 'F'", func(p person) bool { return p.sex == "F" }, true}
	case 2:
		return personCondition{"disease IN ('flu', 'gout')", func(p person) bool { return p.disease == "flu" || p.disease == "gout" }, false}
	case 3:
		return personCondition{fmt.Sprintf("age + height > %d", 150+low), func(p person) bool { return p.age+p.height > 150+low }, true}
	}
	return personCondition{fmt.Sprintf("age BETWEEN %d AND %d", low, low+width), func(p person) bool { return p.age >= low && p.age <= low+width }, true}
}

// Estimates, standard errors and bounds over a generalized release follow from its relations, and the bounds contain
// the table's figures.
func TestGeneralizedEqualsBruteForce(t *testing.T) {
	t.Parallel() // long, with servers of its own
	for _, method := range generalizing {
		t.Run(method, func(t *testing.T) { compareFigures(t, publishGeneralized(t, method)) })
	}
}

func compareFigures(t *testing.T, db *dbsql.DB) {
	t.Helper()
	groups := readGroups(t, db)
	random := rand.New(rand.NewPCG(43, 44))
	const asked = "SELECT COUNT(*), COALESCE(SUM(age), 0), ANON_STDERR(COUNT(*)), COALESCE(ANON_STDERR(SUM(age)), 0), ANON_LOW(COUNT(*)), ANON_HIGH(COUNT(*)), " +
		"COALESCE(ANON_LOW(SUM(age)), 0), COALESCE(ANON_HIGH(SUM(age)), 0), COALESCE(AVG(age), 0) FROM published.people WHERE "
	errors, tight, conditions := 0.0, 0, testsize.Of(40, 300)
	for range conditions {
		condition := randomPersonCondition(random, 2)
		want := compute(groups, condition.holds)
		got := fetchRows(t, db, asked+condition.text)[0]
		actual := fetchRows(t, db, "SELECT COUNT(*), COALESCE(SUM(age), 0) FROM d.people WHERE "+condition.text)[0]
		average := 0.0
		if want.count > 0 {
			average = want.sum / want.count
		}
		for i, expect := range map[int]float64{0: want.count, 1: want.sum, 2: want.countVariance, 3: want.sumVariance, 8: average} {
			x := got[i].(float64)
			if i == 2 || i == 3 {
				x *= x
			}
			if math.Abs(x-expect) > 1e-6*(1+math.Abs(expect)) {
				t.Errorf("%s: figure %d is %v, the relations say %v", condition.text, i, x, expect)
			}
		}
		bounds := []float64{got[4].(float64), got[5].(float64), got[6].(float64), got[7].(float64)}
		for i := range actual {
			if x := actual[i].(float64); x < bounds[2*i]-1e-9 || x > bounds[2*i+1]+1e-9 {
				t.Errorf("%s: the table has %v, the bounds are %v to %v", condition.text, x, bounds[2*i], bounds[2*i+1])
			}
		}
		if !condition.own {
			continue
		}
		tight++
		for i, expect := range []float64{want.countLow, want.countHigh, want.sumLow, want.sumHigh} {
			if math.Abs(bounds[i]-expect) > 1e-6 {
				t.Errorf("%s: bound %d is %v, the relations say %v", condition.text, i, bounds[i], expect)
			}
		}
		if x := actual[1].(float64); x > 0 {
			errors += (bounds[3] - bounds[2]) / x
		}
	}
	t.Logf("SUM over %d conditions on quasi-identifiers: mean (upper - lower) / actual %.2f", tight, errors/float64(tight))
	if tight < conditions/3 || errors == 0 {
		t.Errorf("only %d conditions were on quasi-identifiers alone, the mean error is %v", tight, errors)
	}
}

// GROUP BY and HAVING over generalized columns and the sensitive attribute.
func TestGeneralizedKeysEqualBruteForce(t *testing.T) {
	t.Parallel()
	for _, method := range generalizing {
		t.Run(method, func(t *testing.T) { compareKeys(t, publishGeneralized(t, method)) })
	}
}

func compareKeys(t *testing.T, db *dbsql.DB) {
	t.Helper()
	groups := readGroups(t, db)
	for _, key := range []struct {
		text string
		of   func(person) string
	}{
		{"sex", func(p person) string { return p.sex }},
		{"disease", func(p person) string { return p.disease }},
		{"CONCAT(sex, ' ', disease)", func(p person) string { return p.sex + " " + p.disease }},
		{"CASE WHEN age < 30 THEN 'young' WHEN height > 175 THEN 'tall' ELSE 'other' END", func(p person) string {
			switch {
			case p.age < 30:
				return "young"
			case p.height > 175:
				return "tall"
			}
			return "other"
		}},
	} {
		const having = 12.5
		rows := fetchRows(t, db, fmt.Sprintf("SELECT %s AS k, COUNT(*), SUM(age), ANON_STDERR(COUNT(*)), ANON_STDERR(SUM(age)) FROM published.people WHERE height > 160 GROUP BY k HAVING COUNT(*) > %v", key.text, having))
		seen := map[string]bool{}
		holds := func(value string) func(person) bool {
			return func(p person) bool { return p.height > 160 && key.of(p) == value }
		}
		for _, row := range rows {
			value := row[0].(string)
			seen[value] = true
			want := compute(groups, holds(value))
			for i, expect := range []float64{want.count, want.sum, math.Sqrt(want.countVariance), math.Sqrt(max(0, want.sumVariance))} {
				if x := row[i+1].(float64); math.Abs(x-expect) > 1e-6*(1+expect) {
					t.Errorf("%s = %s: figure %d is %v, the relations say %v", key.text, value, i, x, expect)
				}
			}
		}
		for _, value := range []string{"F", "M", "flu", "cold", "gout", "asthma", "F flu", "M flu", "F cold", "M cold", "F gout", "M gout", "F asthma", "M asthma", "young", "tall", "other"} {
			if above := compute(groups, holds(value)).count > having; above != seen[value] {
				t.Errorf("GROUP BY %s: key %s is there: %v, the relations say %v", key.text, value, seen[value], above)
			}
		}
	}
	// Figures that the cells leave open are never called exact; figures that they determine may be.
	for _, row := range fetchRows(t, db, "EXPLAIN SELECT COUNT(*) FROM published.people WHERE age > 40") {
		if strings.Contains(fmt.Sprint(row...), "path: exact") {
			t.Errorf("EXPLAIN calls an estimate exact: %v", row)
		}
	}
}
