package mondrian

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// cut divides the records at [first, end) by the first attribute, in order of penalty, for
// which both halves are allowed. It returns the beginning of the second half, 0 for none.
func (w *worker) cut(first, end int) int {
	w.measure(first, end)
	w.census(first, end)
	for _, attribute := range w.order {
		if w.low[attribute] == w.high[attribute] {
			continue
		}
		boundary, below, at := w.boundary(attribute, first, end)
		if middle := w.try(attribute, first, end, boundary, below, at); middle > 0 {
			return middle
		}
	}
	return 0
}

// census counts and lists the sensitive values of the current class. It clears the previous class's
// counts one by one: a table may have as many values as records, and nearly as many classes.
func (w *worker) census(first, end int) {
	for i, s := range w.sensitive {
		here, left, present := w.here[i], w.left[i], w.present[i]
		for _, v := range present {
			here[v], left[v] = 0, 0
		}
		present = present[:0]
		for _, v := range s.value[first:end] {
			if here[v]++; here[v] == 1 {
				present = append(present, v)
			}
		}
		slices.Sort(present)
		w.present[i] = present
	}
}

// countLeft counts the values of one sensitive attribute in the left half.
func (w *worker) countLeft(sensitive int, side []uint8, first, end int) []uint32 {
	left := w.left[sensitive]
	for _, v := range w.present[sensitive] {
		left[v] = 0
	}
	for i, v := range w.sensitive[sensitive].value[first:end] {
		left[v] += uint32(side[i])
	}
	return left
}

// measure computes the span of every attribute and sorts the attributes by penalty, greatest
// first and stably.
func (w *worker) measure(first, end int) {
	for i, place := range w.place {
		low, high := place[first], place[first]
		for _, p := range place[first:end] {
			low, high = min(low, p), max(high, p)
		}
		w.low[i], w.high[i], w.order[i] = low, high, i
		w.penalty[i] = w.attributes[i].Penalty(low, high)
	}
	slices.SortStableFunc(w.order, func(x, y int) int { return cmp.Compare(w.penalty[y], w.penalty[x]) })
}

// A run is the records of a class at one place.
type run struct {
	place uint32
	count int
}

// runs counts the records at [first, end) by ascending place: in an array if the span is not
// much wider than the class, else by sorting.
func (w *worker) runs(attribute, first, end int) []run {
	places, low, high := w.place[attribute][first:end], w.low[attribute], w.high[attribute]
	w.found = w.found[:0]
	if int(high-low) > 8*len(places) {
		w.sorted = append(w.sorted[:0], places...)
		slices.Sort(w.sorted)
		for i, p := range w.sorted {
			if i == 0 || p != w.sorted[i-1] {
				w.found = append(w.found, run{place: p})
			}
			w.found[len(w.found)-1].count++
		}
		return w.found
	}
	count := w.histogram[:high-low+1]
	clear(count)
	for _, p := range places {
		count[p-low]++
	}
	for p, c := range count {
		if c > 0 {
			w.found = append(w.found, run{low + uint32(p), int(c)})
		}
	}
	return w.found
}

// boundary returns the place at which an attribute is cut: lower places go to the left. below
// is their number, 0 for no cut. Strict: the halves are as equal as whole places, or the
// children of the covering node, permit. Relaxed: the boundary is the median, and at of its own
// records also go to the left.
func (w *worker) boundary(attribute, first, end int) (boundary uint32, below, at int) {
	n, a := end-first, w.attributes[attribute]
	runs := w.runs(attribute, first, end)
	if w.relaxed && !a.HasTaxonomy() {
		for _, r := range runs {
			if below+r.count > n/2 {
				return r.place, below, n/2 - below
			}
			below += r.count
		}
	}
	seen, best := runs[0].count, n+1
	for i, r := range runs[1:] {
		distance := max(2*seen-n, n-2*seen)
		if distance < best && a.MayCut(w.low[attribute], w.high[attribute], runs[i].place, r.place) {
			best, boundary, below = distance, r.place, seen
		}
		seen += r.count
	}
	return boundary, below, 0
}

// try cuts if both halves are allowed.
func (w *worker) try(attribute, first, end int, boundary uint32, below, at int) int {
	n, place := end-first, w.place[attribute][first:end]
	if below+at < w.condition.K || n-below-at < w.condition.K {
		return 0
	}
	side := w.markSides(place, first, boundary, at)
	middle := first + below + at
	for i := range w.sensitive {
		if !w.allowed(i, side, first, end, middle) {
			return 0
		}
	}
	w.part(side, first, end, middle)
	return middle
}

// allowed reports whether both halves meet the condition for one sensitive
// attribute.
func (w *worker) allowed(sensitive int, side []uint8, first, end, middle int) bool {
	s, present, rows := &w.sensitive[sensitive], w.present[sensitive], len(w.member)
	count := w.countLeft(sensitive, side, first, end)
	if !w.condition.allows(count, present, s.total, middle-first, rows, s.ordered) || !w.condition.asks(sensitive, count, present, middle-first) {
		return false
	}
	for _, v := range present {
		count[v] = w.here[sensitive][v] - count[v]
	}
	return w.condition.allows(count, present, s.total, end-middle, rows, s.ordered) && w.condition.asks(sensitive, count, present, end-middle)
}

// markSides marks the records that go to the left: those below the boundary, and at random ones
// on it, drawn from a source of this class alone.
func (w *worker) markSides(place []uint32, first int, boundary uint32, at int) []uint8 {
	side := w.sideMarks(len(place))
	var random *rand.Rand
	ties := 0
	if at > 0 {
		random = rand.New(rand.NewPCG(w.seed, uint64(first)<<32|uint64(len(place))))
		for _, p := range place {
			if p == boundary {
				ties++
			}
		}
	}
	for i, p := range place {
		side[i] = 0
		switch {
		case p < boundary:
			side[i] = 1
		case p == boundary && at > 0:
			if random.IntN(ties) < at { // at of the remaining ties
				side[i] = 1
				at--
			}
			ties--
		}
	}
	return side
}

// sideMarks returns room for a mark per record of the current class.
func (w *worker) sideMarks(n int) []uint8 {
	if cap(w.marks) < n {
		w.marks = make([]uint8, n)
	}
	return w.marks[:n]
}

// part moves the marked records of all columns to the front; both halves keep their order.
func (w *worker) part(side []uint8, first, end, middle int) {
	arrange := func(column []uint32) {
		column, spare := column[first:end], w.spare[first:end]
		left, right := 0, middle-first
		for i, x := range column {
			if side[i] == 1 {
				spare[left] = x
				left++
			} else {
				spare[right] = x
				right++
			}
		}
		copy(column, spare)
	}
	arrange(w.member)
	for _, s := range w.sensitive {
		arrange(s.value)
	}
	for _, place := range w.place {
		arrange(place)
	}
}
