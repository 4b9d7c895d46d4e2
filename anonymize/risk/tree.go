package risk

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A node of the tree of classes has its children by their cell in one column, ascending. A
// leaf, below the last column, is a class.
type node struct {
	cells    []uint32
	children []*node
	class    uint32
}

func (c *Classes) tree() *node {
	order := anonymize.Indices(len(c.First))
	columns := c.Fragment.Columns
	slices.SortFunc(order, func(a, b uint32) int {
		for _, column := range columns {
			if d := int(column.Codes[c.First[a]]) - int(column.Codes[c.First[b]]); d != 0 {
				return d
			}
		}
		return 0
	})
	return c.grow(order, 0)
}

// grow makes the node of classes that agree in the columns before column.
func (c *Classes) grow(classes []uint32, column int) *node {
	if column == len(c.Fragment.Columns) {
		return &node{class: classes[0]}
	}
	n, codes := &node{}, c.Fragment.Columns[column].Codes
	for first := 0; first < len(classes); {
		cell, end := codes[c.First[classes[first]]], first
		for end < len(classes) && codes[c.First[classes[end]]] == cell {
			end++
		}
		n.cells, n.children = append(n.cells, cell), append(n.children, c.grow(classes[first:end], column+1))
		first = end
	}
	return n
}

// covering appends the classes that cover a row of the population.
func (n *node) covering(found []uint32, cells []*coverage, codes [][]uint32, row, column int) []uint32 {
	if column == len(codes) {
		return append(found, n.class)
	}
	wanted := cells[column].cells[codes[column][row]]
	if len(wanted) < len(n.cells)/8 {
		for _, cell := range wanted {
			if at, ok := slices.BinarySearch(n.cells, cell); ok {
				found = n.children[at].covering(found, cells, codes, row, column+1)
			}
		}
		return found
	}
	for at, i := 0, 0; at < len(n.cells) && i < len(wanted); { // both ascend
		switch {
		case n.cells[at] < wanted[i]:
			at++
		case n.cells[at] > wanted[i]:
			i++
		default:
			found = n.children[at].covering(found, cells, codes, row, column+1)
			at, i = at+1, i+1
		}
	}
	return found
}
