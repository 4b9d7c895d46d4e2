package crossbucket

import "slices"

// A pool has records for lots, by item: 0, 1, ... in the given order, so that items with close
// numbers are near in space.
type pool struct {
	record []uint32
	value  []uint32  // by item: rank of the sensitive value
	x      [][]int32 // by axis and item: coordinates
	taken  []bool
	live   []uint32 // remaining items, ascending; kept for small pools only
	lists  lists    // items by value; kept for large pools only
	// count has the remaining items by rank, 0 for ranks not in present.
	count    []uint32
	present  []uint32
	distinct int // ranks with items
}

// largePool is the number of items from which on candidates are found by value and position
// instead of by comparison with all.
const largePool = 1 << 12

// census counts the values of records, before gather.
func (w *worker) census(records []uint32) {
	for _, v := range w.present {
		w.count[v] = 0
	}
	w.present = w.present[:0]
	for _, record := range records {
		v := w.table.rank[record]
		if w.count[v] == 0 {
			w.present = append(w.present, v)
		}
		w.count[v]++
	}
	slices.Sort(w.present)
	w.distinct = len(w.present)
}

// gather makes items of the counted records.
func (w *worker) gather(records []uint32) {
	n := len(records)
	w.record = append(w.record[:0], records...)
	w.value, w.taken, w.live = resized(w.value, n), resized(w.taken, n), w.live[:0]
	for i, record := range records {
		w.value[i] = w.table.rank[record]
	}
	clear(w.taken)
	for i := range w.x {
		axis := &w.table.space.axes[i]
		x := resized(w.x[i], n)
		for j, record := range records {
			x[j] = axis.point[axis.place[record]]
		}
		w.x[i] = x
	}
	if n > largePool {
		w.lists.fill(w.value, w.present, w.count)
		return
	}
	for i := range n {
		w.live = append(w.live, uint32(i))
	}
}

// resized returns a slice of n entries, in s's memory if it suffices.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// remove removes an item.
func (w *worker) remove(item uint32) {
	v := w.value[item]
	w.taken[item] = true
	if w.count[v]--; w.count[v] == 0 {
		w.distinct--
	}
	if len(w.record) > largePool {
		w.lists.remove(v, item)
	}
}

// sweep drops removed items.
func (w *worker) sweep() {
	if len(w.record) <= largePool {
		w.live = slices.DeleteFunc(w.live, func(item uint32) bool { return w.taken[item] })
	}
}

// firstItem returns the first item of a value.
func (w *worker) firstItem(v uint32) uint32 {
	if len(w.record) > largePool {
		return w.lists.firstItem(v)
	}
	for _, item := range w.live {
		if w.value[item] == v && !w.taken[item] {
			return item
		}
	}
	return 0 // unreachable: v has items
}

// collectNear collects the items that may join seed: all with allowed values, or in a large
// pool those of each value nearest in the order, about 256 in total. So a group's cost does not
// depend on the pool's size.
func (w *worker) collectNear(seed uint32) []uint32 {
	w.candidates = w.candidates[:0]
	if len(w.record) <= largePool {
		for _, item := range w.live {
			if !w.taken[item] && w.allowed(w.value[item]) {
				w.candidates = append(w.candidates, item)
			}
		}
		return w.candidates
	}
	each := min(max(256/max(w.distinct, 1), 2), 32)
	for _, v := range w.present {
		if w.count[v] > 0 && w.allowed(v) {
			w.candidates = w.lists.appendNearest(v, seed, 0, uint32(len(w.record)), each, w.candidates)
		}
	}
	return w.candidates
}

// lists have the ascending items of every value, with pointers that skip removed ones.
type lists struct {
	local []uint32 // by rank: the number of its list
	start []uint32 // by list
	items []uint32
	after []uint32 // by place in items: a place not before the first remaining one
	back  []uint32 // the same backwards, places counted from 1; 0 is the end
}

func (l *lists) fill(value, present, count []uint32) {
	l.start = append(l.start[:0], 0)
	for i, v := range present {
		l.local[v] = uint32(i)
		l.start = append(l.start, l.start[i]+count[v])
	}
	n := int(l.start[len(present)])
	l.items, l.after, l.back = resized(l.items, n), resized(l.after, n+1), resized(l.back, n+1)
	place := slices.Clone(l.start)
	for item, v := range value {
		at := &place[l.local[v]]
		l.items[*at] = uint32(item)
		*at++
	}
	for i := range n + 1 {
		l.after[i], l.back[i] = uint32(i), uint32(i)
	}
}

// root follows pointers to their end and halves the path for later calls.
func root(pointer []uint32, i uint32) uint32 {
	for pointer[i] != i {
		pointer[i] = pointer[pointer[i]]
		i = pointer[i]
	}
	return i
}

// place returns where the list of a value has its first item not before the
// given one, taken or not.
func (l *lists) place(v, item uint32) uint32 {
	first, end := l.start[l.local[v]], l.start[l.local[v]+1]
	at, _ := slices.BinarySearch(l.items[first:end], item)
	return first + uint32(at)
}

func (l *lists) remove(v, item uint32) {
	at := l.place(v, item)
	l.after[at], l.back[at+1] = at+1, at
}

func (l *lists) firstItem(v uint32) uint32 { return l.items[root(l.after, l.start[l.local[v]])] }

// appendNearest appends at most most items of a value in [low, high) that are nearest to an
// item in number.
func (l *lists) appendNearest(v, item, low, high uint32, most int, to []uint32) []uint32 {
	first, end := l.place(v, low), l.place(v, high)
	at := l.place(v, item)
	right, left := root(l.after, at), root(l.back, at)
	for range most {
		switch isRight, isLeft := right < end, left > first; {
		case isRight && (!isLeft || l.items[right]-item <= item-l.items[left-1]):
			to = append(to, l.items[right])
			right = root(l.after, right+1)
		case isLeft:
			to = append(to, l.items[left-1])
			left = root(l.back, left-1)
		default:
			return to
		}
	}
	return to
}
