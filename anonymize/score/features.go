package score

import (
	"cmp"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

const (
	// quantiles is the number of bins of a numeric column.
	quantiles = 12
	// maxCategories is the number of another column's most frequent values that are features;
	// the others share one more.
	maxCategories = 15
)

// features are the quasi-identifiers as a model's input: every record has one feature per
// column, and the constant.
type features struct {
	columns int
	number  []uint16 // by record and column
	total   int      // without the constant, whose number it is
}

// newFeatures bins the columns. O(rows x columns).
func newFeatures(columns []*anonymize.Column) *features {
	f := &features{columns: len(columns), number: make([]uint16, columns[0].Rows()*len(columns))}
	for i, c := range columns {
		bin, bins := binsOf(c)
		for record, code := range c.Codes {
			f.number[record*f.columns+i] = uint16(f.total) + bin[code]
		}
		f.total += bins
	}
	return f
}

// featuresOf returns the features of a record.
func (f *features) featuresOf(record uint32) []uint16 {
	return f.number[int(record)*f.columns:][:f.columns]
}

// binsOf returns the bin of every code; for a numeric column, bins have about equally many records.
func binsOf(c *anonymize.Column) (bin []uint16, bins int) {
	if c.IsNumeric() {
		return quantilesOf(c)
	}
	return categoriesOf(c)
}

func quantilesOf(c *anonymize.Column) (bin []uint16, bins int) {
	bin = make([]uint16, len(c.Dictionary))
	few := c.Distinct() <= quantiles
	below, last := 0, -1
	for code, n := range c.Histogram() {
		if n == 0 {
			continue
		}
		if at := below * quantiles / c.Rows(); few || at != last {
			bins, last = bins+1, at
		}
		bin[code] = uint16(bins - 1)
		below += n
	}
	return bin, bins
}

func categoriesOf(c *anonymize.Column) (bin []uint16, bins int) {
	count := c.Histogram()
	var codes []int
	for code, n := range count {
		if n > 0 {
			codes = append(codes, code)
		}
	}
	slices.SortStableFunc(codes, func(x, y int) int { return cmp.Compare(count[y], count[x]) })
	bin = make([]uint16, len(count))
	for rank, code := range codes {
		bin[code] = uint16(min(rank, maxCategories))
	}
	return bin, min(len(codes), maxCategories+1)
}
