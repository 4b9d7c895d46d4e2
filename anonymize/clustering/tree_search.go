package clustering

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A query asks for the point of greatest worth: its bonus, if any, less beta times its
// distance.
type query struct {
	at    []float64
	beta  float64
	bonus *bonus   // nil for the nearest point
	value []uint32 // by point, where there is a bonus or an allowance
	// allowance excludes points; nil excludes none. If it excludes all, there is no answer.
	allowance *allowance
	leaves    int // number of leaves to examine beside those that m points take; 0 for maxLeaves
}

func (q *query) maxGain(kinds uint64) float64 {
	switch {
	case q.bonus != nil:
		return q.bonus.maxGain(kinds)
	case q.allowance != nil && q.allowance.kinds&kinds == 0:
		return math.Inf(-1)
	}
	return 0
}

func (q *query) gainOf(s *Space, point uint32, at []float64) float64 {
	if q.allowance != nil && !q.allowance.allows(q.value[point]) {
		return math.Inf(-1)
	}
	worth := -q.beta * s.Distance(q.at, at)
	if q.bonus != nil {
		worth += q.bonus.gainOfValue(q.value[point])
	}
	return worth
}

// bestPoint returns a point of greatest worth and its worth. There must be a point.
func (t *tree) bestPoint(q *query) (point uint32, worth float64) {
	t.found = t.found[:0]
	t.search(q, 1)
	return t.found[0].point, t.found[0].worth
}

// bests returns the at most m points of greatest worth, in descending order. The answer is
// valid until the next query.
func (t *tree) bests(q *query, m int) []found {
	t.found = t.found[:0]
	t.search(q, m)
	return t.found
}

// view returns a copy for concurrent searches while the tree does not change.
func (t *tree) view() *tree {
	v := *t
	v.heap, v.found = nil, nil
	return &v
}

// A found is a point with its worth.
type found struct {
	worth float64
	point uint32
}

// search fills found with the m best points.
func (t *tree) search(q *query, m int) {
	if t.alive == 0 {
		return
	}
	limit := math.Inf(-1) // the worth that a point must exceed
	t.heap = append(t.heap[:0], candidate{math.Inf(1), 0})
	most := cmp.Or(q.leaves, maxLeaves)
	for leaves := 0; len(t.heap) > 0; leaves++ {
		top := t.pop()
		if top.worth <= limit || leaves >= most && len(t.found) == m {
			return
		}
		// Visit the better child at once; only the other one waits.
		at := &t.nodes[top.node]
		for at.left != 0 {
			l, r := t.child(q, at.left), t.child(q, at.right)
			if l.worth < r.worth {
				l, r = r, l
			}
			if r.worth > limit {
				t.push(r)
			}
			if l.worth <= limit {
				break
			}
			at = &t.nodes[l.node]
		}
		if at.left == 0 {
			limit = t.look(q, at, m, limit)
		}
	}
}

// child returns a node with its bound; an empty one has no worth.
func (t *tree) child(q *query, at int32) candidate {
	if t.nodes[at].kinds == 0 {
		return candidate{math.Inf(-1), at}
	}
	return candidate{t.bound(q, at), at}
}

// look merges the points of a leaf into the m best, and returns the new limit.
func (t *tree) look(q *query, leaf *node, m int, limit float64) float64 {
	for _, p := range t.order[leaf.first : leaf.first+leaf.n] {
		w := q.gainOf(t.space, p, t.space.row(t.at, p))
		if w <= limit {
			continue
		}
		if len(t.found) == m {
			t.found = t.found[:m-1]
		}
		i := len(t.found)
		for i > 0 && t.found[i-1].worth < w {
			i--
		}
		if t.found = slices.Insert(t.found, i, found{w, p}); len(t.found) == m {
			limit = t.found[m-1].worth
		}
	}
	return limit
}

// bound is an upper bound of the worth of a node's points.
func (t *tree) bound(q *query, at int32) float64 {
	return q.maxGain(t.nodes[at].kinds) - q.beta*t.minDistance(at, q.at)
}

// minDistance is a lower bound of the distance of a node's points.
func (t *tree) minDistance(at int32, x []float64) float64 {
	q := len(x)
	box, places := t.box[int(at)*2*q:][:2*q], t.places[int(at)*q:][:q]
	sum := 0.0
	for i := range t.space.axes {
		a := &t.space.axes[i]
		low, high := box[2*i], box[2*i+1]
		switch {
		case a.kind == line:
			if x[i] < low {
				sum += a.weight * min(1, low-x[i])
			} else if x[i] > high {
				sum += a.weight * min(1, x[i]-high)
			}
		case a.kind == label:
			if places[i]&(1<<(uint(x[i])&63)) == 0 {
				sum += a.weight
			}
		default:
			sum += a.weight * a.nearestDistance(int(x[i]), int(low), int(high), places[i])
		}
	}
	return sum
}

// nearestDistance returns the least semantic distance of a place to a set of places between low
// and high: to the next place on either side, because the lowest common nodes are those with
// neighbours in the walk.
func (a *axis) nearestDistance(x, low, high int, places uint64) float64 {
	switch {
	case x < low:
		return a.distance(x, low)
	case x > high:
		return a.distance(x, high)
	case a.places > 64 || places&(1<<uint(x)) != 0:
		return 0
	}
	before := 63 - bits.LeadingZeros64(places&(1<<uint(x)-1))
	after := bits.TrailingZeros64(places &^ (1<<uint(x) - 1))
	return min(a.distance(x, before), a.distance(x, after))
}

func (t *tree) push(c candidate) {
	t.heap = append(t.heap, c)
	h, i := t.heap, len(t.heap)-1
	for i > 0 && h[(i-1)/2].worth < h[i].worth {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		i = (i - 1) / 2
	}
}

func (t *tree) pop() candidate {
	h := t.heap
	top, n := h[0], len(h)-1
	h[0] = h[n]
	t.heap = h[:n]
	for i := 0; ; {
		child := 2*i + 1
		if child >= n {
			return top
		}
		if child+1 < n && h[child+1].worth > h[child].worth {
			child++
		}
		if h[child].worth <= h[i].worth {
			return top
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
