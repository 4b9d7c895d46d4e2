package generalization

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// An Attribute is a quasi-identifier whose values are places on a line.
type Attribute struct {
	Column *anonymize.Column
	Scale  anonymize.Scale
	// Place has the place of every record: 0 .. Places-1.
	Place []uint32
	// Places is the number of distinct places. NULL has its own place, the first.
	Places int

	taxonomy *anonymize.Taxonomy // cells are its nodes
	names    *anonymize.Taxonomy // cells are sets and ranges of its leaves
	code     []uint32            // by place: the column's code
	position []float64           // by place: on a line of length 1
	null     bool                // place 0 is NULL
}

// NewAttributes prepares the quasi-identifiers of in. Errors are
// *anonymize.DataError: a domain that does not fit its column.
func NewAttributes(in *anonymize.Input) ([]*Attribute, error) { return attributesBy(in, NewAttribute) }

// AttributesOf returns [NewAttributes] if cells are nodes of taxonomies, else [NewSetAttributes].
func AttributesOf(in *anonymize.Input, nodes bool) ([]*Attribute, error) {
	if nodes {
		return NewAttributes(in)
	}
	return NewSetAttributes(in)
}

func attributesBy(in *anonymize.Input, one func(*anonymize.Column, *anonymize.Domain) (*Attribute, error)) ([]*Attribute, error) {
	attributes := make([]*Attribute, len(in.QuasiIdentifiers))
	for i, c := range in.QuasiIdentifiers {
		var err error
		if attributes[i], err = one(c, in.Domain(c)); err != nil {
			return nil, err
		}
	}
	return attributes, nil
}

// NewAttribute prepares one column. O(rows + distinct log distinct).
func NewAttribute(c *anonymize.Column, d *anonymize.Domain) (*Attribute, error) {
	if err := d.Check(c); err != nil {
		return nil, err
	}
	return newAttribute(d.Taxonomy.Coarse(c), d), nil
}

// newAttribute prepares a column that fits its domain.
func newAttribute(c *anonymize.Column, d *anonymize.Domain) *Attribute {
	a := &Attribute{Column: c, Scale: d.Scale, taxonomy: d.Taxonomy}
	for code, n := range c.Histogram() {
		if n > 0 {
			a.code = append(a.code, uint32(code))
		}
	}
	a.Places = len(a.code)
	a.sort(d)
	a.null = a.Places > 0 && c.Dictionary[a.code[0]].IsNull()
	placeOf := make([]uint32, len(c.Dictionary))
	for place, code := range a.code {
		placeOf[code] = uint32(place)
	}
	a.Place = anonymize.Gather(placeOf, c.Codes)
	a.measure()
	return a
}

// sort sorts the occurring codes by the order of the line. Dictionaries are ascending, so
// numbers and nominal values are already in order. NULL stays first.
func (a *Attribute) sort(d *anonymize.Domain) {
	var rank func(v anonymize.Value) int
	switch {
	case a.taxonomy != nil:
		rank = a.leafPosition
	case d.Scale == anonymize.Ordinal && d.Order != nil:
		place := make(map[anonymize.Value]int, len(d.Order))
		for i, v := range d.Order {
			place[v] = i
		}
		rank = func(v anonymize.Value) int { return place[v] }
	default:
		return
	}
	key := func(code uint32) int {
		if v := a.Column.Dictionary[code]; !v.IsNull() {
			return rank(v)
		}
		return -1
	}
	slices.SortFunc(a.code, func(x, y uint32) int { return cmp.Compare(key(x), key(y)) })
}

// leafPosition returns the place of a value in the walk through the taxonomy.
func (a *Attribute) leafPosition(v anonymize.Value) int {
	first, _ := a.taxonomy.LeafRange(a.taxonomy.Leaf(v))
	return first
}

// measure sets position: numbers by distance, others by rank.
func (a *Attribute) measure() {
	a.position = make([]float64, a.Places)
	first := 0
	if a.null {
		first = 1
	}
	if a.Scale == anonymize.Numeric && a.Places > first {
		low, _ := a.value(first).Number()
		high, _ := a.value(a.Places - 1).Number()
		for place := first; place < a.Places && high > low; place++ {
			x, _ := a.value(place).Number()
			a.position[place] = (x - low) / (high - low)
		}
		return
	}
	for place := range a.position {
		a.position[place] = float64(place) / float64(max(1, a.Places-1))
	}
}

func (a *Attribute) value(place int) anonymize.Value { return a.Column.Dictionary[a.code[place]] }

// Width returns the length of the line between two places, from 0 to 1: the normalized span by
// which Mondrian chooses where to cut.
func (a *Attribute) Width(low, high uint32) float64 { return a.position[high] - a.position[low] }

// Position returns a place on the line of length 1.
func (a *Attribute) Position(place uint32) float64 { return a.position[place] }

// String names the attribute and its scale.
func (a *Attribute) String() string { return fmt.Sprintf("%s (%s)", a.Column.Name, a.Scale) }

// HasTaxonomy reports whether cells are nodes of a taxonomy.
func (a *Attribute) HasTaxonomy() bool { return a.taxonomy != nil }

// MayCut reports whether a class that spans low to high may be cut between two neighbouring
// places that it has: anywhere, or with a taxonomy only between children of the node that
// covers the class. After a cut inside a child, one half would need the same node.
func (a *Attribute) MayCut(low, high, before, after uint32) bool {
	if a.taxonomy == nil || a.null && low == 0 {
		return true
	}
	cover := a.cover(low, high)
	return a.childOf(cover, before) != a.childOf(cover, after)
}

// childOf returns the child of the node above a place.
func (a *Attribute) childOf(node int, place uint32) int {
	at := a.taxonomy.Leaf(a.value(int(place)))
	for a.taxonomy.Parent(at) != node {
		at = a.taxonomy.Parent(at)
	}
	return at
}

// HasNull reports whether the column has NULLs, whose place is 0.
func (a *Attribute) HasNull() bool { return a.null }
