package impute

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
)

// chainOf is one that nobody has iterated, over a small release.
func chainOf(t *testing.T) (*model, *chain) {
	t.Helper()
	l := sampleOf(t, 600)
	m := newModel(l, l.weakPrior())
	return m, newChain(m, l.begin(), nil, 1, 1)
}

// size is the sum of the absolute values of theta.
func size(theta []float32) (sum float64) {
	for _, x := range theta {
		sum += math.Abs(float64(x))
	}
	return sum
}

// Deviation 125: an iteration takes one step, and with the table as it is then many more
// would follow until the pseudo-likelihood had its maximum. The fit looks at some 50,000
// records, in whole groups.
func TestDeviation125_OneStepForAMaximum(t *testing.T) {
	m, c := chainOf(t)
	if err := c.iteration(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	moved, first := 0, size(m.theta)
	for i, v := range c.velocity[:len(m.theta)] {
		if v != 0 {
			if moved++; m.theta[i] != v {
				t.Fatalf("theta is %v after a step of %v", m.theta[i], v)
			}
		}
	}
	if moved == 0 {
		t.Error("no theta moved")
	}
	s := c.scores[0]
	for range 300 {
		for g := range c.table.groups() {
			c.score(context.Background(), 0, g)
		}
		s.finish()
		c.step(s, 1)
	}
	if last := size(m.theta); first > last/2 {
		t.Errorf("the sizes of theta add up to %.1f after a step, and to %.1f at the maximum", first, last)
	}
	f := &fitter{release: &anonymize.Release{Rows: 200_000, GroupSizes: slices.Repeat([]uint32{5}, 40_000)}}
	if n := len(f.sampled()); math.Abs(float64(n)-10_000) > 5*math.Sqrt(10_000*.75) {
		t.Errorf("%d groups of 5 are looked at", n)
	}
}

// Deviation 126: the model is the mean of the last iterations, which all took steps of the same size.
func TestDeviation126_MeanOfTheLastSteps(t *testing.T) {
	m, c := chainOf(t)
	const iterations, kept = 8, 3
	want, told := make([]float32, len(m.theta)), 0
	err := c.iterate(context.Background(), iterations, kept, func() {
		if told++; told > iterations-kept {
			add(want, m.theta)
		}
	})
	if err != nil || told != iterations {
		t.Fatal(err, told)
	}
	for i := range want {
		want[i] /= kept
	}
	if !slices.Equal(m.theta, want) {
		t.Error("theta is not the mean of the last iterations")
	}
}

// Deviation 127: attributes of the fragment with the most categories have no conditional
// probability of their own, and no theta among themselves; every other pair has one.
func TestDeviation127_Responses(t *testing.T) {
	m, c := chainOf(t)
	if err := c.iterate(context.Background(), 2, 1, func() {}); err != nil {
		t.Fatal(err)
	}
	if m.responses == 0 || m.responses < m.categories/m.fragments() || len(m.bias) != m.categories-m.responses {
		t.Errorf("%d of %d categories are no responses, and %d have a bias", m.responses, m.categories, len(m.bias))
	}
	for i := range m.attributes {
		for j := range i {
			a, b := &m.attributes[i], &m.attributes[j]
			fitted := false
			for u := a.first; u < a.end; u++ {
				for v := b.first; v < b.end; v++ {
					fitted = fitted || m.theta[u*m.categories+v] != 0
				}
			}
			if between := a.fragment == m.large && b.fragment == m.large; fitted == between {
				t.Errorf("attributes %d and %d of fragments %d and %d are fitted: %v", i, j, a.fragment, b.fragment, fitted)
			}
		}
	}
}

// Deviation 128: the prior variance of a pair is what is above the noise, and never
// nothing: a quarter of it.
func TestDeviation128_PriorByPair(t *testing.T) {
	l := sampleOf(t, 600)
	s := l.schema
	a, b := &s.attributes[0], &s.attributes[len(s.attributes)-1]
	share := make([]float64, s.categories)
	for _, of := range []*attribute{a, b} {
		for x := of.first; x < of.end; x++ {
			share[x] = 1 / float64(of.end-of.first)
		}
	}
	theta := randomTheta(s, 1, rand.New(rand.NewPCG(1, 1)))
	scaled := func(by ...float32) (models []*model) {
		for _, x := range by {
			m := newModel(l, l.weakPrior())
			for i := range m.theta {
				m.theta[i] = x * theta[i]
			}
			models = append(models, m)
		}
		return models
	}
	variance := func(by ...float32) float64 {
		v, ok := priorVariance(s, a, b, share, scaled(by...))
		if !ok {
			t.Fatal("the pair has no variance")
		}
		return v
	}
	one := variance(1, 1) // no noise
	for _, c := range []struct {
		name         string
		by           []float32
		signal, away float64 // of the models' mean, and their variance around it
	}{{"noise alone", []float32{1, -1}, 0, 2}, {"more signal than noise", []float32{3, 2}, 6.25, .5}, {"less", []float32{1.5, -.5}, .25, 2}} {
		if got, want := variance(c.by...), one*max(c.signal-c.away, c.away/4); math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: variance %v, want %v", c.name, got, want)
		}
	}
	p, n := shrunk(l, scaled(100, 100)), len(s.attributes)
	if got := p.penalty[(n-1)*n]; got != 1 {
		t.Errorf("the penalty of a pair that varies much is %v", got)
	}
}

