package cdt

import (
	"math"

	"github.com/anonsql/anonsql/anonymize/generalization"
)

// entropy is Eq. (3), in bits, for values with these counts.
func entropy(count []int64) float64 {
	n, bits := int64(0), 0.0
	for _, c := range count {
		n += c
	}
	for _, c := range count {
		if c > 0 {
			p := float64(c) / float64(n)
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// weigh is the algorithm of Section 3.1.2: w = 1 - e/sum(e). If all weights would be 0 (one
// attribute, or no entropy), they are equal.
func weigh(entropies []float64) []float64 {
	sum, weights, left := 0.0, make([]float64, len(entropies)), 0.0
	for _, e := range entropies {
		sum += e
	}
	for i, e := range entropies {
		if sum > 0 {
			weights[i] = max(0, 1-e/sum)
		}
		left += weights[i]
	}
	if left < 1e-9 {
		for i := range weights {
			weights[i] = 1
		}
	}
	return weights
}

// A space is tuples with Gower's distance, whose weights and ranges come from these tuples
// only.
type space struct {
	tuples     int
	entropies  []float64 // by attribute
	weights    []float64
	share      []float64 // weights that sum to 1
	isNumber   []bool    // numbers and ranks have distances, others are equal or not
	coordinate []float64 // tuple by tuple: on a line of length 1, or the place; NaN is a NULL among numbers
}

// newSpace makes the space of a class's tuples.
func newSpace(attributes []*generalization.Attribute, p *points) *space {
	m := len(attributes)
	s := &space{tuples: len(p.record), coordinate: make([]float64, m*len(p.record)), isNumber: make([]bool, m)}
	for i, a := range attributes {
		s.isNumber[i] = a.Scale == "numeric" || a.Scale == "ordinal"
		s.entropies = append(s.entropies, p.entropy(a))
		s.place(a, i, p.record)
	}
	s.weights = weigh(s.entropies)
	sum := 0.0
	for _, w := range s.weights {
		sum += w
	}
	for _, w := range s.weights {
		s.share = append(s.share, w/sum)
	}
	return s
}

// place sets the coordinates of attribute i, divided by the range, Eq. (7).
func (s *space) place(a *generalization.Attribute, i int, record []uint32) {
	m, low, high := len(s.isNumber), math.Inf(1), math.Inf(-1)
	for t, r := range record {
		x := float64(a.Place[r])
		if s.isNumber[i] {
			x = a.Position(a.Place[r])
			if a.Column.Value(int(r)).IsNull() {
				x = math.NaN()
			} else {
				low, high = min(low, x), max(high, x)
			}
		}
		s.coordinate[t*m+i] = x
	}
	if !s.isNumber[i] || high <= low {
		return
	}
	for t := range record {
		s.coordinate[t*m+i] /= high - low
	}
}

// distance is H, Eq. (5) and (6), between 0 and 1. A NULL is as far from every number as
// numbers can be.
func (s *space) distance(a, b int) float64 {
	m := len(s.isNumber)
	x, y, sum := s.coordinate[a*m:a*m+m], s.coordinate[b*m:b*m+m], 0.0
	for i, w := range s.share {
		switch {
		case x[i] == y[i]:
		case !s.isNumber[i]:
			sum += w
		case x[i] != x[i] || y[i] != y[i]:
			if (x[i] == x[i]) != (y[i] == y[i]) {
				sum += w
			}
		default:
			sum += w * math.Abs(x[i]-y[i])
		}
	}
	return sum
}

// unit represents the distance 1 in integers: sums are exact, do not depend on order, and
// preserve ties. It leaves room for 2^30 times as many records.
const unit = 1 << 30

// A measure is a distance as an integer, 0 to unit: dissimilarity H, or similarity 1 - H^2
// (Section 3.1.5).
type measure struct {
	*space
	similarity bool
}

// tupleDistance is the measure between two tuples.
func (d measure) tupleDistance(a, b int) uint32 {
	h := d.distance(a, b)
	if d.similarity {
		h = 1 - h*h
	}
	return uint32(math.Round(min(1, max(0, h)) * unit))
}

// copies returns the measure between two records of one tuple.
func (d measure) copies() uint32 {
	if d.similarity {
		return unit
	}
	return 0
}
