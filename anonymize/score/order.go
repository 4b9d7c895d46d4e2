package score

import (
	"cmp"
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize/parallel"
)

const (
	// leaf is the number of records that are not divided further.
	leaf = 2
	// task is the number of records of a part that is ordered in parallel.
	task = 1 << 13
)

// order sorts the records along the leaves of a kd tree: a node is divided next to the median of the dimension of greatest
// variance. Equal records keep their order, which the caller has shuffled. O(n (log n)^2 + n log n dimensions).
func (s *Space) order(ctx context.Context, records []uint32) error {
	tree := newTree(s)
	open, tasks := [][]uint32{records}, [][]uint32(nil)
	for len(open) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		node := open[len(open)-1]
		open = open[:len(open)-1]
		if len(node) <= task {
			tasks = append(tasks, node)
		} else if left, right, ok := tree.divide(node); ok {
			open = append(open, left, right)
		}
	}
	return parallel.Run(ctx, len(tasks), func(i int) error {
		newTree(s).refine(tasks[i])
		return ctx.Err()
	})
}

// A tree has the scratch space for dividing nodes.
type tree struct {
	*Space
	sum, squares []float64 // by dimension
	keyed        []keyed
}

// keyed is a record with its coordinate in the dimension of a division.
type keyed struct {
	key    float32
	record uint32
}

func newTree(s *Space) *tree {
	return &tree{Space: s, sum: make([]float64, s.dimensions()), squares: make([]float64, s.dimensions())}
}

// refine orders a node.
func (t *tree) refine(node []uint32) {
	for len(node) > leaf {
		left, right, ok := t.divide(node)
		if !ok {
			return
		}
		t.refine(left)
		node = right
	}
}

// divide sorts a node by its widest dimension and divides it as evenly as possible; ok is false if all its records are equal.
func (t *tree) divide(node []uint32) (left, right []uint32, ok bool) {
	d, ok := t.widest(node)
	if !ok {
		return nil, nil, false
	}
	t.keyed = t.keyed[:0]
	for _, record := range node {
		t.keyed = append(t.keyed, keyed{t.coordinateOf(record, d), record})
	}
	slices.SortStableFunc(t.keyed, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for i, k := range t.keyed {
		node[i] = k.record
	}
	cut := t.mostEven()
	return node[:cut], node[cut:], cut > 0
}

// mostEven returns the index nearest to the middle of the sorted records where the key changes, 0 if it never does.
func (t *tree) mostEven() int {
	changes := func(i int) bool { return i > 0 && i < len(t.keyed) && t.keyed[i-1].key != t.keyed[i].key }
	middle := len(t.keyed) / 2
	for off := range len(t.keyed) {
		if changes(middle - off) {
			return middle - off
		}
		if changes(middle + off) {
			return middle + off
		}
	}
	return 0
}

// widest returns the dimension of greatest variance, the first of equals.
func (t *tree) widest(node []uint32) (widest int, ok bool) {
	clear(t.sum)
	clear(t.squares)
	for _, record := range node {
		for d, x := range t.component[int(record)*t.components:][:t.components] {
			t.count(d, x)
		}
		first := int(record) * t.columns
		for i, d := range t.dimension[first : first+t.columns] {
			t.count(int(d), t.coordinate[first+i])
		}
	}
	n, greatest := float64(len(node)), 1e-12
	for d, sum := range t.sum {
		if variance := t.squares[d]/n - sum*sum/n/n; variance > greatest {
			widest, greatest, ok = d, variance, true
		}
	}
	return widest, ok
}

func (t *tree) count(d int, x float32) {
	t.sum[d] += float64(x)
	t.squares[d] += float64(x) * float64(x)
}
