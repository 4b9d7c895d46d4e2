package privacy

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// equalDistance is t-closeness with the equal distance, Li, Li and Venkatasubramanian,
// "t-Closeness" (ICDE 2007), section 5.2: half the sum of the absolute differences between the
// shares in a class and in the release. That equals the sum of the positive differences, and
// only values in the class have those.
func equalDistance(r *anonymize.Release) ([]figure, error) {
	t := newFigure("t_equal")
	err := eachSpread(r, func(s *spread) {
		rows := uint64(s.release.Rows)
		s.raise(&t, func(c class) exact {
			sum := uint64(0)
			for _, code := range s.present {
				if here, total := s.here[code]*rows, s.total[code]*c.size; here > total {
					sum += here - total
				}
			}
			return quotient(sum, rows*c.size*s.unit)
		})
	})
	if err != nil {
		return nil, err
	}
	return []figure{t}, nil
}

// raise raises t to the greatest distance of a class.
func (s *spread) raise(t *figure, distance func(c class) exact) {
	s.classes(func(c class) {
		s.enter(c)
		if t.raise(distance(c), c.group) {
			t.detail = s.mostRaised(c)
		}
		s.leave()
	})
}

// mostRaised describes the value whose share of the class exceeds its share of the release the
// most.
func (s *spread) mostRaised(c class) string {
	rows := uint64(s.release.Rows)
	excess := func(code uint32) int64 { return int64(s.here[code]*rows) - int64(s.total[code]*c.size) }
	most := s.present[0]
	for _, code := range s.present {
		if excess(code) > excess(most) {
			most = code
		}
	}
	return fmt.Sprintf("in %s, %s", s.fragment.Name, s.describe(most, c, true))
}

// orderedDistance is t-closeness with the ordered distance, section 5.2 of the same paper, for
// numeric sensitive attributes: the mean, over the M - 1 steps between the M ascending values
// of the release, of the absolute difference of the cumulative shares. NULL sorts before all
// numbers, as in ORDER BY. An attribute with one value has distance 0.
func orderedDistance(r *anonymize.Release) ([]figure, error) {
	t := newFigure("t_ordered")
	numeric, tooLarge := false, error(nil)
	err := eachSpread(r, func(s *spread) {
		if !isNumeric(s.column.Dictionary) {
			return
		}
		numeric = true
		o, err := newOrdered(s)
		if err != nil {
			tooLarge = err
			return
		}
		s.raise(&t, func(c class) exact { return quotient(o.distance(c), o.denominator(c)) })
	})
	switch {
	case err != nil:
		return nil, err
	case !numeric:
		return nil, errors.New("no sensitive attribute is numeric")
	case tooLarge != nil:
		return nil, tooLarge
	}
	return []figure{t}, nil
}

func isNumeric(dictionary []anonymize.Value) bool {
	return (&anonymize.Column{Dictionary: dictionary}).IsNumeric()
}

// ordered has the release's distribution over the ascending values.
type ordered struct {
	*spread
	rank    []uint32 // by code
	upTo    []uint64 // by rank: cumulative parts
	areaTo  []uint64 // by rank: sum of upTo over lower ranks
	present []uint32 // ranks of the class, ascending
	codeOf  []uint32 // by rank
}

func newOrdered(s *spread) (*ordered, error) {
	o := &ordered{spread: s, rank: make([]uint32, len(s.total))}
	parts, area := uint64(0), uint64(0)
	for code, n := range s.total {
		if n == 0 {
			continue
		}
		parts += n
		o.rank[code] = uint32(len(o.upTo))
		o.upTo, o.areaTo, o.codeOf = append(o.upTo, parts), append(o.areaTo, area), append(o.codeOf, uint32(code))
		area += parts
	}
	size := uint64(slices.Max(s.release.GroupSizes))
	if over, product := bits.Mul64(parts*size, uint64(len(o.upTo))); over != 0 || product > 1<<63 {
		return nil, fmt.Errorf("column %s of fragment %s has too many records and values for exact sums", s.column.Name, s.fragment.Name)
	}
	return o, nil
}

// denominator returns the denominator of distance.
func (o *ordered) denominator(c class) uint64 {
	return o.upTo[len(o.upTo)-1] * c.size * uint64(max(len(o.upTo)-1, 1))
}

// distance returns the sum over all ranks of |rows P - size Q|, where P and Q are the
// cumulative parts in the class and in the release. Between two values of the class, P is
// constant and Q grows, so a run of ranks is two differences of areas, on either side of where
// Q passes P. Cost: O(p log M) for p values in the class.
func (o *ordered) distance(c class) uint64 {
	o.present = o.present[:0]
	for _, code := range o.spread.present {
		o.present = append(o.present, o.rank[code])
	}
	slices.Sort(o.present)
	rows, sum, here, from := uint64(o.release.Rows), uint64(0), uint64(0), uint32(0)
	last := uint32(len(o.upTo) - 1) // where both are complete
	for i := 0; i <= len(o.present); i++ {
		end := last
		if i < len(o.present) {
			end = min(o.present[i], last)
		}
		sum += o.run(from, end, here*rows, c.size)
		if i < len(o.present) {
			here += o.spread.here[o.codeOf[o.present[i]]]
		}
		from = end
	}
	return sum
}

// run returns the sum over ranks from <= r < end of |p - size upTo(r)|.
func (o *ordered) run(from, end uint32, p, size uint64) uint64 {
	if from >= end {
		return 0
	}
	area := func(a, b uint32) uint64 { return (o.areaTo[b] - o.areaTo[a]) * size }
	over, _ := slices.BinarySearchFunc(o.upTo[from:end], p, func(q, p uint64) int {
		if q*size <= p {
			return -1
		}
		return 1
	})
	pass := from + uint32(over)
	return p*uint64(pass-from) - area(from, pass) + area(pass, end) - p*uint64(end-pass)
}
