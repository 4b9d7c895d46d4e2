package membership

import (
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A group is the search in one group: rows, what they have of every trait, and how many units are to have it.
type group struct {
	release    *anonymize.Release
	completion *anonymize.Completion
	table      int
	traits     []trait
	random     *rand.Rand

	members, records int // units, and rows a unit
	order            []int
	unit, kept       []uint16   // by row
	has              [][]uint32 // by trait: the value of every row
	wanted           [][]int    // by trait and value: how many units are to have it
	held             []holdings // by trait
	of               numbering
	tuples           []uint32
}

// holdings are how many rows a unit has with a value, and how many units have one.
type holdings struct {
	rows  []uint16 // by value and unit
	units []int    // by value
}

// load reads the rows of a group.
func (w *group) load(g, first, members, rows int) {
	w.members, w.records = members, rows/members
	w.has, w.wanted = w.has[:0], w.wanted[:0]
	w.order, w.unit = w.order[:0], slices.Grow(w.unit[:0], rows)[:rows]
	for row := range rows {
		w.order = append(w.order, row)
	}
	for _, t := range w.traits {
		f := w.release.Fragments[t.fragment]
		values, wanted := make([]uint32, 0, rows), []int(nil)
		if t.columns == nil {
			for at := f.GroupStart[g]; at < f.GroupStart[g+1]; at++ {
				wanted = append(wanted, int(f.Units[at]))
			}
		} else {
			for _, n := range w.of.sums(f, t.columns, g) {
				wanted = append(wanted, int(n)/w.records)
			}
		}
		for _, at := range w.tuplesOf(t.fragment, g, first, rows) {
			value := at - f.GroupStart[g]
			if t.columns != nil {
				value = w.of.number[value]
			}
			values = append(values, value)
		}
		w.has, w.wanted = append(w.has, values), append(w.wanted, wanted)
	}
}

// tuplesOf is the tuple that every row of the group has of a fragment.
func (w *group) tuplesOf(fragment, g, first, rows int) []uint32 {
	f := w.release.Fragments[fragment]
	places := make([]uint32, 0, rows)
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		for range f.Count[t] {
			places = append(places, t)
		}
	}
	if fragment == 0 {
		return places
	}
	w.tuples = w.tuples[:0]
	for row := range rows {
		place := 0
		if w.completion.Narrow != nil {
			place = int(w.completion.Narrow[w.table][fragment-1][first+row])
		} else {
			place = int(w.completion.Wide[w.table][fragment-1][first+row])
		}
		w.tuples = append(w.tuples, places[place])
	}
	return w.tuples
}

// minTries and triesPerRow bound the search: swaps that are looked at.
const minTries, triesPerRow = 64, 8

// search draws the units: from each of two beginnings, of which the better end stays.
func (w *group) search() {
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

// improve swaps rows of two units as long as the cost does not grow, and returns it.
func (w *group) improve() int {
	cost := w.cost()
	for try := minTries + triesPerRow*len(w.unit); try > 0 && cost > 0; try-- {
		i, j := w.random.IntN(len(w.unit)), w.random.IntN(len(w.unit))
		if w.unit[i] == w.unit[j] {
			continue
		}
		if change := w.change(i, j); change <= 0 {
			w.swap(i, j)
			cost += change
		}
	}
	return cost
}

// compare orders rows by their traits, the constant ones first.
func (w *group) compare(i, j int) int {
	for t := range w.traits {
		if a, b := w.has[t][i], w.has[t][j]; a != b {
			return int(a) - int(b)
		}
	}
	return 0
}

// deal gives the rows to units in their order.
func (w *group) deal(unitAt func(at int) int) {
	for at, row := range w.order {
		w.unit[row] = uint16(unitAt(at))
	}
}

// placeTogether has alike rows in few units.
func (w *group) placeTogether(at int) int { return at / w.records }

// placeApart has alike rows in many units.
func (w *group) placeApart(at int) int { return at % w.members }

// cost is how far the numbers of units are from those that are published. It fills what units hold.
func (w *group) cost() (cost int) {
	w.held = slices.Grow(w.held[:0], len(w.traits))[:len(w.traits)]
	for t := range w.traits {
		values := len(w.wanted[t])
		h := holdings{rows: make([]uint16, values*w.members), units: make([]int, values)}
		for row, value := range w.has[t] {
			at := int(value)*w.members + int(w.unit[row])
			if h.rows[at]++; h.rows[at] == 1 {
				h.units[value]++
			}
		}
		for value, n := range h.units {
			cost += w.traits[t].weight * distance(n, w.wanted[t][value])
		}
		w.held[t] = h
	}
	return cost
}

func distance(a, b int) int { return max(a-b, b-a) }

// change is what the cost changes by when two rows swap their units.
func (w *group) change(i, j int) (change int) {
	a, b := int(w.unit[i]), int(w.unit[j])
	for t := range w.traits {
		x, y := int(w.has[t][i]), int(w.has[t][j])
		if x == y {
			continue
		}
		change += w.traits[t].weight * (w.moved(t, x, a, b) + w.moved(t, y, b, a))
	}
	return change
}

// moved is what a value that goes from a unit to another changes.
func (w *group) moved(t, value, from, to int) int {
	h, n := &w.held[t], w.held[t].units[value]
	after := n
	if h.rows[value*w.members+from] == 1 {
		after--
	}
	if h.rows[value*w.members+to] == 0 {
		after++
	}
	wanted := w.wanted[t][value]
	return distance(after, wanted) - distance(n, wanted)
}

// swap swaps the units of two rows.
func (w *group) swap(i, j int) {
	for t := range w.traits {
		w.move(t, int(w.has[t][i]), int(w.unit[i]), int(w.unit[j]))
		w.move(t, int(w.has[t][j]), int(w.unit[j]), int(w.unit[i]))
	}
	w.unit[i], w.unit[j] = w.unit[j], w.unit[i]
}

func (w *group) move(t, value, from, to int) {
	h := &w.held[t]
	if h.rows[value*w.members+from]--; h.rows[value*w.members+from] == 0 {
		h.units[value]--
	}
	if h.rows[value*w.members+to]++; h.rows[value*w.members+to] == 1 {
		h.units[value]++
	}
}
