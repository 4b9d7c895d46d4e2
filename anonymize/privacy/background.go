package privacy

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// maxKnown is the greatest t of the curve that background reports.
const maxKnown = 4

// background is the greatest probability of a value for an attacker who knows t other records
// of the class that do not have it: c/(m - min(t, m - c)), which grows with the count c. The
// figure is for t = 1; the detail has the curve.
func background(r *anonymize.Release) ([]figure, error) {
	columns, err := sensitiveColumns(r)
	if err != nil {
		return nil, err
	}
	for _, s := range columns {
		if !s.column.IsPoint() {
			return nil, fmt.Errorf("column %s of fragment %s has cells of more than one value", s.column.Name, s.fragment.Name)
		}
	}
	var known [maxKnown]figure
	for t := range known {
		known[t] = newFigure("background")
	}
	err = eachComposition(r, func(c *composition) {
		most := c.mostLikely()
		for t := range known {
			others := min(uint64(t+1), c.whole-c.counts[most])
			if known[t].raise(quotient(c.counts[most], c.whole-others), c.group) && t == 0 {
				known[t].detail = c.describe(most)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	curve := make([]string, 0, maxKnown-1)
	for _, f := range known[1:] {
		curve = append(curve, fmt.Sprintf("%.4g", f.worst.float()))
	}
	known[0].detail += fmt.Sprintf(", one other known; with 2, 3, 4 known at most %s", strings.Join(curve, ", "))
	return known[:1], nil
}
