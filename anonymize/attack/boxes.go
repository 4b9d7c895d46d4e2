package attack

import (
	"cmp"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// boxes are the distinct tuples of cells of a release, by class. On axis a, box b has the cell
// span[a][of[a][b]].
type boxes struct {
	span  [][]span
	of    [][]uint32
	width []uint64 // by axis: number of codes
	n     int
}

// A span is a cell in an order of codes: its ends, and the parts (of 64) of the axis that
// contain its codes.
type span struct {
	low, high uint32
	parts     uint64
	members   []uint32 // nil if it is all codes from low to high
}

func newBoxes(columns []*anonymize.FragmentColumn, k *knowledge) *boxes {
	b := &boxes{n: len(k.start) - 1}
	for _, c := range columns {
		b.width = append(b.width, uint64(len(c.Dictionary)))
		b.span = append(b.span, spans(c))
		of := make([]uint32, b.n)
		for class := range of {
			of[class] = c.Codes[k.tuple[k.start[class]]]
		}
		b.of = append(b.of, of)
	}
	return b
}

// spans returns the spans of a column's cells, or of its points.
func spans(c *anonymize.FragmentColumn) []span {
	width := uint64(len(c.Dictionary))
	if c.IsPoint() {
		all := make([]span, width)
		for code := range all {
			all[code] = span{low: uint32(code), high: uint32(code), parts: 1 << part(uint32(code), width)}
		}
		return all
	}
	all := make([]span, len(c.Cells))
	for i := range c.Cells {
		m := c.Cells[i].Members
		s := &all[i]
		s.low, s.high = m[0], m[len(m)-1]
		if int(s.high-s.low)+1 == len(m) {
			for p := part(s.low, width); p <= part(s.high, width); p++ {
				s.parts |= 1 << p
			}
			continue
		}
		s.members = m
		for _, code := range m {
			s.parts |= 1 << part(code, width)
		}
	}
	return all
}

// part returns the index of a code's part among 64 equal parts of an axis.
func part(code uint32, width uint64) uint64 { return uint64(code) * 64 / max(width, 64) }

func (s *span) contains(code uint32) bool {
	if code < s.low || code > s.high {
		return false
	}
	if s.members == nil {
		return true
	}
	_, ok := slices.BinarySearch(s.members, code)
	return ok
}

// A boxIndex is a tree of boxes. A node has the hull of its boxes; they are halved by their
// middles on the axis where these differ most.
type boxIndex struct {
	*boxes
	order []uint32 // boxes
	nodes []boxNode
	hull  []span // by node and axis
}

type boxNode struct {
	first, end  int32 // in order
	left, right int32 // nodes; 0 in a leaf
}

const boxesOfLeaf = 8

func newBoxIndex(b *boxes) *boxIndex {
	x := &boxIndex{boxes: b, order: anonymize.Indices(b.n)}
	x.build(0, b.n)
	return x
}

func (x *boxIndex) build(first, end int) int32 {
	node, axes := int32(len(x.nodes)), len(x.span)
	x.nodes = append(x.nodes, boxNode{first: int32(first), end: int32(end)})
	for a := range axes {
		x.hull = append(x.hull, x.unionSpan(a, x.order[first:end]))
	}
	if end-first <= boxesOfLeaf {
		return node
	}
	a := x.widestAxis(x.order[first:end])
	slices.SortFunc(x.order[first:end], func(i, j uint32) int {
		return cmp.Or(cmp.Compare(x.middle(a, i), x.middle(a, j)), cmp.Compare(i, j))
	})
	middle := (first + end) / 2
	left := x.build(first, middle)
	right := x.build(middle, end)
	x.nodes[node].left, x.nodes[node].right = left, right
	return node
}

func (x *boxIndex) unionSpan(a int, boxes []uint32) span {
	hull := x.span[a][x.of[a][boxes[0]]]
	hull.members = nil
	for _, b := range boxes {
		s := &x.span[a][x.of[a][b]]
		hull.low, hull.high, hull.parts = min(hull.low, s.low), max(hull.high, s.high), hull.parts|s.parts
	}
	return hull
}

func (x *boxIndex) middle(a int, box uint32) uint32 {
	s := &x.span[a][x.of[a][box]]
	return s.low + (s.high-s.low)/2
}

// widestAxis returns the axis on which the middles have the greatest relative spread.
func (x *boxIndex) widestAxis(boxes []uint32) int {
	best, most := 0, -1.0
	for a := range x.span {
		low, high := x.middle(a, boxes[0]), x.middle(a, boxes[0])
		for _, b := range boxes {
			m := x.middle(a, b)
			low, high = min(low, m), max(high, m)
		}
		if d := float64(high-low) / float64(x.width[a]); d > most {
			best, most = a, d
		}
	}
	return best
}

// containing appends the boxes that contain a point.
func (x *boxIndex) containing(point, found []uint32) []uint32 {
	var stack [64]int32 // the tree is balanced: its depth is below 32
	top := 1
	for top > 0 {
		top--
		at := stack[top]
		if !x.reaches(at, point) {
			continue
		}
		node := &x.nodes[at]
		if node.left > 0 {
			stack[top], stack[top+1] = node.right, node.left
			top += 2
			continue
		}
		for _, b := range x.order[node.first:node.end] {
			if x.contains(b, point) {
				found = append(found, b)
			}
		}
	}
	return found
}

func (x *boxIndex) reaches(node int32, point []uint32) bool {
	for a, s := range x.hull[int(node)*len(point) : (int(node)+1)*len(point)] {
		if p := point[a]; p < s.low || p > s.high || s.parts>>part(p, x.width[a])&1 == 0 {
			return false
		}
	}
	return true
}

func (x *boxIndex) contains(box uint32, point []uint32) bool {
	for a, p := range point {
		if !x.span[a][x.of[a][box]].contains(p) {
			return false
		}
	}
	return true
}
