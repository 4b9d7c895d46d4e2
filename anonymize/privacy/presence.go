package privacy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// presence computes gamma, Eq. (7), and the bound that the equation's name suggests. The
// product is the probability of the most frequent combination at one of the group's m
// positions; by the union bound, the probability that any position has it is at most m times
// that.
func presence(r *anonymize.Release) ([]figure, error) {
	if len(r.Fragments) == 0 {
		return nil, errors.New("the release has no fragments")
	}
	for _, f := range r.Fragments {
		if err := pointsOnly(f); err != nil {
			return nil, err
		}
	}
	gamma, atAll := figure{name: "gamma", group: -1}, figure{name: "presence", group: -1}
	counts := make([]uint32, len(r.Fragments))
	for g, size := range r.GroupSizes {
		greatestCounts(r, g, counts)
		gamma.raise(multiply(1, counts, size), g)
		// m times the product of all c_i/m: the first m cancels.
		atAll.raise(multiply(counts[0], counts[1:], size), g)
	}
	gamma.detail = factors(r, gamma.group)
	atAll.detail = fmt.Sprintf("%d %s x %s", r.GroupSizes[atAll.group], counted(r), factors(r, atAll.group))
	if one := quotient(1, 1); atAll.worst.compare(one) > 0 {
		atAll.worst = one
	}
	return []figure{gamma, atAll}, nil
}

// greatestCounts sets counts to the greatest count of every fragment.
func greatestCounts(r *anonymize.Release, group int, counts []uint32) {
	for i, f := range r.Fragments {
		counts[i] = f.Count[mostFrequent(f, group)]
	}
}

// factors returns "qi1 1/4 x qi2 2/4 x sa 1/4".
func factors(r *anonymize.Release, group int) string {
	parts := make([]string, len(r.Fragments))
	for i, f := range r.Fragments {
		parts[i] = fmt.Sprintf("%s %d/%d", f.Name, f.Count[mostFrequent(f, group)], r.GroupSizes[group])
	}
	return strings.Join(parts, " x ")
}
