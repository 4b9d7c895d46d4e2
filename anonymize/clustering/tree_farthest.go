package clustering

import "math"

// Farthest-first traversal: every point keeps the least distance to the centres
// so far, every node the greatest of them, so that a new centre visits only nodes
// that it can be nearer to than the centres before, and the farthest point is
// found on one path.

// narrow lowers the least distances of the points to that to a centre, where it
// is less.
func (t *tree) narrow(centre []float64) {
	if t.least == nil {
		t.least = make([]float64, len(t.leafOf))
		for i := range t.least {
			t.least[i] = math.Inf(1)
		}
		t.measureFar()
	}
	if t.alive > 0 {
		t.narrowNode(0, centre)
	}
}

func (t *tree) narrowNode(at int32, centre []float64) {
	nd := &t.nodes[at]
	if nd.kinds == 0 || t.minDistance(at, centre) >= t.far[at] {
		return
	}
	if nd.left == 0 {
		for _, p := range t.order[nd.first : nd.first+nd.n] {
			t.least[p] = min(t.least[p], t.space.Distance(centre, t.space.row(t.at, p)))
		}
		t.farOfLeaf(at)
		return
	}
	t.narrowNode(nd.left, centre)
	t.narrowNode(nd.right, centre)
	t.farOfInner(at)
}

// farthest returns the point with the greatest least distance. There must be one.
func (t *tree) farthest() uint32 {
	at := int32(0)
	for t.nodes[at].left != 0 {
		l, r := t.nodes[at].left, t.nodes[at].right
		if at = l; t.nodes[l].kinds == 0 || t.nodes[r].kinds != 0 && t.far[r] > t.far[l] {
			at = r
		}
	}
	nd := &t.nodes[at]
	best := t.order[nd.first]
	for _, p := range t.order[nd.first : nd.first+nd.n] {
		if t.least[p] > t.least[best] {
			best = p
		}
	}
	return best
}

// measureFar sets far in a rebuilt tree; children follow their parents.
func (t *tree) measureFar() {
	if t.least == nil {
		return
	}
	for at := int32(len(t.nodes)) - 1; at >= 0; at-- {
		if t.nodes[at].left == 0 {
			t.farOfLeaf(at)
		} else {
			t.farOfInner(at)
		}
	}
}

func (t *tree) farOfLeaf(at int32) {
	if t.least == nil {
		return
	}
	nd, far := &t.nodes[at], 0.0
	for _, p := range t.order[nd.first : nd.first+nd.n] {
		far = max(far, t.least[p])
	}
	t.far[at] = far
}

func (t *tree) farOfInner(at int32) {
	if t.least != nil {
		t.far[at] = max(t.far[t.nodes[at].left], t.far[t.nodes[at].right])
	}
}
