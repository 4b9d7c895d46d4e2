package anontest

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// worldsLimit is the greatest number of worlds of a group, and of combinations
// of groups, that an enumeration visits.
const worldsLimit = 3000

// A world is one way in which the records of one group can be. Package estimate's expectations are over all worlds. A
// world keeps only what the question needs.
type world struct {
	probability float64
	tally
}

// A tally has COUNT(*), COUNT(x) and SUM(x) of the records that a question selects.
type tally struct{ records, present, sum float64 }

// An enumeration answers a question the slow way: group by group, over every matching of the fragments' tuples and
// every choice of values for their cells. It shares no code and no formula with package estimate.
type enumeration struct {
	release  *anonymize.Release
	question *question
	// columns are the columns that the question reads, by fragment. The values of other columns do not change the answer.
	columns [][]int
	groups  [][]world
}

// enumerate computes the worlds of every group for the records with one key. ok is false if there are too many.
func enumerate(r *anonymize.Release, q *question, key anonymize.Value) (_ *enumeration, ok bool) {
	e := &enumeration{release: r, question: q}
	for i := range r.Fragments {
		var columns []int
		for _, at := range q.reads() {
			if at.fragment == i && !slices.Contains(columns, at.column) {
				columns = append(columns, at.column)
			}
		}
		e.columns = append(e.columns, columns)
	}
	for g := range r.GroupSizes {
		if e.size(g) > worldsLimit {
			return nil, false
		}
		e.groups = append(e.groups, e.worlds(g, key))
	}
	return e, true
}

// size returns the number of worlds of group g.
func (e *enumeration) size(g int) float64 {
	size, touched := 1.0, 0
	for i, f := range e.release.Fragments {
		if len(e.columns[i]) == 0 {
			continue
		}
		if touched++; touched > 1 {
			size *= math.Gamma(float64(e.release.GroupSizes[g]) + 1)
		}
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			for _, c := range e.columns[i] {
				size *= math.Pow(float64(len(distribution(f.Columns[c], t))), float64(f.Count[t]))
			}
		}
	}
	return size
}

// A draw is one possible value of a cell.
type draw struct {
	value       anonymize.Value
	probability float64
}

// distribution returns the possible values of a tuple's cell.
func distribution(c *anonymize.FragmentColumn, tuple uint32) []draw {
	code := c.Codes[tuple]
	if c.Cells == nil {
		return []draw{{c.Dictionary[code], 1}}
	}
	var all []draw
	for i, member := range c.Cells[code].Members {
		p := 1 / float64(len(c.Cells[code].Members))
		if c.Cells[code].Weights != nil {
			p = c.Cells[code].Weights[i]
		}
		all = append(all, draw{c.Dictionary[member], p})
	}
	return all
}

// worlds enumerates fragment by fragment: the first touched one in its stored order, the others in every order, and
// every cell of every record with each of its values.
func (e *enumeration) worlds(g int, key anonymize.Value) (all []world) {
	size := int(e.release.GroupSizes[g])
	rows := make([]record, size)
	for i := range rows {
		rows[i] = record{}
	}
	var fragment func(i, touched int, p float64)
	fragment = func(i, touched int, p float64) {
		if i == len(e.columns) {
			all = append(all, world{p, e.question.tally(rows, key)})
			return
		}
		if len(e.columns[i]) == 0 {
			fragment(i+1, touched, p)
			return
		}
		tuples := e.tuples(i, g)
		if touched == 0 {
			e.cells(rows, i, tuples, 0, p, func(p float64) { fragment(i+1, 1, p) })
			return
		}
		orders := permutations(tuples)
		for _, order := range orders {
			e.cells(rows, i, order, 0, p/float64(len(orders)), func(p float64) { fragment(i+1, touched+1, p) })
		}
	}
	fragment(0, 0, 1)
	return all
}

// tuples returns one entry per record of the group.
func (e *enumeration) tuples(i, g int) (all []uint32) {
	f := e.release.Fragments[i]
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		for range f.Count[t] {
			all = append(all, t)
		}
	}
	return all
}

// cells fills in the touched columns of fragment i, row by row; at is the number of cells filled so far.
func (e *enumeration) cells(rows []record, i int, tuples []uint32, at int, p float64, then func(p float64)) {
	columns := e.columns[i]
	if at == len(rows)*len(columns) {
		then(p)
		return
	}
	row, column := at/len(columns), columns[at%len(columns)]
	for _, d := range distribution(e.release.Fragments[i].Columns[column], tuples[row]) {
		rows[row][place{i, column}] = d.value
		e.cells(rows, i, tuples, at+1, p*d.probability, then)
	}
}

func permutations(of []uint32) [][]uint32 {
	if len(of) <= 1 {
		return [][]uint32{slices.Clone(of)}
	}
	var all [][]uint32
	for i, first := range of {
		for _, rest := range permutations(slices.Delete(slices.Clone(of), i, i+1)) {
			all = append(all, append([]uint32{first}, rest...))
		}
	}
	return all
}

// A spread is the distribution of one figure over all worlds.
type spread struct{ mean, variance, low, high float64 }

// sumOverGroups adds over the groups, which are independent.
func (e *enumeration) sumOverGroups(figure func(tally) float64) (s spread) {
	for _, worlds := range e.groups {
		mean, low, high := 0.0, math.Inf(1), math.Inf(-1)
		for _, w := range worlds {
			x := figure(w.tally)
			mean += w.probability * x
			low, high = min(low, x), max(high, x)
		}
		for _, w := range worlds {
			d := figure(w.tally) - mean
			s.variance += w.probability * d * d
		}
		s.mean += mean
		s.low += low
		s.high += high
	}
	return s
}

// ratio returns SUM(x)/COUNT(x): the quotient of the means; its first-order standard error, which is the one of SUM -
// ratio COUNT; and the extremes over all tables with some x. ok is false if these are too many to visit.
func (e *enumeration) ratio() (s spread, ok bool) {
	n := e.sumOverGroups(func(t tally) float64 { return t.present }).mean
	r := e.sumOverGroups(func(t tally) float64 { return t.sum }).mean / n
	s = spread{r, e.sumOverGroups(func(t tally) float64 { return t.sum - r*t.present }).variance / (n * n), math.Inf(1), math.Inf(-1)}
	reached := map[tally]bool{{}: true}
	for _, worlds := range e.groups {
		next := map[tally]bool{}
		for t := range reached {
			for _, w := range worlds {
				next[tally{present: t.present + w.present, sum: t.sum + w.sum}] = true
			}
		}
		if reached = next; len(reached) > worldsLimit {
			return s, false
		}
	}
	for t := range reached {
		if t.present > 0 {
			s.low, s.high = min(s.low, t.sum/t.present), max(s.high, t.sum/t.present)
		}
	}
	return s, true
}

// Permutations returns the permutations of 0 to n-1.
func Permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, shorter := range Permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}