// Deviation 129: a weight counts for all records of a group, weights do not add up to
// their number, and a chain starts from the common fit, with a centre of its own that it
// is shrunk towards.
func TestDeviation129_BootstrapOfGroups(t *testing.T) {
	r := made(600, 1).released(t, "slppa", "beta", "0.34", "tables", "3")
	f, err := newFitter(context.Background(), r, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	weights, want := make([]float32, f.sample.groups()), float32(0)
	for g := range weights {
		weights[g] = float32(g % 3)
		want += weights[g] * float32(r.GroupSizes[g])
	}
	if _, records := f.sample.frequencies(weights); records != want {
		t.Errorf("the weighted number of records is %v, want %v", records, want)
	}
	common := newModel(f.sample, f.schema.weakPrior())
	common.theta = randomTheta(f.schema, 1, rand.New(rand.NewPCG(1, 1)))
	models, err := f.bootstrap(context.Background(), common, f.sample.begin(), 2, 0, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if models[0].centre != nil || !slices.Equal(models[0].theta, common.theta) {
		t.Error("under the weak prior a chain does not start from the common fit, or has a centre")
	}
	n := len(f.schema.attributes)
	common.prior.deviation = make([]float32, n*n)
	common.prior.deviation[(n-1)*n] = 2 // of the first and the last attribute
	if models, err = f.bootstrap(context.Background(), common, f.sample.begin(), 200, 0, func() {}); err != nil {
		t.Fatal(err)
	}
	a, b := &f.schema.attributes[n-1], &f.schema.attributes[0]
	squares, others := 0.0, 0.0
	for _, m := range models {
		at := a.first*m.categories + b.first
		squares += square(float64(m.centre[at])) / 200
		others += math.Abs(float64(m.centre[a.first*m.categories+f.schema.attributes[1].first]))
	}
	if math.Abs(squares-4) > 5*4*math.Sqrt(2./200) || others != 0 {
		t.Errorf("the centres have a mean square of %.2f, want 4, and add up to %v where nothing varies", squares, others)
	}
}

// Deviation 130: the model sees bins of numbers and of rare texts; a table has the tuples
// themselves.
func TestDeviation130_Categories(t *testing.T) {
	column := func(value func(int) anonymize.Value) (dictionary []anonymize.Value, weight []int) {
		for n := range 1000 {
			dictionary = append(dictionary, value(n))
		}
		return dictionary, slices.Repeat([]int{3}, 1000)
	}
	for want, value := range map[int]func(int) anonymize.Value{
		16: func(n int) anonymize.Value { return anonymize.IntegerValue(int64(n)) },
		64: func(n int) anonymize.Value { return anonymize.TextValue(fmt.Sprintf("%04d", n)) },
	} {
		if _, n := contingency.Finest.Categories(column(value)); n != want {
			t.Errorf("1,000 values are %d categories, want %d", n, want)
		}
	}
	l := sampleOf(t, 600)
	current := l.begin()
	current.shuffle(rand.New(rand.NewPCG(1, 1)))
	for j, place := range current.place {
		for g := range l.groups() {
			seen := make(map[uint16]bool)
			for _, p := range place[l.first[g]:l.first[g+1]] {
				seen[p] = true
			}
			if len(seen) != int(l.first[g+1]-l.first[g]) {
				t.Fatalf("group %d has tuples of fragment %d twice, or not at all", g, j+1)
			}
		}
	}
}

// Deviation 131: one call settles a table. Of two fragments and few records that is an
// exact draw, wherever it starts; else it is a fixed number of rounds.
func TestDeviation131_Rounds(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	r := grouped([]uint32{0, 1, 2, 3}, []uint32{0, 1, 2, 3})
	l := mustSchema(t, r).slotsOf(r, []uint32{0})
	theta := randomTheta(l.schema, 1.5, random)
	want, f := modelOf(l, theta), factorsOf(l, theta)
	const draws = 20_000
	got := make(map[string]int)
	w := sweeper{ctx: context.Background(), random: random}
	for range draws {
		current := l.begin() // always the same start
		w.settle(current, f, 0, 1)
		got[multiset(current)]++
	}
	for rows, share := range want {
		if off := math.Abs(float64(got[rows])/draws - share); off > 5*math.Sqrt(share*(1-share)/draws) {
			t.Errorf("%s came %d times of %d, want the share %.4f", rows, got[rows], draws, share)
		}
	}
	for _, c := range []struct{ size, fragments, first, counted int }{{maxExact, 2, 0, 1}, {maxExact, 3, 4, 16}, {maxExact + 1, 2, 16, 128}} {
		if first, counted := roundsOf(c.size, c.fragments); first != c.first || counted != c.counted {
			t.Errorf("a guess in a group of %d in %d fragments has %d and %d rounds, want %d and %d", c.size, c.fragments, first, counted, c.first, c.counted)
		}
	}
}

// Deviation 132: the tables are a function of what is published, and of nothing that says how
// groups were chosen.
func TestDeviation132_DrawnByTheRelease(t *testing.T) {
	r := made(300, 1).released(t, "anatomy", "l", "3")
	other := *r
	other.Method, other.Facts = "slppa", nil
	var tables []*anonymize.Completion
	for _, release := range []*anonymize.Release{r, &other} {
		c, err := Complete(context.Background(), release, Options{Tables: 2})
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, c)
	}
	if !reflect.DeepEqual(tables[0], tables[1]) || Digest(r) != Digest(&other) {
		t.Error("the name of the method changes the tables")
	}
	if reflect.DeepEqual(tables[0].Narrow[0], tables[0].Narrow[1]) {
		t.Error("both tables are the same")
	}
}
