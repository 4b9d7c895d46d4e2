package utility

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/parallel"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/testsize"
)

// everydaySources are tables that have nothing to do with each other.
var everydaySources = map[string]func(testing.TB) anontest.Source{
	"adult": func(t testing.TB) anontest.Source {
		return anontest.Source{Table: anontest.AdultComplete(t), Roles: anonymize.Roles{Sensitive: []string{"occupation"},
			QuasiIdentifiers: strings.Fields("age workclass education marital_status relationship race sex hours_per_week native_country")}}
	},
	"sample": func(t testing.TB) anontest.Source {
		return anontest.Source{Table: samplePeople(t, sample.Rows), Roles: anonymize.Roles{Sensitive: []string{"disease"},
			QuasiIdentifiers: strings.Fields("age sex education marital_status workclass occupation region zip hours_per_week")}}
	},
	"shops": func(testing.TB) anontest.Source { return anontest.Shops(40_000, 1) },
	"staff": func(testing.TB) anontest.Source { return anontest.Staff(testsize.Of(5_000, 30_000)) },
}

// everydayReleases are the methods without completed tables.
var everydayReleases = []struct {
	method    string
	arguments anonymize.Arguments
}{
	{"mondrian", anonymize.Arguments{"k": "10", "l": "3"}},
	{"cross_bucket", anonymize.Arguments{"k": "5", "l": "4"}},
	{"drasl", anonymize.Arguments{"k": "5"}},
	{"cdt", anonymize.Arguments{"k": "5", "l": "3"}},
	{"fulldomain", anonymize.Arguments{"k": "10", "l": "2", "suppress": "0.05"}},
}

func publishedBy(t testing.TB, s anontest.Source, method string, a anonymize.Arguments) *anonymize.Release {
	t.Helper()
	m, err := methods.ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	in, err := anonymize.NewInput(s.Table, s.Roles, rand.NewPCG(11, 12))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), in, a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// unseen are questions that no width is chosen on: three attributes grouped, ranges with
// random ends, other values than those that everyday questions group by, and averages beyond other ends.
func unseen(s *surveyor, seed uint64) (list []groupedQuery) {
	random, all := rand.New(rand.NewPCG(seed, 5)), s.attributes.allColumns()
	for range 30 {
		p := random.Perm(len(all))[:3]
		q := groupedQuery{argument: s.otherThan(random, all[p[0]], all[p[1]], all[p[2]])}
		for _, i := range p {
			g := byValue(all[i], random)
			for code, part := range g.part {
				if part >= 7 {
					g.part[code] = -1
				}
			}
			g.parts = min(g.parts, 7)
			q.keys, q.family = append(q.keys, g), q.family+" "+all[i].Name
		}
		list = append(list, q)
	}
	for range 60 {
		p := random.Perm(len(all))[:2]
		a, b := all[p[0]], all[p[1]]
		if summable(a) {
			list = append(list, groupedQuery{b.Name + " where " + a.Name, []*grouping{someRange(a, random), byValue(b, random)}, s.otherThan(random, a, b), false})
		}
		list = append(list, groupedQuery{a.Name + " by " + b.Name, []*grouping{byValue(a, random), byValue(b, random)}, s.otherThan(random, a, b), false})
	}
	for range 60 { // averages of what the condition cuts
		a, b := s.arguments[random.IntN(len(s.arguments))], all[random.IntN(len(all))]
		if g := cutAt(a, a.Histogram(), random.Float64()); g != nil {
			list = append(list, groupedQuery{family: a.Name + " cut", keys: []*grouping{g}, argument: a})
			if a != b {
				list = append(list, groupedQuery{family: a.Name + " cut by others", keys: []*grouping{g, byValue(b, random)}, argument: a})
			}
		}
	}
	return list
}

// someRange keeps what is between two records' values.
func someRange(c *anonymize.Column, random *rand.Rand) *grouping {
	low, high := c.Value(random.IntN(len(c.Codes))), c.Value(random.IntN(len(c.Codes)))
	if anonymize.Compare(low, high) > 0 {
		low, high = high, low
	}
	g := &grouping{column: c, part: slices.Repeat([]int32{-1}, len(c.Dictionary)), parts: 1}
	for code, v := range c.Dictionary {
		if anonymize.Compare(low, v) <= 0 && anonymize.Compare(v, high) <= 0 {
			g.part[code] = 0
		}
	}
	return g
}

