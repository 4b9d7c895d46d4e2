package sequence

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// matchRecords verifies that every relation of a release is that of the private side, group by group: columns
// of values have the tuples of the group's records with equal counts, and a tuple of cells contains each
// record's values. So what relations reveal together, in one version or several, is what the records are.
func matchRecords(r *anonymize.Release, live *anonymize.Live) error {
	groups := make([][]int, r.Groups())
	for record, g := range live.Group {
		if g != anonymize.Waiting {
			groups[g] = append(groups[g], record)
		}
	}
	for _, f := range r.Fragments {
		codes, err := codesOf(f, live)
		if err != nil {
			return err
		}
		for g, records := range groups {
			if !matches(f, g, records, codes) {
				return fmt.Errorf("relation %s of group %d does not have the records of its private side", f.Name, g)
			}
		}
	}
	return nil
}

// codesOf returns, by column of a fragment, the dictionary index of every record's value; absent if there is none.
func codesOf(f *anonymize.Fragment, live *anonymize.Live) ([][]uint32, error) {
	codes := make([][]uint32, len(f.Columns))
	for i, c := range f.Columns {
		at := slices.IndexFunc(live.Released(), func(d *anonymize.Column) bool { return d.Name == c.Name })
		if at < 0 {
			return nil, fmt.Errorf("the private side has no column %s", c.Name)
		}
		d := live.Released()[at]
		codes[i] = anonymize.Gather(anonymize.Translate(d.Dictionary, c.Dictionary, absent), d.Codes)
	}
	return codes, nil
}

// matches compares the tuples of a group with its records.
func matches(f *anonymize.Fragment, g int, records []int, codes [][]uint32) bool {
	left := slices.Clone(f.Count[f.GroupStart[g]:f.GroupStart[g+1]])
	points := !slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool { return !c.IsPoint() })
	for _, record := range records {
		found := false
		for i := range left {
			if left[i] == 0 && points || !hasPlace(f, f.GroupStart[g]+uint32(i), record, codes) {
				continue
			}
			if found = true; points {
				left[i]--
			}
			break
		}
		if !found {
			return false
		}
	}
	return !points || slices.Max(append(left, 0)) == 0
}

// hasPlace reports whether a tuple may belong to a record.
func hasPlace(f *anonymize.Fragment, tuple uint32, record int, codes [][]uint32) bool {
	for i, c := range f.Columns {
		code := codes[i][record]
		if c.IsPoint() {
			if c.Codes[tuple] != code {
				return false
			}
		} else if _, has := slices.BinarySearch(c.Cells[c.Codes[tuple]].Members, code); !has {
			return false
		}
	}
	return true
}
