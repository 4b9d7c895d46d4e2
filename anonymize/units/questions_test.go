package units_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/misfit"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/testsize"
)

// A counted is how far numbers of records, or of units, are from the truth over many questions.
type counted struct{ errors, inside, questions float64 }

func (c *counted) add(truth, figure, low, high float64) {
	c.questions++
	c.errors += math.Abs(figure-truth) / truth
	if low-1e-9 <= truth && truth <= high+1e-9 {
		c.inside++
	}
}

// An asked question is answered, and what holds intervals of its COUNT(*), by records and by units.
type asked func(t testing.TB, q *estimate.Question) (answer *estimate.Answer, units *estimate.UnitFigures, spread *interval.Spread, w *interval.Widths)

// A measurement is of COUNT of records and of units, and of SUM and AVG of the birth year by record.
type measurement struct{ records, units, sum, average counted }

// askEveryday asks for records and units with some diagnoses, and with some quasi-identifiers or by these alone.
func askEveryday(t testing.TB, ask asked, r *anonymize.Release, in *anonymize.Input, how everyday, questions int) (m measurement) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	for range questions {
		q, holds := how.question(random, r, in)
		met, rows, sum := make(map[uint32]bool), 0.0, 0.0
		for row := range in.Rows {
			if holds(row) {
				met[in.Units[row]] = true
				rows++
				sum += float64(in.QuasiIdentifiers[0].Value(row).Int)
			}
		}
		if len(met) < leastUnits {
			continue
		}
		answer, counts, spread, w := ask(t, q)
		low, high, _ := spread.Interval(w, 0, 0, 0.95)
		m.records.add(rows, answer.Rows[0].Figures[0].Float, low, high)
		spread.PutUnits(0, counts)
		low, high, _ = spread.Interval(w, 0, 0, 0.95)
		m.units.add(float64(len(met)), counts.Figures[0], low, high)
		answer, _, spread, w = ask(t, ofBirthYear(q, r, in))
		low, high, _ = spread.Interval(w, 0, 0, 0.95)
		m.sum.add(sum, answer.Rows[0].Figures[0].Float, low, high)
		low, high, _ = spread.Interval(w, 0, 1, 0.95)
		m.average.add(sum/rows, answer.Rows[0].Figures[1].Float, low, high)
	}
	return m
}

// ofBirthYear asks for SUM and AVG of the birth year of the same records.
func ofBirthYear(q *estimate.Question, r *anonymize.Release, in *anonymize.Input) *estimate.Question {
	of := *q
	fragment, column, _ := r.Locate(in.QuasiIdentifiers[0].Name)
	of.Leaves = append(slices.Clone(q.Leaves), estimate.ValueOf(fragment, column))
	argument := &estimate.Expression{Leaves: []int{len(q.Leaves)}}
	of.Aggregates = []estimate.Aggregate{{Kind: estimate.Sum, Argument: argument}, {Kind: estimate.Average, Argument: argument}}
	return &of
}

