package generalization

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// published returns the dictionary of the generalized column, ascending.
func (a *Attribute) published() []anonymize.Value {
	occurring := make([]anonymize.Value, 0, a.Places)
	for place := range a.Places {
		occurring = append(occurring, a.value(place))
	}
	all := a.listing()
	if tree := a.tree(); tree != nil {
		all = slices.Clone(tree.Leaves())
	} else if all == nil {
		slices.SortFunc(occurring, anonymize.Compare)
		return occurring
	}
	if a.null {
		all = append(all, anonymize.NullValue)
	}
	slices.SortFunc(all, anonymize.Compare)
	return all
}

// Listed reports whether the published dictionary does not depend on which values occur between
// the least and the greatest. Otherwise (floating-point numbers, numbers with too large a span
// for a list, ordinal and nominal values, each without a taxonomy or with one whose leaves are
// the occurring values) estimates reveal which single values occur somewhere in the table.
func (a *Attribute) Listed() bool {
	tree := a.tree()
	switch {
	case tree == nil:
		return a.listing() != nil
	case a.Spans() || !a.Column.IsNumeric() || a.listing() != nil:
		return true
	}
	occurs := a.Places
	if a.null {
		occurs--
	}
	return len(tree.Leaves()) > occurs
}

// tree returns the attribute's taxonomy, whether or not cells are its nodes; nil for none.
func (a *Attribute) tree() *anonymize.Taxonomy {
	if a.taxonomy != nil {
		return a.taxonomy
	}
	return a.names
}

// Spans reports whether a place is an interval and stands for many values of the dictionary.
func (a *Attribute) Spans() bool { return a.tree() != nil && a.tree().Spans() }

// listing returns all numbers, or days, from the least to the greatest value; nil if there is
// no such list.
func (a *Attribute) listing() []anonymize.Value {
	if a.Scale != anonymize.Numeric && a.taxonomy == nil {
		return nil
	}
	var values []anonymize.Value
	for place := range a.Places {
		if v := a.value(place); !v.IsNull() {
			values = append(values, v)
		}
	}
	slices.SortFunc(values, anonymize.Compare)
	return anonymize.Listing(values)
}
