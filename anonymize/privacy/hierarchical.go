package privacy

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// hierarchicalDistance is t-closeness with the hierarchical distance, Li, Li and
// Venkatasubramanian, "t-Closeness" (ICDE 2007), section 5.2: the sum over all inner nodes N of
//
//	cost(N) = height(N)/H * min(pos_extra(N), neg_extra(N)),
//
// where extra(N) is the excess of the class over the release in the values below N, and
// pos_extra and neg_extra sum it over the children of N with a positive and with a negative
// excess. The hierarchy is the promise's.
func hierarchicalDistance(promised anonymize.Promise) func(r *anonymize.Release) ([]figure, error) {
	return func(r *anonymize.Release) ([]figure, error) {
		if promised.Hierarchy == nil {
			return nil, errors.New("no hierarchy is given")
		}
		t := newFigure("t_hierarchical")
		var failure error
		err := eachSpread(r, func(s *spread) {
			h, err := newHierarchical(s, promised.Hierarchy)
			if err != nil {
				failure = errors.Join(failure, err)
				return
			}
			s.raise(&t, func(c class) exact { return quotient(h.distance(c), h.denominator(c)) })
		})
		if err := cmp.Or(err, failure); err != nil {
			return nil, err
		}
		return []figure{t}, nil
	}
}

// HierarchyOf returns what a promise of t_hierarchical needs: the taxonomy over the published
// values of a sensitive attribute.
func HierarchyOf(r *anonymize.Release, attribute string, tree *anonymize.Taxonomy) (*anonymize.Hierarchy, error) {
	columns, err := sensitiveColumns(r)
	if err != nil {
		return nil, err
	}
	for _, c := range columns {
		if c.column.Name != attribute {
			continue
		}
		s, err := newSpread(c)
		if err != nil {
			return nil, err
		}
		var values []anonymize.Value
		for code, n := range s.total {
			if n > 0 {
				values = append(values, c.column.Dictionary[code])
			}
		}
		return anonymize.NewHierarchy(tree, values)
	}
	return nil, fmt.Errorf("no fragment has the sensitive attribute %s", attribute)
}

// hierarchical has the release's distribution over the nodes.
type hierarchical struct {
	*spread
	*anonymize.Hierarchy
	leaf  []int    // by code
	total []uint64 // by node: parts of the release
	// By node, for the current class (else zero): its parts, the release's parts in those
	// children that the class has, and the children's excess and deficit.
	here, seen, above, below []uint64
	touched                  []int
}

func newHierarchical(s *spread, of *anonymize.Hierarchy) (*hierarchical, error) {
	occurring := 0
	for _, n := range s.total {
		if n > 0 {
			occurring++
		}
	}
	if err := of.Check(occurring); err != nil {
		return nil, fmt.Errorf("the hierarchy does not fit column %s: %w", s.column.Name, err)
	}
	nodes := len(of.Parent)
	h := &hierarchical{spread: s, Hierarchy: of, leaf: make([]int, len(s.total)), total: make([]uint64, nodes),
		here: make([]uint64, nodes), seen: make([]uint64, nodes), above: make([]uint64, nodes), below: make([]uint64, nodes)}
	next := 0
	for code, n := range s.total {
		if n == 0 {
			continue
		}
		h.leaf[code] = of.Leaf[next]
		for node := of.Leaf[next]; node >= 0; node = of.Parent[node] {
			h.total[node] += n
		}
		next++
	}
	size := uint64(slices.Max(s.release.GroupSizes))
	if over, product := bits.Mul64(h.total[0]*size, uint64(of.Height[0])); over != 0 || product > 1<<63 {
		return nil, fmt.Errorf("column %s of fragment %s has too many records for exact sums", s.column.Name, s.fragment.Name)
	}
	return h, nil
}

// denominator returns the denominator of distance.
func (h *hierarchical) denominator(c class) uint64 { return h.total[0] * c.size * uint64(h.Height[0]) }

// distance returns the sum of height(N) min(pos_extra(N), neg_extra(N)), in multiples of
// 1/(rows size unit). A node without values of the class has only children with negative
// excess, so no cost: it suffices to visit the nodes above the class's values, children first,
// that is by descending number. O(p height log) for p values.
func (h *hierarchical) distance(c class) (sum uint64) {
	rows := uint64(h.release.Rows)
	h.touched = h.touched[:0]
	for _, code := range h.present {
		for node := h.leaf[code]; node >= 0; node = h.Parent[node] {
			if h.here[node] == 0 {
				h.touched = append(h.touched, node)
			}
			h.here[node] += h.spread.here[code]
		}
	}
	slices.SortFunc(h.touched, func(a, b int) int { return b - a })
	for _, node := range h.touched {
		lacking := (h.total[node] - h.seen[node]) * c.size // in children without values of the class
		if h.seen[node] == 0 {
			lacking = 0 // a leaf
		}
		sum += uint64(h.Height[node]) * min(h.above[node], h.below[node]+lacking)
		if parent := h.Parent[node]; parent >= 0 {
			h.seen[parent] += h.total[node]
			here, all := h.here[node]*rows, h.total[node]*c.size
			h.above[parent] += max(here, all) - all
			h.below[parent] += max(here, all) - here
		}
		h.here[node], h.seen[node], h.above[node], h.below[node] = 0, 0, 0, 0
	}
	return sum
}
