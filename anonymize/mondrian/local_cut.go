package mondrian

import (
	"cmp"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A lossCut is the cut of one attribute with the greatest gain.
type lossCut struct {
	attribute int
	gain      float64  // summed reduction of the records' loss
	below     int      // records that go to the left
	boundary  uint32   // of a line: places below it go to the left
	set       []uint32 // of a set: the places that go to the left
}

// cutByLoss divides the records at [first, end) by the allowed cut with the greatest gain, and
// returns the beginning of the second half. If no cut is allowed, it moves records of frequent
// sensitive values between the halves of the best cut until they are; without any cut it deals
// records out. It returns 0 if nothing helps.
func (w *worker) cutByLoss(first, end int) int {
	w.census(first, end)
	var cuts []lossCut
	for i, place := range w.place {
		low, high := place[first], place[first]
		for _, p := range place[first:end] {
			low, high = min(low, p), max(high, p)
		}
		if w.low[i], w.high[i] = low, high; low == high {
			continue
		}
		c := w.bestCut(i, w.runs(i, first, end), end-first)
		if c.gain > 0 {
			if c.attribute = i; w.weight != nil {
				c.gain *= w.weight[i]
			}
			cuts = append(cuts, c)
		}
	}
	slices.SortStableFunc(cuts, func(x, y lossCut) int { return cmp.Compare(y.gain, x.gain) })
	for i := range cuts {
		side := w.sideOf(&cuts[i], first, end)
		if w.allowedAll(side, first, end, first+cuts[i].below) {
			w.part(side, first, end, first+cuts[i].below)
			return first + cuts[i].below
		}
	}
	if w.stop == 0 { // halves are to be classes: try others before records change sides
		if middle := w.cut(first, end); middle > 0 {
			return middle
		}
	}
	if len(cuts) > 0 {
		return w.evenOut(w.sideOf(&cuts[0], first, end), first, end, cuts[0].below)
	}
	side := w.sideMarks(end - first)
	clear(side)
	return w.evenOut(side, first, end, (end-first)/2)
}

func (w *worker) bestCut(attribute int, runs []run, n int) lossCut {
	if a := w.attributes[attribute]; a.Scale == anonymize.Nominal {
		return w.bestSet(runs, n, 1/float64(a.Places))
	}
	return w.bestBoundary(attribute, runs, n)
}

// bestBoundary returns the best cut of a line.
func (w *worker) bestBoundary(attribute int, runs []run, n int) (best lossCut) {
	a, low, high := w.attributes[attribute], w.low[attribute], w.high[attribute]
	below, whole := 0, float64(n)*a.Width(low, high)
	for j, r := range runs[:len(runs)-1] {
		if below += r.count; below < w.condition.K || n-below < w.condition.K {
			continue
		}
		after := runs[j+1].place
		gain := whole - float64(below)*a.Width(low, r.place) - float64(n-below)*a.Width(after, high)
		if gain > best.gain {
			best = lossCut{gain: gain, below: below, boundary: after}
		}
	}
	return best
}

// bestSet moves the most frequent values to the left, as many as gain most.
func (w *worker) bestSet(runs []run, n int, unit float64) (best lossCut) {
	slices.SortFunc(runs, func(x, y run) int { return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.place, y.place)) })
	below, taken := 0, 0
	whole := float64(n) * setPenalty(len(runs), unit)
	for j, r := range runs[:len(runs)-1] {
		if below += r.count; below < w.condition.K || n-below < w.condition.K {
			continue
		}
		gain := whole - float64(below)*setPenalty(j+1, unit) - float64(n-below)*setPenalty(len(runs)-j-1, unit)
		if gain > best.gain {
			best, taken = lossCut{gain: gain, below: below}, j+1
		}
	}
	for _, r := range runs[:taken] {
		best.set = append(best.set, r.place)
	}
	return best
}

// setPenalty returns the penalty of a cell of values values, each of penalty unit.
func setPenalty[F float32 | float64](values int, unit F) F {
	if values < 2 {
		return 0
	}
	return F(values) * unit
}

// sideOf marks the records that go to the left.
func (w *worker) sideOf(c *lossCut, first, end int) []uint8 {
	place := w.place[c.attribute][first:end]
	if c.set == nil {
		return w.markSides(place, first, c.boundary, 0)
	}
	side := w.sideMarks(end - first)
	for _, p := range c.set {
		w.inSet[p] = true
	}
	for i, p := range place {
		if side[i] = 0; w.inSet[p] {
			side[i] = 1
		}
	}
	for _, p := range c.set {
		w.inSet[p] = false
	}
	return side
}

// allowedAll reports whether both halves meet the condition.
func (w *worker) allowedAll(side []uint8, first, end, middle int) bool {
	for i := range w.sensitive {
		if !w.allowed(i, side, first, end, middle) {
			return false
		}
	}
	return true
}