// askAll measures questions.
func askAll(t testing.TB, s *surveyor, list []groupedQuery) []measurement {
	t.Helper()
	each := make([][]measurement, len(list))
	if err := parallel.Run(t.Context(), len(list), func(i int) (err error) {
		each[i], err = s.measureEveryday(t.Context(), &list[i])
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(each...)
}

// A coverage is how many intervals have the actual figure, and how wide they are.
type coverage struct {
	cells         int
	pooled, least float64 // least of the families of manyCells, 1 without any
	small         float64 // of all other families together, 1 without any
	worst         string
	// mean and median are of the half widths by the actual figure, inside the hard
	// bounds, where the cell has everydayRecords.
	mean, median float64
}

func (c coverage) String() string {
	return fmt.Sprintf("%5d cells %.3f covered, least %.2f, small %.2f, half width %5.2f (median %5.2f), worst %s",
		c.cells, c.pooled, c.least, c.small, c.mean, c.median, c.worst)
}

// covered measures intervals of a half width.
func covered(measured []measurement, kind estimate.Kind, half func(*measurement) float64) coverage {
	c, halves := coverage{least: 1, small: 1}, []float64(nil)
	inside, cells := map[string]float64{}, map[string]float64{}
	for i := range measured {
		m := &measured[i]
		if m.kind != kind {
			continue
		}
		h := half(m)
		low, high := max(m.Low, m.Estimate-h), min(m.High, m.Estimate+h)
		c.cells++
		cells[m.family]++
		if slack := 1e-9 * math.Abs(m.actual); low-slack <= m.actual && m.actual <= high+slack {
			inside[m.family]++
			c.pooled++
		}
		if m.records >= everydayRecords && m.actual != 0 {
			halves = append(halves, (high-low)/2/math.Abs(m.actual))
		}
	}
	c.pooled /= float64(max(1, c.cells))
	few, fewInside := 0.0, 0.0
	for name, n := range cells {
		switch share := inside[name] / n; {
		case n < manyCells:
			few, fewInside = few+n, fewInside+inside[name]
		case share < c.least || share == c.least && name < c.worst:
			c.least, c.worst = share, name
		}
	}
	if few > 0 {
		c.small = fewInside / few
	}
	if len(halves) > 0 {
		d := distribution(halves)
		c.mean, c.median = d.Mean, d.Median
	}
	return c
}

// before is the width in standard errors that an earlier version chose, by random queries
// alone.
func before(measured []measurement, kind estimate.Kind) float64 {
	var deviations []float64
	for i := range measured {
		if m := &measured[i]; m.kind == kind {
			deviations = append(deviations, math.Abs(m.z()))
		}
	}
	student := func(level float64) float64 { return level * math.Sqrt(2/(1-level*level)) }
	for width := 2.0; width <= 128; width *= 2 {
		if !slices.ContainsFunc(interval.Levels, func(level float64) bool {
			shape := math.Erfinv(level) / math.Erfinv(nominal)
			if level > nominal {
				shape = student(level) / student(nominal)
			}
			return !coversRandom(deviations, width*shape*(1+rounding), level)
		}) {
			return width
		}
	}
	return math.Inf(1)
}

// Intervals of generalized releases cover what people ask, of all four tables: the
// questions that the widths were chosen on, and others.
func TestEverydayCoverage(t *testing.T) {
	for name, source := range everydaySources {
		for _, c := range everydayReleases {
			if !testsize.All() && (name != "staff" || c.method != "drasl") {
				continue
			}
			t.Run(name+"/"+c.method, func(t *testing.T) {
				s := source(t)
				checkEveryday(t, s, publishedBy(t, s, c.method, c.arguments))
			})
		}
	}
}

func checkEveryday(t *testing.T, source anontest.Source, r *anonymize.Release) {
	t.Helper()
	random, everyday, err := survey(t.Context(), r, source.Table, CalibrationOptions{Queries: 500, Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSurveyor(r, source.Table)
	if err != nil {
		t.Fatal(err)
	}
	others, widths := askAll(t, s, unseen(s, 7)), widthsOf(random, everyday)
	for number, aggregate := range aggregateNames {
		kind := estimate.Kind(number)
		width, factor := before(random, kind), widths.Factor(kind)
		earlier := func(m *measurement) float64 { return width * m.Deviation }
		chosen := func(m *measurement) float64 { half, _ := widths.HalfWidth(kind, m.Figure, nominal); return half }
		t.Logf("%s before, %3v:          %v", aggregate, width, covered(everyday, kind, earlier))
		t.Logf("%s before, %3v, others:  %v", aggregate, width, covered(others, kind, earlier))
		now, unseen := covered(everyday, kind, chosen), covered(others, kind, chosen)
		t.Logf("%s now, %3v:             %v", aggregate, factor, now)
		t.Logf("%s now, %3v, others:     %v", aggregate, factor, unseen)
		if now.cells < 500 || unseen.cells < 500 {
			t.Errorf("%s: %d and %d cells are no test", aggregate, now.cells, unseen.cells)
		}
		if now.pooled < minOverall || now.least < minFamily || now.small < minSmall {
			t.Errorf("%s: %v", aggregate, now)
		}
		if unseen.pooled < minOverall || unseen.least < 0.75 {
			t.Errorf("%s of others: %v", aggregate, unseen)
		}
	}
}
