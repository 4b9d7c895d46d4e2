package planner_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/planner/plannertest"
	"github.com/anonsql/anonsql/testsize"
)

// A survey of households as sdcMicro's testdata has it: 4,580 persons, whose weights go with where they live, and so does what they have. sampling_weight
// has a value for each of 36 strata, household_weights one for nearly each household.
const surveyed = 4580

// survey makes table h.survey with such persons.
func survey(t *testing.T, seed uint64, surveyed int) *plannertest.Session {
	t.Helper()
	s, random := plannertest.New(t).Session("owner"), rand.New(rand.NewPCG(seed, 39))
	pick := func(shares ...float64) int {
		x := random.Float64()
		for i, share := range shares {
			if x -= share; x < 0 {
				return i + 1
			}
		}
		return len(shares)
	}
	clamp := func(x, low, high float64) int { return int(math.Round(max(low, min(high, x)))) }
	var rows []string
	for household := 1; len(rows) < surveyed; household++ {
		region, urban, persons := pick(.3, .25, .2, .1, .1, .05), pick(.6, .4), 1+clamp(3.6+2*random.NormFloat64(), 0, 10)
		wealth := random.NormFloat64() + []float64{.6, .3, 0, -.2, -.5, -.8}[region-1] + float64(2-urban)*.5
		roof, walls, water := clamp(3-wealth+random.NormFloat64(), 1, 5), clamp(3-wealth+random.NormFloat64(), 1, 4), clamp(4-1.5*wealth+random.NormFloat64(), 1, 9)
		electricity := pick(1/(1+math.Exp(-2*wealth)), 1)
		size := min(persons, 6) / 2 // a stratum's
		sampling := (20 + 18*float64(region) + 9.375*float64(urban)) * (1 + .131*float64(size))
		weight := sampling * math.Exp(.25*random.NormFloat64())
		for person := range min(persons, surveyed-len(rows)) {
			relation := min(person+1, 3+random.IntN(4))
			age := clamp([]float64{46, 42, 14, 22, 60, 30}[relation-1]+11*random.NormFloat64(), 0, 95)
			civil := 1
			if age > 17 {
				civil = pick(.2, .6, .15, .05)
			}
			sex := pick(.5, .5)
			income := clamp(4+1.6*wealth+.02*float64(age-35)-.4*float64(sex-1)+1.3*random.NormFloat64(), 1, 9) * 1000
			expenditure := float64(income)*(.5+.4*random.Float64()) + 37.25
			rows = append(rows, fmt.Sprintf("(%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %.2f, %d, %d, %.4f, %.6f)", region, urban, roof, walls, water, electricity,
				relation, sex, age, civil, income, expenditure, clamp(float64(income)*random.Float64(), 0, 1e5), household, sampling, weight))
		}
	}
	for _, statement := range []string{
		"CREATE DATABASE h",
		"CREATE TABLE h.survey (region INT, urbrur INT, roof INT, walls INT, water INT, electcon INT, relat INT, sex INT, age INT, hhcivil INT, income INT, " +
			"expend DECIMAL(12,2), savings INT, ori_hid INT, sampling_weight DECIMAL(12,4), household_weights DECIMAL(14,6))",
		"INSERT INTO h.survey VALUES " + strings.Join(rows, ", "),
		"CALL set_attributes('h.survey', 'unit=rows', 'qi=region,urbrur,roof,sex,age,hhcivil', 'sa=income', 'ei=ori_hid', 'weight=household_weights')",
	} {
		if _, err := s.Query(statement); err != nil {
			t.Fatalf("%.60s: %v", statement, err)
		}
	}
	return s
}

// numbersOf are the rows of a question, by their first column; NULL is NaN.
func numbersOf(t *testing.T, s *plannertest.Session, query string) map[string][]float64 {
	t.Helper()
	found := make(map[string][]float64)
	for _, line := range strings.Fields(rowsOf(t, s, query)) {
		cells := strings.Split(line, "|")
		for _, cell := range cells[1:] {
			number, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				number = math.NaN()
			}
			found[cells[0]] = append(found[cells[0]], number)
		}
	}
	return found
}

