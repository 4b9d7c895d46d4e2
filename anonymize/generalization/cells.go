package generalization

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A Generalized is an attribute with a cell for every equivalence class.
type Generalized struct {
	*Attribute
	Dictionary []anonymize.Value // of the published column
	Cells      []anonymize.Cell  // each once, in the order of their members
	Of         []uint32          // by class: an index into Cells
	// Penalty has the normalized certainty penalty of every cell, 0 for one
	// value and 1 for the whole domain.
	Penalty []float64
}

// Generalize makes the tight cells of the classes of a partition. O(rows +
// classes log classes + members of the cells).
func (a *Attribute) Generalize(ctx context.Context, classes *bucketization.Partition) (*Generalized, error) {
	b := newCellBuilder(a)
	of := make([]uint32, classes.Groups())
	var places []uint32
	for class := range of {
		if class%stretch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		places = places[:0]
		for _, record := range classes.Records(class) {
			places = append(places, a.Place[record])
		}
		slices.Sort(places)
		of[class] = b.number(slices.Compact(places))
	}
	return b.finish(of), nil
}

// stretch is the number of classes between two checks of the context.
const stretch = 1 << 12

// Penalty returns the normalized certainty penalty of the cell of a class whose least and
// greatest places are low and high: the spanned share of the line for an interval or a range,
// the share of the leaves for a node. For a set it counts all places between, an upper bound.
func (a *Attribute) Penalty(low, high uint32) float64 {
	switch {
	case low == high:
		return 0
	case a.taxonomy != nil:
		return a.taxonomy.Share(a.cover(low, high))
	case a.Scale == anonymize.Nominal:
		return float64(high-low+1) / float64(a.Places)
	}
	return a.Width(low, high)
}

// cover returns the lowest node above two places. NULL has no leaf, so the root covers it.
func (a *Attribute) cover(low, high uint32) int {
	if a.null && low == 0 {
		return 0
	}
	return a.taxonomy.Covering(a.taxonomy.Leaf(a.value(int(low))), a.taxonomy.Leaf(a.value(int(high))))
}

// A cellBuilder numbers an attribute's cells in order of appearance.
type cellBuilder struct {
	*Attribute
	dictionary []anonymize.Value
	codeOf     map[anonymize.Value]uint32
	all        []uint32 // 0, 1, ...: intervals are slices of it, without memory of their own
	numbers    map[string]uint32
	key        []byte
	cells      []anonymize.Cell
	penalty    []float64
	leafCode   []uint32         // by leaf of the taxonomy
	nodes      map[int][]uint32 // members of the taxonomy's nodes that were used
	domain     int              // number of values that a set may have
	part       float64          // share of the domain between the occurring values of a line
}

func newCellBuilder(a *Attribute) *cellBuilder {
	b := &cellBuilder{Attribute: a, dictionary: a.published(), numbers: make(map[string]uint32), domain: a.Places, part: a.part()}
	if a.names != nil {
		b.domain = len(b.dictionary)
	}
	b.codeOf = make(map[anonymize.Value]uint32, len(b.dictionary))
	b.all = make([]uint32, len(b.dictionary))
	for code, v := range b.dictionary {
		b.codeOf[v], b.all[code] = uint32(code), uint32(code)
	}
	if a.taxonomy != nil {
		b.nodes = make(map[int][]uint32)
		for _, v := range a.taxonomy.Leaves() {
			b.leafCode = append(b.leafCode, b.codeOf[v])
		}
	}
	return b
}

// number returns the cell of a class with these ascending places.
func (b *cellBuilder) number(places []uint32) uint32 {
	if b.Scale != anonymize.Nominal || b.taxonomy != nil { // only the ends count, and NULL
		first := 0
		if b.null && places[0] == 0 {
			first = 1
		}
		if len(places) > first+2 {
			places = append(places[:first+1], places[len(places)-1])
		}
	}
	b.key = b.key[:0]
	for _, place := range places {
		b.key = binary.LittleEndian.AppendUint32(b.key, place)
	}
	if number, known := b.numbers[string(b.key)]; known {
		return number
	}
	number := uint32(len(b.cells))
	b.numbers[string(b.key)] = number
	b.cells = append(b.cells, b.cell(places))
	b.penalty = append(b.penalty, b.penaltyOf(places))
	return number
}

// cell makes the cell of a class from its places, or from their ends.
func (b *cellBuilder) cell(places []uint32) anonymize.Cell {
	low, high := places[0], places[len(places)-1]
	switch {
	case low == high && b.Spans() && !(b.null && low == 0):
		return b.narrowest(low)
	case low == high:
		return anonymize.Cell{Label: labelOf(b.value(int(low))), Members: b.members(places)}
	case b.taxonomy != nil:
		return b.node(b.cover(low, high), b.null && low == 0)
	case b.Scale == anonymize.Nominal:
		return b.set(places)
	case b.null && low == 0:
		if len(places) == 2 && !b.Spans() {
			return b.set(places)
		}
		inner := b.cell(places[1:])
		return anonymize.Cell{Label: "{NULL," + inner.Label + "}", Members: append(b.members(places[:1]), inner.Members...)}
	case b.Scale == anonymize.Ordinal:
		members := make([]uint32, 0, high-low+1)
		for place := low; place <= high; place++ {
			members = append(members, b.codeOf[b.value(int(place))])
		}
		slices.Sort(members)
		return anonymize.Cell{Label: b.interval(b.value(int(low)), b.value(int(high))), Members: members}
	}
	first, last := b.codeOf[b.value(int(low))], b.codeOf[b.value(int(high))]
	if b.Spans() {
		end := b.narrowest(high).Members
		last = end[len(end)-1]
	}
	return anonymize.Cell{Label: b.interval(b.dictionary[first], b.dictionary[last]), Members: b.all[first : last+1 : last+1]}
}

