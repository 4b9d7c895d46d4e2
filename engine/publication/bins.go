package publication

import (
	"cmp"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Bins cut an attribute's values into ranges of neighbours: bin b has the values from Cuts[b-1], which is in it, to Cuts[b], which is not.
// NULL is in bin 0.
type Bins struct {
	Column string
	Cuts   []anonymize.Value // ascending
}

// Number is how many bins there are.
func (b *Bins) Number() int { return len(b.Cuts) + 1 }

// binOf is the bin of a value.
func (b *Bins) binOf(v anonymize.Value) int {
	bin, found := slices.BinarySearchFunc(b.Cuts, v, anonymize.Compare)
	if found {
		bin++
	}
	return bin
}

// Merged are so many bins, at most as many as there are: bin b of these is in bin floor(b * number / Number()) of those.
func (b *Bins) Merged(number int) *Bins {
	merged := &Bins{Column: b.Column}
	for bin := 1; bin < number; bin++ {
		first := (bin*b.Number() + number - 1) / number
		merged.Cuts = append(merged.Cuts, b.Cuts[first-1])
	}
	return merged
}

// merged are so many of each.
func merged(finer []*Bins, numbers []int) (coarser []*Bins) {
	for i, n := range numbers {
		coarser = append(coarser, finer[i].Merged(n))
	}
	return coarser
}

func numbersOf(bins []*Bins) []int {
	numbers := make([]int, len(bins))
	for i, b := range bins {
		numbers[i] = b.Number()
	}
	return numbers
}

// A Count says how many records have a value.
type Count struct {
	Value   anonymize.Value
	Records int64
}

// NewBins cuts at quantiles: every bin has about the same number of records, but for values that have more by themselves. There are at
// most most bins, at least 1. Counts may come in any order. O(v log v) for v values.
func NewBins(column string, counts []Count, most int) *Bins {
	counts = slices.Clone(counts)
	slices.SortFunc(counts, func(a, b Count) int { return anonymize.Compare(a.Value, b.Value) })
	var left int64
	for _, c := range counts {
		left += c.Records
	}
	bins := &Bins{Column: column}
	var here int64 // records of the bin under way
	for i, c := range counts {
		// The records that are left are shared evenly by the bins that are left; a value goes where it misses the share by less.
		share := left / int64(max(1, most-len(bins.Cuts)))
		if i > 0 && here > 0 && !counts[i-1].Value.IsNull() && len(bins.Cuts) < most-1 && here+c.Records/2 >= share {
			bins.Cuts = append(bins.Cuts, c.Value)
			left -= here
			here = 0
		}
		here += c.Records
	}
	return bins
}

// binOfEach has a bin of every value, but that NULL is with the least.
func binOfEach(column string, counts []Count) *Bins {
	bins := &Bins{Column: column}
	for _, c := range counts {
		if !c.Value.IsNull() {
			bins.Cuts = append(bins.Cuts, c.Value)
		}
	}
	slices.SortFunc(bins.Cuts, anonymize.Compare)
	bins.Cuts = bins.Cuts[min(1, len(bins.Cuts)):]
	return bins
}

// Shrink says how many bins each attribute gets when it could use wanted[i], and the product is to be at most most: the one with the most bins
// gives some up first. Every attribute keeps one.
func Shrink(wanted []int, most int) []int {
	given := slices.Clone(wanted)
	for product(given) > int64(most) {
		at := slices.Index(given, slices.MaxFunc(given, cmp.Compare[int]))
		if given[at] == 1 {
			break
		}
		given[at] = max(1, given[at]*7/8)
	}
	return given
}

// product is that of positive numbers, at most 2^62.
func product(factors []int) int64 {
	p := int64(1)
	for _, f := range factors {
		if p > (1<<62)/int64(f) {
			return 1 << 62
		}
		p *= int64(f)
	}
	return p
}
