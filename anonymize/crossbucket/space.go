package crossbucket

import (
	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// unit is the normalized certainty penalty of a whole domain. With integers, sums do not depend
// on the order of addition.
const unit = 1 << 20

// A space has the records as points, one axis per quasi-identifier.
type space struct {
	axes []axis
}

// An axis determines the cost for a group to take a record, in the penalty of its cell.
type axis struct {
	place  []uint32 // of every record
	point  []int32  // by place: the coordinate
	kind   axisKind
	single int32                 // set: the penalty of one more value
	nodes  []generalization.Node // tree
	lowest []int                 // tree: by place
}

type axisKind uint8

const (
	line axisKind = iota // intervals: penalty is width
	set                  // sets: penalty is the number of values
	tree                 // nodes: penalty is that of the covering node
)

func newSpace(attributes []*generalization.Attribute) *space {
	s := &space{axes: make([]axis, len(attributes))}
	for i, a := range attributes {
		x := &s.axes[i]
		x.place, x.point = a.Place, make([]int32, a.Places)
		switch {
		case a.HasTaxonomy():
			x.kind = tree
			x.nodes, x.lowest = a.Nodes()
		case a.Scale == anonymize.Nominal:
			x.kind, x.single = set, int32(max(unit/max(a.Places, 1), 1))
		}
		for place := range x.point {
			x.point[place] = int32(place)
			if x.kind == line {
				x.point[place] = int32(a.Position(uint32(place)) * unit)
			}
		}
	}
	return s
}

// A cluster is an equivalence group under construction, with each axis's costs of one more
// record.
type cluster struct {
	space *space
	low   []int32 // line
	high  []int32
	has   [][]bool // set: by place
	wide  []bool   // set: more than one value
	node  []int    // tree: the covering node
	bound []step   // tree: scratch
}

// A step is a node above the covering one: its places, and its additional cost.
type step struct {
	first, last, cost int32
}

func newCluster(s *space) *cluster {
	n := len(s.axes)
	c := &cluster{space: s, low: make([]int32, n), high: make([]int32, n), has: make([][]bool, n), wide: make([]bool, n), node: make([]int, n)}
	for i, x := range s.axes {
		if x.kind == set {
			c.has[i] = make([]bool, len(x.point))
		}
	}
	return c
}

// open starts a cluster with one record; x has the coordinates by axis and item.
func (c *cluster) open(x [][]int32, seed uint32) {
	for i := range c.space.axes {
		p := x[i][seed]
		switch a := &c.space.axes[i]; a.kind {
		case line:
			c.low[i], c.high[i] = p, p
		case set:
			c.has[i][p], c.wide[i] = true, false
		case tree:
			c.node[i] = a.lowest[p]
		}
	}
}

// forget ends a cluster with these members, so that another can open.
func (c *cluster) forget(x [][]int32, members []uint32) {
	for i := range c.space.axes {
		if c.space.axes[i].kind != set {
			continue
		}
		for _, item := range members {
			c.has[i][x[i][item]] = false
		}
	}
}

// join adds a record.
func (c *cluster) join(x [][]int32, item uint32) {
	for i := range c.space.axes {
		p := x[i][item]
		switch a := &c.space.axes[i]; a.kind {
		case line:
			c.low[i], c.high[i] = min(c.low[i], p), max(c.high[i], p)
		case set:
			c.wide[i] = c.wide[i] || !c.has[i][p]
			c.has[i][p] = true
		case tree:
			for n := c.node[i]; uint32(p) < a.nodes[n].First || uint32(p) > a.nodes[n].Last; n = c.node[i] {
				c.node[i] = a.nodes[n].Parent
			}
		}
	}
}

// costs sets cost to every candidate's additional penalty.
func (c *cluster) costs(x [][]int32, candidates []uint32, cost []int32) {
	clear(cost)
	for i := range c.space.axes {
		switch points := x[i]; c.space.axes[i].kind {
		case line:
			low, high := c.low[i], c.high[i]
			for j, item := range candidates {
				p := points[item]
				cost[j] += max(p-high, low-p, 0)
			}
		case set:
			has, more := c.has[i], c.space.axes[i].single
			if !c.wide[i] {
				more *= 2 // one value has penalty 0, two have 2/n
			}
			for j, item := range candidates {
				if !has[points[item]] {
					cost[j] += more
				}
			}
		case tree:
			c.climbing(i, points, candidates, cost)
		}
	}
}

// climbing finds the lowest common node of the cluster and each candidate.
func (c *cluster) climbing(i int, points []int32, candidates []uint32, cost []int32) {
	nodes := c.space.axes[i].nodes
	here := nodes[c.node[i]].Penalty
	c.bound = c.bound[:0]
	for n := c.node[i]; n >= 0; n = nodes[n].Parent {
		c.bound = append(c.bound, step{int32(nodes[n].First), int32(nodes[n].Last), int32((nodes[n].Penalty - here) * unit)})
	}
	for j, item := range candidates {
		p := points[item]
		for _, s := range c.bound {
			if s.first <= p && p <= s.last {
				cost[j] += s.cost
				break
			}
		}
	}
}
