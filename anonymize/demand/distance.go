package demand

import (
	"github.com/anonsql/anonsql/anonymize"
)

// A scratch is one call's scratch memory.
type scratch struct {
	counts       []uint32
	extra        []int64 // by node: the surplus of the class
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

// isNearEqual tests t-closeness with the equal distance: half the sum of the absolute
// differences, which is the sum of the positive ones.
func (d *Demand) isNearEqual(p *anonymize.Promise, c class) bool {
	return atMostDistance(p, d.equal, c)
}

func (d *Demand) isNearOrdered(p *anonymize.Promise, c class) bool {
	return atMostDistance(p, d.ordered, c)
}

func (d *Demand) isNearHierarchical(p *anonymize.Promise, c class) bool {
	return atMostDistance(p, func(c class) (sum, whole uint64) { return d.hierarchical(p.Hierarchy, c) }, c)
}

func atMostDistance(p *anonymize.Promise, distance func(c class) (sum, whole uint64), c class) bool {
	sum, whole := distance(c)
	return atMost(sum, whole, p.Bound)
}

// lacksNearness returns the excess of the distance.
func (d *Demand) lacksNearness(p *anonymize.Promise, c class) float64 {
	var sum, whole uint64
	switch name, _, _ := anonymize.SplitAbout(p.Guarantee); name {
	case "t_equal":
		sum, whole = d.equal(c)
	case "t_ordered":
		sum, whole = d.ordered(c)
	default:
		sum, whole = d.hierarchical(p.Hierarchy, c)
	}
	return max(0, float64(sum)/float64(whole)-p.Bound.Float())
}

// equal returns the equal distance as a fraction.
func (d *Demand) equal(c class) (sum, whole uint64) {
	for _, v := range c.values {
		if here, all := uint64(c.count[v])*d.rows, uint64(d.total[v])*c.m; here > all {
			sum += here - all
		}
	}
	return sum, c.m * d.rows
}

// ordered returns the ordered distance.
func (d *Demand) ordered(c class) (sum, whole uint64) {
	ahead := int64(0)
	for _, v := range d.values {
		ahead += int64(uint64(c.count[v])*d.rows) - int64(uint64(d.total[v])*c.m)
		sum += uint64(max(ahead, -ahead))
	}
	return sum, c.m * d.rows * uint64(max(len(d.values)-1, 1))
}

// hierarchical returns the distance in a hierarchy: nodes pass their surplus or deficit to
// their parent at the cost of the parent's height.
func (d *Demand) hierarchical(h *anonymize.Hierarchy, c class) (sum, whole uint64) {
	s := d.scratch.Get().(*scratch)
	defer d.scratch.Put(s)
	clear(s.extra)
	clear(s.above)
	clear(s.below)
	for leaf, v := range d.values {
		s.extra[h.Leaf[leaf]] = int64(uint64(c.count[v])*d.rows) - int64(uint64(d.total[v])*c.m)
	}
	for node := len(h.Parent) - 1; node >= 0; node-- { // children before parents
		sum += uint64(h.Height[node]) * min(s.above[node], s.below[node])
		if parent := h.Parent[node]; parent >= 0 {
			extra := s.extra[node]
			s.extra[parent] += extra
			s.above[parent] += uint64(max(extra, 0))
			s.below[parent] += uint64(max(-extra, 0))
		}
	}
	return sum, c.m * d.rows * uint64(h.Height[0])
}
