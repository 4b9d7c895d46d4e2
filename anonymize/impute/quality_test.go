package impute

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

// leastRecords: cells of fewer records are not compared, as in the measurements that the
// targets come from.
const leastRecords = 20

// A quality is how well the number of records of every cell of two attributes is
// answered, over cells of at least leastRecords; errors are relative to the truth.
type quality struct {
	pair        string
	cells       int
	independent float64 // mean error when all matchings are equally likely
	imputed     float64 // of the mean of the completed tables
	covered     float64 // share of cells inside the 95 percent interval of the tables
	half        float64 // its half width, relative to the truth
}

func (q quality) String() string {
	return fmt.Sprintf("%-32s %5d cells, error %.3f independent, %.3f imputed, %.2f covered, half width %.3f",
		q.pair, q.cells, q.independent, q.imputed, q.covered, q.half)
}

// qualities compares every pair of attributes of different fragments with the truth.
func qualities(r *anonymize.Release, c *anonymize.Completion, truth *anonymize.Microdata) (all []quality) {
	for j, f := range r.Fragments {
		for i, e := range r.Fragments[:j] {
			for _, one := range e.Columns {
				for _, other := range f.Columns {
					all = append(all, qualityOf(r, c, truth, i, one, j, other))
				}
			}
		}
	}
	return all
}

func qualityOf(r *anonymize.Release, c *anonymize.Completion, truth *anonymize.Microdata, i int, one *anonymize.FragmentColumn, j int, other *anonymize.FragmentColumn) quality {
	width := len(other.Dictionary)
	cells := make([]float64, len(one.Dictionary)*width)
	x, y := truth.Column(one.Name), truth.Column(other.Name) // their dictionaries are the release's
	for row := range truth.Rows {
		cells[int(x.Codes[row])*width+int(y.Codes[row])]++
	}
	first, second := repeated(r, i, one), repeated(r, j, other)
	independent := make([]float64, len(cells))
	inGroups(r, func(g, begin, end int) {
		for s := begin; s < end; s++ {
			for k := begin; k < end; k++ {
				independent[int(first[s])*width+int(second[k])] += 1 / float64(end-begin)
			}
		}
	})
	mean, squares, tables := make([]float64, len(cells)), make([]float64, len(cells)), float64(c.Tables)
	for d := range c.Tables {
		count := make([]float64, len(cells))
		inGroups(r, func(g, begin, end int) {
			for s := begin; s < end; s++ {
				at, to := s, begin+int(c.Narrow[d][j-1][s])
				if i > 0 {
					at = begin + int(c.Narrow[d][i-1][s])
				}
				count[int(first[at])*width+int(second[to])]++
			}
		})
		for cell, n := range count {
			mean[cell] += n / tables
			squares[cell] += n * n
		}
	}
	q := quality{pair: one.Name + ", " + other.Name}
	const quantile = 2.201 // of Student's t with 11 degrees of freedom
	for cell, n := range cells {
		if n < leastRecords {
			continue
		}
		variance := max(0, squares[cell]-tables*mean[cell]*mean[cell]) / (tables - 1)
		half := quantile * math.Sqrt((1+1/tables)*variance)
		q.cells++
		q.independent += math.Abs(independent[cell]-n) / n
		q.imputed += math.Abs(mean[cell]-n) / n
		q.half += half / n
		if math.Abs(mean[cell]-n) <= half+1e-9 {
			q.covered++
		}
	}
	for _, sum := range []*float64{&q.independent, &q.imputed, &q.half, &q.covered} {
		*sum /= float64(max(1, q.cells))
	}
	return q
}

// repeated has the code of every record's tuple, in the order of publication.
func repeated(r *anonymize.Release, fragment int, c *anonymize.FragmentColumn) (codes []uint32) {
	for t, n := range r.Fragments[fragment].Count {
		for range n {
			codes = append(codes, c.Codes[t])
		}
	}
	return codes
}

