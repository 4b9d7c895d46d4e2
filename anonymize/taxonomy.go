package anonymize

import (
	"fmt"
	"slices"
	"strings"
)

// A Taxonomy is a tree over the values of an attribute. Its leaves are values. Its inner nodes
// are what a published cell may say instead ("Secondary school", "[20-29]", "941**"). Its root
// is "*" or whatever the owner calls it. It is immutable.
//
// Leaves are numbered in the order of a walk through the tree, so the leaves below a node are a
// range. The lowest common ancestor of two values costs a walk up from the deeper one.
type Taxonomy struct {
	nodes  []taxonomyNode // parents stand before their children; 0 is the root
	leaves []Value        // in the order of the walk
	leafOf map[Value]int  // node of a value
	points []Value        // the leaves, ascending, of a spanning tree; see Spanning
}

type taxonomyNode struct {
	label       string
	parent      int // -1 for the root
	depth       int
	first, last int // its leaves: positions first .. last-1
}

// An Edge says that a node, or a value, lies below another node. The root's Parent is "" or the
// root itself. If a node has another parent, an edge from the node to itself means a leaf of
// the same name below it ("Lung cancer" as a class and as a disease in it).
type Edge struct {
	Node, Parent string
}

// NewTaxonomy builds a tree. Each node has a label and the number of its parent, -1 for the
// root. A node without children is a leaf; read parses its label as a value of the attribute.
// Errors are *DataError and name the offending node: two roots, no root, a cycle, a leaf that
// is no value, a value with two leaves.
func NewTaxonomy(labels []string, parents []int, read func(text string) (Value, error)) (*Taxonomy, error) {
	if len(labels) == 0 {
		return nil, taxonomyError("it is empty")
	}
	children, root := make([][]int, len(labels)), -1
	for node, parent := range parents {
		switch {
		case parent >= 0:
			children[parent] = append(children[parent], node)
		case root >= 0:
			return nil, taxonomyError("there are two roots, '%s' and '%s'", labels[root], labels[node])
		default:
			root = node
		}
	}
	if root < 0 {
		return nil, taxonomyError("there is no root: every node has a parent%s", cycleIn(labels, parents))
	}
	t := &Taxonomy{leafOf: make(map[Value]int)}
	if err := t.grow(root, -1, labels, children, read); err != nil {
		return nil, err
	}
	if placed := len(t.nodes); placed < len(labels) {
		return nil, taxonomyError("%d nodes are not below the root '%s'%s", len(labels)-placed, labels[root], cycleIn(labels, parents))
	}
	return t, nil
}

// grow adds a node and everything below it, children in the given order.
func (t *Taxonomy) grow(source, parent int, labels []string, children [][]int, read func(string) (Value, error)) error {
	node, depth := len(t.nodes), 0
	if parent >= 0 {
		depth = t.nodes[parent].depth + 1
	}
	if depth > maxTaxonomyDepth {
		return taxonomyError("it has more than %d levels", maxTaxonomyDepth)
	}
	t.nodes = append(t.nodes, taxonomyNode{label: labels[source], parent: parent, depth: depth, first: len(t.leaves)})
	if len(children[source]) == 0 {
		value, err := read(labels[source])
		if err != nil {
			return &DataError{fmt.Sprintf("the taxonomy's leaf '%s' is no value of the attribute: %v", labels[source], err)}
		}
		if _, twice := t.leafOf[value]; twice {
			return taxonomyError("the value %s has two leaves", value)
		}
		t.leafOf[value] = node
		t.leaves = append(t.leaves, value)
	}
	for _, child := range children[source] {
		if err := t.grow(child, node, labels, children, read); err != nil {
			return err
		}
	}
	t.nodes[node].last = len(t.leaves)
	return nil
}

const maxTaxonomyDepth = 1000

// TaxonomyOfEdges builds the tree of named nodes. A node that is named only as a parent needs
// no edge of its own. A node with two parents is an error, as are those of NewTaxonomy.
func TaxonomyOfEdges(edges []Edge, read func(text string) (Value, error)) (*Taxonomy, error) {
	b := &taxonomyNames{number: make(map[string]int)}
	for _, e := range edges {
		if e.Node == e.Parent {
			continue
		}
		node, parent := b.node(e.Node), -1
		if e.Parent != "" {
			parent = b.node(e.Parent)
		}
		if known := b.parents[node]; known >= 0 && known != parent {
			return nil, taxonomyError("'%s' has two parents, '%s' and '%s'", e.Node, b.labels[known], e.Parent)
		}
		b.parents[node] = parent
	}
	for _, e := range edges {
		if e.Node != e.Parent {
			continue
		}
		if node := b.node(e.Node); b.parents[node] >= 0 {
			b.labels, b.parents = append(b.labels, e.Node), append(b.parents, node)
		}
	}
	return NewTaxonomy(b.labels, b.parents, read)
}

// taxonomyNames numbers nodes by their names.
type taxonomyNames struct {
	labels  []string
	parents []int
	number  map[string]int
}

func (b *taxonomyNames) node(label string) int {
	node, known := b.number[label]
	if !known {
		node = len(b.labels)
		b.number[label] = node
		b.labels, b.parents = append(b.labels, label), append(b.parents, -1)
	}
	return node
}

