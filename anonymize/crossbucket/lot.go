package crossbucket

import "slices"

// A worker makes lots from pools, with its own scratch memory.
type worker struct {
	table *table
	lots  lots
	pool
	cluster *cluster
	// used and must hold the number of the lot in which a value is used, or required.
	used, must []uint32
	number     uint32
	left       int // free places of the lot
	mustLeft   int // required values still to come

	chosen     []uint32 // items of the lot
	candidates []uint32
	cost       []int32
	values     []uint32
}

func (t *table) newWorker() *worker {
	values := len(t.count)
	w := &worker{table: t, lots: newLots(t.parameters), cluster: newCluster(t.space),
		used: make([]uint32, values), must: make([]uint32, values)}
	w.count, w.x, w.lists.local = make([]uint32, values), make([][]int32, len(t.space.axes)), make([]uint32, values)
	return w
}

// takeLot removes size records with distinct values from the pool, including all forced values,
// in equivalence groups of near records. The pool must have that many values, and the forced
// ones. It returns the taken values.
func (w *worker) takeLot(size int, forced []uint32) []uint32 {
	w.number++
	w.left, w.mustLeft, w.chosen, w.values = size, len(forced), w.chosen[:0], w.values[:0]
	for _, v := range forced {
		w.must[v] = w.number
	}
	for _, s := range w.lots.plan(size).groups {
		w.equivalenceGroup(s)
	}
	for _, item := range w.chosen {
		w.lots.member = append(w.lots.member, w.record[item])
		w.values = append(w.values, w.value[item])
	}
	w.lots.sizes = append(w.lots.sizes, uint32(size))
	w.sweep()
	return w.values
}

// equivalenceGroup chooses a seed, then repeatedly the record that raises the penalty of the
// group's cells least. (Algorithm 4 cuts the lot in its given order.)
func (w *worker) equivalenceGroup(size int) {
	first, seed := len(w.chosen), w.seed()
	w.cluster.open(w.x, seed)
	w.choose(seed)
	var candidates []uint32
	for i := range size - 1 {
		if i == 0 {
			candidates = w.collectNear(seed)
		} else {
			candidates = slices.DeleteFunc(candidates, func(item uint32) bool { return !w.allowed(w.value[item]) })
		}
		w.cost = resized(w.cost, len(candidates))
		w.cluster.costs(w.x, candidates, w.cost)
		best := candidates[cheapest(w.cost)]
		w.cluster.join(w.x, best)
		w.choose(best)
	}
	w.cluster.forget(w.x, w.chosen[first:])
}

// cheapest returns the first place of least cost.
func cheapest(cost []int32) int {
	best := 0
	for i, c := range cost {
		if c < cost[best] {
			best = i
		}
	}
	return best
}

// allowed reports whether a value may come next: it is unused, and required if only required
// values fit into the remaining places.
func (w *worker) allowed(v uint32) bool {
	return w.used[v] != w.number && (w.mustLeft < w.left || w.must[v] == w.number)
}

// seed returns the first record of the pool's most frequent value, so that the pool keeps as
// many values as possible.
func (w *worker) seed() uint32 {
	value, most := uint32(0), uint32(0)
	for _, v := range w.present {
		if w.count[v] > most && w.allowed(v) {
			value, most = v, w.count[v]
		}
	}
	return w.firstItem(value)
}

func (w *worker) choose(item uint32) {
	v := w.value[item]
	w.used[v] = w.number
	w.left--
	if w.must[v] == w.number {
		w.mustLeft--
	}
	w.remove(item)
	w.chosen = append(w.chosen, item)
}