func inGroups(r *anonymize.Release, visit func(g, begin, end int)) {
	begin := 0
	for g, size := range r.GroupSizes {
		visit(g, begin, begin+int(size))
		begin += int(size)
	}
}

// pooled is the quality over all cells, and the pair of at least leastCells cells that is
// covered least.
func pooled(all []quality) (total, least quality) {
	const leastCells = 20
	total.pair, least.covered = "all pairs", 2
	for _, q := range all {
		n := float64(q.cells)
		total.cells += q.cells
		total.independent += n * q.independent
		total.imputed += n * q.imputed
		total.covered += n * q.covered
		total.half += n * q.half
		if q.cells >= leastCells && q.covered < least.covered {
			least = q
		}
	}
	for _, sum := range []*float64{&total.independent, &total.imputed, &total.half, &total.covered} {
		*sum /= float64(total.cells)
	}
	return total, least
}

// What completed tables say of the pairs of attributes that groups of random records
// separate. On Adult in three tables and in homogeneous groups they cover less than they
// claim: BenchmarkComplete shows by how much.
func TestQuality(t *testing.T) {
	all := []struct {
		name      string
		source    func(testing.TB) source
		method    string
		arguments []string
		imputed   float64 // most error
		share     float64 // most error in terms of that of independence, of the pair that independence misses most
		covered   float64 // least coverage of all cells
		least     float64 // least coverage of a pair of 20 cells
	}{
		{"made, anatomy", func(testing.TB) source { return made(testsize.Of(8_000, 20_000), 1) }, "anatomy", []string{"l", "4"}, 0.10, 0.15, 0.92, 0.85},
		{"made, three tables", func(testing.TB) source { return made(20_000, 2) }, "slppa", []string{"beta", "0.25", "tables", "3"}, 0.11, 0.20, 0.92, 0.85},
		{"Adult, anatomy", adult, "anatomy", []string{"l", "5"}, 0.12, 0.20, 0.92, 0.70},
	}
	larger := testsize.Of(math.Sqrt(20./8), 1) // errors fall with the root of the number of records
	for _, c := range all[:testsize.Of(1, len(all))] {
		c.imputed, c.share = c.imputed*larger, c.share*larger
		t.Run(c.name, func(t *testing.T) {
			s := c.source(t)
			r := s.released(t, c.method, c.arguments...)
			completion, err := Complete(context.Background(), r, Options{})
			if err != nil {
				t.Fatal(err)
			}
			all := qualities(r, completion, s.table)
			var worst quality // by independence
			for _, q := range all {
				t.Log(q)
				if q.independent > worst.independent {
					worst = q
				}
			}
			total, least := pooled(all)
			t.Log(total)
			if total.cells < 50 {
				t.Fatalf("%d cells are no test", total.cells)
			}
			if total.imputed > c.imputed || total.imputed > total.independent {
				t.Errorf("error %.3f, want at most %.3f, and %.3f of independence", total.imputed, c.imputed, total.independent)
			}
			if worst.imputed > c.share*worst.independent {
				t.Errorf("%s: more than %.0f percent of the error of independence", worst, 100*c.share)
			}
			if total.covered < c.covered || least.covered < c.least {
				t.Errorf("%.3f covered, of %s %.2f; want %.2f and %.2f", total.covered, least.pair, least.covered, c.covered, c.least)
			}
		})
	}
}

