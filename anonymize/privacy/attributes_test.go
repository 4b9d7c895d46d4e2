package privacy

import (
	"math"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// twoAttributes has two groups: (flu, x) twice, (flu, y), (cold, z); then (flu, x),
// (cold, x).
func twoAttributes() *anonymize.Release {
	texts := func(all ...string) (values []anonymize.Value) {
		for _, text := range all {
			values = append(values, anonymize.TextValue(text))
		}
		return values
	}
	return &anonymize.Release{Rows: 6, GroupSizes: []uint32{4, 2}, Fragments: []*anonymize.Fragment{
		{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0, 2, 3}, Count: []uint32{1, 3, 2},
			Columns: []*anonymize.FragmentColumn{{Name: "q", Dictionary: texts("a", "b"), Codes: []uint32{0, 1, 0}}}},
		{Name: "sa", Role: anonymize.Sensitive, GroupStart: []uint32{0, 3, 5}, Count: []uint32{1, 2, 1, 1, 1},
			Columns: []*anonymize.FragmentColumn{
				{Name: "disease", Dictionary: texts("cold", "flu"), Codes: []uint32{0, 1, 1, 0, 1}},
				{Name: "ward", Dictionary: texts("x", "y", "z"), Codes: []uint32{2, 0, 1, 0, 0}}}}}}
}

// What is said of an attribute, of the tuple and of the worst, counted by hand.
func TestSeveralAttributes(t *testing.T) {
	r := twoAttributes()
	r.Promises = []anonymize.Promise{{Guarantee: "l(disease,ward)", Bound: anonymize.MustRatio("2")},
		{Guarantee: "gamma(disease)", Bound: anonymize.MustRatio("9/16")}, {Guarantee: "entropy(ward)", Bound: anonymize.MustRatio("2")}}
	guarantees, err := Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]anonymize.Guarantee{}
	for _, g := range guarantees {
		found[g.Name] = g
	}
	for name, want := range map[string]float64{
		"l": 1, "l(disease)": 1, "l(ward)": 1, "l(disease,ward)": 2,
		"beta": 1, "beta(disease)": 3. / 4, "beta(ward)": 1, "beta(disease,ward)": 1. / 2,
		"distinct(ward)": 1, "distinct(disease)": 2, "distinct(disease,ward)": 2,
		"delta(ward)": 1. / 3, "delta(disease)": 1. / 6, "delta(disease,ward)": 1. / 3,
		"gamma(disease)": 9. / 16, "gamma": 1. / 2, "entropy(ward)": 1,
	} {
		if g, ok := found[name]; !ok || math.Abs(g.Achieved-want) > 1e-12 {
			t.Errorf("%s is %v, want %v (%s)", name, g.Achieved, want, g.Detail)
		}
	}
	if g := found["l(disease,ward)"]; g.Required == nil || !g.Holds || g.Detail != "in sa, (disease, ward) = 'cold, x' is 1 of 2 records" && !strings.Contains(g.Detail, "'flu, x' is 2 of 4 records") {
		t.Errorf("the tuple: %+v", g)
	}
	if err := FirstBroken(guarantees); err == nil || !strings.HasPrefix(err.Error(), "entropy(ward) is 1 in group 2, promised was at least 2") {
		t.Errorf("broken: %v", err)
	}
}

func TestSeveralAttributesRefused(t *testing.T) {
	for name, want := range map[string]string{
		"l(age)":          "l(age) was promised and cannot be checked: no fragment has the sensitive attributes age together",
		"k(disease)":      "k(disease) was promised and cannot be checked: k is not about sensitive attributes",
		"l(disease":       "l(disease was promised and cannot be checked: no checker knows it",
		"t_ordered(ward)": "t_ordered(ward) was promised and cannot be checked: no sensitive attribute is numeric",
	} {
		r := twoAttributes()
		r.Promises = []anonymize.Promise{{Guarantee: name, Bound: anonymize.MustRatio("1")}}
		if _, err := Verify(r); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
