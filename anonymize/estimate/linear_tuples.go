package estimate

// A weighedSide adds up the tuples of a side without keys, group by group.
type weighedSide struct {
	*side
	number int // of the side
	// masks are, by unit that leaves some out, all bits or none by code.
	masks []unitMask
	// Of a stretch of groups: its first tuple and the number of them; how many records of
	// each tuple count, and of each group.
	from    uint32
	tuples  int
	kept    []uint32
	scratch []uint32
	records []float64
}

type unitMask struct{ codes, mask []uint32 }

func newWeighedSide(s *side, number int) *weighedSide {
	w := &weighedSide{side: s, number: number, records: make([]float64, keyedStretch)}
	for _, u := range s.units {
		mask, some := make([]uint32, len(u.classOf)), false
		for code, class := range u.classOf {
			if mask[code] = ^uint32(0); class == dead {
				mask[code], some = 0, true
			}
		}
		if some {
			w.masks = append(w.masks, unitMask{u.codes, mask})
		}
	}
	return w
}

// find finds the records that count of the groups first..last-1.
func (w *weighedSide) find(sizes []uint32, first, last int) {
	starts := w.fragment.GroupStart[first : last+1]
	w.keep(starts[0], starts[len(sizes)])
	for g, m := range sizes {
		n := m
		if len(w.masks) > 0 {
			n = 0
			for _, count := range w.kept[starts[g]-w.from : starts[g+1]-w.from] {
				n += count
			}
		}
		w.records[g] = float64(n)
	}
}

// keep finds how many records of the tuples from..to-1 count.
func (w *weighedSide) keep(from, to uint32) {
	w.from, w.tuples, w.kept = from, int(to-from), w.fragment.Count[from:to]
	if len(w.masks) == 0 {
		return
	}
	w.scratch = resized(w.scratch, w.tuples)
	for _, u := range w.masks {
		codes := u.codes[from:to]
		counts, kept := w.kept[:len(codes)], w.scratch[:len(codes)]
		for t, code := range codes {
			kept[t] = counts[t] & u.mask[code]
		}
		w.kept = w.scratch
	}
}

// addUp finds, by group of the stretch, which begins with group first, the mean of a measure
// over the records that count, times the weight.
func (w *weighedSide) addUp(factors, weights []float64, sizes []uint32, first int, m *measure) {
	starts := w.fragment.GroupStart[first:][:len(sizes)+1]
	codes := w.units[m.unit].codes[w.from:][:w.tuples]
	records := w.records[:len(factors)]
	for g, weight := range weights[:len(factors)] {
		if weight == 0 {
			factors[g] = 0
			continue
		}
		from, to := starts[g]-w.from, starts[g+1]-w.from
		sum := 0.0
		if len(w.masks) == 0 && to-from == sizes[g] { // all counts are 1
			for _, code := range codes[from:to] {
				sum += m.values[code]
			}
		} else {
			kept := w.kept[from:to]
			for t, code := range codes[from:to] {
				sum += float64(kept[t]) * m.values[code]
			}
		}
		factors[g] = sum / records[g] * weight
	}
}

// classedCodes are codes by tuple with their classes by code: those of a unit, or, of several,
// the classes themselves. The class of the dead is the number of the others.
type classedCodes struct {
	side    *side
	classOf []uint32
	scratch []uint32 // nil: there is one unit
}

func newClassedCodes(s *side) classedCodes {
	c := classedCodes{side: s}
	if len(s.units) == 1 {
		for _, class := range s.units[0].classOf {
			c.classOf = append(c.classOf, min(class, uint32(s.classes)))
		}
		return c
	}
	c.scratch = []uint32{}
	for class := range s.classes + 1 {
		c.classOf = append(c.classOf, uint32(class))
	}
	return c
}

// codesBetween returns the codes of the tuples from..to-1.
func (c *classedCodes) codesBetween(from, to uint32) []uint32 {
	if c.scratch == nil {
		return c.side.units[0].codes[from:to]
	}
	c.scratch = resized(c.scratch, int(to-from))
	c.side.classesOf(from, c.scratch)
	for t, class := range c.scratch {
		c.scratch[t] = min(class, uint32(c.side.classes))
	}
	return c.scratch
}

// keyTuples are the tuples of some groups on the keys' side.
type keyTuples struct {
	sizes, starts          []uint32
	counts, codes, classOf []uint32
}

// The loops that add tuples to the sums of their classes are functions of their own, so that
// all they read is in registers. A record is added as often as it is counted, group by group,
// in the order of the tuples.

//go:noinline
func (k *keyTuples) addBoth(sums []pairOfSums, first, second []float64) {
	classOf := k.classOf
	for g, a := range first {
		b, from, to := second[g], k.starts[g]-k.starts[0], k.starts[g+1]-k.starts[0]
		if a == 0 && b == 0 {
			continue
		}
		codes := k.codes[from:to]
		if to-from == k.sizes[g] { // all counts are 1
			for _, code := range codes {
				s := &sums[classOf[code]]
				s.first += a
				s.second += b
			}
			continue
		}
		counts := k.counts[from:to]
		for t, code := range codes {
			s, n := &sums[classOf[code]], float64(counts[t])
			s.first += n * a
			s.second += n * b
		}
	}
}

//go:noinline
func (k *keyTuples) addFirst(sums []pairOfSums, first []float64) {
	classOf := k.classOf
	for g, a := range first {
		if a == 0 {
			continue
		}
		from, to := k.starts[g]-k.starts[0], k.starts[g+1]-k.starts[0]
		counts := k.counts[from:to]
		for t, code := range k.codes[from:to] {
			sums[classOf[code]].first += float64(counts[t]) * a
		}
	}
}

// addOwn adds values of the tuples themselves, times the weights of their groups.
//
//go:noinline
func (k *keyTuples) addOwn(sums, weights []float64, codes []uint32, values []float64) {
	classOf := k.classOf
	for g, weight := range weights {
		if weight == 0 {
			continue
		}
		from, to := k.starts[g]-k.starts[0], k.starts[g+1]-k.starts[0]
		counts, own := k.counts[from:to], codes[from:to]
		for t, code := range k.codes[from:to] {
			sums[classOf[code]] += weight * float64(counts[t]) * values[own[t]]
		}
	}
}
