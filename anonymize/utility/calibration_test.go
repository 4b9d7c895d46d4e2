package utility

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/parallel"
	"github.com/anonsql/anonsql/anonymize/slppa"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/testsize"
)

// drawn makes measurements whose z is factor times a standard normal.
func drawn(kind estimate.Kind, fragments, n int, estimated, stderr, factor float64, random *rand.Rand) []measurement {
	list := make([]measurement, n)
	for i := range list {
		list[i] = measurement{kind: kind, fragments: fragments, query: i,
			Figure: unbounded(estimated, stderr), actual: estimated + factor*stderr*random.NormFloat64()}
	}
	return list
}

func unbounded(estimated, stderr float64) interval.Figure {
	return interval.Figure{Estimate: estimated, Deviation: stderr, Low: math.Inf(-1), High: math.Inf(1)}
}

// Where z is normal with a standard deviation s, intervals are s times the normal
// ones, rounded up to a factor, and then the hard bounds: of an estimate that is small
// beside its standard error, so that a misfit does not show.
func TestWidthOfANormalError(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, row := range []struct{ s, want float64 }{{0.4, 1}, {0.98, 1}, {1.1, 2}, {1.9, 2}, {2.9, 3}, {6.5, 8}, {11.5, 12}, {17, 18}, {19, math.Inf(1)}} {
		s, want := row.s, row.want
		measured := drawn(estimate.Sum, 3, 40_000, -2, 10, s, random)
		if cells := cellsOf(measured); len(cells) != 1 || math.Abs(cells[0].RMS-s) > 0.03*s {
			t.Fatalf("%d cells, rms %v, want one with %v", len(cells), cells[0].RMS, s)
		}
		w := widthsOf(measured, nil)
		if got := w.Factor(estimate.Sum); got != want {
			t.Errorf("s = %v: factor %v, want %v", s, got, want)
		}
		if w.Count != interval.Widest || w.Average != w.Sum {
			t.Errorf("only sums were measured: %+v", w)
		}
	}
}

// One factor is for all attributes that are added up, so that the hardest of those with enough estimates decides.
func TestWidthOfTheHardestAttribute(t *testing.T) {
	for _, row := range []struct {
		queries int
		want    float64
	}{{minimumQueries, 5}, {minimumQueries - 1, 1}} {
		random := rand.New(rand.NewPCG(1, 2))
		hard := drawn(estimate.Average, 2, row.queries, -2, 10, 4, random)
		for i := range hard {
			hard[i].argument = "income"
		}
		easy := drawn(estimate.Average, 2, 4000, -2, 10, .5, random)
		if got := widthsOf(append(easy, hard...), nil).Factor(estimate.Average); got != row.want {
			t.Errorf("%d estimates about the hard attribute: factor %v, want %v", row.queries, got, row.want)
		}
	}
}

// The quantile is the smallest order statistic that a further draw exceeds with
// probability 1 - level at most, and the greatest number when there is none.
func TestQuantile(t *testing.T) {
	numbers := make([]float64, 99)
	for i := range numbers {
		numbers[i] = float64(i + 1)
	}
	for level, want := range map[float64]float64{0.5: 50, 0.8: 80, 0.9: 90, 0.95: 95, 0.99: 99} {
		if got := quantile(numbers, level); got != want {
			t.Errorf("quantile %v of 1..99 is %v, want %v", level, got, want)
		}
	}
	if got := quantile(numbers[:50], 0.99); got != 50 {
		t.Errorf("quantile 0.99 of 1..50 is %v, want 50", got)
	}
}

// Bands of sizes with few measurements are pooled with their neighbours.
func TestCells(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var measured []measurement
	add := func(kind estimate.Kind, fragments, n int, size, factor float64) {
		measured = append(measured, drawn(kind, fragments, n, math.Sqrt(size), 1, factor, random)...)
	}
	add(estimate.Count, 2, 500, 5, 0.5)
	add(estimate.Count, 2, 20, 50, 0.5) // pooled with the next
	add(estimate.Count, 2, 500, 500, 4)
	add(estimate.Count, 2, 10, 5000, 4) // pooled with the one before
	add(estimate.Count, 3, 39, 5, 100)  // too few for a cell
	add(estimate.Average, 4, 500, 5, 9)
	var counts []int
	for _, cell := range cellsOf(measured) {
		counts = append(counts, cell.Estimates)
	}
	if !reflect.DeepEqual(counts, []int{500, 530, 500}) {
		t.Fatalf("cells of %v estimates, want 500, 530, 500", counts)
	}
}

