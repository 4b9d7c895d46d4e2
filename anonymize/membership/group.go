package membership

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A group is the search in one group and fragment: its records' values of every trait, and the required numbers of units with each.
type group struct {
	ctx     context.Context
	release *anonymize.Release
	traits  [][]trait // by fragment
	random  *rand.Rand

	members, records int // units, and records per unit
	order            []int
	unit, kept       []uint16   // by place
	weights          []int      // by trait
	has              [][]uint32 // by trait: the value of every place
	wanted           [][]int    // by trait and value: the required number of units
	ranks            [][]int    // by trait and value: the order in which records are assigned
	held             []holdings // by trait
	of               numbering
}

// holdings are the number of a unit's records with a value, the number of units with one, and the records of all units.
type holdings struct {
	members int
	rows    []uint16       // by value and unit; nil for more than maxPairs
	few     map[int]uint16 // replaces rows: the nonzero entries, at most as many as the group's records
	units   []int          // by value
	all     []int          // by value: the records of all units
}

// maxPairs is the greatest number of pairs, of values and units or of rows and tuples, that a worker stores for
// a group. For larger groups it looks pairs up or computes them: 60,000 rows may have 3.6 billion.
const maxPairs = 1 << 22

func newHoldings(values, members int) holdings {
	h := holdings{members: members, units: make([]int, values), all: make([]int, values)}
	if values*members > maxPairs {
		h.few = make(map[int]uint16)
	} else {
		h.rows = make([]uint16, values*members)
	}
	return h
}

// held returns the number of a unit's records with a value.
func (h *holdings) held(value, unit int) uint16 {
	if h.rows == nil {
		return h.few[value*h.members+unit]
	}
	return h.rows[value*h.members+unit]
}

// give gives a record of a value to a unit.
func (h *holdings) give(value, unit int) {
	n := h.held(value, unit) + 1
	if h.rows == nil {
		h.few[value*h.members+unit] = n
	} else {
		h.rows[value*h.members+unit] = n
	}
	if n == 1 {
		h.units[value]++
	}
}

// take takes a record of a value from a unit.
func (h *holdings) take(value, unit int) {
	n := h.held(value, unit) - 1
	switch {
	case h.rows != nil:
		h.rows[value*h.members+unit] = n
	case n > 0:
		h.few[value*h.members+unit] = n
	default:
		delete(h.few, value*h.members+unit)
	}
	if n == 0 {
		h.units[value]--
	}
}

// isCanceled checks the context in some steps of a search. After cancellation the group's result is dropped.
func (w *group) isCanceled(step int) bool { return step%1024 == 0 && w.ctx.Err() != nil }

// unitsOf returns the unit of every place of a fragment in a group, for one table. The result is valid until the next call.
func (w *group) unitsOf(fragment, g, table int) []uint16 {
	w.members = int(w.release.Units[g])
	places := int(w.release.GroupSizes[g])
	w.records = places / w.members
	w.unit = slices.Grow(w.unit[:0], places)[:places]
	switch {
	case w.members == 1:
		clear(w.unit)
	case w.records == 1:
		for place := range w.unit {
			w.unit[place] = uint16(place)
		}
	default:
		w.load(fragment, g)
		w.random = rand.New(rand.NewPCG(uint64(table)<<16|uint64(fragment), uint64(g)))
		w.search()
	}
	return w.unit
}

// mends reports whether a swap moves a value of the first record from a unit to one that
// already has it, if too many units have it, or to one without, if too few have.
func (w *group) mends(i, j int) bool {
	if w.unit[i] == w.unit[j] {
		return false
	}
	for t := range w.held {
		h, x := &w.held[t], int(w.has[t][i])
		if off := h.units[x] - w.wanted[t][x]; off != 0 && (off > 0) == (h.held(x, int(w.unit[j])) > 0) && x != int(w.has[t][j]) {
			return true
		}
	}
	return false
}

// gathers is positive if a swap concentrates records of a value that too many units have, or spreads records of one that too few
// have. The numbers of units show such progress only when a unit's last record leaves. It is in shares of a value's records.
func (w *group) gathers(i, j int) (gain float32) {
	a, b := int(w.unit[i]), int(w.unit[j])
	for t := range w.held {
		if x, y := int(w.has[t][i]), int(w.has[t][j]); x != y {
			gain += w.gathersValue(t, x, a, b) + w.gathersValue(t, y, b, a)
		}
	}
	return gain
}

func (w *group) gathersValue(t, value, from, to int) float32 {
	h := &w.held[t]
	gain := float32(int(h.held(value, to))-int(h.held(value, from))+1) / float32(h.all[value])
	switch wanted := w.wanted[t][value]; {
	case h.units[value] > wanted:
		return gain
	case h.units[value] < wanted:
		return -gain
	}
	return 0
}

