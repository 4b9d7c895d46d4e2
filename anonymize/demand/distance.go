package demand

import (
	"github.com/anonsql/anonsql/anonymize"
)

// A scratch is for one call.
type scratch struct {
	counts       []uint32
	extra        []int64 // by node: what the class has more of
	above, below []uint64
}

func (d *Demand) newScratch() *scratch {
	nodes := 0
	for _, a := range d.asked {
		if h := a.promise.Hierarchy; h != nil {
			nodes = len(h.Parent)
		}
	}
	return &scratch{extra: make([]int64, nodes), above: make([]uint64, nodes), below: make([]uint64, nodes)}
}

// isNearEqual is t-closeness with the equal distance: half the sum of the differences, which
// is that of the positive ones.
func (d *Demand) isNearEqual(p *anonymize.Promise, count []uint32, m uint64) bool {
	sum := uint64(0)
	for v, n := range d.total {
		if here, all := uint64(count[v])*d.rows, uint64(n)*m; here > all {
			sum += here - all
		}
	}
	return atMost(sum, m*d.rows, p.Bound)
}

// isNearOrdered is t-closeness with the ordered distance.
func (d *Demand) isNearOrdered(p *anonymize.Promise, count []uint32, m uint64) bool {
	sum, ahead := uint64(0), int64(0)
	for v, n := range d.total {
		if n == 0 {
			continue
		}
		ahead += int64(uint64(count[v])*d.rows) - int64(uint64(n)*m)
		sum += uint64(max(ahead, -ahead))
	}
	return atMost(sum, m*d.rows*uint64(max(d.values-1, 1)), p.Bound)
}

// isNearHierarchical is t-closeness with the distances of a hierarchy: nodes give what they
// have too much of, or too little, to the node above, at the price of its height.
func (d *Demand) isNearHierarchical(p *anonymize.Promise, count []uint32, m uint64) bool {
	h, s := p.Hierarchy, d.scratch.Get().(*scratch)
	defer d.scratch.Put(s)
	clear(s.extra)
	clear(s.above)
	clear(s.below)
	leaf := 0
	for v, n := range d.total {
		if n > 0 {
			s.extra[h.Leaf[leaf]] = int64(uint64(count[v])*d.rows) - int64(uint64(n)*m)
			leaf++
		}
	}
	sum := uint64(0)
	for node := len(h.Parent) - 1; node >= 0; node-- { // children before parents
		sum += uint64(h.Height[node]) * min(s.above[node], s.below[node])
		if parent := h.Parent[node]; parent >= 0 {
			extra := s.extra[node]
			s.extra[parent] += extra
			s.above[parent] += uint64(max(extra, 0))
			s.below[parent] += uint64(max(-extra, 0))
		}
	}
	return atMost(sum, m*d.rows*uint64(h.Height[0]), p.Bound)
}
