package impute

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sampleOf lays a made release of three tables out.
func sampleOf(t *testing.T, rows int) *slots {
	r := made(rows, 1).released(t, "slppa", "beta", "0.34", "tables", "3")
	var groups []uint32
	for g := range r.Groups() {
		groups = append(groups, uint32(g))
	}
	return mustSchema(t, r).slotsOf(r, groups)
}

// Every attribute is in one joint attribute, whose rows have the categories that lead to
// them; a table of them is no larger than the bound.
func TestJointAttributes(t *testing.T) {
	l := sampleOf(t, 300)
	columns, width := l.categories-l.responses, len(l.attributes)
	for name, j := range map[string]*joints{"whole": l.whole, "inside": l.inside} {
		var attributes []int
		for i := range j.all {
			one := &j.all[i]
			attributes = append(attributes, one.attributes...)
			for slot := range l.count() {
				row := l.rows[slot*width:][:width]
				at := j.row(one, row)
				if at < one.first || at >= one.end {
					t.Fatalf("%s: attributes %v have row %d", name, one.attributes, at)
				}
				for k, attribute := range one.attributes {
					if got := one.values[(at-one.first)*len(one.attributes)+k]; got != row[attribute] {
						t.Fatalf("%s: the row has category %d, want %d", name, got, row[attribute])
					}
				}
			}
		}
		slices.Sort(attributes)
		if len(attributes) != width || len(slices.Compact(attributes)) != width {
			t.Errorf("%s: %v are not the attributes", name, attributes)
		}
		if j.rows*columns > maxJoined {
			t.Errorf("%s: %d rows", name, j.rows)
		}
	}
	if len(l.whole.all) == width {
		t.Error("nothing was joined")
	}
	for j := range l.fragments() {
		for _, one := range l.inside.all[l.units[j]:l.units[j+1]] {
			for _, i := range one.attributes {
				if l.attributes[i].fragment != j {
					t.Errorf("attribute %d is joined inside fragment %d", i, j)
				}
			}
		}
	}
}

// Odds are exponentials of energies, where the products are float32s and where they are
// not.
func TestOdds(t *testing.T) {
	l := sampleOf(t, 300)
	for _, scale := range []float64{0.5, 3, 60} {
		random := rand.New(rand.NewPCG(1, 2))
		f := factorsOf(l, randomTheta(l.schema, scale, random))
		w, current, pairs := sweeper{random: random}, l.begin(), 0
		for g := range l.groups() {
			first, size := int(l.first[g]), int(l.first[g+1]-l.first[g])
			if w.size = size; !w.opened(current, first) {
				continue
			}
			w.load(current, f, first)
			for n, j := range w.open {
				for _, i := range w.open[:n] {
					pairs++
					compareOdds(t, &w, f, i, j, size)
				}
			}
		}
		if pairs < 50 {
			t.Errorf("%d pairs of fragments are no test", pairs)
		}
	}
}

// compareOdds compares the odds of two fragments with those of their likeliest pair.
func compareOdds(t *testing.T, w *sweeper, f *factors, i, j, size int) {
	odds, back := &w.odds[i*f.fragments()+j], &w.odds[j*f.fragments()+i]
	s, k := 0, 0
	for x := range size * size {
		if odds[x/size][x%size] > odds[s][k] {
			s, k = x/size, x%size
		}
	}
	for x := range size * size {
		a, b := x/size, x%size
		want := float64(w.hand.energy(f, a, i, b, j) - w.hand.energy(f, s, i, k, j))
		got := math.Log(odds[a][b] / odds[s][k])
		if math.Abs(got-want) > 1e-4*(1+math.Abs(want)) && got > -39 || want > -39 && got <= -39 || odds[a][b] != back[b][a] {
			t.Fatalf("fragments %d and %d, tuples %d and %d: %v, want %v", i, j, a, b, got, want)
		}
	}
}

// Weights of many fragments, whose product may be no float64, are those of few up to a
// factor a row.
func TestManyFragments(t *testing.T) {
	l := sampleOf(t, 300)
	random := rand.New(rand.NewPCG(3, 2))
	f := factorsOf(l, randomTheta(l.schema, 1, random))
	w, compared := sweeper{random: random}, 0
	for g := range l.groups() {
		first, size := int(l.first[g]), int(l.first[g+1]-l.first[g])
		current := l.begin()
		if w.size = size; !w.opened(current, first) || len(w.open) < 3 {
			continue
		}
		w.load(current, f, first)
		w.hold(current, first)
		for _, j := range w.open {
			w.multiply(l.fragments(), j, w.open)
			few := w.weight
			w.multiplyMany(l.fragments(), j, w.open)
			for s := range size {
				for k := range size {
					compared++
					if got, want := w.weight[s][k]/w.weight[s][0], few[s][k]/few[s][0]; math.Abs(got-want) > 1e-9*want {
						t.Fatalf("group %d, fragment %d: %v, want %v", g, j, got, want)
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d weights were compared", compared)
	}
}

// A large group in which products leave the range of float32 is matched as likely as one
// in which they do not: here one matching has all the weight.
func TestLargeGroupsFarOut(t *testing.T) {
	codes := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	r := grouped(codes, codes, codes)
	l := mustSchema(t, r).slotsOf(r, []uint32{0})
	theta := make([]float32, l.categories*l.categories)
	for i := range codes {
		for a := range 3 {
			for b := range 3 {
				u, v := l.attributes[a].first+i, l.attributes[b].first+i
				if a != b {
					theta[u*l.categories+v] = 80
				}
			}
		}
	}
	f, random := factorsOf(l, theta), rand.New(rand.NewPCG(1, 4))
	current := l.begin()
	current.shuffle(random)
	w := sweeper{ctx: context.Background(), random: random}
	w.sweep(current, f, 0, 1, 200)
	for slot := range codes {
		for j := range current.place {
			if int(current.place[j][slot]) != slot {
				t.Fatalf("places %v, want those of the tuples that go together", current.place)
			}
		}
	}
}
