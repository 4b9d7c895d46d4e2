package cells

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// cellPlaces turn the cells of a column into stretches of the values of an argument, which are
// numbered in the order of the column. If different members have different values, a stretch of
// neighbouring members is one stretch of values.
type cellPlaces struct {
	*cellArgument
	column *question.CellColumn
	// If different members have different values: before has, by member, the number of values
	// of the members before it; classes has the class by value; runs has, by value, the end of
	// its stretch of one class.
	before        []uint32
	classes, runs []uint32
	// Otherwise byValue is the column classified by pairs of value and class; pairs has the
	// pair of each class.
	byValue *question.CellColumn
	pairs   []pair
	scratch question.Scratch
}

type pair struct{ place, class uint32 }

// A piece is a stretch of values in one class of the column. The cell has each of the values
// with probability mass.
type piece struct {
	first, end, class uint32
	mass              float64
}

// maxPairCounts is maxCounts for the one column that classify makes.
const maxPairCounts = 1 << 24

// prepare evaluates the argument. Cost: a pass over the members, and if they share values that
// of [question.CellColumn.Prepare].
func (x *cellPlaces) prepare(ctx context.Context) error {
	present := 0
	for _, number := range x.numbers {
		if !math.IsNaN(number) {
			present++
		}
	}
	if present > len(x.list) {
		return x.classify(ctx)
	}
	x.before = make([]uint32, 1, len(x.numbers)+1)
	for v, number := range x.numbers {
		if !math.IsNaN(number) {
			x.classes = append(x.classes, x.column.ClassOf[v])
		}
		x.before = append(x.before, uint32(len(x.classes)))
	}
	x.runs, _ = question.RunsOf(x.classes)
	return nil
}

// classify numbers the pairs of value and class in the order of values.
func (x *cellPlaces) classify(ctx context.Context) error {
	x.byValue = &question.CellColumn{FragmentColumn: x.column.FragmentColumn, ClassOf: make([]uint32, len(x.numbers))}
	numbers := make(map[pair]uint32)
	for v, number := range x.numbers {
		x.byValue.ClassOf[v] = question.Dead
		if math.IsNaN(number) {
			continue
		}
		p := pair{uint32(number), x.column.ClassOf[v]}
		n, ok := numbers[p]
		if !ok {
			n = uint32(len(x.pairs))
			numbers[p] = n
			x.pairs = append(x.pairs, p)
		}
		x.byValue.ClassOf[v] = n
	}
	x.byValue.Classes = max(1, len(x.pairs))
	return x.byValue.Prepare(ctx, maxPairCounts)
}

// eachPiece visits the pieces of a code.
func (x *cellPlaces) eachPiece(code uint32, visit func(piece)) {
	switch {
	case x.byValue != nil:
		x.eachShared(code, visit)
	case x.column.IsPoint():
		x.eachRun(code, code+1, 1, visit)
	case x.column.Cells[code].Weights != nil:
		for i, v := range x.column.Cells[code].Members {
			if w := x.column.Cells[code].Weights[i]; w > 0 {
				x.eachRun(v, v+1, w, visit)
			}
		}
	default:
		members := x.column.Cells[code].Members
		question.EachStretch(members, func(first, end uint32) { x.eachRun(first, end, 1/float64(len(members)), visit) })
	}
}

// eachRun divides a stretch of members into runs of values of one class.
func (x *cellPlaces) eachRun(first, end uint32, mass float64, visit func(piece)) {
	first, end = x.before[first], x.before[end]
	for first < end {
		next := end
		if x.column.Classes > 1 {
			next = min(end, x.runs[first])
		}
		visit(piece{first, next, x.classes[first], mass})
		first = next
	}
}

// shares reports whether members of several classes may have one value. Then a tuple's pieces
// of one class of the side must be added up.
func (x *cellPlaces) shares() bool { return x.byValue != nil }

// eachShared visits values one by one.
func (x *cellPlaces) eachShared(code uint32, visit func(piece)) {
	shares, _ := x.byValue.SharesOf(code, &x.scratch)
	for _, share := range shares {
		p := x.pairs[share.Class]
		visit(piece{p.place, p.place + 1, p.class, share.Mass})
	}
}

// addPieces adds up pieces of equal value and class, and joins neighbours with equal
// probability.
func addPieces(list []piece) []piece {
	slices.SortFunc(list, func(x, y piece) int {
		return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.first, y.first))
	})
	sums := list[:0]
	for _, p := range list {
		if last := len(sums) - 1; last >= 0 && sums[last].class == p.class && sums[last].first == p.first {
			sums[last].mass += p.mass
			continue
		}
		sums = append(sums, p)
	}
	joined := sums[:0]
	for _, p := range sums {
		if last := len(joined) - 1; last >= 0 && joined[last].class == p.class && joined[last].end == p.first && joined[last].mass == p.mass {
			joined[last].end = p.end
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

// An absence has, by value, the probability that no record has the value. It stores differences
// between neighbours: of the logarithm, and of the number of factors 0.
type absence struct {
	logarithms []twoWords
	zeros      []int32
}

// multiply multiplies the probabilities of values first to end-1 of n.
func (x *absence) multiply(n int, first, end uint32, logarithm float64) {
	if x.logarithms == nil {
		x.logarithms, x.zeros = make([]twoWords, n+1), make([]int32, n+1)
	}
	if math.IsInf(logarithm, -1) {
		x.zeros[first]++
		x.zeros[end]--
		return
	}
	x.logarithms[first] = x.logarithms[first].plus(logarithm, 0)
	x.logarithms[end] = x.logarithms[end].plus(-logarithm, 0)
}

// expected returns the expected number of values that at least one record has.
func (x *absence) expected() float64 {
	total, logarithm, zeros := 0.0, twoWords{}, int32(0)
	for i, difference := range x.logarithms {
		logarithm = logarithm.plus(difference.high, difference.low)
		if zeros += x.zeros[i]; zeros > 0 {
			total++
		} else {
			total -= math.Expm1(min(0, logarithm.high))
		}
	}
	return total
}
