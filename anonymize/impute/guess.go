package impute

import "context"

// rows are the rows of a group of at most maxSampled records while they are drawn. Its slots
// are the tuples of every fragment, repeated by their counts.
type rows struct {
	matcher
	members int
	// tuple[j*members+slot] is a tuple of fragment j, from 0 in the group.
	tuple []int
	// energies has, at ((i*fragments+j)*members+s)*members, the energies of slot s of fragment
	// i with every slot of fragment j.
	energies []float32
	// may[j*members+slot]: the target may have that slot of fragment j.
	may []bool
	// held[j*members+row] is the slot of fragment j that a row has. Row 0 belongs to the
	// target.
	held []uint8
	// order of the rows except the target's, shuffled for every draw.
	order []int
	part  [maxExact]int
}

// A target's probabilities are the mean over guessRounds rounds after firstRounds others. A
// round draws the matching of every fragment.
const (
	guessRounds = 16
	firstRounds = 4
)

// roundsOf returns the numbers of discarded and counted rounds for a target. With two fragments
// the rows are the tuples of one of them, and the first draw of a small group is exact. In a
// group of more than maxExact records, the target meets a part of the tuples per round: the
// rounds grow so that a probability has a standard error of about .02.
func roundsOf(size, fragments int) (first, counted int) {
	switch parts := partsOfRows(size); {
	case parts > 1:
		return firstRounds * parts * parts, 2 * guessRounds * parts * parts
	case fragments == 2:
		return 0, 1
	}
	return firstRounds, guessRounds
}

// partsOfRows returns the number of parts of a draw: maxExact rows each, including the target's in the first.
func partsOfRows(size int) int { return max(1, (size-1+maxExact-2)/(maxExact-1)) }

// Work returns the number of matchings that Posterior draws for one target in a group of that
// size and a release of that many fragments, at some microseconds each. For groups of more than
// 16 records it is 0.
func Work(size, fragments int) int {
	if size > maxSampled {
		return 0
	}
	first, counted := roundsOf(size, fragments)
	if fragments == 2 {
		fragments = 1
	}
	return (first + counted) * fragments * partsOfRows(size)
}

// sampled visits the targets of a small group.
//
// It draws the rows of the group by Gibbs sampling, fragment by fragment, with the target's row
// restricted to tuples that agree with what is known. At the fragment asked for, the matchings
// of all rows of the target's part give the probabilities of tuples in the target's row; their
// mean over the rounds is the estimate ("Rao-Blackwellized": Gelfand and Smith 1990, section
// 2.2).
func (w *guesser) sampled(ctx context.Context, low, high int, visit func(target int, g Guess)) {
	w.load()
	fragments := len(w.Known)
	first, counted := roundsOf(w.members, fragments)
	for target := low; target < high && ctx.Err() == nil; target++ {
		w.bind(target)
		clear(w.tuples)
		for round := range first + counted {
			if ctx.Err() != nil {
				return
			}
			for j := range fragments {
				if fragments > 2 || j == w.Fragment {
					w.redraw(j, j == w.Fragment && round >= first)
				}
			}
		}
		for k := range w.tuples {
			w.tuples[k] /= float64(counted)
		}
		w.visitGuess(target, visit)
	}
}

// load computes the energies of all pairs of tuples of the group.
func (w *guesser) load() {
	s, fragments, width := w.model.schema, len(w.Known), len(w.model.attributes)
	l := s.slotsOf(w.release, []uint32{w.group})
	m := l.count()
	w.members = m
	w.tuple, w.may, w.held = resized(w.tuple, fragments*m), resized(w.may, fragments*m), resized(w.held, fragments*m)
	w.energies, w.order = resized(w.energies, fragments*fragments*m*m), resized(w.order, m-1)
	for j, f := range w.release.Fragments {
		slot := j * m
		for t := f.GroupStart[w.group]; t < f.GroupStart[w.group+1]; t++ {
			for range f.Count[t] {
				w.tuple[slot] = int(t - f.GroupStart[w.group])
				slot++
			}
		}
	}
	for i := range fragments {
		for j := range i {
			for a := range m {
				one := l.rows[a*width+s.of[i] : a*width+s.of[i+1]]
				for b := range m {
					energy := w.model.pairEnergy(one, l.rows[b*width+s.of[j]:b*width+s.of[j+1]])
					w.energies[((i*fragments+j)*m+a)*m+b], w.energies[((j*fragments+i)*m+b)*m+a] = energy, energy
				}
			}
		}
	}
}

