package publication

import (
	"math"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// spread are counts of so many values, of which the last has such a number of records, and each other one has one.
func spread(values int, last int64) (counts []Count) {
	for i := range values {
		counts = append(counts, Count{anonymize.IntegerValue(int64(i)), 1})
	}
	counts[values-1].Records = last
	return counts
}

// An attribute of which nearly all records have one value keeps more bins: they make hardly any combinations more. One whose values are spread gives more up, and no more than must be.
func TestSpend(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts [][]Count
		most   int
		want   []int
	}{
		{"all fit", [][]Count{spread(8, 1), spread(8, 1)}, 64, []int{8, 8}},
		{"a frequent value", [][]Count{spread(40, 1000), spread(40, 1)}, 320, []int{22, 14}},
		{"alike", [][]Count{spread(16, 1), spread(16, 1)}, 100, []int{10, 10}},
		{"one", [][]Count{spread(3, 1), spread(3, 1)}, 1, []int{1, 1}},
		{"nothing to give", [][]Count{spread(1, 5), spread(1, 5)}, 0, []int{1, 1}},
	} {
		var bins []*Bins
		for _, of := range c.counts {
			bins = append(bins, binOfEach("x", of))
		}
		got := spend(bins, c.counts, c.most)
		for i, n := range got {
			if n != c.want[i] {
				t.Errorf("%s: %v bins, must be %v", c.name, got, c.want)
				break
			}
		}
	}
}

// What bins lose and save, of values with the same number of records: of n values in bins of v, (v - 1) / (n - 1), and the logarithm of the bins' number.
func TestPurse(t *testing.T) {
	counts := spread(64, 1)
	p := newPurse(NewBins("x", counts, 64), counts)
	for bins := 1; bins <= 64; bins *= 2 {
		loses, entropy := p.lossWithBins(bins)
		if want := float64(64/bins-1) / 63; math.Abs(loses-want) > 1e-9 || math.Abs(entropy-math.Log(float64(bins))) > 1e-9 {
			t.Errorf("%d bins lose %v, want %v; their entropy is %v", bins, loses, want, entropy)
		}
	}
}

// Classes have a bin of every value, where there are few values; blocks have bins of as many records. In both, the product keeps its bound.
func TestBinsOfMethods(t *testing.T) {
	counts := [][]Count{spread(40, 1000), spread(1000, 1), append(spread(5, 1), Count{anonymize.NullValue, 7})}
	for method, want := range map[string][]int{Mondrian: {40, maxBins, 5}, Anatomy: {3, maxBins, 5}} {
		p := &Plan{Request: Request{Method: method, QuasiIdentifiers: []string{"x", "y", "z"}}}
		finest := p.binsOf(counts, maxNumbered)
		if got := numbersOf(finest); !slices.Equal(got, want) {
			t.Errorf("%s: %v bins, must be %v", method, got, want)
		}
		for most := 1; most < 10_000; most *= 3 {
			for _, bins := range [][]*Bins{p.binsOf(counts, most), p.coarserBins(finest, counts, most)} {
				if got := numbersOf(bins); product(got) > int64(most) {
					t.Errorf("%s: %v bins of at most %d", method, got, most)
				}
			}
		}
	}
}