// What is stored has the widths, and what analysts get of it nothing else.
func TestWidthsOfACalibration(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		var measured []measurement
		for size := 1.0; size < 1e5; size *= 10 {
			measured = append(measured, drawn(estimate.Count, 2, 40+random.IntN(200), math.Sqrt(size), 1, math.Exp(4*random.Float64()), random)...)
		}
		c := &Calibration{Widths: widthsOf(measured, nil), Queries: 500, Cells: cellsOf(measured), Coverage: coverages(measured, nil)}
		c.round()
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		public, err := interval.Public(text)
		if want := fmt.Sprintf(`{"Factors":{"Count":%d,"Sum":%[1]d,"Average":%[1]d}}`, c.Widths.Count); err != nil || string(public) != want {
			t.Fatalf("analysts get %s, %v, not %s", public, err, want)
		}
		if w, err := interval.Decode(public); err != nil || *w != *c.Widths {
			t.Fatalf("%s is read as %+v, %v", public, w, err)
		}
	}
}

// Every query of the workload has the figures that a row-by-row evaluation
// gives, by the estimator on the raw table as a release of one fragment.
func TestSurveyedFigures(t *testing.T) {
	table := peopleOfUnknownAges(300, 30)
	raw := estimate.OfTable(table)
	s, err := newSurveyor(raw, table)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	empty := 0
	for range 500 {
		q := s.draw(random)
		answer, err := estimate.PrepareTuples(raw).Ask(context.Background(), s.question(q))
		if err != nil {
			t.Fatal(err)
		}
		actual := q.actual(table.Rows)
		if actual[0] == 0 {
			empty++
		}
		for a, figure := range answer.Rows[0].Figures {
			known := !figure.IsNull()
			if a == 1 && !known && actual[a] != 0 || a == 2 && known == math.IsNaN(actual[a]) ||
				known && math.Abs(figure.Float-actual[a]) > 1e-9*math.Abs(actual[a]) {
				t.Fatalf("figure %d is %v, the estimator says %v", a, actual[a], figure)
			}
		}
	}
	if empty == 0 || empty > 250 {
		t.Errorf("%d of 500 queries have no record", empty)
	}
}

func TestCalibrationIsDeterministic(t *testing.T) {
	table := people(400)
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.25", "tables": "2"})
	calibrate := func(seed uint64) string {
		t.Helper()
		c, err := Calibrate(context.Background(), r, table, CalibrationOptions{Queries: 150, Seed: seed}, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeCalibration(text)
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Fatalf("%s became %+v (%v)", text, back, err)
		}
		if len(c.Cells) == 0 || len(c.Coverage) != 3 {
			t.Fatalf("%d cells, %d coverages", len(c.Cells), len(c.Coverage))
		}
		return string(text)
	}
	first := calibrate(1)
	if again := calibrate(1); again != first {
		t.Errorf("the same seed gave\n%s\nand\n%s", first, again)
	}
	if calibrate(2) == first {
		t.Error("another seed gave the same calibration")
	}
	if strings.Contains(strings.ToLower(first), "seed") {
		t.Error("the seed is stored")
	}
}

func TestStoredCalibration(t *testing.T) {
	for _, nothing := range []string{"", "null"} {
		if c, err := DecodeCalibration(json.RawMessage(nothing)); c != nil || err != nil {
			t.Errorf("%q became %+v, %v", nothing, c, err)
		}
	}
	for _, damaged := range []string{"{", `{"Cells":[{"Quantiles":[1,2]}]}`} {
		if _, err := DecodeCalibration(json.RawMessage(damaged)); err == nil {
			t.Errorf("%s was read", damaged)
		}
	}
}

