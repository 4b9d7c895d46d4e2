package attack

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// ValuesLeft returns, by unit, the number of candidate sensitive values after an attacker who knows the groups of all of the unit's records
// intersects their values: a person with a chronic disease has one value in all of them. units has the unit of every record.
//
// It fails if the release does not publish the attribute. O(records x values of a group).
func ValuesLeft(r *anonymize.Release, truth Truth, units []uint32) (left []int, err error) {
	fragment, at, ok := r.Locate(truth.Sensitive.Name)
	if !ok {
		return nil, fmt.Errorf("the release does not publish %s", truth.Sensitive.Name)
	}
	f := r.Fragments[fragment]
	type state struct {
		known  bool
		values map[uint32]bool
	}
	of := make([]state, 0)
	for record, u := range units {
		for len(of) <= int(u) {
			of = append(of, state{})
		}
		here := valuesOf(f, f.Columns[at], truth.GroupOf[record])
		if !of[u].known {
			of[u] = state{true, here}
			continue
		}
		for v := range of[u].values {
			if !here[v] {
				delete(of[u].values, v)
			}
		}
	}
	for _, s := range of {
		if s.known {
			left = append(left, len(s.values))
		}
	}
	return left, nil
}

// valuesOf returns the codes that a group's records may have.
func valuesOf(f *anonymize.Fragment, c *anonymize.FragmentColumn, group uint32) map[uint32]bool {
	values := make(map[uint32]bool)
	for t := f.GroupStart[group]; t < f.GroupStart[group+1]; t++ {
		if c.IsPoint() {
			values[c.Codes[t]] = true
			continue
		}
		for _, m := range c.Cells[c.Codes[t]].Members {
			values[m] = true
		}
	}
	return values
}