// byTables asks completed tables whose misfit is known.
func byTables(c *estimate.Completed, m interval.Misfit) asked {
	return func(t testing.TB, q *estimate.Question) (*estimate.Answer, *estimate.UnitFigures, *interval.Spread, *interval.Widths) {
		answer, err := c.AskWithSpread(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		spread, err := interval.OfCompleted(context.Background(), c, q, answer, interval.Parts{Intervals: true}, m)
		if err != nil {
			t.Fatal(err)
		}
		units, err := c.Units(context.Background(), q, answer.Rows)
		if err != nil {
			t.Fatal(err)
		}
		return answer, units, spread, nil
	}
}

// byRelations asks a release without completed tables, whose intervals are as wide as is measured.
func byRelations(t testing.TB, r *anonymize.Release, in *anonymize.Input) asked {
	t.Helper()
	table, err := anonymize.NewMicrodata(slices.Concat(in.QuasiIdentifiers, in.Sensitive)...)
	if err != nil {
		t.Fatal(err)
	}
	calibration, err := utility.Calibrate(context.Background(), r, table, utility.CalibrationOptions{Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := estimate.Prepare(r)
	return func(t testing.TB, q *estimate.Question) (*estimate.Answer, *estimate.UnitFigures, *interval.Spread, *interval.Widths) {
		answer, err := p.AskWithSpread(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		spread, err := interval.Compute(context.Background(), p, q, answer, interval.Parts{Intervals: true})
		if err != nil {
			t.Fatal(err)
		}
		units, err := p.Units(context.Background(), q, answer.Rows)
		if err != nil {
			t.Fatal(err)
		}
		return answer, units, spread, calibration.Widths
	}
}

// An everyday question takes some values of the diagnosis and of a quasi-identifier: of both, of either, or of the quasi-identifier alone.
type everyday int

const (
	both everyday = iota
	either
	alone
)

// leastUnits is the least number of units that a question of the measurement is about.
const leastUnits = 10

// question is COUNT(*), and whether a record of the table is meant.
func (how everyday) question(random *rand.Rand, r *anonymize.Release, in *anonymize.Input) (*estimate.Question, func(row int) bool) {
	q := &estimate.Question{Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
	var meant []func(row int) bool
	columns := []*anonymize.Column{in.QuasiIdentifiers[random.IntN(len(in.QuasiIdentifiers))], in.Sensitive[0]}
	if how == alone {
		columns = columns[:1]
	}
	for _, c := range columns {
		n := int64(len(c.Dictionary))
		from := random.Int64N(n)
		end := from + 1 + random.Int64N(1+n/4)
		holds := func(v anonymize.Value) bool { return v.Int >= from && v.Int < end }
		fragment, column, _ := r.Locate(c.Name)
		q.Leaves = append(q.Leaves, estimate.ValueLeaf(fragment, column, holds))
		q.Where = append(q.Where, estimate.Expression{Leaves: []int{len(q.Leaves) - 1}})
		meant = append(meant, func(row int) bool { return holds(c.Value(row)) })
	}
	if how == either {
		q.Where = []estimate.Expression{{Leaves: []int{0, 1}, Combine: func(v []anonymize.Value) (anonymize.Value, error) {
			return anonymize.IntegerValue(max(v[0].Int, v[1].Int)), nil
		}}}
		return q, func(row int) bool { return meant[0](row) || meant[1](row) }
	}
	return q, func(row int) bool { return !slices.ContainsFunc(meant, func(m func(int) bool) bool { return !m(row) }) }
}

// shapesOfVisits are tables in which units have one diagnosis always, a new one each time, or either; of the related ones it
// depends on the birth year.
var shapesOfVisits = []struct {
	name string
	anontest.VisitShape
}{
	{"chronic", anontest.VisitShape{Units: 1200, Records: 10, Values: 12, Chronic: 1, Moving: true}},
	{"mixed", anontest.VisitShape{Units: 1200, Records: 6, Values: 60, Chronic: 0.5, Moving: true}},
	{"related", anontest.VisitShape{Units: 1200, Records: 6, Values: 60, Chronic: 0.5, Related: true, Moving: true}},
	{"acute", anontest.VisitShape{Units: 1200, Records: 4, Values: 60, Moving: true}},
}

// BenchmarkQuestions measures numbers of records and of units: mean relative error, and coverage of 95 percent intervals, over questions of at least
// 10 units. Completed tables answer them, or the relations alone.
func BenchmarkQuestions(b *testing.B) {
	for _, shape := range shapesOfVisits {
		in := anontest.VisitTable(shape.VisitShape, 1)
		for _, method := range []string{"anatomy", "slppa"} {
			b.Run(shape.name+"/"+method, func(b *testing.B) {
				c, of := completedVisits(b, in, method)
				measured := measureMisfit(b, c, of, method)
				for how, name := range []string{both: "and", either: "or"} {
					b.Run(name, func(b *testing.B) {
						reportEveryday(b, byTables(c, measured), c.Prepared().Release(), of, everyday(how))
					})
				}
			})
		}
		for _, method := range []string{"anatomy", "slppa", "mondrian", "cdt", "drasl"} {
			o := publishVisits(b, in, method)
			ask := byRelations(b, o.Release, o.in)
			for how, name := range []string{both: "and", either: "or", alone: "one"} {
				b.Run(shape.name+"/"+method+"/relations/"+name, func(b *testing.B) { reportEveryday(b, ask, o.Release, o.in, everyday(how)) })
			}
		}
	}
}

// measureMisfit measures as a publication does.
func measureMisfit(t testing.TB, c *estimate.Completed, in *anonymize.Input, method string) *misfit.Misfit {
	t.Helper()
	m, err := methods.ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	roles := anonymize.Roles{Sensitive: []string{in.Sensitive[0].Name}}
	for _, q := range in.QuasiIdentifiers {
		roles.QuasiIdentifiers = append(roles.QuasiIdentifiers, q.Name)
	}
	by := misfit.Recipe{Method: m, Parameters: promised[method].arguments, Roles: roles, Asked: in.Asked}
	measured, err := misfit.Measure(context.Background(), c.Prepared().Release(), c.Completion(), by, misfit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return measured
}

func reportEveryday(b *testing.B, ask asked, r *anonymize.Release, in *anonymize.Input, how everyday) {
	m := askEveryday(b, ask, r, in, how, 600)
	b.ReportMetric(m.records.questions, "questions")
	for name, of := range map[string]counted{"records": m.records, "units": m.units, "sum": m.sum, "avg": m.average} {
		b.ReportMetric(of.errors/of.questions, "relerr_"+name)
		b.ReportMetric(of.inside/of.questions, "inside_"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// publishVisits publishes visits by units.
func publishVisits(t testing.TB, in *anonymize.Input, method string) *outcome {
	t.Helper()
	of := *in
	of.Random = rand.NewPCG(1, 2)
	o, err := run(t, method, &of, promised[method].arguments)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// completedVisits publishes visits by units, and draws completed tables.
func completedVisits(t testing.TB, in *anonymize.Input, method string) (*estimate.Completed, *anonymize.Input) {
	t.Helper()
	o := publishVisits(t, in, method)
	return completed(t, o.Release), o.in
}

// completed draws completed tables of a release.
func completed(t testing.TB, r *anonymize.Release) *estimate.Completed {
	t.Helper()
	completion, err := impute.Complete(context.Background(), r, impute.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := estimate.Prepare(r).WithTables(context.Background(), completion)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Numbers of units are about as good as those of records, whether units keep their diagnosis or not: 95 percent intervals hold nine in ten, and
// errors are at most half as large again. The measurement is BenchmarkQuestions; here are fewer units.
func TestQuestionsAboutUnits(t *testing.T) {
	for _, shape := range testsize.Some(2, shapesOfVisits) {
		t.Run(shape.name, func(t *testing.T) {
			small := shape.VisitShape
			small.Units = 500
			c, of := completedVisits(t, anontest.VisitTable(small, 2), "anatomy")
			m := askEveryday(t, byTables(c, interval.Unmeasured(0.1)), c.Prepared().Release(), of, both, testsize.Levels(80, 200, 200))
			records, units := m.records, m.units
			t.Logf("%v questions: errors of records %.3f, of units %.3f", units.questions, records.errors/records.questions, units.errors/units.questions)
			if units.questions < 50 || units.inside < 0.9*units.questions || units.errors > 1.5*records.errors {
				t.Errorf("of %v questions %v intervals hold; errors of units are %v, of records %v", units.questions, units.inside, units.errors, records.errors)
			}
		})
	}
}

// Completed tables keep what a model tells of visits in groups of 50 patients, too: their pairs err no more than those of groups by l without one.
func TestLargeGroupsOfUnitsKeepTheirModel(t *testing.T) {
	in := anontest.VisitTable(shapesOfVisits[2].VisitShape, 1)
	var errors [2]float64
	for i, size := range []string{"2", "50"} {
		of := *in
		of.Random, of.Asked = rand.NewPCG(1, 2), []anonymize.Promise{{Guarantee: "size", Bound: anonymize.MustRatio(size)}}
		o, err := run(t, "anatomy", &of, promised["anatomy"].arguments)
		if err != nil {
			t.Fatal(err)
		}
		if size == "50" {
			counted := contingency.Usual
			counted.Units = o.in.Units
			if o.Release.Model, err = contingency.Count(o.Release, o.in.QuasiIdentifiers, o.in.Sensitive[0], counted); err != nil {
				t.Fatal(err)
			}
		}
		m := askEveryday(t, byTables(completed(t, o.Release), interval.Unmeasured(0.1)), o.Release, o.in, both, testsize.Levels(80, 200, 200))
		errors[i] = m.records.errors / m.records.questions
		t.Logf("groups of %s units: %v questions, errors of records %.3f, of units %.3f", size, m.records.questions, errors[i], m.units.errors/m.units.questions)
	}
	if errors[1] > errors[0] {
		t.Errorf("errors are %.3f in groups of 50 with a model, %.3f in small ones without", errors[1], errors[0])
	}
}

// Relations without completed tables answer for units, too: by values of several relations, of either, and of generalized ones. Intervals hold nine in
// ten.
func TestQuestionsAboutUnitsOfRelations(t *testing.T) {
	small := shapesOfVisits[1].VisitShape
	small.Units = 500
	in := anontest.VisitTable(small, 2)
	for _, method := range []string{"anatomy", "mondrian"} {
		o := publishVisits(t, in, method)
		ask := byRelations(t, o.Release, o.in)
		for how, name := range []string{both: "and", either: "or", alone: "one"} {
			units := askEveryday(t, ask, o.Release, o.in, everyday(how), 100).units
			if units.questions < 50 || units.inside < 0.9*units.questions || units.errors > 0.2*units.questions {
				t.Errorf("%s, %s: of %v questions %v intervals hold, errors are %v", method, name, units.questions, units.inside, units.errors/units.questions)
			}
		}
	}
}
