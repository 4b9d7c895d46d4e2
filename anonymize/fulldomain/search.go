package fulldomain

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/anonsql/anonsql/anonymize/parallel"
)

// The state of a node.
const (
	open       = uint8(iota)
	impossible // it and all finer ones suppress more than the limit
	settled    // judged, or no better than the best
)

// A search looks for the best node of a lattice. Workers share their knowledge; the best node
// does not depend on their number.
type search struct {
	ctx       context.Context
	base      *base
	condition condition
	objective *objective
	report    func(done, total int)

	lock    sync.Mutex
	state   []uint8 // by node
	claimed []bool  // by node: a worker's path starts here
	order   []int32 // nodes, those of least bound first
	next    int     // in order
	done    int     // nodes that are not open
	judged  int
	best    key
	counted []*tuples // of nodes, to count coarser ones from
	memory  int       // their size
}

func newSearch(ctx context.Context, b *base, c condition, o *objective, report func(done, total int)) *search {
	s := &search{ctx: ctx, base: b, condition: c, objective: o, report: report,
		state: make([]uint8, b.nodes), claimed: make([]bool, b.nodes), order: make([]int32, b.nodes),
		best: key{value: math.Inf(1), node: b.nodes}}
	losses := make([]float64, b.nodes)
	for node := range s.order {
		s.order[node] = int32(node)
		losses[node] = o.lowerBound(node).value
		if o.penalty == nil {
			losses[node] = o.lowerBound(node).loss
		}
	}
	slices.SortFunc(s.order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(losses[x], losses[y]), cmp.Compare(x, y))
	})
	return s
}

// run returns the best node. There is one, because the coarsest node is always possible.
func (s *search) run() (key, error) {
	err := parallel.Run(s.ctx, parallel.Cores(parallel.All), func(int) error {
		j := s.newJudge()
		for path, hopeful := s.path(); path != nil && s.ctx.Err() == nil; path, hopeful = s.path() {
			s.halve(j, path, hopeful)
		}
		return nil
	})
	return s.best, err
}

func (s *search) newJudge() *judge {
	return &judge{counter: &counter{base: s.base, dense: make([]uint32, len(s.base.total))}, condition: s.condition, objective: s.objective}
}

// path starts at the open node of least bound and goes up, one level of one attribute at a
// time, towards the least bound (Flash): first through nodes that may be best, whose number it
// returns, then to the coarsest node. It is nil at the end of the search.
func (s *search) path() (path []int, hopeful int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for ; s.next < len(s.order); s.next++ {
		start := int(s.order[s.next])
		if s.claimed[start] {
			continue
		}
		if !s.mayBeBest(start) {
			s.settle(start, settled)
			continue
		}
		s.claimed[start] = true
		for at := start; at >= 0; at = s.cheapestAbove(at, s.mayBeBest) {
			path = append(path, at)
		}
		hopeful = len(path)
		unknown := func(node int) bool { return s.state[node] != impossible }
		for at := s.cheapestAbove(path[hopeful-1], unknown); at >= 0; at = s.cheapestAbove(at, unknown) {
			path = append(path, at)
		}
		return path, hopeful
	}
	return nil, 0
}

// mayBeBest reports whether a node is open and may be the best.
func (s *search) mayBeBest(node int) bool {
	return s.state[node] == open && s.objective.lowerBound(node).isBetter(s.best)
}

// cheapestAbove returns -1 for none.
func (s *search) cheapestAbove(node int, wanted func(node int) bool) int {
	cheapest, least := -1, math.Inf(1)
	s.base.visitAbove(node, func(up int) {
		if bound := s.objective.total(s.objective.lossAt, up); bound < least && wanted(up) {
			cheapest, least = up, bound
		}
	})
	return cheapest
}

// halve finds the lowest possible node in the hopeful part of a path by bisection. An
// impossible node above that part settles all of it, and much more, and has fewer classes to
// count: so the first probe is as far above as the last path permitted, and further probes, in
// doubling steps, extend that.
func (s *search) halve(j *judge, path []int, hopeful int) {
	top := hopeful - 1
	low, high := -1, len(path) // low is impossible, high is not
	at := min(top+j.jump, len(path)-1)
	for step := 1; low+1 < high && s.ctx.Err() == nil; {
		possible := false
		if at <= top {
			possible = s.look(j, path[at])
		} else {
			possible = s.count(j, path[at])
		}
		if possible {
			high = at
		} else {
			low = at
		}
		switch {
		case high <= top:
			at = (low + high) / 2
		case low < top:
			at = (top + high) / 2
		case low+step >= high:
			j.jump = low - top
			return
		default:
			at = low + step
			step *= 2
		}
	}
	j.jump = max(0, low-top)
}

// look counts a node if it may still be best, and reports whether it is possible.
func (s *search) look(j *judge, node int) bool {
	s.lock.Lock()
	hopeful, state := s.mayBeBest(node), s.state[node]
	if !hopeful {
		s.settle(node, settled)
	}
	s.lock.Unlock()
	if !hopeful {
		return state != impossible
	}
	return s.count(j, node)
}

// count judges a node and records the consequences for others; it reports whether the node is
// possible.
func (s *search) count(j *judge, node int) bool {
	s.lock.Lock()
	source := s.source(node)
	s.lock.Unlock()

	t := j.roll(source, node)
	v := j.judge(t)

	s.lock.Lock()
	defer s.lock.Unlock()
	s.judged++
	s.remember(t)
	if v.impossible {
		s.settleBelow(node)
		return false
	}
	if v.feasible && v.cost.isBetter(s.best) {
		s.best = v.cost
	}
	s.settle(node, settled)
	if !s.objective.leastAbove(t).isBetter(s.best) {
		s.settleAbove(node)
	}
	return true
}

// settle marks an open node.
func (s *search) settle(node int, as uint8) {
	if s.state[node] != open {
		return
	}
	s.state[node] = as
	s.done++
	const steps = 100
	if s.report != nil && s.done*steps/len(s.state) > (s.done-1)*steps/len(s.state) {
		s.report(s.done, len(s.state))
	}
}

// settleBelow marks a node and all finer ones as impossible.
func (s *search) settleBelow(node int) {
	pending := []int{node}
	for len(pending) > 0 {
		node := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if s.state[node] == impossible {
			continue
		}
		s.settle(node, impossible)
		s.state[node] = impossible
		s.base.visitBelow(node, func(down int) { pending = append(pending, down) })
	}
}

// settleAbove marks all coarser nodes: none is better than the best.
func (s *search) settleAbove(node int) {
	pending := []int{node}
	for len(pending) > 0 {
		node := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		s.base.visitAbove(node, func(up int) {
			if s.state[up] == open {
				s.settle(up, settled)
				pending = append(pending, up)
			}
		})
	}
}
