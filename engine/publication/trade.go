package publication

import (
	"math"

	"github.com/anonsql/anonsql/anonymize/exchange"
)

// minSaving is the least saving of a trade, above rounding errors.
const minSaving = 1e-3

// traders are the classes of a part, with the data to evaluate adding or removing a cell without visiting the other cells.
type traders struct {
	*part
	*exchange.Classes
	size []int64                // records
	ends []exchange.Ends[uint8] // by class, then attribute
	have []int64                // by class, then heavy value: records
}

func newTraders(p *part, of [][]uint32) *traders {
	t := &traders{part: p, size: make([]int64, len(of)), ends: make([]exchange.Ends[uint8], len(of)*len(p.Bins)), have: make([]int64, len(of)*p.values)}
	t.Classes = exchange.New(of, t)
	return t
}

// Measure recomputes the figures of a class.
func (t *traders) Measure(class int, items []uint32) (size, penalty float32) {
	t.size[class] = 0
	have, of := t.haveOf(class), t.endsOf(class)
	clear(have)
	for a := range of {
		of[a] = exchange.Ends[uint8]{Low: math.MaxUint8, Low2: math.MaxUint8}
	}
	for _, item := range items {
		t.size[class] += t.records[item]
		for at := t.start[item]; at < t.start[item+1]; at++ {
			have[t.value[at]] += t.count[at]
		}
		for a, x := range t.bins(item) {
			of[a].Add(x)
		}
	}
	for a, e := range of {
		penalty += t.clustering.penalty[a][max(e.High, e.Low)-e.Low]
	}
	return float32(t.size[class]), penalty
}

// Records returns a cell's number of records.
func (t *traders) Records(item uint32) float32 { return float32(t.records[item]) }

func (t *traders) haveOf(class int) []int64 { return t.have[class*t.values : (class+1)*t.values] }

func (t *traders) endsOf(class int) []exchange.Ends[uint8] {
	return t.ends[class*len(t.Bins) : (class+1)*len(t.Bins)]
}

// PenaltyWith returns the loss of a record of a class with one more item; if it exceeds limit, any number above limit.
func (t *traders) PenaltyWith(class int, in uint32, limit float32) (penalty float32) {
	at := t.bins(in)
	for a, e := range t.endsOf(class) {
		x := at[a]
		if penalty += t.clustering.penalty[a][max(e.High, x)-min(e.Low, x)]; penalty > limit {
			return penalty
		}
	}
	return penalty
}

// PenaltyWithout returns the loss of a record of a class of several cells without one of them.
func (t *traders) PenaltyWithout(class int, out uint32) (penalty float32) {
	at := t.bins(out)
	for a, e := range t.endsOf(class) {
		low, high := e.EndsWithout(at[a])
		penalty += t.clustering.penalty[a][high-low]
	}
	return penalty
}

// Swapped returns the loss of a record of a class after replacing one item by another.
func (t *traders) Swapped(class int, out, in uint32) (penalty float32) {
	gone, come := t.bins(out), t.bins(in)
	for a, e := range t.endsOf(class) {
		low, high := e.EndsWithout(gone[a])
		x := come[a]
		penalty += t.clustering.penalty[a][max(high, x)-min(low, x)]
	}
	return penalty
}

// SwappedHere equals Swapped.
func (t *traders) SwappedHere(class int, out, in uint32) float32 { return t.Swapped(class, out, in) }

// Allows reports whether a class stays valid without out and with in, either of which may be Nobody.
func (t *traders) Allows(class int, out, in uint32) bool {
	size := t.size[class]
	if out != exchange.Nobody {
		size -= t.records[out]
	}
	if in != exchange.Nobody {
		size += t.records[in]
	}
	if size < t.least {
		return false
	}
	have := t.haveOf(class)
	t.shift(have, out, -1)
	t.shift(have, in, 1)
	allowed := t.isClass(size, have)
	t.shift(have, out, 1)
	t.shift(have, in, -1)
	return allowed
}

// shift adds the heavy values of an item times times.
func (t *traders) shift(have []int64, item uint32, times int64) {
	if item == exchange.Nobody {
		return
	}
	for at := t.start[item]; at < t.start[item+1]; at++ {
		have[t.value[at]] += times * t.count[at]
	}
}

// cellsOf returns the nonempty classes, as cells.
func (t *traders) cellsOf() [][]uint32 {
	all := t.NonEmpty()
	for _, items := range all {
		for i, item := range items {
			items[i] = t.cells[item]
		}
	}
	return all
}
