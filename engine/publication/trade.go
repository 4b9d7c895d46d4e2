package publication

import (
	"math"
	"slices"
)

// traders are the classes of a part, with what it takes to say what a cell more or less changes, without a look at the others.
type traders struct {
	*part
	of      [][]uint32 // items
	size    []int64    // records
	penalty []float32  // what a record loses
	ends    []ends     // by class, then attribute
	have    []int64    // by class, then heavy value: records
}

// ends are the two least and the two greatest bins of the cells of a class. Of one cell, the second ones are beyond all.
type ends struct{ low, low2, high2, high uint8 }

func newTraders(p *part, of [][]uint32) *traders {
	t := &traders{part: p, of: of, size: make([]int64, len(of)), penalty: make([]float32, len(of)),
		ends: make([]ends, len(of)*len(p.Bins)), have: make([]int64, len(of)*p.values)}
	for class := range of {
		t.measure(class)
	}
	return t
}

// measure makes the figures of a class anew.
func (t *traders) measure(class int) {
	t.size[class], t.penalty[class] = 0, 0
	have, of := t.haveOf(class), t.endsOf(class)
	clear(have)
	for a := range of {
		of[a] = ends{math.MaxUint8, math.MaxUint8, 0, 0}
	}
	for _, item := range t.of[class] {
		t.size[class] += t.records[item]
		for at := t.start[item]; at < t.start[item+1]; at++ {
			have[t.value[at]] += t.count[at]
		}
		for a, x := range t.bins(item) {
			of[a].add(x)
		}
	}
	for a, e := range of {
		t.penalty[class] += t.clustering.penalty[a][max(e.high, e.low)-e.low]
	}
}

func (t *traders) haveOf(class int) []int64 { return t.have[class*t.values : (class+1)*t.values] }

func (t *traders) endsOf(class int) []ends {
	return t.ends[class*len(t.Bins) : (class+1)*len(t.Bins)]
}

func (e *ends) add(x uint8) {
	if x < e.low {
		e.low, e.low2 = x, e.low
	} else {
		e.low2 = min(e.low2, x)
	}
	if x > e.high {
		e.high, e.high2 = x, e.high
	} else {
		e.high2 = max(e.high2, x)
	}
}

// endsWithout are the ends without a cell at x.
func (e *ends) endsWithout(x uint8) (low, high uint8) {
	low, high = e.low, e.high
	if x == low {
		low = e.low2
	}
	if x == high {
		high = e.high2
	}
	return low, high
}

// penaltyWith is what a record of a class loses with an item more; of more than limit, any number above.
func (t *traders) penaltyWith(class int, in uint32, limit float32) (penalty float32) {
	at := t.bins(in)
	for a, e := range t.endsOf(class) {
		x := at[a]
		if penalty += t.clustering.penalty[a][max(e.high, x)-min(e.low, x)]; penalty > limit {
			return penalty
		}
	}
	return penalty
}

// penaltyWithout is what a record of a class of several cells loses without one of them.
func (t *traders) penaltyWithout(class int, out uint32) (penalty float32) {
	at := t.bins(out)
	for a, e := range t.endsOf(class) {
		low, high := e.endsWithout(at[a])
		penalty += t.clustering.penalty[a][high-low]
	}
	return penalty
}

// swapped is what a record of a class loses with one item in the place of another.
func (t *traders) swapped(class int, out, in uint32) (penalty float32) {
	gone, come := t.bins(out), t.bins(in)
	for a, e := range t.endsOf(class) {
		low, high := e.endsWithout(gone[a])
		x := come[a]
		penalty += t.clustering.penalty[a][max(high, x)-min(low, x)]
	}
	return penalty
}

// noItem is no item.
const noItem = ^uint32(0)

