package anonymize

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// A Model is what a release publishes beside its groups: two-way tables of each quasi-identifier with a sensitive attribute. They
// are the sufficient statistics of a multinomial logit of the sensitive attribute on the quasi-identifiers. The model is
// published as relation <release>_model. Package contingency counts it; package impute reads it.
type Model struct {
	// Sensitive is the attribute, Categories are its categories.
	Sensitive  string
	Categories []Category
	Tables     []TwoWay
	// Least is the number of units below which a cell is pooled with others of its row; 0 pools none.
	Least int `json:",omitempty"`
	// Base, if above 1: published weights are multiples of it.
	Base int `json:",omitempty"`
	// Epsilon is the privacy loss of all tables together if the sensitive value of one unit is
	// replaced; zero without noise.
	Epsilon Ratio
	// Scale is the scale of Laplace noise: a weight is the count plus k with probability proportional to exp(-|k| / Scale). 0: none.
	Scale float64 `json:",omitempty"`
	// Delta belongs to Epsilon with Gaussian noise: the loss is at most Epsilon except with this probability
	// (Dwork, Kenthapadi, McSherry, Mironov and Naor, "Our Data, Ourselves", 2006). Zero for Laplace noise.
	Delta Ratio
	// Variance is the parameter of Gaussian noise: k has probability proportional to exp(-k^2 / (2 Variance)). 0: none.
	Variance uint64 `json:",omitempty"`
	// Records is the greatest number of records of a unit whose records the noise hides together; Epsilon is then per unit. 0: each record is a unit.
	Records int `json:",omitempty"`
	// Alone says that the release has no groups to hide in, only blocks cut at random: it is synthetic (package modeled). Then
	// noise also covers the fragments' counts of the sensitive attribute, and Epsilon is the loss of everything published.
	Alone bool `json:",omitempty"`
}

// A Category is a set of an attribute's values that the tables do not distinguish: one value,
// or those from Low to High without a category of their own. NULL has its own category.
type Category struct {
	Low, High Value
	// Records is the number of records in the category, according to the fragments.
	Records int64
}

// A TwoWay is a contingency table: rows are categories of a quasi-identifier, columns are categories of
// the sensitive attribute. The categories depend on the release's fragments alone.
type TwoWay struct {
	Attribute  string
	Categories []Category
	// Weight has the cell of row u and column v at [u*columns+v]: a count, possibly rounded, or with noise (then it may be negative), or Pooled.
	Weight Weights
}

// Weights are counts; a pooled one is null in JSON.
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

// A storedValue is the JSON form of a Value. Text that is not UTF-8 is stored in Bytes.
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

// Pooled is the weight of an unpublished cell. The pooled cells of a row share what the published ones leave of the row's total.
const Pooled = -1 << 62

// IsNoisy reports whether noise was added. Then the tables have label differential privacy
// (Chaudhuri and Hsu, "Sample Complexity Bounds for Differentially Private Learning", 2011).
func (m *Model) IsNoisy() bool { return m != nil && (m.Scale > 0 || m.Variance > 0) }

// NoiseVariance returns the variance of the noise in a count. For discrete Laplace noise it is 2 q / (1 - q)^2 with q = exp(-1/Scale)
// (Inusah and Kozubowski 2006, Eq. 2.6). The code uses 2 Scale^2 - 1/6: the difference is tiny, and exp may differ between machines.
func (m *Model) NoiseVariance() float64 {
	if m.Variance > 0 {
		return float64(m.Variance)
	}
	return max(0, float64(2*m.Scale*m.Scale)-1.0/6)
}

// NoiseName returns the name of the noise distribution.
func (m *Model) NoiseName() string {
	if m.Variance > 0 {
		return "Gaussian"
	}
	return "Laplace"
}

// Rows returns the number of records in the model. If the groups are a sample, the release has fewer.
func (m *Model) Rows() (records int64) {
	for _, c := range m.Categories {
		records += c.Records
	}
	return records
}

// Loss returns the promise of the noise in words: epsilon, and delta if there is one.
func (m *Model) Loss() string {
	if m.Delta.Num > 0 {
		return fmt.Sprintf("epsilon %s and delta %s", m.Epsilon.Text(), m.Delta.Text())
	}
	return "epsilon " + m.Epsilon.Text()
}

// Protected returns, in words, whose values the noise hides.
func (m *Model) Protected() string {
	if m.Records > 0 {
		return fmt.Sprintf("a unit of at most %d records", m.Records)
	}
	return "a record"
}

// Hides reports whether everything that depends on the attribute's values has noise. Then no
// figure of the attribute is exact, and none has hard bounds.
func (m *Model) Hides(attribute string) bool {
	return m.IsNoisy() && m.Alone && m.Sensitive == attribute
}

// CategoriesOf returns the categories of an attribute; nil if the model lacks it.
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

// Uncategorized replaces the category of a value that has none: noise may leave no record of it (package modeled).
const Uncategorized = 1<<16 - 1

// Categorize returns the category of every value of a dictionary: the category of this value
// alone, else the first whose range contains it, else Uncategorized.
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

// check verifies that the model fits its release.
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