// Nothing is invented: where the sensitive attribute has nothing to do with the others,
// completed tables are not much worse than independence.
func TestNothingIsInvented(t *testing.T) {
	in := anontest.People(testsize.Of(8_000, 20_000), 3)
	table := &anonymize.Microdata{Rows: in.Rows, Columns: append(append([]*anonymize.Column(nil), in.QuasiIdentifiers[4:7]...), in.Sensitive...)}
	s := source{table, anonymize.Roles{Sensitive: []string{"sensitive"}, QuasiIdentifiers: []string{"q5", "q6", "q7"}}}
	r := s.released(t, "anatomy", "l", "4")
	completion, err := Complete(context.Background(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	total, least := pooled(qualities(r, completion, table))
	t.Log(total)
	if total.imputed > total.independent+0.03 {
		t.Errorf("error %.3f, independence has %.3f", total.imputed, total.independent)
	}
	if total.covered < 0.92 || least.covered < 0.85 {
		t.Errorf("%.3f covered, of %s %.2f", total.covered, least.pair, least.covered)
	}
}

// The prior variance of a pair is found again from models whose theta were drawn with it.
func TestShrinkage(t *testing.T) {
	r := made(4000, 5).released(t, "anatomy", "l", "4")
	f, err := newFitter(context.Background(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 3))
	for _, c := range []struct{ signal, noise float64 }{{0.5, 0.1}, {0.2, 0.2}, {0, 0.3}} {
		base := randomTheta(f.schema, c.signal, random)
		var models []*model
		for range 40 {
			m := newModel(f.sample, f.schema.weakPrior())
			copy(m.theta, base)
			add(m.theta, randomTheta(f.schema, c.noise, random))
			models = append(models, m)
		}
		p, n := shrunk(f.sample, models), len(f.schema.attributes)
		// What the mean of the models is made of has an error of the size of their noise.
		want := math.Sqrt(math.Max(square(c.signal)-square(c.noise), square(c.noise)/4))
		got := float64(p.deviation[(n-1)*n]) // of the first and the last attribute
		if got < 0.8*want || got > 1.2*want {
			t.Errorf("signal %.1f, noise %.1f: deviation %.3f, want about %.3f", c.signal, c.noise, got, want)
		}
		if penalty, want := float64(p.penalty[(n-1)*n]), math.Max(1, 0.5/got/got); math.Abs(penalty-want) > 1e-3*want {
			t.Errorf("signal %.1f: penalty %.2f, want %.2f", c.signal, penalty, want)
		}
	}
}

// BenchmarkComplete has the time and what it buys side by side: errors of pairs of
// attributes, and how many of them the tables' intervals cover.
func BenchmarkComplete(b *testing.B) {
	for _, c := range []struct {
		name      string
		source    func(testing.TB) source
		method    string
		arguments []string
	}{
		{"adult/anatomy", adult, "anatomy", []string{"l", "5"}},
		{"adult/anatomy-homogeneous", adult, "anatomy", []string{"l", "5", "homogeneous", "true"}},
		{"adult/slppa-3", adult, "slppa", []string{"beta", "0.2", "tables", "3"}},
		{"adult/slppa-3-homogeneous", adult, "slppa", []string{"beta", "0.2", "tables", "3", "homogeneous", "true"}},
		{"adult/asn", adult, "asn", []string{"beta", "0.2"}},
		{"made-50k/anatomy", func(testing.TB) source { return made(50_000, 1) }, "anatomy", []string{"l", "4"}},
		{"made-1M/anatomy", func(testing.TB) source { return made(1_000_000, 1) }, "anatomy", []string{"l", "4"}},
		{"made-1M/slppa-3", func(testing.TB) source { return made(1_000_000, 1) }, "slppa", []string{"beta", "0.25", "tables", "3"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			if !testsize.All() && c.name != "adult/anatomy" {
				b.Skip("takes up to a minute")
			}
			s := c.source(b)
			r := s.released(b, c.method, c.arguments...)
			var completion *anonymize.Completion
			for b.Loop() {
				var err error
				if completion, err = Complete(context.Background(), r, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			total, least := pooled(qualities(r, completion, s.table))
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(r.Rows)*float64(time.Second/time.Nanosecond), "ns/record")
			b.ReportMetric(total.independent, "error-independent")
			b.ReportMetric(total.imputed, "error-imputed")
			b.ReportMetric(total.covered, "covered")
			b.ReportMetric(least.covered, "covered-least")
			b.ReportMetric(total.half, "half-width")
		})
	}
}
