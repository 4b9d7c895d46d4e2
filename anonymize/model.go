package anonymize

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// A Model is what a release tells beside its groups: two-way tables of quasi-identifiers and a sensitive attribute. They are the
// sufficient statistics of a multinomial logit of the sensitive attribute on the quasi-identifiers. It is published as relation
// <release>_model; package contingency counts it, and package impute reads it.
type Model struct {
	// Sensitive is the attribute, Categories its values.
	Sensitive  string
	Categories []Category
	Tables     []TwoWay
	// Least is the number of units below which a cell is pooled with others of its row; 0: no cell is.
	Least int `json:",omitempty"`
	// Base: the weights that are told are multiples of it; 0 and 1: any number.
	Base int `json:",omitempty"`
	// Epsilon is the privacy loss of all tables together when a unit's sensitive value is replaced by another; zero where
	// nothing was added to the counts.
	Epsilon Ratio
	// Scale is that of the noise: a weight is the count plus k with probability proportional to exp(-|k| / Scale). 0: none.
	Scale float64 `json:",omitempty"`
	// Delta is that of Epsilon where the noise is Gaussian: but for so much, Epsilon is the loss (Dwork, Kenthapadi, McSherry, Mironov and Naor,
	// "Our Data, Ourselves", 2006). Zero for Laplace noise.
	Delta Ratio
	// Variance is that of Gaussian noise: k has a probability proportional to exp(-k^2 / (2 Variance)). 0: none.
	Variance uint64 `json:",omitempty"`
	// Records is how many records a unit has at most, where noise hides all of one together: Epsilon is of a unit then. 0: records are the units.
	Records int `json:",omitempty"`
	// Alone says that there are no groups to hide in, only blocks cut at random: the release is synthetic (package modeled). With
	// noise, the fragments' counts of the sensitive attribute have it, too, and Epsilon is the loss of all that is published.
	Alone bool `json:",omitempty"`
}

// A Category is what tables do not tell apart of an attribute: one value, or those from Low to High that have no category of
// their own. NULL has one of its own.
type Category struct {
	Low, High Value
	// Records is how many have it, as the fragments tell.
	Records int64
}

// A TwoWay is a table of counts of records by the categories of a quasi-identifier, its rows, and of the sensitive attribute, its
// columns. The categories are a function of the release's fragments alone.
type TwoWay struct {
	Attribute  string
	Categories []Category
	// Weight of row u and column v is at [u*columns+v]: a count, rounded or with noise (then it may be negative), or Pooled.
	Weight Weights
}

// Weights are counts; in JSON, a pooled one is null.
type Weights []int64

