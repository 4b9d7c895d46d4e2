package impute

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

// Every matching comes as often as the product of its weights says.
func TestDrawnMatchings(t *testing.T) {
	draws := testsize.Of(40_000, 200_000)
	random := rand.New(rand.NewPCG(3, 4))
	for size := 1; size <= maxExact; size++ {
		m := &matcher{size: size}
		for i := range size * size {
			m.weight[i/size][i%size] = math.Exp(min(2, 3/float64(size)) * random.NormFloat64())
		}
		want, total := make(map[string]float64), 0.0
		for _, p := range anontest.Permutations(size) {
			weight := 1.0
			for s, k := range p {
				weight *= m.weight[s][k]
			}
			want[fmt.Sprint(p)] = weight
			total += weight
		}
		got := make(map[string]int)
		for range draws {
			m.draw(random)
			p := make([]int, size)
			for s := range p {
				p[s] = int(m.drawn[s])
			}
			got[fmt.Sprint(p)]++
		}
		for p, weight := range want {
			share := weight / total
			if off := math.Abs(float64(got[p])/float64(draws) - share); off > 5*math.Sqrt(share*(1-share)/float64(draws))+1e-9 {
				t.Errorf("size %d: matching %s came %d times of %d, want the share %.4f", size, p, got[p], draws, share)
			}
		}
	}
}

// Weights that are next to 0 give the matchings that they give when they are not.
func TestSmallWeights(t *testing.T) {
	random, one, other := rand.New(rand.NewPCG(1, 4)), rand.New(rand.NewPCG(5, 6)), rand.New(rand.NewPCG(5, 6))
	for size := 2; size <= maxExact; size++ {
		for range 1000 {
			m, small := &matcher{size: size}, &matcher{size: size}
			for i := range size * size {
				m.weight[i/size][i%size] = random.Float64()
				small.weight[i/size][i%size] = m.weight[i/size][i%size] * 0x1p-900
			}
			m.draw(one)
			small.draw(other)
			if m.drawn != small.drawn {
				t.Fatalf("%v, want %v", small.drawn, m.drawn)
			}
		}
	}
}

