package attack

import (
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Tuples that agree in the attribute are added up inside their group; the release
// itself stays as it was.
func TestWithOnly(t *testing.T) {
	text := func(values ...string) (list []anonymize.Value) {
		for _, v := range values {
			list = append(list, anonymize.TextValue(v))
		}
		return list
	}
	quasi := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0, 1, 2}, Count: []uint32{6, 4},
		Columns: []*anonymize.FragmentColumn{{Name: "sex", Dictionary: text("F", "M"), Codes: []uint32{0, 1}}}}
	sensitive := &anonymize.Fragment{Name: "sa", Role: anonymize.Sensitive, GroupStart: []uint32{0, 4, 6}, Count: []uint32{1, 2, 2, 1, 3, 1},
		Columns: []*anonymize.FragmentColumn{
			{Name: "disease", Dictionary: text("cold", "flu"), Codes: []uint32{0, 0, 1, 1, 0, 1}},
			{Name: "job", Dictionary: text("cook", "nurse"), Codes: []uint32{0, 1, 0, 1, 1, 1}}}}
	release := &anonymize.Release{Rows: 10, GroupSizes: []uint32{6, 4}, Fragments: []*anonymize.Fragment{quasi, sensitive}}
	for _, c := range []struct {
		attribute          string
		start, code, count []uint32
	}{
		{"disease", []uint32{0, 2, 4}, []uint32{0, 1, 0, 1}, []uint32{3, 3, 3, 1}},
		{"job", []uint32{0, 2, 3}, []uint32{0, 1, 1}, []uint32{3, 3, 4}},
	} {
		f := withOnly(release, c.attribute).Fragments[1]
		if len(f.Columns) != 1 || f.Columns[0].Name != c.attribute || !slices.Equal(f.GroupStart, c.start) || !slices.Equal(f.Columns[0].Codes, c.code) || !slices.Equal(f.Count, c.count) {
			t.Errorf("%s: starts %v, codes %v, counts %v, want %+v", c.attribute, f.GroupStart, f.Columns[0].Codes, f.Count, c)
		}
	}
	if release.Fragments[1] != sensitive || len(sensitive.Columns) != 2 || len(sensitive.Columns[1].Codes) != 6 {
		t.Error("the release was changed")
	}
	for _, attribute := range []string{"sex", "name"} {
		if withOnly(release, attribute) != release {
			t.Errorf("%s: another release", attribute)
		}
	}
	one := &anonymize.Release{Rows: 10, GroupSizes: []uint32{6, 4}, Fragments: []*anonymize.Fragment{quasi, withOnly(release, "job").Fragments[1]}}
	if withOnly(one, "job") != one {
		t.Error("another release of one attribute")
	}
}
