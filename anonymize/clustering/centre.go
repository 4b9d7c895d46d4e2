package clustering

import (
	"cmp"
	"slices"
)

// A Centre maintains the centroid of a group while records join and leave: the mean of numbers,
// the lower median of ordinal values, the mode of the others, the first in domain order on a
// tie. On a line NULL is the centre if most records have it, and does not count otherwise.
//
// A record costs O(q log m) and the moving of at most m small entries, where m is the number of
// distinct values of the group.
type Centre struct {
	space *Space
	n     int
	at    []float64
	lines []lineSum  // by axis
	tally [][]counts // by axis, ascending; numeric axes have none
}

type lineSum struct {
	sum  float64
	null int
}

type counts struct {
	at float64
	n  int
}

// NewCentre returns the centre of no records.
func (s *Space) NewCentre() *Centre {
	q := len(s.axes)
	return &Centre{space: s, at: make([]float64, q), lines: make([]lineSum, q), tally: make([][]counts, q)}
}

// Centroid returns the coordinates of the centre of records.
func (s *Space) Centroid(records []uint32) []float64 {
	c := s.NewCentre()
	c.addAll(records)
	return c.Centroid()
}

// addAll adds records to an empty group. It sorts the values, in O(q n log n): for many records
// with mostly distinct values, Add would move as many entries for each.
func (c *Centre) addAll(records []uint32) {
	c.n = len(records)
	var found []float64
	for i := range c.space.axes {
		a := &c.space.axes[i]
		found = found[:0]
		for _, r := range records {
			switch x := c.space.Coordinates(r)[i]; {
			case a.kind == line && x == absent:
				c.lines[i].null++
			case a.kind == line && !a.ordinal:
				c.lines[i].sum += x
			default:
				found = append(found, x)
			}
		}
		slices.Sort(found)
		for j, x := range found {
			if j == 0 || x != found[j-1] {
				c.tally[i] = append(c.tally[i], counts{at: x})
			}
			c.tally[i][len(c.tally[i])-1].n++
		}
	}
}

// Reset empties the group.
func (c *Centre) Reset() {
	c.n = 0
	clear(c.lines)
	for i := range c.tally {
		c.tally[i] = c.tally[i][:0]
	}
}

// Add adds a record.
func (c *Centre) Add(record uint32) { c.change(c.space.Coordinates(record), 1) }

// Remove removes a record of the group.
func (c *Centre) Remove(record uint32) { c.change(c.space.Coordinates(record), -1) }

func (c *Centre) change(at []float64, by int) {
	c.n += by
	for i := range c.space.axes {
		a, x := &c.space.axes[i], at[i]
		switch {
		case a.kind == line && x == absent:
			c.lines[i].null += by
		case a.kind == line && !a.ordinal:
			c.lines[i].sum += float64(by) * x
		default:
			c.count(i, x, by)
		}
	}
}

func (c *Centre) count(axis int, x float64, by int) {
	t := c.tally[axis]
	i, known := slices.BinarySearchFunc(t, x, func(e counts, x float64) int { return cmp.Compare(e.at, x) })
	switch {
	case !known:
		c.tally[axis] = slices.Insert(t, i, counts{x, by})
	case t[i].n+by == 0:
		c.tally[axis] = slices.Delete(t, i, i+1)
	default:
		t[i].n += by
	}
}

// Centroid returns the centroid of a nonempty group. It is valid until the next call.
func (c *Centre) Centroid() []float64 {
	for i := range c.space.axes {
		a, known := &c.space.axes[i], c.n-c.lines[i].null
		switch {
		case a.kind != line:
			c.at[i] = mode(c.tally[i])
		case 2*c.lines[i].null > c.n || known == 0:
			c.at[i] = absent
		case a.ordinal:
			c.at[i] = lowerMedian(c.tally[i], known)
		default:
			c.at[i] = c.lines[i].sum / float64(known)
		}
	}
	return c.at
}

func mode(tally []counts) float64 {
	best := tally[0]
	for _, e := range tally[1:] {
		if e.n > best.n {
			best = e
		}
	}
	return best.at
}

func lowerMedian(tally []counts, n int) float64 {
	rest := (n+1)/2 - 1
	for _, e := range tally {
		if rest -= e.n; rest < 0 {
			return e.at
		}
	}
	return absent
}
