package utility

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// maxJointCells is the greatest size of a joint: 32 MB of expected counts.
const maxJointCells = 1 << 22

// expectedPhiSquared returns phi^2 of the expected joint distribution of two attributes under a
// release.
func expectedPhiSquared(ctx context.Context, r *anonymize.Release, a, b published) (float64, error) {
	joint := newJoint(a.column, b.column)
	if a.fragment == b.fragment {
		joint.addTuples(a, b)
	} else if err := joint.addGroups(ctx, r, a, b); err != nil {
		return 0, err
	}
	joint.spread()
	return phiSquaredOf(joint.of, joint.width), ctx.Err()
}

// A joint has the expected count of every pair of values of two columns, row by row. Counts for a cell of the
// first column are collected by cell, since many groups share a cell, and later spread over its values once.
type joint struct {
	of    []float64
	width int // values of the second column
	first *anonymize.FragmentColumn
	place map[uint32]int // of a cell in waiting
	cells []uint32       // the cells in waiting, in its order
	// waiting has, by cell, the expected counts of the second column's values, before the cell's weights.
	waiting []float64
}

func newJoint(a, b *anonymize.FragmentColumn) *joint {
	return &joint{of: make([]float64, len(a.Dictionary)*len(b.Dictionary)), width: len(b.Dictionary), first: a, place: make(map[uint32]int)}
}

// row returns the expected counts for a cell, to add to.
func (j *joint) row(code uint32) []float64 {
	if j.first.IsPoint() {
		return j.of[int(code)*j.width:][:j.width]
	}
	at, found := j.place[code]
	if !found {
		if len(j.waiting) >= maxJointCells {
			j.spread()
		}
		at = len(j.waiting)
		j.place[code], j.cells, j.waiting = at, append(j.cells, code), append(j.waiting, make([]float64, j.width)...)
	}
	return j.waiting[at:][:j.width]
}

// spread moves the waiting counts to the values of their cells.
func (j *joint) spread() {
	for i, code := range j.cells {
		cell, waiting := &j.first.Cells[code], j.waiting[i*j.width:][:j.width]
		for i, x := range cell.Members {
			to, weight := j.of[int(x)*j.width:][:j.width], cell.Weight(i)
			for y, n := range waiting {
				to[y] += weight * n
			}
		}
	}
	clear(j.place)
	j.cells, j.waiting = j.cells[:0], j.waiting[:0]
}

// addGroups adds up the groups' products of what the fragments say: within a group every
// matching of their tuples is equally likely, so a value with expected count x meets one with y
// in x y / n records.
func (j *joint) addGroups(ctx context.Context, r *anonymize.Release, a, b published) error {
	second, first := newExpectation(b.column), &expectation{mass: make([]float64, max(len(a.column.Dictionary), len(a.column.Cells)))} // by cell
	for g, n := range r.GroupSizes {
		if g%groupsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for t := b.fragment.GroupStart[g]; t < b.fragment.GroupStart[g+1]; t++ {
			second.add(b.column, t, float64(b.fragment.Count[t]))
		}
		for t := a.fragment.GroupStart[g]; t < a.fragment.GroupStart[g+1]; t++ {
			first.put(a.column.Codes[t], float64(a.fragment.Count[t])/float64(n))
		}
		for _, code := range first.values {
			row, share := j.row(code), first.mass[code]
			for _, y := range second.values {
				row[y] += share * second.mass[y]
			}
		}
		first.clear()
		second.clear()
	}
	return nil
}

// addTuples is for attributes of one fragment: a tuple links their cells, whose values are
// independent.
func (j *joint) addTuples(a, b published) {
	second := newExpectation(b.column)
	for t, count := range a.fragment.Count {
		second.add(b.column, uint32(t), float64(count))
		row := j.row(a.column.Codes[t])
		for _, y := range second.values {
			row[y] += second.mass[y]
		}
		second.clear()
	}
}

// phiSquaredOf returns Eq. (10) of Yao et al. 2021 for expected counts, row by row; 0 for 0/0,
// which occurs if an attribute has fewer than two values.
func phiSquaredOf(joint []float64, width int) float64 {
	if width == 0 {
		return 0
	}
	columns := make([]float64, width)
	rows := make([]float64, len(joint)/width)
	for i, n := range joint {
		rows[i/width] += n
		columns[i%width] += n
	}
	sum := 0.0
	for i, n := range joint {
		if n > 0 {
			sum += n / rows[i/width] * (n / columns[i%width])
		}
	}
	least := min(positive(rows), positive(columns))
	if least < 2 {
		return 0
	}
	return min(max((sum-1)/float64(least-1), 0), 1)
}

func positive(counts []float64) int {
	n := 0
	for _, c := range counts {
		if c > 0 {
			n++
		}
	}
	return n
}