// allows says whether a class is one without one item and with another, either of which may be nobody.
func (t *traders) allows(class int, out, in uint32) bool {
	size := t.size[class]
	if out != noItem {
		size -= t.records[out]
	}
	if in != noItem {
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

// shift adds the heavy values of an item so many times.
func (t *traders) shift(have []int64, item uint32, times int64) {
	if item == noItem {
		return
	}
	for at := t.start[item]; at < t.start[item+1]; at++ {
		have[t.value[at]] += times * t.count[at]
	}
}

// nonEmpty are the classes that have items.
func (t *traders) nonEmpty() [][]uint32 {
	return slices.DeleteFunc(t.of, func(items []uint32) bool { return len(items) == 0 })
}

// cellsOf are the classes that have items, as cells.
func (t *traders) cellsOf() [][]uint32 {
	all := t.nonEmpty()
	for _, items := range all {
		for i, item := range items {
			items[i] = t.cells[item]
		}
	}
	return all
}

const (
	// passes over the classes of a part, at most.
	passes = 2
	// swapPartners is the number of classes that a cell is swapped with.
	swapPartners = 4
	// maxTraded is how many cells a class that trades has at most.
	maxTraded = 512
	// rounding is more than what the rounding of penalties makes, of a record.
	rounding = 1e-4
	// minSaving is the least loss that a trade must save.
	minSaving = 1e-3
)

// trade moves cells to other classes of the part, and swaps them, while the loss falls and both classes keep what is asked.
func (t *traders) trade() {
	for range passes {
		changed := false
		for class := range t.of {
			if t.ctx.Err() != nil {
				return
			}
			changed = t.improve(class) || changed
		}
		if !changed {
			return
		}
	}
}

// improve gives each cell of a class one chance.
func (t *traders) improve(class int) (changed bool) {
	if len(t.of[class]) > maxTraded {
		return false
	}
	for _, item := range slices.Clone(t.of[class]) {
		if t.penalty[class] == 0 || len(t.of[class]) < 2 {
			return changed
		}
		changed = t.place(class, item) || changed
	}
	return changed
}

// An option is what a trade would save: a cell goes to a class, and in comes from there, or nobody.
type option struct {
	saves float32
	class int
	in    uint32
}

// place moves an item of a class elsewhere, or swaps it, if that saves anything.
func (t *traders) place(class int, out uint32) bool {
	without := t.penaltyWithout(class, out)
	if t.penalty[class]-without < rounding {
		return false
	}
	size := float32(t.size[class])
	best := option{saves: minSaving, class: -1, in: noItem}
	for _, n := range t.nearestClasses(class, out, size*t.penalty[class]-(size-float32(t.records[out]))*without, &best) {
		if n.class >= 0 {
			t.swap(class, out, n.class, &best)
		}
	}
	if best.class < 0 {
		return false
	}
	t.apply(class, out, best)
	return true
}

// A neighbour is a class with what a record of it would lose more with the item.
type neighbour struct {
	class   int
	penalty float32
}

// nearestClasses finds the classes that lose least by an item, and the best move to any of all; saved is what its class loses less.
func (t *traders) nearestClasses(class int, out uint32, saved float32, best *option) (near [swapPartners]neighbour) {
	for i := range near {
		near[i] = neighbour{-1, math.MaxFloat32}
	}
	leaves := t.allows(class, out, noItem)
	for other, of := range t.of {
		if other == class || len(of) == 0 || len(of) > maxTraded {
			continue
		}
		size, more := float32(t.size[other]), float32(t.records[out])
		limit := max(t.penalty[other]+near[swapPartners-1].penalty, (saved-best.saves+size*t.penalty[other])/(size+more)) + rounding
		with := t.penaltyWith(other, out, limit)
		if with > limit {
			continue // neither near nor worth a move
		}
		if n := (neighbour{other, with - t.penalty[other]}); n.penalty < near[swapPartners-1].penalty {
			for i := range near {
				if n.penalty < near[i].penalty {
					near[i], n = n, near[i]
				}
			}
		}
		if saves := saved - (size+more)*with + size*t.penalty[other]; leaves && saves > best.saves && t.allows(other, noItem, out) {
			*best = option{saves, other, noItem}
		}
	}
	return near
}

// swap looks for the item of another class that is best swapped for out.
func (t *traders) swap(class int, out uint32, other int, best *option) {
	size, others := float32(t.size[class]), float32(t.size[other])
	now := size*t.penalty[class] + others*t.penalty[other]
	for _, in := range t.of[other] {
		more := float32(t.records[in] - t.records[out]) // of class, and less of the other one
		here := now - (size+more)*t.swapped(class, out, in)
		if here <= best.saves {
			continue
		}
		if saves := here - (others-more)*t.swapped(other, in, out); saves > best.saves && t.allows(class, out, in) && t.allows(other, in, out) {
			*best = option{saves, other, in}
		}
	}
}

// apply does what an option says.
func (t *traders) apply(class int, out uint32, o option) {
	t.of[class] = slices.DeleteFunc(t.of[class], func(item uint32) bool { return item == out })
	if o.in != noItem {
		t.of[class] = append(t.of[class], o.in)
		t.of[o.class] = slices.DeleteFunc(t.of[o.class], func(item uint32) bool { return item == o.in })
	}
	t.of[o.class] = append(t.of[o.class], out)
	t.measure(class)
	t.measure(o.class)
}
