package fulldomain

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// maxNodes is the size of the greatest lattice that is searched.
const maxNodes = 1 << 22

// A lattice has all choices of one level for every attribute. Nodes are numbers
// in mixed radix, the first attribute last; node 0 is the table as it is, and a
// coarser node has a greater number.
type lattice struct {
	attributes []*generalization.Attribute
	levels     [][]generalization.Level // by attribute
	height     []int                    // by attribute: the greatest Level.Number of the hierarchy
	stride     []int                    // by attribute
	nodes      int
}

// newLattice fails with a *anonymize.DataError if there are too many nodes.
func newLattice(attributes []*generalization.Attribute) (*lattice, error) {
	l := &lattice{attributes: attributes, nodes: 1}
	product := 1.0
	for _, a := range attributes {
		levels, height := a.Levels()
		l.levels, l.height = append(l.levels, levels), append(l.height, height)
		l.stride = append(l.stride, l.nodes)
		if product *= float64(len(levels)); product <= maxNodes {
			l.nodes *= len(levels)
		}
	}
	if product > maxNodes {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf(
			"the lattice of generalization levels has %.4g nodes (%s), fulldomain searches up to %d: name fewer quasi-identifiers, or give them taxonomies of fewer levels",
			product,
			l.shape(),
			maxNodes,
		)}
	}
	return l, nil
}

// shape writes "age 5 x sex 2".
func (l *lattice) shape() string {
	parts := make([]string, len(l.levels))
	for i, levels := range l.levels {
		parts[i] = fmt.Sprintf("%s %d", l.attributes[i].Column.Name, len(levels))
	}
	return strings.Join(parts, " x ")
}

// level is the index of an attribute's level at a node.
func (l *lattice) level(node, attribute int) int {
	return node / l.stride[attribute] % len(l.levels[attribute])
}

// levelAt returns an attribute's level at a node.
func (l *lattice) levelAt(node, attribute int) *generalization.Level {
	return &l.levels[attribute][l.level(node, attribute)]
}

// isFiner reports whether no attribute is at a higher level at node x than at y.
func (l *lattice) isFiner(x, y int) bool {
	for i := range l.levels {
		if l.level(x, i) > l.level(y, i) {
			return false
		}
	}
	return true
}

// visitAbove calls yield with the nodes one level above.
func (l *lattice) visitAbove(node int, yield func(node int)) {
	for i := range l.levels {
		if l.level(node, i)+1 < len(l.levels[i]) {
			yield(node + l.stride[i])
		}
	}
}

// visitBelow calls yield with the nodes one level below.
func (l *lattice) visitBelow(node int, yield func(node int)) {
	for i := range l.levels {
		if l.level(node, i) > 0 {
			yield(node - l.stride[i])
		}
	}
}
