package impute

import (
	"context"
	"math/rand/v2"
)

// slotsPerStep is the number of slots of a large group that are rematched in one step.
const slotsPerStep = 6

// looked is the number of parts of a large group between two checks of the context.
const looked = 128

// A sweeper redraws matchings on one core by Gibbs sampling (Geman and Geman 1984): one
// fragment after the other, it matches the fragment's tuples with the rest of the rows, given
// that rest.
type sweeper struct {
	matcher
	ctx    context.Context // when it ends, a large group stays unfinished
	random *rand.Rand
	hand   hand
	// For a small group: odds[i*fragments+j] of the tuples of two fragments, and holds[j][s],
	// the tuple of fragment j in slot s.
	odds  []pairOdds
	holds [][maxExact]uint8
	// open are the fragments whose tuples differ within a small group.
	open []int
	looks
	// For a large group: its slots in random order, and the previous contents of some.
	slots  []uint32
	rows   []uint16
	places []uint16
}

// pairOdds has, at [s][t], exp(energy) of tuple s of one fragment with tuple t of another, up
// to a factor, between minOdds and its inverse.
type pairOdds [stride][stride]float64

const (
	// minOdds makes every pair possible.
	minOdds = 1e-17
	// maxFactors is the greatest number of multiplied odds: their product, and that of their
	// inverses, are normal float64s.
	maxFactors = 16
)

// sweep performs some rounds in each of the groups low .. high-1.
func (w *sweeper) sweep(t *table, f *factors, low, high, rounds int) {
	for g := low; g < high; g++ {
		switch size := int(t.first[g+1] - t.first[g]); {
		case size < 2:
		case size <= maxExact && t.single:
			w.single(t, f, int(t.first[g]), size, rounds)
		case size <= maxExact:
			w.sweepSmallGroup(t, f, int(t.first[g]), size, false, rounds)
		default:
			for range rounds {
				w.sweepLargeGroup(t, f, t.first[g], size)
			}
		}
	}
}

// settle sweeps the groups low .. high-1 of a table with shuffled matchings until these have
// the model's distribution.
func (w *sweeper) settle(t *table, f *factors, low, high int) {
	for g := low; g < high; g++ {
		switch size := int(t.first[g+1] - t.first[g]); {
		case size < 2:
		case size <= maxExact:
			w.sweepSmallGroup(t, f, int(t.first[g]), size, true, settlingSmall)
		default:
			for range settlingLarge {
				w.sweepLargeGroup(t, f, t.first[g], size)
			}
		}
	}
}

// sweepSmallGroup sweeps a group whose matchings of a fragment are drawn in one step. If fresh,
// it first matches fragment by fragment.
func (w *sweeper) sweepSmallGroup(t *table, f *factors, first, size int, fresh bool, rounds int) {
	if w.size = size; !w.opened(t, first) {
		return
	}
	w.load(t, f, first)
	w.hold(t, first)
	if fresh || len(w.open) == 2 {
		for n := 1; n < len(w.open); n++ {
			w.redraw(t.fragments(), w.open[n], w.open[:n])
		}
	}
	if len(w.open) > 2 {
		for range rounds {
			for _, j := range w.open {
				w.redraw(t.fragments(), j, w.open)
			}
		}
	}
	w.store(t, first)
}

// opened finds the open fragments of a group. With fewer than two it returns false: then all
// matchings are equally likely, and already shuffled.
func (w *sweeper) opened(t *table, first int) bool {
	width := len(t.attributes)
	group := t.slots.rows[first*width : (first+w.size)*width]
	w.open = w.open[:0]
	for j := range t.fragments() {
		if !sameCategories(group, width, t.of[j], t.of[j+1]) {
			w.open = append(w.open, j)
		}
	}
	return len(w.open) > 1
}

// load computes the odds of all pairs of tuples of a group.
func (w *sweeper) load(t *table, f *factors, first int) {
	fragments, width := t.fragments(), len(t.attributes)
	if w.odds == nil {
		w.odds = make([]pairOdds, fragments*fragments)
	}
	w.hand.take(t.schema)
	for _, j := range w.open {
		for s := range w.size {
			w.hand.put(t.schema, s, j, t.slots.rows[(first+s)*width:][:width])
		}
	}
	for n, j := range w.open {
		for _, i := range w.open[:n] {
			w.pair(f, i, j, w.size)
		}
	}
}

