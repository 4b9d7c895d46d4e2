package anonymize

import (
	"errors"
	"fmt"
)

// A Hierarchy is the part of a taxonomy that distances need: its nodes without their names. The
// distance of two values is the height of the lowest node above both, divided by the height of
// the root (Li, Li, Venkatasubramanian, ICDE 2007, section 5.2). A reader with the hierarchy
// and the relations of a release can compute these distances, but learns of no values beyond
// the released ones.
type Hierarchy struct {
	// Parent of every node: a lower number than its own; -1 for node 0, the root.
	Parent []int
	// Height of every node: the greatest number of edges down to a leaf of the taxonomy. A
	// parent is higher than its children. The root's height is at least 1.
	Height []int
	// Leaf has a node of its own for every value that occurs, by ascending value. NULL, which
	// no taxonomy has, is below the root.
	Leaf []int
}

// NewHierarchy cuts a taxonomy down to the nodes above values, which must ascend. The error
// names a value without a leaf.
func NewHierarchy(t *Taxonomy, values []Value) (*Hierarchy, error) {
	heights := t.heights()
	h := &Hierarchy{Parent: []int{-1}, Height: []int{max(1, heights[0])}}
	node := map[int]int{0: 0} // by node of the taxonomy
	var place func(of int) int
	place = func(of int) int {
		if n, known := node[of]; known {
			return n
		}
		parent := place(t.Parent(of))
		node[of] = h.add(parent, heights[of])
		return node[of]
	}
	for _, v := range values {
		leaf := t.Leaf(v)
		switch {
		case v.IsNull() || leaf == 0: // a taxonomy of one value has no edge
			h.Leaf = append(h.Leaf, h.add(0, 0))
		case leaf < 0:
			return nil, &DataError{fmt.Sprintf("the taxonomy has no leaf for the value %s", v)}
		default: // a spanning tree: several values share one leaf
			h.Leaf = append(h.Leaf, h.add(place(t.Parent(leaf)), 0))
		}
	}
	return h, nil
}

func (h *Hierarchy) add(parent, height int) int {
	h.Parent, h.Height = append(h.Parent, parent), append(h.Height, height)
	return len(h.Parent) - 1
}

// heights returns the height of every node, by number. It relies on parents having lower numbers than their children.
func (t *Taxonomy) heights() []int {
	heights := make([]int, len(t.nodes))
	for node := len(t.nodes) - 1; node > 0; node-- {
		parent := t.nodes[node].parent
		heights[parent] = max(heights[parent], heights[node]+1)
	}
	return heights
}

// Check verifies what the fields' comments promise, for a dictionary of that many values.
func (h *Hierarchy) Check(values int) error {
	if len(h.Parent) == 0 || len(h.Parent) != len(h.Height) || h.Parent[0] != -1 || h.Height[0] < 1 {
		return errors.New("its root is none")
	}
	for node, parent := range h.Parent[1:] {
		if parent < 0 || parent > node || h.Height[node+1] < 0 || h.Height[node+1] >= h.Height[parent] {
			return fmt.Errorf("its node %d is not below another", node+1)
		}
	}
	if len(h.Leaf) != values {
		return fmt.Errorf("it has %d values, the release %d", len(h.Leaf), values)
	}
	taken := make([]bool, len(h.Parent))
	for value, leaf := range h.Leaf {
		if leaf <= 0 || leaf >= len(taken) || taken[leaf] {
			return fmt.Errorf("its value %d has no node of its own", value)
		}
		taken[leaf] = true
	}
	return nil
}