// load reads the records of a group.
func (w *group) load(fragment, g int) {
	w.has, w.wanted, w.weights, w.order = w.has[:0], w.wanted[:0], w.weights[:0], w.order[:0]
	for place := range w.unit {
		w.order = append(w.order, place)
	}
	f := w.release.Fragments[fragment]
	for _, t := range w.traits[fragment] {
		values, wanted := make([]uint32, 0, len(w.unit)), []int(nil)
		if t.columns != nil {
			for _, n := range w.of.sums(f, t.columns, g) {
				wanted = append(wanted, int(n)/w.records)
			}
		}
		for at := f.GroupStart[g]; at < f.GroupStart[g+1]; at++ {
			value := at - f.GroupStart[g]
			if t.columns != nil {
				value = w.of.number[value]
			} else {
				wanted = append(wanted, int(f.Units[at]))
			}
			for range f.Count[at] {
				values = append(values, value)
			}
		}
		w.has, w.wanted, w.weights = append(w.has, values), append(w.wanted, wanted), append(w.weights, t.weight)
	}
}

// minTries and triesPerRow bound the number of swaps that the search examines.
const minTries, triesPerRow = 64, 128

// search draws the units from two initial assignments and keeps the better result.
func (w *group) search() {
	w.ranks = w.ranks[:0]
	for t := range w.wanted {
		w.ranks = append(w.ranks, w.random.Perm(len(w.wanted[t])))
	}
	w.random.Shuffle(len(w.order), func(i, j int) { w.order[i], w.order[j] = w.order[j], w.order[i] })
	slices.SortStableFunc(w.order, w.compare)
	w.deal(w.placeTogether)
	cost := w.improve()
	if cost == 0 {
		return
	}
	w.kept = append(w.kept[:0], w.unit...)
	w.deal(w.placeApart)
	if w.improve() > cost {
		copy(w.unit, w.kept)
	}
}

// improve swaps records of two units as long as the cost does not grow, and returns the cost.
func (w *group) improve() int {
	cost := w.cost()
	tries := minTries + triesPerRow*len(w.unit)
	for try := tries; try > 0 && cost > 0 && !w.isCanceled(try); try-- {
		i, j := w.random.IntN(len(w.unit)), w.random.IntN(len(w.unit))
		if !w.mends(i, j) {
			continue
		}
		// A swap without gain helps if it gathers; in the last quarter of the search any such swap is taken.
		if change := w.change(i, j); change < 0 || change == 0 && (w.gathers(i, j) > 0 || try < tries/4) {
			w.swap(i, j)
			cost += change
		}
	}
	return cost
}

// compare orders records by traits, constant ones first, and values at random, so that a unit does not get neighbouring values.
func (w *group) compare(i, j int) int {
	for t := range w.has {
		if a, b := w.has[t][i], w.has[t][j]; a != b {
			return w.ranks[t][a] - w.ranks[t][b]
		}
	}
	return 0
}

// deal assigns the records to units in their order.
func (w *group) deal(unitAt func(at int) int) {
	for at, place := range w.order {
		w.unit[place] = uint16(unitAt(at))
	}
}

// placeTogether puts similar records into few units.
func (w *group) placeTogether(at int) int { return at / w.records }

// placeApart puts similar records into many units.
func (w *group) placeApart(at int) int { return at % w.members }

// cost returns the distance of the numbers of units from the published ones. It also computes the units' holdings.
func (w *group) cost() (cost int) {
	w.held = slices.Grow(w.held[:0], len(w.has))[:len(w.has)]
	for t := range w.has {
		h := newHoldings(len(w.wanted[t]), w.members)
		for place, value := range w.has[t] {
			h.all[value]++
			h.give(int(value), int(w.unit[place]))
		}
		for value, n := range h.units {
			cost += w.weights[t] * distance(n, w.wanted[t][value])
		}
		w.held[t] = h
	}
	return cost
}

// published adds up the published numbers of units, weighted as in cost.
func (w *group) published() (sum int) {
	for t, wanted := range w.wanted {
		for _, n := range wanted {
			sum += w.weights[t] * n
		}
	}
	return sum
}

func distance(a, b int) int { return max(a-b, b-a) }

// change returns the change of the cost when two records swap their units.
func (w *group) change(i, j int) (change int) {
	a, b := int(w.unit[i]), int(w.unit[j])
	for t := range w.has {
		x, y := int(w.has[t][i]), int(w.has[t][j])
		if x != y {
			change += w.weights[t] * (w.moved(t, x, a, b) + w.moved(t, y, b, a))
		}
	}
	return change
}

// moved returns the change of the cost when a value moves from one unit to another.
func (w *group) moved(t, value, from, to int) int {
	h, n := &w.held[t], w.held[t].units[value]
	after := n
	if h.held(value, from) == 1 {
		after--
	}
	if h.held(value, to) == 0 {
		after++
	}
	wanted := w.wanted[t][value]
	return distance(after, wanted) - distance(n, wanted)
}

// swap swaps the units of two records.
func (w *group) swap(i, j int) {
	for t := range w.has {
		w.move(t, int(w.has[t][i]), int(w.unit[i]), int(w.unit[j]))
		w.move(t, int(w.has[t][j]), int(w.unit[j]), int(w.unit[i]))
	}
	w.unit[i], w.unit[j] = w.unit[j], w.unit[i]
}

func (w *group) move(t, value, from, to int) {
	w.held[t].take(value, from)
	w.held[t].give(value, to)
}
