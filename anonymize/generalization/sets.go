package generalization

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// NewSetAttributes prepares the quasi-identifiers of in for local recoding: a cell is exactly
// the values of a class, as a set or a range, with or without a taxonomy. A taxonomy only
// defines the possible values and names the parts of a set that are all leaves of a node. So
// classes do not depend on it, and it never widens cells. Errors as in NewAttributes.
func NewSetAttributes(in *anonymize.Input) ([]*Attribute, error) {
	return attributesBy(in, NewSetAttribute)
}

// NewSetAttribute prepares one column. Numbers and points in time whose taxonomy groups
// neighbours form a line with ranges as cells; other semantic attributes have sets. O(rows +
// distinct log distinct + leaves log leaves).
func NewSetAttribute(c *anonymize.Column, d *anonymize.Domain) (*Attribute, error) {
	if err := d.Check(c); err != nil {
		return nil, err
	}
	plain := &anonymize.Domain{Scale: d.Scale, Order: d.Order}
	if d.Scale == anonymize.Semantic {
		plain.Scale = anonymize.Nominal
		if c.IsNumeric() && groupsNeighbours(d.Taxonomy) {
			plain.Scale = anonymize.Numeric
		}
	}
	a := newAttribute(d.Taxonomy.Coarse(c), plain)
	a.names = d.Taxonomy
	return a, nil
}

// groupsNeighbours reports whether the leaves of every node are consecutive in the order of
// values.
func groupsNeighbours(t *anonymize.Taxonomy) bool {
	leaves := t.Leaves()
	ascending := slices.Clone(leaves)
	slices.SortFunc(ascending, anonymize.Compare)
	rank := make(map[anonymize.Value]int, len(leaves))
	for i, v := range ascending {
		rank[v] = i
	}
	for node := range t.Nodes() {
		first, end := t.LeafRange(node)
		low, high := len(leaves), -1
		for _, v := range leaves[first:end] {
			low, high = min(low, rank[v]), max(high, rank[v])
		}
		if high-low >= end-first {
			return false
		}
	}
	return true
}

// part returns the share of the published domain between the least and the greatest value:
// below 1 if a taxonomy extends beyond them.
func (a *Attribute) part() float64 {
	if a.names == nil || a.Scale != anonymize.Numeric || a.Places < 2 {
		return 1
	}
	span := func(values []anonymize.Value) float64 {
		low, _ := slices.MinFunc(values, anonymize.Compare).Number()
		high, _ := slices.MaxFunc(values, anonymize.Compare).Number()
		return high - low
	}
	first := 0
	if a.null {
		first = 1
	}
	if whole := span(a.names.Leaves()); whole > 0 {
		return span([]anonymize.Value{a.value(first), a.value(a.Places - 1)}) / whole
	}
	return 1
}

// parts names the values of a set in the order of the taxonomy's walk: by a node if the set has
// all leaves below it, else by the value.
func (b *cellBuilder) parts(places []uint32) (names []string) {
	leaves := make([]int, 0, len(places))
	for _, place := range places {
		if v := b.value(int(place)); v.IsNull() {
			names = append(names, v.String())
		} else {
			first, _ := b.names.LeafRange(b.names.Leaf(v))
			leaves = append(leaves, first)
		}
	}
	slices.Sort(leaves)
	for i := 0; i < len(leaves); {
		node := b.names.Leaf(b.names.Leaves()[leaves[i]])
		end := i + 1
		for parent := b.names.Parent(node); parent >= 0; parent = b.names.Parent(parent) {
			first, last := b.names.LeafRange(parent)
			// The set has all leaves below it, from this one on.
			if first != leaves[i] || i+last-first > len(leaves) || leaves[i+last-first-1] != last-1 {
				break
			}
			if i+last-first > end {
				node, end = parent, i+last-first
			}
		}
		names = append(names, b.names.Label(node))
		i = end
	}
	return names
}
