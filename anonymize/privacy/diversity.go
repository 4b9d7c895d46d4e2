package privacy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// diversity computes l, distinct and entropy over every composition.
//
// l is l-diversity of Definition 1 of Zhu et al. 2015: at least l different values, and no
// value in more than floor(m/l) of the m records. The greatest such l is floor(m/c), with c the
// greatest count: c <= floor(m/l) iff c l <= m iff l <= floor(m/c). The first half follows: d
// values of at most floor(m/l) <= m/l records each make up m <= d m/l records, so d >= l.
//
// distinct is the number of values; 1 if units have several values and all have the same one, which is then certain.
//
// If some values need no protection, l covers only the others: none of them is in more than
// floor(m/l) of the m records. A class without such values does not bound l.
func diversity(notSensitive []string) func(r *anonymize.Release) ([]figure, error) {
	return func(r *anonymize.Release) ([]figure, error) { return diversityOfOthers(r, notSensitive) }
}

func diversityOfOthers(r *anonymize.Release, notSensitive []string) ([]figure, error) {
	l, distinct, least := newFigure("l"), newFigure("distinct"), newEntropy()
	harmless := make(map[*anonymize.FragmentColumn][]bool)
	err := eachComposition(r, func(c *composition) {
		if harmless[c.column] == nil {
			harmless[c.column] = c.column.CodesOf(notSensitive)
		}
		if most, some := c.mostLikelyBut(harmless[c.column]); some && l.raise(quotient(c.whole/c.counts[most], 1), c.group) {
			l.detail = c.describe(most)
		}
		values, detail := len(c.counts), c.values
		if most := c.mostLikely(); values > 1 && c.counts[most] == c.whole { // every unit of the class has it, besides others
			values, detail = 1, func() string { return c.describe(most) }
		}
		if distinct.raise(quotient(uint64(values), 1), c.group) {
			distinct.detail = detail()
		}
		least.look(c)
	})
	if err != nil {
		return nil, err
	}
	if !haveOneValue(r) {
		return []figure{l, distinct}, nil
	}
	return []figure{l, distinct, least.figure()}, nil
}

// values returns "in sa, salary has 3 values in 4 records".
func (c *composition) values() string {
	where := fmt.Sprintf("%d %s%s", c.whole, counted(c.release), c.condition(c.class))
	if c.cell != nil {
		where = "the cell " + c.cell.Label
	}
	noun := "values"
	if len(c.counts) == 1 {
		noun = "value"
	}
	return fmt.Sprintf("in %s, %s has %d %s in %s", c.fragment.Name, c.column.Name, len(c.counts), noun, where)
}

// recursive is (c, l)-diversity: r_1 < c (r_l + ... + r_m), where r_i are the counts of the
// values, greatest first. The figure is r_1 / (r_l + ... + r_m), which c must exceed. A class
// with fewer than l values has no c, and a release with such a class no figure.
func recursive(l int) func(r *anonymize.Release) ([]figure, error) {
	return func(r *anonymize.Release) ([]figure, error) {
		c := newFigure("recursive")
		var counts []uint64
		var none error
		err := eachComposition(r, func(it *composition) {
			counts = append(counts[:0], it.counts...)
			if len(counts) < l {
				if none == nil {
					none = fmt.Errorf("no c makes group %d (c, %d)-diverse: %s", it.group+1, l, it.values())
				}
				return
			}
			slices.SortFunc(counts, func(a, b uint64) int { return int(int64(b) - int64(a)) })
			tail := uint64(0)
			for _, n := range counts[l-1:] {
				tail += n
			}
			if c.raise(quotient(counts[0], tail), it.group) {
				c.detail = fmt.Sprintf("l = %d: %s, the values from number %d on are %s", l, it.describe(it.mostLikely()), l, it.share(tail))
			}
		})
		if err := cmp.Or(err, none); err != nil {
			return nil, err
		}
		return []figure{c}, nil
	}
}

// lengthOfTail returns the l of recursive: that of its promise, else the promised l, rounded
// up, else 2.
func lengthOfTail(promised map[string]anonymize.Promise) int {
	l := promised["recursive"].Threshold
	if l.Num == 0 {
		l = promised["l"].Bound
	}
	if l.Den == 0 {
		return 2
	}
	return int(min(max((l.Num+l.Den-1)/l.Den, 2), 1<<31))
}
