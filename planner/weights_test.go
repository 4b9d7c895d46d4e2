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
func survey(t *testing.T, seed uint64) *plannertest.Session {
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
	s := survey(t, 1)
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
			n := len(a.errors)
			median, covered := a.errors[n/2], float64(a.inside)/float64(n)
			t.Logf("%s, %s: %d answers, error median %.4f, p90 %.4f, inside %.3f", weight, what, n, median, a.errors[n*9/10], covered)
			if median > 0.03 || covered < 0.92 {
				t.Errorf("%s of %s: error %.4f, inside %.3f", what, weight, median, covered)
			}
			inside, answers = inside+a.inside, answers+n
		}
		if covered := float64(inside) / float64(answers); covered < 0.92 || covered > 0.99 {
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
	s := survey(t, 2)
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
		"SELECT ANON_INTERVAL_LOW(SUM(" + w + ") / COUNT(*)) FROM survey":              "with the weight household_weights in one of its sums",
		"SELECT ANON_INTERVAL_LOW(SUM(" + w + ")) FROM survey WHERE region = 3 -- now": "comes of completed tables",
	} {
		if strings.HasSuffix(query, "now") {
			mustQuery(t, s, "SET anon_estimator = 'independent'")
		}
		if _, err := s.Query(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
		mustQuery(t, s, "SET anon_estimator = 'default'")
	}
}
