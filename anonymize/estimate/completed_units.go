package estimate

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/anonsql/anonsql/anonymize/membership"
)

// A unitTables has the units of the rows of completed tables, drawn when somebody first asks for them.
type unitTables struct {
	turn   sync.Mutex
	tables [][]uint16
}

// UnitsOf returns the unit of every row of completed table d of a release with units, from 0 in its group. They must not be changed.
func (c *Completed) UnitsOf(ctx context.Context, d int) ([]uint16, error) {
	c.units.turn.Lock()
	defer c.units.turn.Unlock()
	if c.units.tables == nil {
		c.units.tables = make([][]uint16, c.Tables())
	}
	if c.units.tables[d] == nil {
		units, err := membership.Draw(ctx, c.prepared.release, d)
		if err != nil {
			return nil, err
		}
		c.units.tables[d] = units
	}
	return c.units.tables[d], nil
}

// unitBytes is what the units of rows take, once they are drawn.
func (c *Completed) unitBytes() int64 {
	if c.prepared.release.Units == nil {
		return 0
	}
	return 2 * int64(c.Tables()) * int64(c.prepared.release.Rows)
}

// Units answers as [Prepared.Units] does, from all completed tables: the mean of the numbers of units that have a row. Cost: for every table a look-up
// per touched fragment and row.
func (c *Completed) Units(ctx context.Context, q *Question, rows []AnswerRow) (*UnitFigures, error) {
	u, err := c.prepared.Units(ctx, q, rows)
	if err != nil || u.isExact() {
		return u, err
	}
	counts, err := c.countUnits(ctx, q.counting(), rows)
	if err != nil {
		return nil, err
	}
	for i, tables := range counts {
		u.Figures[i], u.Deviations[i] = meanOfTables(tables)
		u.Figures[i] = min(max(u.Figures[i], u.Bounds[i].Low.Float), u.Bounds[i].High.Float)
	}
	return u, nil
}

// isExact reports whether all bounds meet.
func (u *UnitFigures) isExact() bool {
	return !slices.ContainsFunc(u.Bounds, func(b Bound) bool { return b.Low.Float != b.High.Float })
}

// meanOfTables is the mean of what tables have, and its standard error (Rubin 1987, (3.1.2) to (3.1.5)).
func meanOfTables(tables []float64) (mean, deviation float64) {
	n := float64(len(tables))
	for _, x := range tables {
		mean += x / n
	}
	for _, x := range tables {
		deviation += (x - mean) * (x - mean)
	}
	if n < 2 {
		return mean, 0
	}
	return mean, math.Sqrt((1 + 1/n) * deviation / (n - 1))
}

// countUnits returns the numbers of units by row of an answer and table.
func (c *Completed) countUnits(ctx context.Context, q *Question, rows []AnswerRow) ([][]float64, error) {
	sides, err := sidesOf(ctx, c.prepared.release, q)
	if err != nil {
		return nil, err
	}
	for _, s := range sides {
		s.number()
	}
	w := &unitCounter{completed: c, terms: newTerms(q, sides), fragments: q.touched(), places: make([][]uint32, len(sides)),
		classes: make([]uint32, len(sides)), work: checkpoint{ctx: ctx}}
	for d := range c.Tables() {
		if w.units, err = c.UnitsOf(ctx, d); err != nil {
			return nil, err
		}
		if err := w.table(d); err != nil {
			return nil, err
		}
	}
	counts := make([][]float64, len(rows))
	for i, row := range rows {
		counts[i] = make([]float64, c.Tables())
		if key := int(w.terms.numbering.number(row.Keys)); key < len(w.counts) {
			copy(counts[i], w.counts[key])
		}
	}
	return counts, nil
}

// A unitCounter counts the units of completed tables, group by group.
type unitCounter struct {
	completed *Completed
	terms     *terms
	fragments []int
	units     []uint16    // of the table's rows
	counts    [][]float64 // by key and table
	places    [][]uint32  // by side: the class of every place of the group
	classes   []uint32
	met       []uint64 // key and unit of the group's rows
	work      checkpoint
}

// table counts the units of one table.
func (w *unitCounter) table(d int) error {
	first := 0
	for g, size := range w.completed.prepared.release.GroupSizes {
		alive := true
		for i := range w.terms.sides {
			alive = w.place(i, g) && alive
		}
		if alive {
			if err := w.group(d, first, int(size)); err != nil {
				return err
			}
		}
		if err := w.work.pass(int(size) * (1 + len(w.fragments))); err != nil {
			return err
		}
		first += int(size)
	}
	return nil
}

// place finds the classes of the places of a group; false where all are dead.
func (w *unitCounter) place(i, g int) (alive bool) {
	s, places := w.terms.sides[i], w.places[i][:0]
	for t := s.fragment.GroupStart[g]; t < s.fragment.GroupStart[g+1]; t++ {
		class := s.classOfTuple(t)
		alive = alive || class != dead
		for range s.fragment.Count[t] {
			places = append(places, class)
		}
	}
	w.places[i] = places
	return alive
}

// group counts the units of a group under every key.
func (w *unitCounter) group(d, first, size int) error {
	w.met = w.met[:0]
rows:
	for row := range size {
		for i, fragment := range w.fragments {
			if w.classes[i] = w.places[i][w.placeOf(d, fragment, first, row)]; w.classes[i] == dead {
				continue rows
			}
		}
		entry, err := w.terms.entryOf(w.classes)
		if err != nil {
			return err
		}
		if key := w.terms.key[entry]; key >= 0 {
			w.met = append(w.met, uint64(key)<<16|uint64(w.units[first+row]))
		}
	}
	slices.Sort(w.met)
	for _, one := range slices.Compact(w.met) {
		key := int(one >> 16)
		for len(w.counts) <= key {
			w.counts = append(w.counts, make([]float64, w.completed.Tables()))
		}
		w.counts[key][d]++
	}
	return nil
}

// placeOf is the place of a row's tuple of a fragment in its group.
func (w *unitCounter) placeOf(d, fragment, first, row int) int {
	switch c := w.completed.completion; {
	case fragment == 0:
		return row
	case c.Narrow != nil:
		return int(c.Narrow[d][fragment-1][first+row])
	default:
		return int(c.Wide[d][fragment-1][first+row])
	}
}
