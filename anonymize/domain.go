package anonymize

import (
	"fmt"
	"slices"
)

// A Scale says how the values of an attribute compare.
type Scale string

const (
	// Numeric values have distances: intervals generalize them.
	Numeric Scale = "numeric"
	// Ordinal values have an order: ranges of it generalize them.
	Ordinal Scale = "ordinal"
	// Semantic values have a taxonomy: its nodes generalize them.
	Semantic Scale = "semantic"
	// Nominal values are equal or not: sets generalize them.
	Nominal Scale = "nominal"
)

// Scales lists the scales in the order in which they are shown.
func Scales() []Scale { return []Scale{Numeric, Ordinal, Semantic, Nominal} }

// A Domain is what the owner knows about an attribute's values beyond the table: how they
// compare and what generalizes several of them.
type Domain struct {
	Scale Scale
	// Taxonomy is required for Semantic. The other scales may have one; its nodes are then
	// their cells.
	Taxonomy *Taxonomy
	// Order has the values of an Ordinal attribute, ascending. Nil is the order
	// of the dictionary.
	Order []Value
}

// InferDomain returns the domain of a column about which nothing is known: Numeric for numbers
// and points in time, else Nominal.
func InferDomain(c *Column) *Domain {
	if c.IsNumeric() {
		return &Domain{Scale: Numeric}
	}
	return &Domain{Scale: Nominal}
}

// Check verifies that the domain fits the column: a Numeric column has numbers, and every value
// that occurs has a place in the taxonomy or order. Errors are *DataError.
func (d *Domain) Check(c *Column) error {
	if d.Taxonomy != nil {
		if err := d.Taxonomy.Check(c); err != nil {
			return err
		}
	}
	switch {
	case d.Scale == Numeric && !c.IsNumeric():
		return &DataError{fmt.Sprintf("column %s is not numeric", c.Name)}
	case d.Scale == Semantic && d.Taxonomy == nil:
		return &DataError{fmt.Sprintf("column %s is semantic and has no taxonomy", c.Name)}
	case !slices.Contains(Scales(), d.Scale):
		return &DataError{fmt.Sprintf("column %s: there is no scale '%s'", c.Name, d.Scale)}
	}
	if d.Scale != Ordinal || d.Order == nil {
		return nil
	}
	for code, n := range c.Histogram() {
		if v := c.Dictionary[code]; n > 0 && !v.IsNull() && !slices.Contains(d.Order, v) {
			return &DataError{fmt.Sprintf("the order of %s has no place for the value %s", c.Name, v)}
		}
	}
	return nil
}

// Domain returns the domain that the owner gave for c, else the inferred one.
func (in *Input) Domain(c *Column) *Domain {
	if d := in.Domains[c.Name]; d != nil {
		return d
	}
	return InferDomain(c)
}
