package privacy

import (
	"errors"

	"github.com/anonsql/anonsql/anonymize"
)

// anonymity is k-anonymity: the least number of records that the release shows
// with the same quasi-identifiers (cells, in whichever groups). It is a figure of
// releases that publish all quasi-identifiers in one fragment; where they are in
// several, or beside the sensitive attribute, no record is shown whole.
func anonymity(r *anonymize.Release) ([]figure, error) {
	var fragment *anonymize.Fragment
	for _, f := range r.Fragments {
		switch {
		case f.Role == anonymize.Sensitive:
		case f.Role == anonymize.Mixed || fragment != nil:
			return nil, errors.New("the quasi-identifiers are not in one fragment of their own")
		default:
			fragment = f
		}
	}
	if fragment == nil {
		return nil, errors.New("no quasi-identifiers are published")
	}
	number, distinct := tupleNumbers(fragment)
	records := make([]uint64, distinct)
	for t, n := range number {
		records[n] += uint64(fragment.Count[t])
	}
	k := newFigure("k")
	for g := range fragment.Groups() {
		for t := fragment.GroupStart[g]; t < fragment.GroupStart[g+1]; t++ {
			if k.raise(quotient(records[number[t]], 1), g) {
				k.detail = "in " + fragment.Name + ", " + describeTuple(fragment, t)
			}
		}
	}
	return []figure{k}, nil
}

// tupleNumbers gives equal numbers, below distinct, to tuples of equal cells,
// whichever their groups.
func tupleNumbers(f *anonymize.Fragment) (number []uint32, distinct int) {
	number, distinct = make([]uint32, f.Tuples()), 1
	for _, c := range f.Columns {
		width := uint64(len(c.Dictionary))
		if !c.IsPoint() {
			width = uint64(len(c.Cells))
		}
		pair, next := pairNumbers(uint64(distinct)*width), uint32(0)
		for t, code := range c.Codes {
			number[t] = pair(uint64(number[t])*width+uint64(code), &next)
		}
		distinct = int(next)
	}
	return number, distinct
}
