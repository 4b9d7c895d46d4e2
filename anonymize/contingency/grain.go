package contingency

import (
	"cmp"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Grain says how fine an attribute's categories are.
type Grain struct {
	// Bins is the greatest number of quantile bins of numbers.
	Bins int
	// Values is the greatest number of categories of texts. If there are no more texts, each is
	// a category; else the most frequent texts get three quarters of the categories, and the
	// others share bins of about equal weight.
	Values int
}

// Finest is the initial grain.
var Finest = Grain{Bins: 16, Values: 64}

// Coarser halves a grain; the coarsest stays.
func (g Grain) Coarser() Grain { return Grain{max(2, g.Bins/2), max(2, g.Values/2)} }

// IsCoarsest reports whether there is no coarser grain.
func (g Grain) IsCoarsest() bool { return g == g.Coarser() }

// Categories puts the values of a dictionary into n categories; weight is the number of
// records of each. NULL is a category of its own.
func (g Grain) Categories(dictionary []anonymize.Value, weight []int) (category []uint16, n int) {
	category = make([]uint16, len(weight))
	var codes []int // those that occur and are not NULL
	null, numbers := -1, true
	for code, w := range weight {
		switch v := dictionary[code]; {
		case w == 0:
		case v.IsNull():
			null = code
		default:
			codes = append(codes, code)
			_, ok := v.Number()
			numbers = numbers && ok
		}
	}
	switch {
	case numbers:
		n = quantiles(category, codes, weight, g.Bins)
	case len(codes) <= g.Values:
		n = quantiles(category, codes, weight, g.Values)
	default:
		n = g.frequent(category, codes, weight)
	}
	if null >= 0 {
		category[null] = uint16(n)
		n++
	}
	return category, n
}

// frequent gives the most frequent codes their own categories.
func (g Grain) frequent(category []uint16, codes []int, weight []int) int {
	slices.SortStableFunc(codes, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	own := g.Values * 3 / 4
	rest := slices.Sorted(slices.Values(codes[own:]))
	shared := quantiles(category, rest, weight, g.Values-own)
	for i, code := range codes[:own] {
		category[code] = uint16(shared + i)
	}
	return shared + own
}

// quantiles puts ascending codes into at most bins categories of about equal weight, numbered
// from 0, and returns their number.
func quantiles(category []uint16, codes []int, weight []int, bins int) int {
	if len(codes) <= bins {
		for i, code := range codes {
			category[code] = uint16(i)
		}
		return len(codes)
	}
	most, left := fairShare(codes, weight, bins) // left: of this bin and those to come
	bin, inside := 0, 0
	for _, code := range codes {
		// A code goes into the next bin if most of it exceeds this bin's share.
		w := min(weight[code], most)
		if inside > 0 && bin < bins-1 && inside+w/2 >= left/(bins-bin) {
			left -= inside
			bin, inside = bin+1, 0
		}
		category[code] = uint16(bin)
		inside += w
	}
	return bin + 1
}

// fairShare caps the weight of one code, so that no code counts for more than one bin, and
// returns the total of the capped weights.
func fairShare(codes []int, weight []int, bins int) (most, total int) {
	most = math.MaxInt
	for {
		total = 0
		for _, code := range codes {
			total += min(weight[code], most)
		}
		share := max(1, total/bins)
		if share >= most {
			return most, total
		}
		most = share
	}
}
