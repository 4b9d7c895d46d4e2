package sequence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// invariance computes m_invariance from the fragments of the two versions alone.
func invariance(t *Transition, sealed bool) (anonymize.Guarantee, error) {
	changed := make([]string, len(t.From)) // by gid of After: the fragment that differs
	for _, after := range t.After.Fragments {
		before, err := counterpart(t.Before, after)
		if err != nil {
			return anonymize.Guarantee{}, err
		}
		c := newComparison(before, after)
		for g, from := range t.From {
			if from >= 0 && changed[g] == "" && !c.sameTuples(from, g) {
				changed[g] = after.Name
			}
		}
	}
	continuing, same, worst := 0, 0, -1
	for g, from := range t.From {
		if from < 0 {
			continue
		}
		continuing++
		if changed[g] == "" {
			same++
		} else if worst < 0 {
			worst = g
		}
	}
	share := 1.0
	if continuing > 0 {
		share = float64(same) / float64(continuing)
	}
	detail := fmt.Sprintf("%d of %s are published as before", same, plural(continuing, "continuing group", "continuing groups"))
	if worst >= 0 {
		detail += fmt.Sprintf("; %s of group %d changed, which was group %d", changed[worst], worst, t.From[worst])
	}
	return require(anonymize.Guarantee{Name: "m_invariance", Achieved: share, WorstGroup: worst, Detail: detail},
		onlyIf(sealed, 1), same == continuing), nil
}

// counterpart returns the fragment of r that publishes the columns of f.
func counterpart(r *anonymize.Release, f *anonymize.Fragment) (*anonymize.Fragment, error) {
	i := slices.IndexFunc(r.Fragments, func(other *anonymize.Fragment) bool { return other.Name == f.Name })
	if i < 0 || len(r.Fragments[i].Columns) != len(f.Columns) {
		return nil, fmt.Errorf("the version before has no fragment %s of the same columns", f.Name)
	}
	for j, c := range f.Columns {
		if r.Fragments[i].Columns[j].Name != c.Name {
			return nil, fmt.Errorf("fragment %s has column %s, before it had %s", f.Name, c.Name, r.Fragments[i].Columns[j].Name)
		}
	}
	return r.Fragments[i], nil
}

// A comparison of two versions of a fragment. Every version numbers its dictionaries and cells
// separately, and one version may have two cells with the same text, so tuples are numbered by
// what their cells show.
type comparison struct {
	before, after published
}

// A published fragment: by column and tuple, the number of what the cell shows.
type published struct {
	*anonymize.Fragment
	cells [][]uint32
}

// absent is no code.
const absent = ^uint32(0)

func newComparison(before, after *anonymize.Fragment) *comparison {
	c := &comparison{published{before, nil}, published{after, nil}}
	for i := range after.Columns {
		numbers := make(map[string]uint32)
		c.before.number(i, numbers)
		c.after.number(i, numbers)
	}
	return c
}

func (p *published) number(column int, numbers map[string]uint32) {
	c := p.Columns[column]
	to := make([]uint32, width(c))
	for code := range to {
		text := reads(c, uint32(code))
		number, ok := numbers[text]
		if !ok {
			number = uint32(len(numbers))
			numbers[text] = number
		}
		to[code] = number
	}
	cells := anonymize.Gather(to, c.Codes)
	p.cells = append(p.cells, cells)
}

// width returns the number of cells that a column's codes refer to.
func width(c *anonymize.FragmentColumn) int {
	if c.IsPoint() {
		return len(c.Dictionary)
	}
	return len(c.Cells)
}

// reads returns everything that a reader of a version sees of a cell: its text, the ends of an
// interval, the weights. The values between the ends are not compared: they are those of the
// whole table, and grow with it.
func reads(c *anonymize.FragmentColumn, code uint32) string {
	if c.IsPoint() {
		v := c.Dictionary[code]
		return fmt.Sprint(v.Kind, " ", v)
	}
	cell := &c.Cells[code]
	var text strings.Builder
	fmt.Fprintf(&text, "%q", cell.Label) // quoted, since labels and values may have any bytes
	low, high := c.Dictionary[cell.Members[0]], c.Dictionary[cell.Members[len(cell.Members)-1]]
	if _, ok := high.Number(); ok {
		fmt.Fprintf(&text, " %q %q", low.String(), high.String())
	}
	for i, w := range cell.Weights {
		fmt.Fprintf(&text, " %q %v", c.Dictionary[cell.Members[i]].String(), w)
	}
	return text.String()
}

// sameTuples reports whether group g of after has the tuples of group from of before, with
// equal counts and units.
func (c *comparison) sameTuples(from, g int) bool {
	old, now := c.before.tuples(from), c.after.tuples(g)
	for len(old) > 0 && len(now) > 0 && c.compare(old[0], now[0]) == 0 {
		was, is := old[0], now[0]
		count, units := 0, 0
		for len(old) > 0 && c.before.compare(was, old[0]) == 0 {
			count, units = count+int(c.before.Count[old[0]]), units+c.before.units(old[0])
			old = old[1:]
		}
		for len(now) > 0 && c.after.compare(is, now[0]) == 0 {
			count, units = count-int(c.after.Count[now[0]]), units-c.after.units(now[0])
			now = now[1:]
		}
		if count != 0 || units != 0 {
			return false
		}
	}
	return len(old) == 0 && len(now) == 0
}

// units returns the number of units of a tuple; 0 if every record is a unit.
func (p *published) units(tuple uint32) int {
	if p.Units == nil {
		return 0
	}
	return int(p.Units[tuple])
}

// tuples returns the tuples of a group in ascending order of their numbers.
func (p *published) tuples(g int) []uint32 {
	tuples := make([]uint32, 0, p.GroupStart[g+1]-p.GroupStart[g])
	for t := p.GroupStart[g]; t < p.GroupStart[g+1]; t++ {
		tuples = append(tuples, t)
	}
	slices.SortFunc(tuples, p.compare)
	return tuples
}

func (p *published) compare(a, b uint32) int {
	for _, cells := range p.cells {
		if order := cmp.Compare(cells[a], cells[b]); order != 0 {
			return order
		}
	}
	return 0
}

// compare compares a tuple before with one after.
func (c *comparison) compare(before, after uint32) int {
	for i, cells := range c.before.cells {
		if order := cmp.Compare(cells[before], c.after.cells[i][after]); order != 0 {
			return order
		}
	}
	return 0
}