// asked is how far weighted answers are off, and how often intervals have the truth.
type asked struct {
	errors  []float64
	widths  []float64 // half, of intervals, relative to the truth
	inside  int
	weight  string
	session *plannertest.Session
}

// ask asks a figure over W by every attribute, of all and of some: of the rows with 20 records of the table.
func (a *asked) ask(t *testing.T, figure string) {
	t.Helper()
	figure = strings.ReplaceAll(figure, "W", a.weight)
	for _, by := range []string{"region", "urbrur", "roof", "hhcivil", "sex", "income"} {
		for _, where := range []string{"", " WHERE age BETWEEN 20 AND 50"} {
			rest := where + " GROUP BY " + by
			truth := numbersOf(t, a.session, "SELECT "+by+", "+figure+", COUNT(*) FROM h.survey"+rest)
			got := numbersOf(t, a.session, fmt.Sprintf("SELECT %[1]s, %[2]s, ANON_INTERVAL_LOW(%[2]s), ANON_INTERVAL_HIGH(%[2]s) FROM survey%[3]s", by, figure, rest))
			for key, want := range truth {
				if want[1] < 20 || want[0] == 0 || math.IsNaN(want[0]) {
					continue
				}
				if len(got[key]) < 3 {
					t.Fatalf("%s%s: no answer for %s", figure, rest, key)
				}
				a.errors = append(a.errors, math.Abs(got[key][0]/want[0]-1))
				a.widths = append(a.widths, (got[key][2]-got[key][1])/2/math.Abs(want[0]))
				if got[key][1] <= want[0] && want[0] <= got[key][2] {
					a.inside++
				}
			}
		}
	}
}

// Weighted shares are within 3 percent in the middle, means and totals nearer, and intervals have the survey's own figures as often as they say. docs/what-people-bring.md
// has the figures.
func TestWeightedAnswers(t *testing.T) {
	rows := testsize.Levels(2000, surveyed, surveyed)
	s, most := survey(t, 1, rows), .03*math.Sqrt(surveyed/float64(rows)) // errors fall with the root of the number of rows
	for _, weight := range testsize.Of([]string{"household_weights"}, []string{"household_weights", "sampling_weight"}) {
		mustQuery(t, s, "CALL anonymize('h.survey', 'anatomy', 'l=4', 'homogeneous=true', 'weight="+weight+"', 'publish=survey', 'replace=true', 'private=true', 'seed=1')")
		total := "SELECT ROUND(SUM(" + weight + "), 3) FROM "
		if got, want := rowsOf(t, s, total+"survey"), rowsOf(t, s, total+"h.survey"); !strings.HasPrefix(want, got) {
			t.Errorf("all weights are %s, want %s", got, want)
		}
		inside, answers := 0, 0
		for what, figures := range map[string][]string{
			"shares": {"SUM(W * (income >= 6000)) / SUM(W)", "100 * SUM(CASE when income = 3000 THEN W END) / SUM(W)", "SUM(IF(sex = 1, W, 0)) / NULLIF(SUM(W), 0)"},
			"means":  {"SUM(W * income) / SUM(W)", "SUM(W * age) / SUM(W)"},
			"totals": {"SUM(W)", "SUM(CASE when income = 5000 THEN W END)"},
		} {
			a := &asked{weight: weight, session: s}
			for _, figure := range figures {
				a.ask(t, figure)
			}
			slices.Sort(a.errors)
			slices.Sort(a.widths)
			n := len(a.errors)
			median, covered := a.errors[n/2], float64(a.inside)/float64(n)
			t.Logf("%s, %s: %d answers, error median %.4f, p90 %.4f, half width median %.4f, p90 %.4f, inside %.3f", weight, what, n, median, a.errors[n*9/10],
				a.widths[n/2], a.widths[n*9/10], covered)
			if median > most || covered < 0.92 {
				t.Errorf("%s of %s: error %.4f, inside %.3f", what, weight, median, covered)
			}
			inside, answers = inside+a.inside, answers+n
		}
		if covered := float64(inside) / float64(answers); covered < 0.92 || inside == answers {
			t.Errorf("%s: %.3f of all are inside", weight, covered)
		}
	}
}