// A release in one fragment has nothing to measure: every answer is exact.
func TestExactReleaseHasNoCells(t *testing.T) {
	table := people(200)
	c, err := Calibrate(context.Background(), estimate.OfTable(table), table, CalibrationOptions{Queries: 50, Seed: 1}, nil)
	if err != nil || len(c.Cells) != 0 || len(c.Coverage) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestCalibrationEndsWithItsContext(t *testing.T) {
	table := people(400)
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.25", "tables": "2"})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := Calibrate(ctx, r, table, CalibrationOptions{Queries: 100_000, Seed: 1}, func(int, int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if _, err := Calibrate(context.Background(), r, table, CalibrationOptions{Queries: -1}, nil); err == nil {
		t.Error("-1 queries were asked")
	}
	if _, err := Calibrate(context.Background(), r, &anonymize.Microdata{}, CalibrationOptions{}, nil); err == nil {
		t.Error("an empty table was compared with")
	}
}

// samplePeople are the people that the demonstration shows.
func samplePeople(t testing.TB, rows int) *anonymize.Microdata {
	t.Helper()
	declared := sample.Columns()
	values := make([][]anonymize.Value, len(declared))
	for person := range sample.Generate(rows, 1) {
		for i, field := range person.Fields() {
			v := anonymize.TextValue(field)
			if number, err := strconv.ParseInt(field, 10, 64); err == nil && declared[i].Name != "zip" {
				v = anonymize.IntegerValue(number)
			}
			values[i] = append(values[i], v)
		}
	}
	var columns []*anonymize.Column
	for i, c := range declared {
		columns = append(columns, anonymize.NewColumn(c.Name, "", values[i]))
	}
	table, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

var realQuasi = []string{"age", "workclass", "education", "marital_status", "sex", "hours_per_week", "income"}

// three anonymizes by SLPPA with three tables and at least five occupations or
// diseases a group.
func three(t testing.TB, table *anonymize.Microdata, quasi []string, sensitive string) *anonymize.Release {
	t.Helper()
	in, err := anonymize.NewInput(table, anonymize.Roles{QuasiIdentifiers: quasi, Sensitive: []string{sensitive}}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := slppa.Method().Run(context.Background(), in, anonymize.Arguments{"beta": "0.2", "delta": "0.2", "tables": "3"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCoverage(t *testing.T) {
	t.Run("sample", func(t *testing.T) {
		table := samplePeople(t, testsize.Of(3_500, 20_000))
		checkCoverage(t, table, three(t, table, append([]string{"occupation", "region", "zip"}, realQuasi...), "disease"), 0.65)
	})
	if testsize.All() {
		t.Run("Adult", func(t *testing.T) {
			table := anontest.AdultComplete(t)
			checkCoverage(t, table, three(t, table, append([]string{"race", "native_country"}, realQuasi...), "occupation"), 0.50)
		})
	}
}

// checkCoverage: on a fresh workload the 95 percent interval covers at least 95
// percent of the figures that are estimated, for every aggregate, without reaching
// as far as the hard bounds; the model's own at most the given share. So it is on
// the papers' workload, which has COUNT with the sensitive attribute only, overall.
func checkCoverage(t *testing.T, table *anonymize.Microdata, r *anonymize.Release, uncalibrated float64) {
	t.Helper()
	c, err := Calibrate(context.Background(), r, table, CalibrationOptions{Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range c.Coverage {
		t.Logf("own workload, %s: %d estimates, coverage %.3f before and %.3f after", x.Aggregate, x.Estimates, x.Before, x.After)
		if x.After < 0.95 {
			t.Errorf("%s: cross-checked coverage %.3f", x.Aggregate, x.After)
		}
	}
	if w := c.Widths; max(w.Count, w.Sum, w.Average) == interval.Widest {
		t.Errorf("there is no width: %+v", w)
	}
	fresh, _, err := survey(context.Background(), r, table, CalibrationOptions{Queries: testsize.Of(200, 600), Seed: 20_240_607}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tallies := map[string]*tally{}
	for i := range fresh {
		m := &fresh[i]
		for _, name := range []string{"all", aggregateNames[m.kind], aggregateNames[m.kind] + " over " + strconv.Itoa(m.fragments) + " fragments"} {
			if tallies[name] == nil {
				tallies[name] = &tally{}
			}
			tallies[name].add(c, m)
		}
	}
	for _, name := range []string{"all", "COUNT", "SUM", "AVG"} {
		tallies[name].check(t, "fresh workload, "+name, uncalibrated)
	}
	for _, kind := range aggregateNames {
		for fragments := 2; fragments <= 4; fragments++ {
			name := kind + " over " + strconv.Itoa(fragments) + " fragments"
			tallies[name].log(t, name)
		}
	}
	papers := &tally{}
	for _, band := range [][2]int{{1, 3}, {4, 6}, {7, 9}} {
		papers.addWorkload(t, c, r, table, band[0], band[1])
	}
	papers.check(t, "papers' workload", uncalibrated)
}

// A tally counts intervals that cover.
type tally struct{ estimates, before, after int }

func (s *tally) add(c *Calibration, m *measurement) {
	s.estimates++
	if math.Abs(m.z()) <= normal(nominal) {
		s.before++
	}
	if m.covers(c.Widths) {
		s.after++
	}
}

func (s *tally) addWorkload(t *testing.T, c *Calibration, r *anonymize.Release, table *anonymize.Microdata, low, high int) {
	t.Helper()
	a, err := attributesOf(r, table)
	if err != nil {
		t.Fatal(err)
	}
	random, prepared := rand.New(rand.NewPCG(77, 0)), estimate.Prepare(r)
	for range 100 {
		conditions := a.draw(random, low, high, table.Rows)
		q := newAsker(r, a).question(conjunction(conditions), estimate.Count)
		answer, err := prepared.AskWithSpread(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		deviations, err := prepared.StandardErrors(context.Background(), q, answer)
		if err != nil {
			t.Fatal(err)
		}
		s.add(c, &measurement{fragments: fragmentsTouched(q, 0),
			Figure: unbounded(answer.Rows[0].Figures[0].Float, deviations[0][0].Float), actual: conjunction(conditions).actual(table.Rows)[0]})
	}
}

func (s *tally) log(t *testing.T, name string) (before, after float64) {
	t.Helper()
	before, after = float64(s.before)/float64(s.estimates), float64(s.after)/float64(s.estimates)
	t.Logf("%s: %d estimates, coverage %.3f before and %.3f after", name, s.estimates, before, after)
	return before, after
}

func (s *tally) check(t *testing.T, name string, uncalibrated float64) {
	t.Helper()
	if before, after := s.log(t, name); after < 0.95 || before > uncalibrated {
		t.Errorf("%s: coverage %.3f before and %.3f after, want at most %.2f, and 0.95", name, before, after, uncalibrated)
	}
}

// No table that agrees with the release is outside the hard bounds, so the
// actual figures are inside for every query.
func TestBoundsHoldOnTheWorkload(t *testing.T) {
	table := anontest.AdultComplete(t)
	r := three(t, table, append([]string{"race", "native_country"}, realQuasi...), "occupation")
	s, err := newSurveyor(r, table)
	if err != nil {
		t.Fatal(err)
	}
	random, prepared := rand.New(rand.NewPCG(9, 9)), estimate.Prepare(r)
	queries := make([]query, 150)
	for i := range queries {
		queries[i] = s.draw(random)
	}
	err = parallel.Run(context.Background(), len(queries), func(i int) error {
		asked := s.question(queries[i])
		answer, err := prepared.AskWithSpread(context.Background(), asked)
		if err != nil {
			return err
		}
		bounds, err := prepared.Bounds(context.Background(), asked, answer)
		if err != nil {
			return err
		}
		for a, actual := range queries[i].actual(table.Rows) {
			if a >= len(bounds[0]) || bounds[0][a].Low.IsNull() || math.IsNaN(actual) {
				continue
			}
			slack := 1e-9 * math.Abs(actual)
			if actual < bounds[0][a].Low.Float-slack || actual > bounds[0][a].High.Float+slack {
				t.Errorf("query %d, %s: %v is outside [%v, %v]", i, aggregateNames[a], actual, bounds[0][a].Low, bounds[0][a].High)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
