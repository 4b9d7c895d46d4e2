package anonymize

import "fmt"

// A Model is what a release tells beside its groups: two-way tables of quasi-identifiers and a sensitive attribute. They are the
// sufficient statistics of a multinomial logit of the sensitive attribute on the quasi-identifiers. It is published as relation
// <release>_model; package model counts it, and package impute reads it.
type Model struct {
	// Sensitive is the attribute.
	Sensitive string
	Tables    []TwoWay
	// Least is the number of units below which a cell is pooled with others of its row; 0: no cell is.
	Least int `json:",omitempty"`
	// Base: the weights that are told are multiples of it; 0 and 1: any number.
	Base int `json:",omitempty"`
	// Epsilon is the privacy loss of all tables together when a unit's sensitive value is replaced by another; zero where
	// nothing was added to the counts.
	Epsilon Ratio `json:",omitzero"`
	// Scale is that of the noise: a weight is the count plus k with probability proportional to exp(-|k| / Scale).
	Scale float64 `json:",omitempty"`
}

// A TwoWay is a table of counts of records by the categories of a quasi-identifier, its rows, and of the sensitive attribute, its
// columns. Package model says which values a category has: a function of the release's fragments alone.
type TwoWay struct {
	Attribute     string
	Rows, Columns int
	// Weight of row u and column v is at [u*Columns+v]: a count, rounded or with noise (then it may be negative), or Pooled.
	Weight []int64
}

// Pooled is the weight of a cell that is not told: together with the others of its row it has what is left of the row.
const Pooled = -1 << 62

// IsNoisy says that noise was added, so that the tables have label differential privacy (Chaudhuri and Hsu, "Sample Complexity
// Bounds for Differentially Private Learning", 2011).
func (m *Model) IsNoisy() bool { return m != nil && m.Scale > 0 }

// check verifies the shape of a model beside its release.
func (m *Model) check(r *Release) error {
	if _, _, ok := r.Locate(m.Sensitive); !ok {
		return fmt.Errorf("the model is of %s, which no fragment has", m.Sensitive)
	}
	for _, t := range m.Tables {
		if _, _, ok := r.Locate(t.Attribute); !ok || t.Attribute == m.Sensitive {
			return fmt.Errorf("the model has a table of %s, which is no quasi-identifier", t.Attribute)
		}
		if t.Rows < 1 || t.Columns < 1 || len(t.Weight) != t.Rows*t.Columns {
			return fmt.Errorf("the model's table of %s has %d weights in %d rows and %d columns", t.Attribute, len(t.Weight), t.Rows, t.Columns)
		}
	}
	return nil
}