// hold reads the tuples that a group's slots hold.
func (w *sweeper) hold(t *table, first int) {
	if w.holds == nil {
		w.holds = make([][maxExact]uint8, t.fragments())
	}
	for s := range w.size {
		w.holds[0][s] = uint8(s)
	}
	for j, place := range t.place {
		for s := range w.size {
			w.holds[j+1][s] = uint8(place[first+s])
		}
	}
}

// sameCategories reports whether all rows agree in the attributes low .. high-1. Then all their
// matchings are equally likely, and those of the rest do not depend on them.
func sameCategories(rows []uint16, width, low, high int) bool {
	for i := low; i < high; i++ {
		for at := i + width; at < len(rows); at += width {
			if rows[at] != rows[i] {
				return false
			}
		}
	}
	return true
}

// pair computes the odds of the tuples of two fragments of a group.
func (w *sweeper) pair(f *factors, i, j, size int) {
	if !f.forward(i, j) {
		i, j = j, i
	}
	there, back := &w.odds[i*f.fragments()+j], &w.odds[j*f.fragments()+i]
	var odds [stride]float32
	for s := range size {
		w.hand.odds(odds[:size], f, s, i, j)
		to := &there[s]
		for k, x := range odds[:size] {
			if !inRange(x) {
				w.exponentials(f, i, j, size)
				return
			}
			x := float64(x)
			to[k%stride], back[k%stride][s] = x, x
		}
	}
}

// inRange reports whether odds are between minOdds and its inverse.
func inRange(odds float32) bool { return odds >= minOdds && odds <= 1/minOdds }

// exponentials is pair for products that are out of range.
func (w *sweeper) exponentials(f *factors, i, j, size int) {
	there, back := &w.odds[i*f.fragments()+j], &w.odds[j*f.fragments()+i]
	var energy [maxExact][maxExact]float32
	most := float32(-1e30)
	for s := range size {
		for k := range size {
			energy[s][k] = w.hand.energy(f, s, i, k, j)
			most = max(most, energy[s][k])
		}
	}
	for s := range size {
		for k := range size {
			x := max(float64(exponential(energy[s][k]-most)), minOdds)
			there[s][k], back[k][s] = x, x
		}
	}
}

// redraw draws the tuple of fragment j in every slot, given the tuples of the others.
func (w *sweeper) redraw(fragments, j int, others []int) {
	if len(others) > maxFactors {
		w.multiplyMany(fragments, j, others)
	} else {
		w.multiply(fragments, j, others)
	}
	w.draw(w.random)
	w.holds[j] = w.drawn
}

// multiply computes the weights of the tuples of fragment j, four at a time.
func (w *sweeper) multiply(fragments, j int, others []int) {
	for s := range w.size {
		to := &w.weight[s]
		a, b, c, d := 1.0, 1.0, 1.0, 1.0
		for _, i := range others {
			if i != j {
				odds := &w.odds[i*fragments+j][w.holds[i][s]]
				a, b, c, d = a*odds[0], b*odds[1], c*odds[2], d*odds[3]
			}
		}
		to[0], to[1], to[2], to[3] = a, b, c, d
		for k := 4; k < w.size; k++ {
			a := 1.0
			for _, i := range others {
				if i != j {
					a *= w.odds[i*fragments+j][w.holds[i][s]][k]
				}
			}
			to[k] = a
		}
	}
}

// multiplyMany is multiply for products of odds that may exceed a float64.
func (w *sweeper) multiplyMany(fragments, j int, others []int) {
	for s := range w.size {
		weight, n := w.weight[s][:w.size], 0
		for k := range weight {
			weight[k] = 1
		}
		for _, i := range others {
			if i == j {
				continue
			}
			for k, x := range w.odds[i*fragments+j][w.holds[i][s]][:len(weight)] {
				weight[k] *= x
			}
			if n++; n%maxFactors == 0 {
				level(weight)
			}
		}
		level(weight)
	}
}

// store sorts the slots by the first fragment's tuples.
func (w *sweeper) store(t *table, first int) {
	width := len(t.attributes)
	for s := range w.size {
		slot := first + int(w.holds[0][s])
		for j, place := range t.place {
			from := w.holds[j+1][s]
			place[slot] = uint16(from)
			low, high := t.of[j+1], t.of[j+2]
			copy(t.rows[slot*width+low:slot*width+high], t.slots.rows[(first+int(from))*width+low:][:high-low])
		}
	}
}

