package bucketization_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A united release has the groups of its parts, with their cells, in the requested order. Values without a group disappear, equal
// cells become one, and equal labels with different members stay two cells.
func TestUnite(t *testing.T) {
	part := func(ages []int64, cells []anonymize.Cell, codes []uint32, diseases []string, sensitive []uint32) *anonymize.Release {
		r := &anonymize.Release{Method: "mondrian", Rows: len(sensitive)}
		qi := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, Columns: []*anonymize.FragmentColumn{{Name: "age", Cells: cells, Codes: codes}}, GroupStart: []uint32{0}}
		sa := &anonymize.Fragment{Name: "sa", Role: anonymize.Sensitive, Columns: []*anonymize.FragmentColumn{{Name: "disease", Codes: sensitive}}, GroupStart: []uint32{0}}
		for _, age := range ages {
			qi.Columns[0].Dictionary = append(qi.Columns[0].Dictionary, anonymize.IntegerValue(age))
		}
		for _, d := range diseases {
			sa.Columns[0].Dictionary = append(sa.Columns[0].Dictionary, anonymize.TextValue(d))
		}
		for g := range codes { // groups of two different diseases
			r.GroupSizes = append(r.GroupSizes, 2)
			qi.Count, qi.GroupStart = append(qi.Count, 2), append(qi.GroupStart, uint32(g+1))
			sa.Count, sa.GroupStart = append(sa.Count, 1, 1), append(sa.GroupStart, uint32(2*g+2))
		}
		r.Fragments = []*anonymize.Fragment{qi, sa}
		return r
	}
	old := part([]int64{20, 25, 30}, []anonymize.Cell{{Label: "[20-30]", Members: []uint32{0, 1, 2}}, {Label: "[25-30]", Members: []uint32{1, 2}}}, []uint32{0, 1},
		[]string{"acne", "flu", "stroke"}, []uint32{0, 1, 1, 2})
	fresh := part([]int64{20, 28, 30}, []anonymize.Cell{{Label: "[20-30]", Members: []uint32{0, 1, 2}}}, []uint32{0}, []string{"COPD", "acne"}, []uint32{0, 1})
	r, err := bucketization.Unite([]*anonymize.Release{old, fresh}, []bucketization.Origin{{Part: 1}, {Part: 0, Group: 0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	describe := func(f *anonymize.Fragment, g int) (text string) {
		c := f.Columns[0]
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			if c.IsPoint() {
				text += fmt.Sprint(f.Count[t], " ", c.Dictionary[c.Codes[t]], "; ")
				continue
			}
			text += fmt.Sprint(f.Count[t], " ", c.Cells[c.Codes[t]].Label)
			for _, m := range c.Cells[c.Codes[t]].Members {
				text += " " + c.Dictionary[m].String()
			}
		}
		return text
	}
	for g, want := range []string{"2 [20-30] 20 28 30, 1 COPD; 1 acne; ", "2 [20-30] 20 25 30, 1 acne; 1 flu; "} {
		if got := describe(r.Fragments[0], g) + ", " + describe(r.Fragments[1], g); got != want {
			t.Errorf("group %d is %s, want %s", g, got, want)
		}
	}
	if slices.ContainsFunc(r.Fragments[1].Columns[0].Dictionary, func(v anonymize.Value) bool { return v.String() == "stroke" }) {
		t.Error("stroke is of no group and in the dictionary")
	}
	if n := len(r.Fragments[0].Columns[0].Cells); n != 2 {
		t.Errorf("there are %d cells", n)
	}
	fresh.Fragments[1].Columns[0].Name = "illness"
	if _, err := bucketization.Unite([]*anonymize.Release{old, fresh}, nil); err == nil || !strings.Contains(err.Error(), "illness") {
		t.Errorf("the error is %v", err)
	}
}
