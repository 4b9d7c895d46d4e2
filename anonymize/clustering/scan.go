package clustering

import (
	"math"
	"slices"
)

// A searcher searches points, which can be removed: a tree, or a scan of all.
type searcher interface {
	// bestPoint returns the point of greatest worth. There must be a point.
	bestPoint(q *query) (point uint32, worth float64)
	// remove removes a point.
	remove(point uint32)
	// moved updates the index after a point's coordinates changed.
	moved(point uint32)
	// narrow lowers the least distances of points to that to a centre.
	narrow(centre []float64)
	// farthest returns the point with the greatest least distance.
	farthest() uint32
}

// newSearcher takes all rows of at as points; shuffled is a random order of them.
func newSearcher(s *Space, at []float64, kind []uint64, shuffled []uint32, exact bool) searcher {
	if !exact {
		return newTree(s, at, kind, shuffled)
	}
	points := slices.Clone(shuffled)
	slices.Sort(points)
	return &scan{space: s, at: at, points: points, gone: make([]bool, len(at)/len(s.axes))}
}

// A scan examines all points, in order: the searches as the paper has them.
type scan struct {
	space  *Space
	at     []float64
	points []uint32
	gone   []bool
	left   int // removed points that are still listed
	least  []float64
}

func (s *scan) bestPoint(q *query) (best uint32, worth float64) {
	worth = math.Inf(-1)
	for _, p := range s.points {
		if s.gone[p] {
			continue
		}
		if w := q.gainOf(s.space, p, s.space.row(s.at, p)); w > worth {
			best, worth = p, w
		}
	}
	return best, worth
}

func (s *scan) remove(point uint32) {
	s.gone[point] = true
	if s.left++; 2*s.left > len(s.points) {
		s.points = slices.DeleteFunc(s.points, func(p uint32) bool { return s.gone[p] })
		s.left = 0
	}
}

func (s *scan) moved(uint32) {}

func (s *scan) narrow(centre []float64) {
	if s.least == nil {
		s.least = make([]float64, len(s.gone))
		for i := range s.least {
			s.least[i] = math.Inf(1)
		}
	}
	for _, p := range s.points {
		s.least[p] = min(s.least[p], s.space.Distance(centre, s.space.row(s.at, p)))
	}
}

func (s *scan) farthest() uint32 {
	best, found := uint32(0), false
	for _, p := range s.points {
		if !s.gone[p] && (!found || s.least[p] > s.least[best]) {
			best, found = p, true
		}
	}
	return best
}
