package groups

import (
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// pairs represent the w_i of a side, by the positions of its classes in a group, implicitly:
// products of the numbers, minus for every tuple count times the products of its masses. A
// tuple of points has one class, so there subtract the numbers.
type pairs struct {
	numbers []float64
	tuples  []pairTuple      // for cells
	shares  []question.Share // of all tuples, with positions instead of classes
}

type pairTuple struct {
	end   int // in pairs.shares
	count float64
}

// fillPairs computes w_i for the classes of side s in group g.
func (m *moments) fillPairs(s, g int) {
	for len(m.pairs) <= s {
		m.pairs = append(m.pairs, pairs{})
	}
	w, present, side := &m.pairs[s], m.Worker.Present[s], m.Sides[s]
	w.numbers, w.tuples, w.shares = w.numbers[:0], w.tuples[:0], w.shares[:0]
	for _, c := range present {
		w.numbers = append(w.numbers, m.Worker.weight[s][c])
	}
	if side.Point {
		return
	}
	m.EachTuple(g, s, func(t uint32, shares []question.Share, _ bool) {
		for _, x := range shares {
			w.shares = append(w.shares, question.Share{Class: m.At[x.Class], Mass: x.Mass})
		}
		w.tuples = append(w.tuples, pairTuple{len(w.shares), float64(side.Fragment.Count[t])})
	})
}

// applyAlong applies w along the axis with p positions and the given stride.
func (w *pairs) applyAlong(to, from []float64, p, stride int, work *question.Checkpoint) error {
	for outer := 0; outer < len(from); outer += p * stride {
		for base := outer; base < outer+stride; base++ {
			if err := work.Pass(p + len(w.shares)); err != nil {
				return err
			}
			w.line(to[base:], from[base:], stride)
		}
	}
	return nil
}

// line applies w to every stride-th number.
func (w *pairs) line(to, from []float64, stride int) {
	total := 0.0
	for i, n := range w.numbers {
		total += n * from[i*stride]
	}
	for i, n := range w.numbers {
		if to[i*stride] = n * total; w.tuples == nil {
			to[i*stride] -= n * from[i*stride]
		}
	}
	first := 0
	for _, t := range w.tuples {
		shares, within := w.shares[first:t.end], 0.0
		for _, x := range shares {
			within += x.Mass * from[int(x.Class)*stride]
		}
		for _, x := range shares {
			to[int(x.Class)*stride] -= t.count * x.Mass * within
		}
		first = t.end
	}
}