// grouped is a release of one group: fragment j has a column of the given codes, sorted.
func grouped(fragments ...[]uint32) *anonymize.Release {
	size := uint32(len(fragments[0]))
	r := &anonymize.Release{Rows: int(size), GroupSizes: []uint32{size}}
	for j, codes := range fragments {
		column := &anonymize.FragmentColumn{Name: fmt.Sprintf("c%d", j)}
		f := &anonymize.Fragment{Name: fmt.Sprintf("f%d", j), Columns: []*anonymize.FragmentColumn{column}}
		for i, code := range codes {
			for len(column.Dictionary) <= int(code) {
				column.Dictionary = append(column.Dictionary, anonymize.TextValue(fmt.Sprint("v", len(column.Dictionary))))
			}
			if i > 0 && codes[i-1] == code {
				f.Count[len(f.Count)-1]++
				continue
			}
			column.Codes, f.Count = append(column.Codes, code), append(f.Count, 1)
		}
		f.GroupStart = []uint32{0, uint32(len(f.Count))}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

func mustSchema(t *testing.T, r *anonymize.Release) *schema {
	t.Helper()
	s, err := newSchema(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomTheta has a symmetric theta that is 0 inside attributes.
func randomTheta(s *schema, scale float64, random *rand.Rand) []float32 {
	theta := make([]float32, s.categories*s.categories)
	for i := range s.attributes {
		for j := range i {
			a, b := &s.attributes[i], &s.attributes[j]
			for u := a.first; u < a.end; u++ {
				for v := b.first; v < b.end; v++ {
					x := float32(scale * random.NormFloat64())
					theta[u*s.categories+v], theta[v*s.categories+u] = x, x
				}
			}
		}
	}
	return theta
}

// factorsOf are those of a model of given theta.
func factorsOf(l *slots, theta []float32) *factors {
	m := newModel(l, l.weakPrior())
	copy(m.theta, theta)
	f := m.newFactors()
	f.refresh()
	return f
}

// energy is the exponent of a completed table: the sum over all pairs of attributes
// of its rows.
func energy(t *table, theta []float32) float64 {
	width, sum := len(t.attributes), 0.0
	for slot := range t.count() {
		row := t.rows[slot*width:][:width]
		for i := range row {
			for j := range i {
				sum += float64(theta[int(row[i])*t.categories+int(row[j])])
			}
		}
	}
	return sum
}

// Completed tables of one group come as often as the model says: groups that are drawn in
// one step, in rounds over three fragments, and in parts.
func TestSweepsFollowTheModel(t *testing.T) {
	const pairByPair = ", pair by pair" // what releases of larger fragments have
	for _, c := range []struct {
		name      string
		fragments [][]uint32
	}{
		{"two fragments", [][]uint32{{0, 1, 2, 3}, {0, 1, 2, 3}}},
		{"equal tuples", [][]uint32{{0, 0, 1, 2}, {0, 1, 1, 1}}},
		{"three fragments", [][]uint32{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}},
		{"three fragments" + pairByPair, [][]uint32{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}},
		{"four fragments of two", [][]uint32{{0, 1}, {0, 1}, {0, 1}, {0, 1}}},
		{"four fragments of two" + pairByPair, [][]uint32{{0, 1}, {0, 1}, {0, 1}, {0, 1}}},
		{"a large group", [][]uint32{{0, 0, 0, 0, 0, 0, 1, 2}, {0, 1, 2, 2, 2, 2, 2, 2}}},
		{"a large group of three fragments", [][]uint32{{0, 0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(5, 6))
			r := grouped(c.fragments...)
			l := mustSchema(t, r).slotsOf(r, []uint32{0})
			l.single = len(c.fragments) > 2 && !strings.HasSuffix(c.name, pairByPair)
			theta := randomTheta(l.schema, 0.8, random)
			want, f := modelOf(l, theta), factorsOf(l, theta)
			draws := testsize.Of(10_000, 100_000)
			got := make(map[string]int)
			current := l.begin()
			w := sweeper{ctx: context.Background(), random: random}
			for range draws {
				w.sweep(current, f, 0, 1, 2)
				got[multiset(current)]++
			}
			for rows, share := range want {
				// Draws that follow each other are alike: 15 standard errors of
				// independent ones.
				if off := math.Abs(float64(got[rows])/float64(draws) - share); off > 15*math.Sqrt(share*(1-share)/float64(draws)) {
					t.Errorf("%s came %d times of %d, want the share %.4f", rows, got[rows], draws, share)
				}
			}
			if len(got) > len(want) {
				t.Errorf("%d tables came, there are %d", len(got), len(want))
			}
		})
	}
}

// multiset writes the rows of a table, in the order of the first fragment.
func multiset(t *table) string { return fmt.Sprint(t.rows) }

// modelOf enumerates the matchings of one group: the probability of every table.
func modelOf(l *slots, theta []float32) map[string]float64 {
	shares, total := make(map[string]float64), 0.0
	t := l.begin()
	width, size := len(l.attributes), l.count()
	var choose func(j int)
	choose = func(j int) {
		if j == l.fragments() {
			weight := math.Exp(energy(t, theta))
			shares[multiset(t)] += weight
			total += weight
			return
		}
		for _, p := range anontest.Permutations(size) {
			for slot, from := range p {
				copy(t.rows[slot*width+l.of[j]:slot*width+l.of[j+1]], l.rows[from*width+l.of[j]:])
			}
			choose(j + 1)
		}
	}
	if l.fragments() == 3 && size > 4 {
		// The tuples of the last two fragments are all equal but one: places of it.
		return modelOfOddOnes(l, theta)
	}
	choose(1)
	for rows := range shares {
		shares[rows] /= total
	}
	return shares
}

// modelOfOddOnes enumerates where the last tuple of every fragment beyond the first is,
// the others being equal.
func modelOfOddOnes(l *slots, theta []float32) map[string]float64 {
	shares, total := make(map[string]float64), 0.0
	size := l.count()
	for a := range size {
		for b := range size {
			t := l.begin()
			t.swap(1, size-1, a)
			t.swap(2, size-1, b)
			weight := math.Exp(energy(t, theta))
			shares[multiset(t)] += weight
			total += weight
		}
	}
	for rows := range shares {
		shares[rows] /= total
	}
	return shares
}

// Places and rows of a table say the same, after sweeps over groups of all sizes.
func TestPlacesAgreeWithRows(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		size := 1 + random.IntN(12)
		fragments := make([][]uint32, 2+random.IntN(3))
		for j := range fragments {
			code := uint32(0)
			for range size {
				fragments[j] = append(fragments[j], code)
				code += uint32(random.IntN(2))
			}
		}
		r := grouped(fragments...)
		l := mustSchema(t, r).slotsOf(r, []uint32{0})
		current := l.begin()
		f := factorsOf(l, randomTheta(l.schema, 1, random))
		current.shuffle(random)
		for round := range 5 {
			width := len(l.attributes)
			for slot := range size {
				for j := range fragments {
					from := slot
					if j > 0 {
						from = int(current.place[j-1][slot])
					}
					if got, want := current.rows[slot*width+j], l.rows[from*width+j]; got != want {
						t.Fatalf("round %d: slot %d has category %d of fragment %d, its place says %d", round, slot, got, j, want)
					}
				}
			}
			(&sweeper{ctx: context.Background(), random: random}).sweep(current, f, 0, 1, 1)
		}
	}
}