// TaxonomyOfPaths builds the tree from one path per value: the value's text, then its
// generalizations level by level up to the root (the lines of ARX's hierarchy files). All paths
// must have the same length and root. A node is identified by its path from the root, so that a
// label may occur in several places.
func TaxonomyOfPaths(paths [][]string, read func(text string) (Value, error)) (*Taxonomy, error) {
	b := &taxonomyNames{number: make(map[string]int)}
	for i, path := range paths {
		if len(path) != len(paths[0]) || len(path) < 2 {
			return nil, taxonomyError("line %d has %d levels, the first has %d; at least 2 are needed", i+1, len(path), len(paths[0]))
		}
		parent, key := -1, ""
		for level := len(path) - 1; level >= 0; level-- {
			key += fmt.Sprintf("%d:%s", len(path[level]), path[level])
			node, known := b.number[key]
			if known && level == 0 {
				return nil, taxonomyError("the value '%s' has two lines", path[0])
			}
			if !known {
				node = len(b.labels)
				b.number[key] = node
				b.labels, b.parents = append(b.labels, path[level]), append(b.parents, parent)
			}
			parent = node
		}
	}
	return NewTaxonomy(b.labels, b.parents, read)
}

func taxonomyError(format string, values ...any) error {
	return &DataError{"the taxonomy is not a tree: " + fmt.Sprintf(format, values...)}
}

// cycleIn returns the text of a cycle, or "" if there is none.
func cycleIn(labels []string, parents []int) string {
	state := make([]int, len(labels)) // the walk that first met the node
	for start := range labels {
		for node := start; node >= 0 && (state[node] == 0 || state[node] == start+1); node = parents[node] {
			if state[node] == 0 {
				state[node] = start + 1
				continue
			}
			path := []string{"'" + labels[node] + "'"}
			for at := parents[node]; at != node; at = parents[at] {
				path = append(path, "'"+labels[at]+"'")
			}
			return ": " + strings.Join(append(path, path[0]), " is below ")
		}
	}
	return ""
}

// Nodes returns the number of nodes, leaves included. Node 0 is the root, and a
// parent has a lower number than its children.
func (t *Taxonomy) Nodes() int { return len(t.nodes) }

// Leaves returns the values in the order of the walk. The caller must not change them.
func (t *Taxonomy) Leaves() []Value { return t.leaves }

// Label returns the name of a node.
func (t *Taxonomy) Label(node int) string { return t.nodes[node].label }

// Parent returns the number of the parent node, -1 for the root.
func (t *Taxonomy) Parent(node int) int { return t.nodes[node].parent }

// Depth returns the number of edges from the root.
func (t *Taxonomy) Depth(node int) int { return t.nodes[node].depth }

// Height returns the greatest depth of a leaf.
func (t *Taxonomy) Height() int { return t.heights()[0] }

// LeafRange returns the positions first .. end-1 in Leaves of the values below a node.
func (t *Taxonomy) LeafRange(node int) (first, end int) {
	return t.nodes[node].first, t.nodes[node].last
}

// Leaf returns the node of a value, or -1 if the taxonomy lacks it. In a spanning tree, it is
// the greatest leaf that is not above the value.
func (t *Taxonomy) Leaf(v Value) int {
	if node, ok := t.leafOf[v]; ok {
		return node
	}
	after, _ := slices.BinarySearchFunc(t.points, v, Compare)
	if after == 0 || after == len(t.points) || t.points[after].Kind != v.Kind {
		return -1
	}
	return t.leafOf[t.points[after-1]]
}

// Spanning returns the same tree over all numbers between its leaves. The leaves are then
// points of intervals, in ascending order, and the node above a leaf is the narrowest possible
// cell. Such a tree does not reveal whether a number occurs in the table.
func (t *Taxonomy) Spanning() *Taxonomy {
	spanning := *t
	spanning.points = sorted(slices.Clone(t.leaves))
	return &spanning
}

// Spans reports whether Spanning made the tree.
func (t *Taxonomy) Spans() bool { return t.points != nil }

// Narrowest returns the lowest node that a cell of the value may have: its leaf, or in a
// spanning tree the interval above it.
func (t *Taxonomy) Narrowest(v Value) int {
	leaf := t.Leaf(v)
	if leaf > 0 && t.Spans() {
		return t.nodes[leaf].parent
	}
	return leaf
}

// Coarse replaces every value of the column by the first leaf of its interval in a spanning
// tree, and leaves other columns unchanged. Values without a leaf stay.
func (t *Taxonomy) Coarse(c *Column) *Column { return t.leavesOf(c, t.Narrowest) }

// ToLeaves replaces every value of the column by its leaf, which is what a release publishes.
func (t *Taxonomy) ToLeaves(c *Column) *Column { return t.leavesOf(c, t.Leaf) }

func (t *Taxonomy) leavesOf(c *Column, node func(Value) int) *Column {
	if t == nil || !t.Spans() {
		return c
	}
	return c.mapped(func(v Value) Value {
		if t.Leaf(v) < 0 {
			return v
		}
		return t.leaves[t.nodes[node(v)].first]
	})
}

// Covering returns the lowest node above both a and b.
func (t *Taxonomy) Covering(a, b int) int {
	for a != b {
		if t.nodes[a].depth >= t.nodes[b].depth {
			a = t.nodes[a].parent
		} else {
			b = t.nodes[b].parent
		}
	}
	return a
}

// Share returns the part of the attribute's values below a node: 0 for a leaf, 1 for the root.
// It is the penalty of a generalized cell (NCP), and for the covering node of two values their
// semantic distance.
func (t *Taxonomy) Share(node int) float64 {
	first, end := t.LeafRange(node)
	if end-first <= 1 || len(t.leaves) <= 1 {
		return 0
	}
	return float64(end-first) / float64(len(t.leaves))
}

// Check verifies that every value of a column except NULL has a leaf. The error names the first
// that has none.
func (t *Taxonomy) Check(c *Column) error {
	count := c.Histogram()
	for code, v := range c.Dictionary {
		if count[code] > 0 && !v.IsNull() && t.Leaf(v) < 0 {
			return &DataError{fmt.Sprintf("the taxonomy of %s has no leaf for the value %s", c.Name, v)}
		}
	}
	return nil
}
