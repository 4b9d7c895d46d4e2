package clustering

import (
	"cmp"
	"math"
	"slices"
)

// A tree finds nearest points; points can move and be removed. It is a kd-tree over the mixed
// distance. A node has the bounding box of its points (an interval per axis, or the set of
// places for nominal and semantic axes) and their kinds of sensitive values. A search visits
// nodes in the order of the greatest possible worth of a point in them, until no node can
// exceed the best point found. It is exact except for [maxLeaves].
//
// Removals shrink kinds but not boxes. When half of the points have been removed, the tree is
// rebuilt, O(n log n) for all points together.
type tree struct {
	space  *Space
	at     []float64 // by point and axis
	kind   []uint64  // by point; nil for one kind
	nodes  []node
	box    []float64 // by node and axis: low, high
	places []uint64  // by node and axis: places modulo 64
	order  []uint32  // points, those of a leaf together
	where  []uint32  // by point: its place in order
	leafOf []int32   // by point; -1 for removed ones
	alive  int
	built  int
	heap   []candidate
	found  []found
	sample []float64

	least []float64 // by point: see narrow; nil until needed
	far   []float64 // by node: the greatest entry of least
}

type node struct {
	kinds       uint64
	parent      int32
	left, right int32 // 0 for a leaf
	first, n    uint32
}

type candidate struct {
	worth float64
	node  int32
}

const (
	leafSize = 12
	// maxLeaves bounds a search: with unstructured quasi-identifiers it would examine all
	// points. Tables of up to maxLeaves x leafSize records are searched exactly.
	maxLeaves = 512
	// sampled is the number of points that decide where a node is cut.
	sampled = 128
)

// newTree takes points, rows of at, in random order.
func newTree(s *Space, at []float64, kind []uint64, points []uint32) *tree {
	n := len(at) / len(s.axes)
	t := &tree{space: s, at: at, kind: kind, where: make([]uint32, n), leafOf: make([]int32, n)}
	for i := range t.leafOf {
		t.leafOf[i] = -1
	}
	t.order = slices.Clone(points)
	t.rebuild()
	return t
}

// rebuild builds the tree of the remaining points.
func (t *tree) rebuild() {
	if t.built > 0 {
		t.order = slices.DeleteFunc(t.order, func(p uint32) bool { return t.leafOf[p] < 0 })
	}
	t.nodes, t.box, t.places, t.far = t.nodes[:0], t.box[:0], t.places[:0], t.far[:0]
	t.alive, t.built = len(t.order), len(t.order)
	if t.built > 0 {
		t.build(0, len(t.order), -1)
	}
}

// build builds the node of order[first:end] with its subtree.
func (t *tree) build(first, end int, parent int32) int32 {
	q := len(t.space.axes)
	at := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{parent: parent, first: uint32(first), n: uint32(end - first)})
	t.box = append(t.box, make([]float64, 2*q)...)
	t.places = append(t.places, make([]uint64, q)...)
	t.far = append(t.far, 0)
	if end-first <= leafSize {
		for i := first; i < end; i++ {
			t.where[t.order[i]], t.leafOf[t.order[i]] = uint32(i), at
		}
		t.measureLeaf(at)
		return at
	}
	middle := t.divide(first, end)
	left := t.build(first, middle, at)
	right := t.build(middle, end, at)
	t.nodes[at].left, t.nodes[at].right = left, right
	t.measureInner(at)
	return at
}

// divide halves the points of a node, along the axis on which a sample is farthest apart;
// identical points by their kinds.
func (t *tree) divide(first, end int) int {
	axis, cut := t.cut(first, end)
	if axis < 0 {
		if t.kind != nil {
			slices.SortFunc(t.order[first:end], func(x, y uint32) int { return cmp.Compare(t.kind[x], t.kind[y]) })
		}
		return (first + end) / 2
	}
	q := len(t.space.axes)
	i, j := first, end
	for i < j {
		if t.at[int(t.order[i])*q+axis] <= cut {
			i++
			continue
		}
		j--
		t.order[i], t.order[j] = t.order[j], t.order[i]
	}
	return i // the sample has points in both halves
}

