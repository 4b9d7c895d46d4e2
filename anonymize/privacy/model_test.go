package privacy_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// modelled is a release of six records with a model of one quasi-identifier.
func modelled(change func(m *anonymize.Model)) *anonymize.Release {
	fragment := func(name, column string, role anonymize.FragmentRole, count ...uint32) *anonymize.Fragment {
		f := &anonymize.Fragment{Name: name, Role: role, GroupStart: []uint32{0, uint32(len(count))}, Count: count}
		c := &anonymize.FragmentColumn{Name: column, Type: "int"}
		for code := range count {
			c.Codes, c.Dictionary = append(c.Codes, uint32(code)), append(c.Dictionary, anonymize.IntegerValue(int64(code)))
		}
		f.Columns = []*anonymize.FragmentColumn{c}
		return f
	}
	r := &anonymize.Release{Method: "modeled", Rows: 6, GroupSizes: []uint32{6}, Fragments: []*anonymize.Fragment{
		fragment("qi1", "q", anonymize.QuasiIdentifying, 2, 4), fragment("sa", "s", anonymize.Sensitive, 3, 3)}}
	categories := []anonymize.Category{{Low: anonymize.IntegerValue(0), High: anonymize.IntegerValue(0)}, {Low: anonymize.IntegerValue(1), High: anonymize.IntegerValue(1)}}
	r.Model = &anonymize.Model{Sensitive: "s", Categories: categories, Alone: true,
		Tables: []anonymize.TwoWay{{Attribute: "q", Categories: categories, Weight: []int64{anonymize.Pooled, anonymize.Pooled, 15, 25}}}}
	change(r.Model)
	return r
}

func guaranteeOf(t *testing.T, r *anonymize.Release, name string) *anonymize.Guarantee {
	t.Helper()
	all, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	if at := slices.IndexFunc(all, func(g anonymize.Guarantee) bool { return g.Name == name }); at >= 0 {
		return &all[at]
	}
	return nil
}

// The figure of label_epsilon follows from the scale: two tables, the attribute's counts being one, have a sensitivity of 4, and
// of 12 where a unit has three records.
func TestLabelEpsilon(t *testing.T) {
	for _, test := range []struct {
		scale, achieved float64
		holds           bool
		records         int
	}{{8, 0.5, true, 0}, {4, 1, false, 0}, {16, 0.25, true, 0}, {24, 0.5, true, 3}, {8, 1.5, false, 3}} {
		r := modelled(func(m *anonymize.Model) {
			m.Epsilon, m.Scale, m.Records = anonymize.MustRatio("0.5"), test.scale, test.records
		})
		r.Promises = []anonymize.Promise{{Guarantee: "label_epsilon", Bound: r.Model.Epsilon}}
		g := guaranteeOf(t, r, "label_epsilon")
		if g == nil || math.Abs(g.Achieved-test.achieved) > 1e-12 || g.Holds != test.holds || g.WorstGroup != -1 {
			t.Errorf("scale %v: %+v, must achieve %v", test.scale, g, test.achieved)
		}
		if guaranteeOf(t, r, "least_cell") != nil {
			t.Error("counts with noise have a least cell")
		}
	}
	for what, change := range map[string]func(m *anonymize.Model){
		"beside groups": func(m *anonymize.Model) { m.Epsilon, m.Scale, m.Alone = anonymize.MustRatio("0.5"), 8, false },
		"without noise": func(*anonymize.Model) {},
	} {
		r := modelled(change)
		if g := guaranteeOf(t, r, "label_epsilon"); g != nil {
			t.Errorf("%s: %+v", what, g)
		}
		r.Promises = []anonymize.Promise{{Guarantee: "label_epsilon", Bound: anonymize.MustRatio("0.5")}}
		if _, err := privacy.Verify(r); !errors.As(err, new(*privacy.CannotCheckError)) {
			t.Errorf("%s: label_epsilon is promised and told as kept: %v", what, err)
		}
	}
}

func TestLeastCell(t *testing.T) {
	if g := guaranteeOf(t, modelled(func(*anonymize.Model) {}), "least_cell"); g == nil || g.Achieved != 15 {
		t.Errorf("got %+v, must be 15", g)
	} else if alone := privacy.OfModel(modelled(func(*anonymize.Model) {}).Model); len(alone) != 1 || !reflect.DeepEqual(alone[0], *g) {
		t.Errorf("of the model by itself %+v, beside its release %+v", alone, *g)
	}
	if noisy := privacy.OfModel(modelled(func(m *anonymize.Model) { m.Scale = 8 }).Model); noisy != nil || privacy.OfModel(nil) != nil {
		t.Errorf("of noise %+v", noisy)
	}
}

// Counts with noise are not the table's; all else is compared.
func TestCompleteWithNoise(t *testing.T) {
	values := []anonymize.Value{anonymize.IntegerValue(0), anonymize.IntegerValue(1)}
	table := func(q ...uint32) []*anonymize.Column {
		return []*anonymize.Column{{Name: "q", Type: "int", Dictionary: values, Codes: q},
			{Name: "s", Type: "int", Dictionary: values, Codes: []uint32{0, 0, 0, 0, 0, 1}}}
	}
	noisy := func(m *anonymize.Model) { m.Epsilon, m.Scale = anonymize.MustRatio("0.5"), 8 }
	if err := privacy.Complete(modelled(noisy), table(0, 0, 1, 1, 1, 1)); err != nil {
		t.Error(err)
	}
	if err := privacy.Complete(modelled(noisy), table(0, 1, 1, 1, 1, 1)); err == nil {
		t.Error("other quasi-identifiers are taken for the table's")
	}
	if err := privacy.Complete(modelled(func(*anonymize.Model) {}), table(0, 0, 1, 1, 1, 1)); err == nil {
		t.Error("without noise other counts are taken for the table's")
	}
}