// MarshalJSON implements json.Marshaler.
func (w Weights) MarshalJSON() ([]byte, error) {
	all := make([]*int64, len(w))
	for i := range w {
		if w[i] != Pooled {
			all[i] = &w[i]
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON implements json.Unmarshaler.
func (w *Weights) UnmarshalJSON(text []byte) error {
	var all []*int64
	err := json.Unmarshal(text, &all)
	*w = make(Weights, len(all))
	for i, told := range all {
		if (*w)[i] = Pooled; told != nil {
			(*w)[i] = *told
		}
	}
	return err
}

// A storedValue is a value in JSON, where a text that is no UTF-8 is in bytes.
type storedValue struct {
	Kind  ValueKind
	Int   int64   `json:",omitempty"`
	Float float64 `json:",omitempty"`
	Text  string  `json:",omitempty"`
	Bytes []byte  `json:",omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) {
	s := storedValue{Kind: v.Kind, Int: v.Int, Float: v.Float, Text: v.Text}
	if !utf8.ValidString(v.Text) {
		s.Text, s.Bytes = "", []byte(v.Text)
	}
	return json.Marshal(s)
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(text []byte) error {
	var s storedValue
	err := json.Unmarshal(text, &s)
	*v = Value{Kind: s.Kind, Int: s.Int, Float: s.Float, Text: s.Text + string(s.Bytes)}
	return err
}

// Pooled is the weight of a cell that is not told: together with the others of its row it has what is left of the row.
const Pooled = -1 << 62

// IsNoisy says that noise was added, so that the tables have label differential privacy (Chaudhuri and Hsu, "Sample Complexity
// Bounds for Differentially Private Learning", 2011).
func (m *Model) IsNoisy() bool { return m != nil && (m.Scale > 0 || m.Variance > 0) }

// NoiseVariance is that of what was added to a count. Of discrete Laplace noise it is 2 q / (1 - q)^2 with q = exp(-1/Scale) (Inusah and
// Kozubowski 2006, Eq. 2.6), and within 1/6 of 2 Scale^2. That is taken: it needs no exponential, which may differ between machines.
func (m *Model) NoiseVariance() float64 {
	if m.Variance > 0 {
		return float64(m.Variance)
	}
	return max(0, float64(2*m.Scale*m.Scale)-1.0/6)
}

// NoiseName is the distribution's.
func (m *Model) NoiseName() string {
	if m.Variance > 0 {
		return "Gaussian"
	}
	return "Laplace"
}

// Rows is how many records the model is of: those of the release, and more than a sample of its groups has.
func (m *Model) Rows() (records int64) {
	for _, c := range m.Categories {
		records += c.Records
	}
	return records
}

// Loss says what noise promises, in words: epsilon, and delta where there is one.
func (m *Model) Loss() string {
	if m.Delta.Num > 0 {
		return fmt.Sprintf("epsilon %s and delta %s", m.Epsilon.Text(), m.Delta.Text())
	}
	return "epsilon " + m.Epsilon.Text()
}

// Protected says whose values noise hides, in words.
func (m *Model) Protected() string {
	if m.Records > 0 {
		return fmt.Sprintf("a unit of at most %d records", m.Records)
	}
	return "a record"
}

// Hides says that nothing of the release depends on the values of an attribute but through noise: no figure of it is exact, and none has
// hard bounds.
func (m *Model) Hides(attribute string) bool {
	return m.IsNoisy() && m.Alone && m.Sensitive == attribute
}

// CategoriesOf returns the categories of an attribute, nil for one that the model does not have.
func (m *Model) CategoriesOf(attribute string) []Category {
	if m == nil {
		return nil
	}
	if attribute == m.Sensitive {
		return m.Categories
	}
	for i := range m.Tables {
		if m.Tables[i].Attribute == attribute {
			return m.Tables[i].Categories
		}
	}
	return nil
}

// Uncategorized is in the place of a category where a value has none: noise may leave no record of it (package modeled).
const Uncategorized = 1<<16 - 1

// Categorize returns the category of every value of a dictionary: the one that is this value alone, else the first whose range has
// it, else Uncategorized.
func Categorize(categories []Category, dictionary []Value) []uint16 {
	alone, of := make(map[Value]uint16), make([]uint16, len(dictionary))
	for i, c := range categories {
		if c.Low == c.High {
			alone[c.Low] = uint16(i)
		}
	}
	for code, v := range dictionary {
		category, ok := alone[v]
		of[code] = Uncategorized
		for i := 0; !ok && i < len(categories); i++ {
			if c := categories[i]; Compare(c.Low, v) <= 0 && Compare(v, c.High) <= 0 && !v.IsNull() {
				category, ok = uint16(i), true
			}
		}
		if ok {
			of[code] = category
		}
	}
	return of
}

// check verifies the shape of a model beside its release.
func (m *Model) check(r *Release) error {
	if _, _, ok := r.Locate(m.Sensitive); !ok {
		return fmt.Errorf("the model is of %s, which no fragment has", m.Sensitive)
	}
	for _, t := range m.Tables {
		if _, _, ok := r.Locate(t.Attribute); !ok || t.Attribute == m.Sensitive {
			return fmt.Errorf("the model has a table of %s, which is no quasi-identifier", t.Attribute)
		}
		if len(t.Categories) == 0 || len(m.Categories) == 0 || len(t.Weight) != len(t.Categories)*len(m.Categories) {
			return fmt.Errorf("the model's table of %s has %d weights in %d rows and %d columns", t.Attribute, len(t.Weight), len(t.Categories), len(m.Categories))
		}
	}
	return nil
}