// cut returns the axis, -1 for none, and the greatest coordinate of the left half. It maximizes
// the distance between the halves for two random points.
func (t *tree) cut(first, end int) (axis int, at float64) {
	q, axis := len(t.space.axes), -1
	step := max(1, (end-first)/sampled)
	best := 0.0
	for i := range q {
		t.sample = t.sample[:0]
		for p := first; p < end; p += step {
			t.sample = append(t.sample, t.at[int(t.order[p])*q+i])
		}
		slices.Sort(t.sample)
		x := t.sample
		if x[0] == x[len(x)-1] {
			continue
		}
		m := nearestBoundary(x)
		share := float64(m) / float64(len(x))
		if gain := 2 * share * (1 - share) * t.space.axes[i].apartOnAxis(x, m); gain > best {
			axis, at, best = i, x[m-1], gain
		}
	}
	return axis, at
}

// nearestBoundary returns where to cut x, ascending and not constant, between different values
// nearest to its middle.
func nearestBoundary(x []float64) int {
	middle := len(x) / 2
	for off := 0; ; off++ {
		for _, m := range [2]int{middle - off, middle + off} {
			if m > 0 && m < len(x) && x[m-1] < x[m] {
				return m
			}
		}
	}
}

// apartOnAxis returns the distance of the halves x[:m] and x[m:] of a sample.
func (a *axis) apartOnAxis(x []float64, m int) float64 {
	switch a.kind {
	case label:
		return a.weight
	case branch:
		return a.weight * a.distance(int(x[0]), int(x[len(x)-1]))
	}
	return a.weight * (mean(x[m:]) - mean(x[:m]))
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// measureLeaf sets the box and the kinds of a leaf.
func (t *tree) measureLeaf(at int32) {
	q, nd := len(t.space.axes), &t.nodes[at]
	box, places := t.box[int(at)*2*q:][:2*q], t.places[int(at)*q:][:q]
	for i := range q {
		box[2*i], box[2*i+1], places[i] = math.Inf(1), math.Inf(-1), 0
	}
	for _, p := range t.order[nd.first : nd.first+nd.n] {
		for i, x := range t.space.row(t.at, p) {
			box[2*i], box[2*i+1] = min(box[2*i], x), max(box[2*i+1], x)
			if t.space.axes[i].kind != line {
				places[i] |= 1 << (uint(x) & 63)
			}
		}
	}
	nd.kinds = t.kindsOf(nd)
}

func (t *tree) kindsOf(leaf *node) (kinds uint64) {
	if t.kind == nil {
		return uint64(min(1, leaf.n))
	}
	for _, p := range t.order[leaf.first : leaf.first+leaf.n] {
		kinds |= t.kind[p]
	}
	return kinds
}

// measureInner sets a node from its children.
func (t *tree) measureInner(at int32) {
	q, nd := len(t.space.axes), &t.nodes[at]
	l, r := int(nd.left), int(nd.right)
	for i := range q {
		t.box[int(at)*2*q+2*i] = min(t.box[l*2*q+2*i], t.box[r*2*q+2*i])
		t.box[int(at)*2*q+2*i+1] = max(t.box[l*2*q+2*i+1], t.box[r*2*q+2*i+1])
		t.places[int(at)*q+i] = t.places[l*q+i] | t.places[r*q+i]
	}
	nd.kinds = t.nodes[l].kinds | t.nodes[r].kinds
}

// remove removes a point.
func (t *tree) remove(point uint32) {
	leaf := t.leafOf[point]
	nd := &t.nodes[leaf]
	last := nd.first + nd.n - 1
	i, other := t.where[point], t.order[last]
	t.order[i], t.order[last] = other, point
	t.where[other], t.where[point] = i, last
	t.leafOf[point] = -1
	nd.n--
	t.alive--
	if t.alive >= leafSize && 2*t.alive < t.built {
		t.rebuild()
		t.measureFar()
		return
	}
	nd.kinds = t.kindsOf(nd)
	t.farOfLeaf(leaf)
	for at := nd.parent; at >= 0; at = t.nodes[at].parent {
		nd := &t.nodes[at]
		kinds := t.nodes[nd.left].kinds | t.nodes[nd.right].kinds
		if kinds == nd.kinds && t.least == nil {
			return
		}
		nd.kinds = kinds
		t.farOfInner(at)
	}
}

// moved must be called after the coordinates of a point have changed.
func (t *tree) moved(point uint32) {
	leaf := t.leafOf[point]
	if leaf < 0 {
		return
	}
	t.measureLeaf(leaf)
	for at := t.nodes[leaf].parent; at >= 0; at = t.nodes[at].parent {
		t.measureInner(at)
	}
}
