package privacy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// recordAssociation is alpha, Eq. (3): the greatest share of a tuple of a QI fragment in its
// group.
func recordAssociation(r *anonymize.Release) ([]figure, error) {
	alpha := figure{name: "alpha", group: -1}
	for _, f := range r.Fragments {
		if f.Role == anonymize.Mixed {
			return nil, fmt.Errorf("fragment %s mixes quasi-identifiers with sensitive attributes", f.Name)
		}
		if f.Role != anonymize.QuasiIdentifying {
			continue
		}
		if err := pointsOnly(f); err != nil {
			return nil, err
		}
		before := alpha
		for g, size := range r.GroupSizes {
			alpha.raise(quotient(uint64(f.Count[mostFrequent(f, g)]), uint64(size)), g)
		}
		if before.group < 0 || alpha.worst.compare(before.worst) > 0 {
			tuple := mostFrequent(f, alpha.group)
			alpha.detail = fmt.Sprintf("in %s, %s is %d of %d %s",
				f.Name, describeTuple(f, tuple), f.Count[tuple], r.GroupSizes[alpha.group], counted(r))
		}
	}
	if alpha.group < 0 {
		return nil, errors.New("no fragment has the quasi-identifiers")
	}
	return []figure{alpha}, nil
}

// mostFrequent returns the first tuple with the greatest count in a group.
func mostFrequent(f *anonymize.Fragment, group int) uint32 {
	most := f.GroupStart[group]
	for t := most + 1; t < f.GroupStart[group+1]; t++ {
		if f.Count[t] > f.Count[most] {
			most = t
		}
	}
	return most
}

// pointsOnly refuses generalized cells: two tuples can then stand for the same record, so
// counts of tuples bound nothing.
func pointsOnly(f *anonymize.Fragment) error {
	for _, c := range f.Columns {
		if !c.IsPoint() {
			return fmt.Errorf("column %s of fragment %s has cells of more than one value", c.Name, f.Name)
		}
	}
	return nil
}

// describeTuple returns "age = 30 and sex = 'F'", with "age in [16-24]" for a cell.
func describeTuple(f *anonymize.Fragment, tuple uint32) string {
	terms := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		if c.IsPoint() {
			terms[i] = describeValue(c, c.Codes[tuple])
		} else {
			terms[i] = c.Name + " in " + c.Cells[c.Codes[tuple]].Label
		}
	}
	return strings.Join(terms, " and ")
}

func describeValue(c *anonymize.FragmentColumn, code uint32) string {
	v := c.Dictionary[code]
	if v.Kind == anonymize.Text {
		return c.Name + " = '" + v.Text + "'"
	}
	return c.Name + " = " + v.String()
}