// narrowest returns the cell of one place in a tree of intervals: its interval.
func (b *cellBuilder) narrowest(place uint32) anonymize.Cell {
	tree := b.tree()
	node := tree.Narrowest(b.value(int(place)))
	first, end := tree.LeafRange(node)
	low, high := b.codeOf[tree.Leaves()[first]], b.codeOf[tree.Leaves()[end-1]]
	return anonymize.Cell{Label: tree.Label(node), Members: b.all[low : high+1 : high+1]}
}

// interval labels a range of the line. Ordinal values are texts, so a hyphen would be
// ambiguous.
func (b *cellBuilder) interval(low, high anonymize.Value) string {
	if b.Scale == anonymize.Ordinal {
		return "[" + low.String() + "-" + high.String() + "]"
	}
	return anonymize.IntervalLabel(low.String(), high.String())
}

// node returns the cell of all leaves below a taxonomy node, and of NULL if the class has it.
// Each node is made once.
func (b *cellBuilder) node(node int, null bool) anonymize.Cell {
	label := b.taxonomy.Label(node)
	members, known := b.nodes[node]
	if !known {
		members = b.leaves(b.taxonomy.LeafRange(node))
		b.nodes[node] = members
	}
	if null {
		return anonymize.Cell{Label: "{NULL," + label + "}", Members: append([]uint32{b.codeOf[anonymize.NullValue]}, members...)}
	}
	return anonymize.Cell{Label: label, Members: members}
}

// leaves returns the ascending codes of the leaves first .. end-1: a slice of b.all if they are
// consecutive, as in a tree of intervals.
func (b *cellBuilder) leaves(first, end int) []uint32 {
	members := slices.Clone(b.leafCode[first:end])
	slices.Sort(members)
	if low, high := members[0], members[len(members)-1]; int(high-low) == len(members)-1 {
		return b.all[low : high+1 : high+1]
	}
	return members
}

func (b *cellBuilder) set(places []uint32) anonymize.Cell {
	var names []string
	if b.names != nil {
		if names = b.parts(places); len(names) == 1 {
			return anonymize.Cell{Label: names[0], Members: b.members(places)}
		}
	}
	for i := 0; b.names == nil && i < len(places); i++ {
		names = append(names, labelOf(b.value(int(places[i]))))
	}
	return anonymize.Cell{Label: "{" + strings.Join(names, ",") + "}", Members: b.members(places)}
}

// labelOf returns a value's text in a label. It quotes the text NULL, because NULL itself is also a member.
func labelOf(v anonymize.Value) string {
	if v.Kind == anonymize.Text && v.Text == anonymize.NullValue.String() {
		return "'" + v.Text + "'"
	}
	return v.String()
}

func (b *cellBuilder) members(places []uint32) []uint32 {
	members := make([]uint32, len(places))
	for i, place := range places {
		members[i] = b.codeOf[b.value(int(place))]
	}
	slices.Sort(members)
	return members
}

func (b *cellBuilder) penaltyOf(places []uint32) float64 {
	if b.Scale == anonymize.Nominal && b.taxonomy == nil && len(places) > 1 {
		return float64(len(places)) / float64(b.domain)
	}
	return b.Penalty(places[0], places[len(places)-1]) * b.part
}

// finish sorts the cells by their members, so that their numbers reveal nothing about the order
// of classes.
func (b *cellBuilder) finish(of []uint32) *Generalized {
	order := anonymize.Indices(len(b.cells))
	slices.SortFunc(order, func(x, y uint32) int { return compareMembers(b.cells[x].Members, b.cells[y].Members) })
	g := &Generalized{Attribute: b.Attribute, Dictionary: b.dictionary, Of: make([]uint32, len(of))}
	rank := make([]uint32, len(order))
	for i, cell := range order {
		rank[cell] = uint32(i)
		g.Cells = append(g.Cells, b.cells[cell])
		g.Penalty = append(g.Penalty, b.penalty[cell])
	}
	for class, cell := range of {
		g.Of[class] = rank[cell]
	}
	return g
}

// compareMembers compares the ends first, to avoid walking along two long intervals.
func compareMembers(x, y []uint32) int {
	if order := cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[len(x)-1], y[len(y)-1]), cmp.Compare(len(x), len(y))); order != 0 {
		return order
	}
	return slices.Compare(x, y)
}