func mustQuery(t *testing.T, s *plannertest.Session, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := s.Query(statement); err != nil {
			t.Fatalf("%.80s: %v", statement, err)
		}
	}
}

// What one relation tells of weights is no exact figure of the table, and has an interval; what is no weight is exact. Intervals that nobody knows are refused
// by name.
func TestIntervalsOfWeights(t *testing.T) {
	s := survey(t, 2, testsize.Of(1500, surveyed))
	mustQuery(t, s, "CALL anonymize('h.survey', 'anatomy', 'l=4', 'publish=survey', 'private=true', 'fit=true', 'misfit=false', 'calibrate=true')")
	const w = "household_weights"
	ends := "ANON_INTERVAL_LOW(%[1]s) < %[1]s AND %[1]s < ANON_INTERVAL_HIGH(%[1]s)"
	for _, figure := range []string{"SUM(" + w + ")", "AVG(" + w + ")", "SUM(" + w + " * age) / SUM(" + w + ")"} {
		if got := rowsOf(t, s, fmt.Sprintf("SELECT "+ends+" FROM survey WHERE region = 3", figure)); got != "true" {
			t.Errorf("%s: the interval around it is %s", figure, rowsOf(t, s, fmt.Sprintf("SELECT %[1]s, ANON_INTERVAL_LOW(%[1]s), ANON_INTERVAL_HIGH(%[1]s) FROM survey WHERE region = 3", figure)))
		}
	}
	exact := "SELECT ANON_INTERVAL_LOW(COUNT(*)) = COUNT(*), ANON_INTERVAL_HIGH(SUM(age)) = SUM(age), ANON_INTERVAL_LOW(SUM(" + w + ")) < SUM(" + w + ") FROM survey WHERE region = 3"
	if got := rowsOf(t, s, exact); got != "true|true|true" {
		t.Errorf("beside weights: %s", got)
	}
	if got := rowsOf(t, s, "SELECT ROUND(ANON_ACTUAL(SUM("+w+")), 3) FROM survey"); !strings.HasPrefix(rowsOf(t, s, "SELECT SUM("+w+") FROM h.survey"), got) {
		t.Errorf("all weights are actually %s", got)
	}
	if got := rowsOf(t, s, "SELECT COUNT(*) FROM (SELECT "+w+", ANON_ACTUAL(COUNT(*)) AS a, COUNT(*) AS n FROM survey GROUP BY "+w+") AS c WHERE a <> n"); got != "0" {
		t.Errorf("%s classes have other records", got)
	}
	for query, want := range map[string]string{
		"SELECT ANON_INTERVAL_LOW(SUM(" + w + ") / COUNT(*)) FROM survey":                                                     "with the weight household_weights in one of its sums",
		"SELECT ANON_INTERVAL_LOW(SUM(" + w + ")) FROM survey WHERE region = 3 -- now":                                        "comes of completed tables",
		"SELECT ANON_INTERVAL_HIGH(AVG(" + w + ")), SUM(IF(income > 3000, " + w + ", 0)) FROM survey WHERE region = 3 -- now": "comes of completed tables",
	} {
		if strings.HasSuffix(query, "now") {
			mustQuery(t, s, "SET anon_estimator = 'independent'")
		}
		if _, err := s.Query(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
		mustQuery(t, s, "SET anon_estimator = 'default'")
	}
	mustQuery(t, s, "SET anon_estimator = 'independent'")
	for _, beside := range []string{"COUNT(*)", "SUM(IF(income > 3000, " + w + ", 0))"} {
		if got := rowsOf(t, s, "SELECT ANON_INTERVAL_LOW("+beside+") > 0, SUM("+w+") > 0 FROM survey WHERE region = 3"); got != "true|true" {
			t.Errorf("%s beside weights: %s", beside, got)
		}
	}
}

// With anon_weight = 'on' a COUNT of records is the sum of their weights, wherever it stands, and 0 of none. Where no weight is known of its rows it is refused.
func TestCountOfPersons(t *testing.T) {
	s := survey(t, 3, surveyed)
	mustQuery(t, s, "CALL anonymize('h.survey', 'anatomy', 'l=4', 'publish=survey', 'private=true', 'fit=true', 'misfit=false', 'calibrate=true', 'seed=1')",
		"CREATE TABLE h.names (region INT PRIMARY KEY, name VARCHAR(9))", "INSERT INTO h.names VALUES (1, 'north'), (2, 'south'), (3, 'east')")
	const w = "household_weights"
	for counts, sums := range map[string]string{
		"SELECT COUNT(*), ANON_ACTUAL(COUNT(*)) FROM survey":                                                               "SELECT SUM(weight), ANON_ACTUAL(SUM(weight)) FROM survey",
		"SELECT region, COUNT(1) FROM survey GROUP BY region":                                                              "SELECT region, SUM(weight) FROM survey GROUP BY region",
		"SELECT COUNT(NULLIF(income, 1000)) FROM survey":                                                                   "SELECT SUM(CASE WHEN NULLIF(income, 1000) IS NOT NULL THEN weight END) FROM survey",
		"SELECT ANON_INTERVAL_LOW(COUNT(*)), ANON_INTERVAL_HIGH(COUNT(*)) FROM survey":                                     "SELECT ANON_INTERVAL_LOW(SUM(weight)), ANON_INTERVAL_HIGH(SUM(weight)) FROM survey",
		"SELECT ANON_INTERVAL_LOW(SUM(weight * age) / COUNT(*)) FROM survey WHERE age > 30":                                "SELECT ANON_INTERVAL_LOW(SUM(weight * age) / SUM(weight)) FROM survey WHERE age > 30",
		"SELECT region FROM survey WHERE income > 3000 GROUP BY region HAVING COUNT(*) > 30000 ORDER BY COUNT(*) DESC":     "SELECT region FROM survey WHERE income > 3000 GROUP BY region HAVING SUM(weight) > 30000 ORDER BY SUM(weight) DESC",
		"SELECT sex, COUNT(*) / (SELECT COUNT(*) FROM survey) FROM survey GROUP BY sex":                                    "SELECT sex, SUM(weight) / (SELECT SUM(x.weight) FROM survey x) FROM survey GROUP BY sex",
		"SELECT MAX(n), COUNT(*) FROM (SELECT region, COUNT(*) AS n FROM survey GROUP BY region) d":                        "SELECT MAX(n), COUNT(*) FROM (SELECT region, SUM(weight) AS n FROM survey GROUP BY region) d",
		"SELECT name, COUNT(*) FROM survey s JOIN h.names n ON n.region = s.region GROUP BY name":                          "SELECT name, SUM(weight) FROM survey s JOIN h.names n ON n.region = s.region GROUP BY name",
		"SELECT region, sex, COUNT(*) FROM survey GROUP BY region, sex WITH ROLLUP":                                        "SELECT region, sex, SUM(weight) FROM survey GROUP BY region, sex WITH ROLLUP",
		"SELECT COUNT(*) FROM survey WHERE sex = 1 UNION ALL SELECT COUNT(*) FROM survey":                                  "SELECT SUM(weight) FROM survey WHERE sex = 1 UNION ALL SELECT SUM(weight) FROM survey",
		"SELECT sex, COUNT(*), GROUP_CONCAT(DISTINCT urbrur ORDER BY urbrur) FROM survey WHERE income > 2000 GROUP BY sex": "SELECT sex, SUM(weight), GROUP_CONCAT(DISTINCT urbrur ORDER BY urbrur) FROM survey WHERE income > 2000 GROUP BY sex",
		"SELECT COUNT(*), COUNT(*) FROM survey WHERE region = 99":                                                          "SELECT 0, 0",
		"SELECT COUNT(*), ANON_ACTUAL(COUNT(*)) FROM survey WHERE region = 99":                                             "SELECT 0, 0",
		"SELECT COUNT(*) FROM survey s JOIN h.names n ON n.region = s.region WHERE name = 'west'":                          "SELECT 0",
		"SELECT COUNT(*), COUNT(name) FROM h.names":                                                                        "SELECT 3, 3",
		"SELECT COUNT(DISTINCT region) FROM survey":                                                                        "SELECT 6",
	} {
		counts, sums = strings.ReplaceAll(counts, "weight", w), strings.ReplaceAll(sums, "weight", w)
		want := rowsOf(t, s, sums)
		mustQuery(t, s, "SET anon_weight = 'on'")
		if got := rowsOf(t, s, counts); got != want {
			t.Errorf("%s:\n%s\nwant, of %s:\n%s", counts, got, sums, want)
		}
		mustQuery(t, s, "SET anon_weight = 'off'")
	}
	mustQuery(t, s, "SET anon_weight = 'on'")
	for query, over := range map[string]string{
		"SELECT COUNT(*) FROM (SELECT region FROM survey WHERE sex = 1) d":                     "a derived table",
		"SELECT COUNT(*) OVER (PARTITION BY region) FROM survey":                               "a window",
		"SELECT COUNT(*) FROM survey s LEFT JOIN h.names n ON n.region = s.region":             "an outer join",
		"SELECT COUNT(*) FROM survey a JOIN survey b ON a.region = b.region GROUP BY a.region": "a join of several",
	} {
		if _, err := s.Query(query); err == nil || !strings.Contains(err.Error(), "is not known over "+over) {
			t.Errorf("%s: %v", query, err)
		}
	}
	mustQuery(t, s, "SET anon_counts = 'integer'")
	for _, rest := range []string{"", ", GROUP_CONCAT(DISTINCT sex)"} {
		if got, err := strconv.Atoi(strings.Split(rowsOf(t, s, "SELECT COUNT(*)"+rest+" FROM survey WHERE region = 2"), "|")[0]); err != nil || got < 10*surveyed/4 {
			t.Errorf("a whole number of persons%s: %d, %v", rest, got, err)
		}
	}
	if got := rowsOf(t, s, "SELECT COUNT(*) FROM h.survey"); got != fmt.Sprint(surveyed) {
		t.Errorf("the raw table has %s rows", got)
	}
}

// A number of weights is exact, and has no interval that says else; its quotient with their sum is refused, since the mean weight has one.
func TestNumberOfWeights(t *testing.T) {
	s := survey(t, 1, 400)
	mustQuery(t, s, "CALL anonymize('h.survey', 'anatomy', 'l=3', 'publish=survey', 'private=true', 'seed=1')")
	mustQuery(t, s, "CALL fit_release('survey')")
	for _, figure := range []string{"COUNT(household_weights)", "SUM(household_weights > 0)"} {
		if got := rowsOf(t, s, strings.ReplaceAll("SELECT SUM(household_weights) > 0, X, ANON_INTERVAL_LOW(X), ANON_INTERVAL_HIGH(X) FROM survey", "X", figure)); got != "true|400|400|400" {
			t.Errorf("%s has %s", figure, got)
		}
	}
	_, err := s.Query("SELECT ANON_INTERVAL_LOW(SUM(household_weights) / COUNT(household_weights)) FROM survey")
	if err == nil || !strings.Contains(err.Error(), "AVG(household_weights)") {
		t.Errorf("%v", err)
	}
}
