package groups

import (
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A WeighedSide adds up the tuples of a side without keys, group by group.
type WeighedSide struct {
	*question.Side
	number int // of the side
	// masks are, by unit that leaves some out, all bits or none by code.
	Masks []unitMask
	// Of a stretch of groups: its first tuple and the number of them; how many records of
	// each tuple count, and of each group.
	from    uint32
	tuples  int
	Kept    []uint32
	scratch []uint32
	records []float64
}

type unitMask struct{ codes, mask []uint32 }

func NewWeighedSide(s *question.Side, number int) *WeighedSide {
	w := &WeighedSide{Side: s, number: number, records: make([]float64, keyedStretch)}
	for _, u := range s.Units {
		mask, some := make([]uint32, len(u.ClassOf)), false
		for code, class := range u.ClassOf {
			if mask[code] = ^uint32(0); class == question.Dead {
				mask[code], some = 0, true
			}
		}
		if some {
			w.Masks = append(w.Masks, unitMask{u.Codes, mask})
		}
	}
	return w
}

// find finds the records that count of the groups first..last-1.
func (w *WeighedSide) find(sizes []uint32, first, last int) {
	starts := w.Fragment.GroupStart[first : last+1]
	w.Keep(starts[0], starts[len(sizes)])
	for g, m := range sizes {
		n := m
		if len(w.Masks) > 0 {
			n = 0
			for _, count := range w.Kept[starts[g]-w.from : starts[g+1]-w.from] {
				n += count
			}
		}
		w.records[g] = float64(n)
	}
}

// Keep finds how many records of the tuples from..to-1 count.
func (w *WeighedSide) Keep(from, to uint32) {
	w.from, w.tuples, w.Kept = from, int(to-from), w.Fragment.Count[from:to]
	if len(w.Masks) == 0 {
		return
	}
	w.scratch = question.Resized(w.scratch, w.tuples)
	for _, u := range w.Masks {
		codes := u.codes[from:to]
		counts, kept := w.Kept[:len(codes)], w.scratch[:len(codes)]
		for t, code := range codes {
			kept[t] = counts[t] & u.mask[code]
		}
		w.Kept = w.scratch
	}
}

// addUp finds, by group of the stretch, which begins with group first, the mean of a measure
// over the records that count, times the weight.
func (w *WeighedSide) addUp(factors, weights []float64, sizes []uint32, first int, m *figures.Measure) {
	starts := w.Fragment.GroupStart[first:][:len(sizes)+1]
	codes := w.Units[m.Unit].Codes[w.from:][:w.tuples]
	records := w.records[:len(factors)]
	for g, weight := range weights[:len(factors)] {
		if weight == 0 {
			factors[g] = 0
			continue
		}
		from, to := starts[g]-w.from, starts[g+1]-w.from
		sum := 0.0
		if len(w.Masks) == 0 && to-from == sizes[g] { // all counts are 1
			for _, code := range codes[from:to] {
				sum += m.Values[code]
			}
		} else {
			kept := w.Kept[from:to]
			for t, code := range codes[from:to] {
				sum += float64(kept[t]) * m.Values[code]
			}
		}
		factors[g] = sum / records[g] * weight
	}
}

// ClassedCodes are codes by tuple with their classes by code: those of a unit, or, of several,
// the classes themselves. The class of the dead is the number of the others.
type ClassedCodes struct {
	side    *question.Side
	ClassOf []uint32
	scratch []uint32 // nil: there is one unit
}

func NewClassedCodes(s *question.Side) ClassedCodes {
	c := ClassedCodes{side: s}
	if len(s.Units) == 1 {
		for _, class := range s.Units[0].ClassOf {
			c.ClassOf = append(c.ClassOf, min(class, uint32(s.Classes)))
		}
		return c
	}
	c.scratch = []uint32{}
	for class := range s.Classes + 1 {
		c.ClassOf = append(c.ClassOf, uint32(class))
	}
	return c
}

// CodesBetween returns the codes of the tuples from..to-1.
func (c *ClassedCodes) CodesBetween(from, to uint32) []uint32 {
	if c.scratch == nil {
		return c.side.Units[0].Codes[from:to]
	}
	c.scratch = question.Resized(c.scratch, int(to-from))
	c.side.ClassesOf(from, c.scratch)
	for t, class := range c.scratch {
		c.scratch[t] = min(class, uint32(c.side.Classes))
	}
	return c.scratch
}

// KeyTuples are the tuples of some groups on the keys' side.
type KeyTuples struct {
	sizes, Starts          []uint32
	Counts, Codes, ClassOf []uint32
}

// The loops that add tuples to the sums of their classes are functions of their own, so that
// all they read is in registers. A record is added as often as it is counted, group by group,
// in the order of the tuples.

//go:noinline
func (k *KeyTuples) addBoth(sums []pairOfSums, first, second []float64) {
	classOf := k.ClassOf
	for g, a := range first {
		b, from, to := second[g], k.Starts[g]-k.Starts[0], k.Starts[g+1]-k.Starts[0]
		if a == 0 && b == 0 {
			continue
		}
		codes := k.Codes[from:to]
		if to-from == k.sizes[g] { // all counts are 1
			for _, code := range codes {
				s := &sums[classOf[code]]
				s.first += a
				s.second += b
			}
			continue
		}
		counts := k.Counts[from:to]
		for t, code := range codes {
			s, n := &sums[classOf[code]], float64(counts[t])
			s.first += n * a
			s.second += n * b
		}
	}
}

//go:noinline
func (k *KeyTuples) addFirst(sums []pairOfSums, first []float64) {
	classOf := k.ClassOf
	for g, a := range first {
		if a == 0 {
			continue
		}
		from, to := k.Starts[g]-k.Starts[0], k.Starts[g+1]-k.Starts[0]
		counts := k.Counts[from:to]
		for t, code := range k.Codes[from:to] {
			sums[classOf[code]].first += float64(counts[t]) * a
		}
	}
}

// addOwn adds values of the tuples themselves, times the weights of their groups.
//
//go:noinline
func (k *KeyTuples) addOwn(sums, weights []float64, codes []uint32, values []float64) {
	classOf := k.ClassOf
	for g, weight := range weights {
		if weight == 0 {
			continue
		}
		from, to := k.Starts[g]-k.Starts[0], k.Starts[g+1]-k.Starts[0]
		counts, own := k.Counts[from:to], codes[from:to]
		for t, code := range k.Codes[from:to] {
			sums[classOf[code]] += weight * float64(counts[t]) * values[own[t]]
		}
	}
}
