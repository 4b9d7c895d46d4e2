package publication

import (
	"cmp"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Bins cut an attribute's values into ranges: bin b has the values from Cuts[b-1], inclusive,
// to Cuts[b], exclusive. NULL is in bin 0.
type Bins struct {
	Column string
	Cuts   []anonymize.Value // ascending
}

// Number returns the number of bins.
func (b *Bins) Number() int { return len(b.Cuts) + 1 }

// binOf returns a value's bin.
func (b *Bins) binOf(v anonymize.Value) int {
	bin, found := slices.BinarySearchFunc(b.Cuts, v, anonymize.Compare)
	if found {
		bin++
	}
	return bin
}

// Merged returns number bins, at most as many as there are: bin b becomes bin floor(b * number / Number()).
func (b *Bins) Merged(number int) *Bins {
	merged := &Bins{Column: b.Column}
	for bin := 1; bin < number; bin++ {
		first := (bin*b.Number() + number - 1) / number
		merged.Cuts = append(merged.Cuts, b.Cuts[first-1])
	}
	return merged
}

// merged merges each attribute's bins.
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

// A Count is the number of records with a value.
type Count struct {
	Value   anonymize.Value
	Records int64
}

// NewBins cuts at quantiles: bins have about equally many records, except where one value has more.
// There is at least 1 bin and there are at most most. Counts may be unsorted. O(v log v) for v values.
func NewBins(column string, counts []Count, most int) *Bins {
	counts = slices.Clone(counts)
	slices.SortFunc(counts, func(a, b Count) int { return anonymize.Compare(a.Value, b.Value) })
	var left int64
	for _, c := range counts {
		left += c.Records
	}
	bins := &Bins{Column: column}
	var here int64 // records of the current bin
	for i, c := range counts {
		// The remaining bins share the remaining records evenly; a value goes to the bin where it deviates less from that share.
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

// binOfEach makes a bin per value; NULL shares the least value's.
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

// Shrink returns each attribute's number of bins, at most wanted[i], so that the product is at
// most most: the attribute with the most bins gives up some first. Every attribute keeps one.
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

// product multiplies positive numbers, at most 2^62.
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
