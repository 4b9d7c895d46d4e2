package privacy

import (
	"errors"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// closeDiversity is l for values that count as one: m/c, where c is the greatest number of records with values in one interval of
// the promise's width, or with cells that share a code. Every interval counts, so class boundaries do not matter. Numbers: ARP,
// Section 3.1, asks for "distinctively different" values. Sets: k^m-anonymity of Terrovitis, Mamoulis and Kalnis (PVLDB 2008),
// with m = 1, for sensitive codes. If a unit has several values, it counts for each, so c is at least its number of units.
func closeDiversity(p anonymize.Promise) func(r *anonymize.Release) ([]figure, error) {
	return func(r *anonymize.Release) ([]figure, error) {
		l, some := newFigure(p.Guarantee), false
		if name, _, ok := anonymize.SplitAbout(p.Guarantee); ok {
			l = newFigure(name)
		}
		closeness := make(map[*anonymize.FragmentColumn]*anonymize.Closeness)
		err := eachComposition(r, func(c *composition) {
			if l.name == anonymize.LThreshold && !isNumeric(c.column.Dictionary) {
				return
			}
			if closeness[c.column] == nil {
				closeness[c.column] = p.Closeness(c.column.Dictionary)
			}
			if closeness[c.column] == nil {
				return
			}
			some = true
			most := closeness[c.column].LargestSet(c.codes, func(i int) uint64 { return c.counts[i] })
			if l.raise(quotient(c.whole, most.Records), c.group) {
				l.detail = fmt.Sprintf("in %s, %s is %s", c.fragment.Name, most.Describe(c.column.Name), c.share(most.Records))
			}
		})
		if err == nil && !some {
			err = errors.New("no sensitive attribute is numeric, or nothing says which values count as one")
		}
		if err != nil {
			return nil, err
		}
		for _, what := range closeness {
			l.detail += "; " + what.String()
			break
		}
		return []figure{l}, nil
	}
}
