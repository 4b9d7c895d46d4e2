package completed

import (
	"context"
	"slices"
	"sync"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/membership"
)

// A unitTables has the units of the rows of completed tables, drawn on first use.
type unitTables struct {
	turn   sync.Mutex
	tables [][]uint16
}

// UnitsOf returns the unit of every row of completed table d of a release with units, numbered from 0 in its group. The caller must not change them.
func (c *Tables) UnitsOf(ctx context.Context, d int) ([]uint16, error) {
	c.units.turn.Lock()
	defer c.units.turn.Unlock()
	if c.units.tables == nil {
		c.units.tables = make([][]uint16, c.Completion.Tables)
	}
	if c.units.tables[d] == nil {
		units, err := membership.Draw(ctx, c.release, d)
		if err != nil {
			return nil, err
		}
		c.units.tables[d] = units
	}
	return c.units.tables[d], nil
}

// unitBytes returns the memory of the rows' units once they are drawn.
func (c *Tables) unitBytes() int64 {
	if c.release.Units == nil {
		return 0
	}
	return 2 * int64(c.Completion.Tables) * int64(c.release.Rows)
}

// MeanOfTables returns the mean of the tables' figures and its standard error (Rubin 1987, (3.1.2) to (3.1.5)).
func MeanOfTables(tables []float64) (mean, deviation float64) {
	n := float64(len(tables))
	for _, x := range tables {
		mean += x
	}
	mean /= n // dividing the sum makes equal figures equal to their mean
	for _, x := range tables {
		deviation += (x - mean) * (x - mean)
	}
	return mean, figures.ErrorBetween(n, deviation).Float
}

// CountUnits returns the number of units by row of an answer and by table.
func (c *Tables) CountUnits(ctx context.Context, q *question.Question, rows []question.AnswerRow) ([][]float64, error) {
	sides, err := question.SidesOf(ctx, c.release, q)
	if err != nil {
		return nil, err
	}
	for _, s := range sides {
		s.Number()
	}
	w := &unitCounter{completed: c, terms: question.NewTerms(q, sides), fragments: q.Touched(), places: make([][]uint32, len(sides)),
		classes: make([]uint32, len(sides)), work: question.Checkpoint{Ctx: ctx}}
	for d := range c.Completion.Tables {
		if w.units, err = c.UnitsOf(ctx, d); err != nil {
			return nil, err
		}
		if err := w.table(d); err != nil {
			return nil, err
		}
	}
	counts := make([][]float64, len(rows))
	for i, row := range rows {
		counts[i] = make([]float64, c.Completion.Tables)
		if key := int(w.terms.Numbering.Number(row.Keys)); key < len(w.counts) {
			copy(counts[i], w.counts[key])
		}
	}
	return counts, nil
}

// A unitCounter counts the units of completed tables, group by group.
type unitCounter struct {
	completed *Tables
	terms     *question.Terms
	fragments []int
	units     []uint16    // of the table's rows
	counts    [][]float64 // by key and table
	places    [][]uint32  // by side: the class of every place of the group
	classes   []uint32
	met       []uint64 // key and unit of the group's rows
	work      question.Checkpoint
}

// table counts the units of one table.
func (w *unitCounter) table(d int) error {
	first := 0
	for g, size := range w.completed.release.GroupSizes {
		alive := true
		for i := range w.terms.Sides {
			alive = w.place(i, g) && alive
		}
		if alive {
			if err := w.group(d, first, int(size)); err != nil {
				return err
			}
		}
		if err := w.work.Pass(int(size) * (1 + len(w.fragments))); err != nil {
			return err
		}
		first += int(size)
	}
	return nil
}

// place sets the classes of a group's places; alive is false if all are dead.
func (w *unitCounter) place(i, g int) (alive bool) {
	s, places := w.terms.Sides[i], w.places[i][:0]
	for t := s.Fragment.GroupStart[g]; t < s.Fragment.GroupStart[g+1]; t++ {
		class := s.ClassOf(t)
		alive = alive || class != question.Dead
		for range s.Fragment.Count[t] {
			places = append(places, class)
		}
	}
	w.places[i] = places
	return alive
}

// group counts the units of a group for every key.
func (w *unitCounter) group(d, first, size int) error {
	w.met = w.met[:0]
rows:
	for row := range size {
		for i, fragment := range w.fragments {
			if w.classes[i] = w.places[i][w.placeOf(d, fragment, first, row)]; w.classes[i] == question.Dead {
				continue rows
			}
		}
		entry, err := w.terms.EntryOf(w.classes)
		if err != nil {
			return err
		}
		if key := w.terms.Key[entry]; key >= 0 {
			w.met = append(w.met, uint64(key)<<16|uint64(w.units[first+row]))
		}
	}
	slices.Sort(w.met)
	for _, one := range slices.Compact(w.met) {
		key := int(one >> 16)
		for len(w.counts) <= key {
			w.counts = append(w.counts, make([]float64, w.completed.Completion.Tables))
		}
		w.counts[key][d]++
	}
	return nil
}

// placeOf returns the place, in its group, of a row's tuple of a fragment.
func (w *unitCounter) placeOf(d, fragment, first, row int) int {
	switch c := w.completed.Completion; {
	case fragment == 0:
		return row
	case c.Narrow != nil:
		return int(c.Narrow[d][fragment-1][first+row])
	default:
		return int(c.Wide[d][fragment-1][first+row])
	}
}
