package impute

import (
	"context"
	"math"
)

// In a large group, one additional record hardly matters. There the probability that row x has
// tuple k of the fragment asked for is close to
//
//	p(k | x) ~ b_k exp(energy(x, k)),
//
// The potentials b make the sums over the rows equal the published counts: the matrix of p is
// scaled to them (Sinkhorn, "Diagonal equivalence to matrices with prescribed row and column
// sums", 1967). With two fragments the rows are the tuples of the other one; with more they are
// drawn like those of a completed table. The target is an additional row. This ignores that the
// others cannot have the target's tuple, an error of the order of one record in the group: the
// attacker is slightly less certain than possible. In groups of 17, the mean probability of the
// actual value is about 2 percent of itself too small (TestDeviation139_LargeGroups).
type potentials struct {
	asked   []uint16 // categories of the tuples asked for
	b, sums []float64
	odds    []float64 // rows x tuples
	row     []uint16
}

const (
	// maxOdds is the greatest size of a group's matrix; it has as many rows as fit, at least one.
	maxOdds = 1 << 20
	// maxScalings bounds the rounds of scaling; they end earlier if all sums are right up to scaledEnough.
	maxScalings  = 50
	scaledEnough = 1e-4
)

// visitLargeGroup visits the targets of a group.
func (w *guesser) visitLargeGroup(ctx context.Context, low, high int, visit func(target int, g Guess)) {
	if !w.balance(ctx) {
		return
	}
	s := w.model.schema
	w.row = resized(w.row, len(s.attributes))
	for target := low; target < high && ctx.Err() == nil; target++ {
		for j, f := range w.release.Fragments {
			t := w.Tuple[target*len(w.Known)+j]
			for i, c := range f.Columns {
				at := s.of[j] + i
				w.row[at] = s.attributes[at].category[c.Codes[t]]
			}
		}
		w.exponents(w.row, w.tuples)
		sum := 0.0
		for k, x := range w.tuples {
			w.tuples[k] = 0
			if w.agrees(w.Fragment, target, k) {
				w.tuples[k] = float64(x * w.b[k])
			}
			sum += w.tuples[k]
		}
		for k := range w.tuples {
			w.tuples[k] /= sum
		}
		w.visitGuess(target, visit)
	}
}

// exponents sets odds to exp(energy) of the rest of a row with every tuple asked for, scaled so
// that the greatest is 1.
func (w *guesser) exponents(row []uint16, odds []float64) {
	low, high := w.model.of[w.Fragment], w.model.of[w.Fragment+1]
	width, most := high-low, float32(-1e30)
	for k := range odds {
		tuple := w.asked[k*width:][:width]
		energy := w.model.pairEnergy(tuple, row[:low]) + w.model.pairEnergy(tuple, row[high:])
		odds[k] = float64(energy)
		most = max(most, energy)
	}
	for k, energy := range odds {
		odds[k] = max(float64(exponential(float32(energy)-most)), minOdds)
	}
}

// balance computes the potentials of the group; false if the context ended.
func (w *guesser) balance(ctx context.Context) bool {
	s, f := w.model.schema, w.release.Fragments[w.Fragment]
	tuples := len(w.tuples)
	w.asked, w.b, w.sums = w.asked[:0], resized(w.b, tuples), resized(w.sums, tuples)
	number := f.Count[f.GroupStart[w.group]:f.GroupStart[w.group+1]]
	for k, n := range number {
		w.b[k] = float64(n)
		for i, c := range f.Columns {
			w.asked = append(w.asked, s.attributes[s.of[w.Fragment]+i].category[c.Codes[int(f.GroupStart[w.group])+k]])
		}
	}
	t := w.drawnRows(ctx)
	width, records := len(s.attributes), t.count()
	rows := max(1, min(records, maxOdds/tuples))
	w.odds = resized(w.odds, rows*tuples)
	for i := range rows {
		w.exponents(t.rows[i*records/rows*width:][:width], w.odds[i*tuples:][:tuples])
	}
	for range maxScalings {
		if ctx.Err() != nil {
			return false
		}
		if w.scale(number, float64(rows)/float64(records)) < scaledEnough {
			break
		}
	}
	return true
}

// drawnRows draws the rows of the group without the fragment asked for.
func (w *guesser) drawnRows(ctx context.Context) *table {
	t := w.model.slotsOf(w.release, []uint32{w.group}).begin()
	if t.fragments() > 2 {
		t.shuffle(w.random)
		draws := sweeper{ctx: ctx, random: w.random}
		draws.settle(t, w.factors, 0, 1)
	}
	return t
}

// scale performs a round of Sinkhorn's iteration and returns the greatest relative error of a sum.
func (w *guesser) scale(number []uint32, share float64) (off float64) {
	clear(w.sums)
	tuples := len(w.b)
	for odds := w.odds; len(odds) > 0; odds = odds[tuples:] {
		total := 0.0
		for k, x := range odds[:tuples] {
			total += float64(x * w.b[k])
		}
		for k, x := range odds[:tuples] {
			w.sums[k] += float64(x*w.b[k]) / total
		}
	}
	for k, n := range number {
		ratio := float64(n) * share / w.sums[k]
		off = max(off, math.Abs(ratio-1))
		w.b[k] *= ratio
	}
	return off
}
