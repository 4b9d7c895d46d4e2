package impute

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// Weights of fragments of one attribute each are exponentials of energies, up to a factor a
// slot: while the slots exchange tuples, and where products are no float32s, too.
func TestSingles(t *testing.T) {
	r := grouped([]uint32{0, 1, 2, 3, 3}, []uint32{0, 1, 2, 3, 4}, []uint32{0, 1, 1, 2, 3}, []uint32{0, 0, 0, 1, 1},
		[]uint32{0, 0, 1, 2, 3}, []uint32{0, 1, 2, 2, 3})
	l := mustSchema(t, r).slotsOf(r, []uint32{0})
	if !l.single || l.large != 1 || len(l.whole.all) < 2 || len(l.whole.all) == len(l.attributes) {
		t.Fatalf("the release is no test: %+v", l.whole)
	}
	for _, scale := range []float64{0.5, 3, 60} {
		random := rand.New(rand.NewPCG(1, 2))
		f, current := factorsOf(l, randomTheta(l.schema, scale, random)), l.begin()
		w := sweeper{ctx: context.Background(), random: random}
		for range 20 {
			w.sweep(current, f, 0, 1, 2) // what the sweep knows of the group is up to date
			for j := range l.fragments() {
				w.weighAttribute(f, j)
				for s := range w.size {
					compareWeights(t, &w, f, s, j)
				}
			}
		}
	}
}

// compareWeights compares the weights of the tuples of fragment j in a slot with that of the
// likeliest.
func compareWeights(t *testing.T, w *sweeper, f *factors, s, j int) {
	var energy [maxExact]float64
	likeliest := 0
	for k := range w.size {
		for i := range f.fragments() {
			if i != j {
				u, v := int(w.column[i][w.holds[i][s]])+f.responses, int(w.column[j][k])+f.responses
				energy[k] += float64(f.theta[u*f.categories+v])
			}
		}
		if energy[k] > energy[likeliest] {
			likeliest = k
		}
	}
	for k := range w.size {
		want, got := energy[k]-energy[likeliest], math.Log(w.weight[s][k]/w.weight[s][likeliest])
		if math.Abs(got-want) > 1e-4*(1+math.Abs(want)) && got > -39 || want > -39 && got <= -39 {
			t.Errorf("fragment %d, tuple %d in slot %d: %v, want %v", j, k, s, got, want)
		}
	}
}

// Only where every one of three fragments or more has one attribute, groups are swept
// attribute by attribute.
func TestSingleFragments(t *testing.T) {
	one := []uint32{0, 1, 2}
	if s := mustSchema(t, grouped(one, one)); s.single {
		t.Error("two fragments are drawn in one step")
	}
	r := grouped(one, one, one)
	if s := mustSchema(t, r); !s.single {
		t.Error("three fragments of one attribute are not swept so")
	}
	f := r.Fragments[1]
	second := *f.Columns[0]
	second.Name = "second"
	f.Columns = append(f.Columns, &second)
	if s := mustSchema(t, r); s.single {
		t.Error("a fragment of two attributes is swept so")
	}
}
