package misfit

import (
	"context"
	"maps"

	"github.com/anonsql/anonsql/anonymize"
)

// cuts are the shares of the records that divide the values of a number into two ranges.
var cuts = []float64{0.25, 0.5, 0.75}

// compareRanges compares the pairs with a number again, by records below and from each cut on.
// A range has more records than a cell, so it shows what its cells miss together, which chance
// hides in each.
func (s *subject) compareRanges(ctx context.Context, workers int) (all []comparison, err error) {
	side := 0
	for _, f := range s.release.Fragments {
		for _, c := range f.Columns {
			side++
			if !isNumeric(c.Dictionary) {
				continue
			}
			for n, share := range cuts {
				pairs, err := s.cut(c.Name, share).compare(ctx, workers, func(i, j place) bool { return s.name(i) == c.Name || s.name(j) == c.Name })
				if err != nil {
					return nil, err
				}
				for _, p := range pairs {
					for i := range p.cells {
						x := &p.cells[i]
						x.at = (x.at*len(cuts)+n)<<16 + side // distinct for each attribute and cut
					}
					all = added(all, p)
				}
			}
		}
	}
	return all, nil
}

// cut returns the subject with two categories of a number: below the share of the records, and
// the rest.
func (s *subject) cut(name string, share float64) *subject {
	histogram := s.known.Column(name).Histogram()
	category, before := make([]uint16, len(histogram)), 0
	for code, n := range histogram {
		if float64(before)+float64(n)/2 > share*float64(s.known.Rows) {
			category[code] = 1
		}
		before += n
	}
	two := *s
	two.categories = make(map[string][]uint16, len(s.categories)+1)
	maps.Copy(two.categories, s.categories)
	two.categories[name] = category
	return &two
}

// added adds the cells of a comparison to those of the same pair.
func added(all []comparison, c comparison) []comparison {
	for i := range all {
		if all[i].a == c.a && all[i].b == c.b {
			all[i].cells = append(all[i].cells, c.cells...)
			return all
		}
	}
	return append(all, c)
}

// isNumeric reports whether all values except NULL are numbers, and whether they differ.
func isNumeric(dictionary []anonymize.Value) bool {
	numbers := 0
	for _, v := range dictionary {
		if _, ok := v.Number(); ok {
			numbers++
		} else if !v.IsNull() {
			return false
		}
	}
	return numbers > 1
}
