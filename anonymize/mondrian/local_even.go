package mondrian

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// evenOut moves as few records as possible to the other side, so that n_1 of n records go to
// the left, a multiple of l near wanted, and c_1 of the c records of each value of the first
// sensitive attribute, with c - floor((n-n_1)/l) <= c_1 <= floor(n_1/l). Such integers with sum
// n_1 exist for every l-diverse class of more than 2 l^2 records. It returns the beginning of
// the second half, 0 if the halves are not allowed.
func (w *worker) evenOut(side []uint8, first, end, wanted int) int {
	n, l := end-first, max(w.condition.L, 1)
	left := min(max(wanted, w.condition.K+l), n-w.condition.K-l) / l * l
	if left < w.condition.K || n-left < w.condition.K {
		return 0
	}
	value, goes := w.sensitive[0].value[first:end], w.countLeft(0, side, first, end)
	if !share(goes, w.here[0], w.present[0], left, left/l, (n-left)/l) {
		return 0
	}
	random := rand.New(rand.NewPCG(w.seed, uint64(first)<<32|uint64(n)))
	w.deal(value, side, goes, random)
	if !w.allowedAll(side, first, end, first+left) {
		return 0
	}
	w.part(side, first, end, first+left)
	return first + left
}

// share changes the number of each present value's records on the left until there are left in
// total, with at most mostLeft of a value there and at most mostRight on the other side. It
// reports whether that succeeded.
func share(goes, here, present []uint32, left, mostLeft, mostRight int) bool {
	sum, rows := 0, 0
	for _, v := range present {
		c := here[v]
		goes[v] = uint32(min(max(int(goes[v]), int(c)-mostRight, 0), mostLeft))
		sum, rows = sum+int(goes[v]), rows+int(c)
	}
	// First equalize the parts of every value, then go as far as the bounds permit.
	for _, evenly := range []bool{true, false} {
		for _, v := range present {
			c := here[v]
			low, high := max(int(c)-mostRight, 0), min(mostLeft, int(c))
			if part := int(c) * left / rows; evenly {
				low, high = max(low, min(part, int(goes[v]))), min(high, max(part+1, int(goes[v])))
			}
			step := min(max(left-sum, low-int(goes[v])), high-int(goes[v]))
			goes[v] = uint32(int(goes[v]) + step)
			sum += step
		}
	}
	return sum == left
}

// deal marks goes[v] of the records of every value v for the left: marked ones first, chosen at
// random if there are more.
func (w *worker) deal(value []uint32, side []uint8, goes []uint32, random *rand.Rand) {
	order := random.Perm(len(value))
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(side[y], side[x]) })
	for _, i := range order {
		v := value[i]
		if side[i] = 0; goes[v] > 0 {
			goes[v]--
			side[i] = 1
		}
	}
}