// pairEnergy returns the energy of two tuples: the sum of theta over their pairs of categories.
func (m *model) pairEnergy(one, other []uint16) float32 {
	sum := float32(0)
	for _, u := range one {
		row := m.theta[int(u)*m.categories:][:m.categories]
		for _, v := range other {
			sum += row[v]
		}
	}
	return sum
}

// bind gives row 0 slots that the target may have, and the other rows the remaining slots in
// random order.
func (w *guesser) bind(target int) {
	m := w.members
	for j := range w.Known {
		held, chosen := w.held[j*m:(j+1)*m], 0
		for slot := range m {
			may := w.agrees(j, target, w.tuple[j*m+slot])
			if w.may[j*m+slot] = may; may {
				chosen = slot
			}
			held[slot] = uint8(slot)
		}
		held[0], held[chosen] = held[chosen], held[0]
		w.random.Shuffle(m-1, func(a, b int) { held[1+a], held[1+b] = held[1+b], held[1+a] })
	}
}

// redraw draws the slots of fragment j that rows have, given their other slots, part by part.
// The target's row is in the first part.
func (w *guesser) redraw(j int, counted bool) {
	for i := range w.order {
		w.order[i] = i + 1
	}
	rest := w.order
	if w.members > maxExact {
		w.random.Shuffle(len(rest), func(a, b int) { rest[a], rest[b] = rest[b], rest[a] })
	}
	for begun := false; len(rest) > 0 || !begun; begun = true {
		n := min(len(rest), maxExact-1)
		copy(w.part[:], rest[:n])
		rest = rest[n:]
		if !begun {
			w.part[n] = 0 // the last row of the part
			n++
		}
		w.match(j, w.part[:n], counted && !begun)
	}
}

// match draws a matching of some rows with the slots of fragment j that they have. The target's
// row, if included, is the last.
func (w *guesser) match(j int, rows []int, counted bool) {
	m, fragments := w.members, len(w.Known)
	held := w.held[j*m : (j+1)*m]
	w.size = len(rows)
	var slots [maxExact]uint8
	for k, row := range rows {
		slots[k] = held[row]
	}
	for s, row := range rows {
		var energy [maxExact]float32
		for i := range fragments {
			if i != j {
				of := w.energies[((i*fragments+j)*m+int(w.held[i*m+row]))*m:][:m]
				for k := range rows {
					energy[k] += of[slots[k]]
				}
			}
		}
		most := float32(-1e30)
		for k := range rows {
			if row > 0 || w.may[j*m+int(slots[k])] {
				most = max(most, energy[k])
			}
		}
		for k := range rows {
			weight := 0.0
			if row > 0 || w.may[j*m+int(slots[k])] {
				weight = max(float64(exponential(energy[k]-most)), minOdds)
			}
			w.weight[s][k] = weight
		}
	}
	w.draw(w.random)
	for s, row := range rows {
		held[row] = slots[w.drawn[s]]
	}
	if counted {
		w.count(slots[:len(rows)])
	}
}

// count adds, over all matchings of the part, the probabilities of the slots in the last row: a
// slot's weight times the sum over the matchings of the other rows with the other slots.
func (w *guesser) count(slots []uint8) {
	last := len(slots) - 1
	full := 1<<len(slots) - 1
	for k, slot := range slots {
		ways := float64(w.ways[full&^(1<<k)] * w.weight[last][k])
		w.tuples[w.tuple[w.Fragment*w.members+int(slot)]] += ways / w.ways[full]
	}
}