// sweepLargeGroup sweeps a larger group in random parts.
func (w *sweeper) sweepLargeGroup(t *table, f *factors, first uint32, size int) {
	w.slots = w.slots[:0]
	for slot := first; slot < first+uint32(size); slot++ {
		w.slots = append(w.slots, slot)
	}
	w.hand.take(t.schema)
	parts := (size + slotsPerStep - 1) / slotsPerStep
	for j := range t.fragments() {
		if j == 0 && t.fragments() == 2 {
			continue // it would only repeat the draw
		}
		w.random.Shuffle(size, func(a, b int) { w.slots[a], w.slots[b] = w.slots[b], w.slots[a] })
		for part := range parts {
			if part%looked == 0 && w.ctx.Err() != nil {
				return
			}
			w.match(t, f, j, w.slots[part*size/parts:(part+1)*size/parts])
		}
	}
}

// match draws how the tuples of fragment j in some slots go together with the rest of the rows.
func (w *sweeper) match(t *table, f *factors, j int, slots []uint32) {
	width, size := len(t.attributes), len(slots)
	w.size = size
	for s, slot := range slots {
		row := t.rows[int(slot)*width:][:width]
		for i := range t.fragments() {
			w.hand.put(t.schema, s, i, row)
		}
	}
	var odds [maxExact][maxExact]float32 // of the rest of row s with the tuple of row k
	for s := range size {
		for k := range size {
			odds[s][k] = 1
		}
	}
	for i := range t.fragments() {
		switch {
		case i == j:
		case f.forward(i, j):
			for s := range size {
				w.hand.multiply(odds[s][:size], f, s, i, j)
			}
		default:
			w.multiplyOdds(&odds, f, i, j)
		}
	}
	for s := range size {
		w.weigh(odds[s][:size], f, s, j)
	}
	w.draw(w.random)
	w.exchange(t, j, slots)
}

// multiplyOdds multiplies odds by those of fragments i and j, computed from joint attributes of
// j.
func (w *sweeper) multiplyOdds(odds *[maxExact][maxExact]float32, f *factors, i, j int) {
	for k := range w.size {
		var column [maxExact]float32
		w.hand.odds(column[:w.size], f, k, j, i)
		for s := range w.size {
			odds[s][k] *= column[s]
		}
	}
}

// weigh uses the odds of the rest of row s with all tuples as weights.
func (w *sweeper) weigh(odds []float32, f *factors, s, j int) {
	if weight := w.weight[s][:len(odds)]; !taken(weight, odds) {
		w.weighExactly(weight, f, s, j)
	}
}

// taken copies odds to weights; false if a product is out of range.
func taken(weight []float64, odds []float32) bool {
	for k, x := range odds {
		if !inRange(x) {
			return false
		}
		weight[k] = float64(x)
	}
	return true
}

// weighExactly computes the weights from energies.
func (w *sweeper) weighExactly(weight []float64, f *factors, s, j int) {
	var energy [maxExact]float32
	most := float32(-1e30)
	for k := range weight {
		for i := range f.fragments() {
			if i != j {
				energy[k] += w.hand.energy(f, s, i, k, j)
			}
		}
		most = max(most, energy[k])
	}
	for k := range weight {
		weight[k] = max(float64(exponential(energy[k]-most)), minOdds)
	}
}

// exchange gives the slots the drawn tuples. The first fragment's tuples stay in place; for it,
// the rest of the rows moves.
func (w *sweeper) exchange(t *table, j int, slots []uint32) {
	width, low, high := len(t.attributes), t.of[j], t.of[j+1]
	w.rows, w.places = w.rows[:0], w.places[:0]
	for _, slot := range slots {
		w.rows = append(w.rows, t.rows[int(slot)*width:][:width]...)
		for _, place := range t.place {
			w.places = append(w.places, place[slot])
		}
	}
	others := len(t.place)
	for s := range slots {
		to, from := s, int(w.drawn[s])
		if j == 0 {
			to, from = from, s
			copy(t.rows[int(slots[to])*width:][high:width], w.rows[from*width:][high:width])
			for i, place := range t.place {
				place[slots[to]] = w.places[from*others+i]
			}
			continue
		}
		copy(t.rows[int(slots[to])*width:][low:high], w.rows[from*width:][low:high])
		t.place[j-1][slots[to]] = w.places[from*others+j-1]
	}
}
