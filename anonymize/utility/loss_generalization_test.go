package utility_test

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// Two groups of three: {[16-18], {a,b}} twice over and {20, c}. C_DM = 16 + 4,
// age (16 to 20) spans 1/2 for 4 of 6 records, job 2/3 of three values (NCP), of which
// one more than one is 1/2 (LM).
func TestGeneralizationOf(t *testing.T) {
	var ages []anonymize.Value
	for age := int64(16); age <= 20; age++ {
		ages = append(ages, anonymize.IntegerValue(age))
	}
	jobs := []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b"), anonymize.TextValue("c")}
	qi := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0, 2, 4}, Count: []uint32{2, 1, 2, 1},
		Columns: []*anonymize.FragmentColumn{
			{Name: "age", Dictionary: ages, Codes: []uint32{0, 1, 0, 1},
				Cells: []anonymize.Cell{{Label: "[16-18]", Members: []uint32{0, 1, 2}}, {Label: "20", Members: []uint32{4}}}},
			{Name: "job", Dictionary: jobs, Codes: []uint32{0, 1, 0, 1},
				Cells: []anonymize.Cell{{Label: "{a,b}", Members: []uint32{0, 1}}, {Label: "c", Members: []uint32{2}}}},
		}}
	r := &anonymize.Release{Rows: 6, GroupSizes: []uint32{3, 3}, Fragments: []*anonymize.Fragment{qi}}
	got := utility.GeneralizationOf(r)
	if got == nil || got.Classes != 2 || got.Discernibility != 20 || got.MeanClass != 3 || len(got.Penalties) != 2 ||
		!close(got.Penalties[0].Penalty, 4./6/2) || !close(got.Penalties[1].Penalty, 4./6*2/3) || !close(got.Mean, (4./12+8./18)/2) ||
		!close(got.Penalties[0].Granularity, 4./12) || !close(got.Penalties[1].Granularity, 4./6/2) || !close(got.Granularity, 4./12) ||
		got.Suppressed != 0 || got.DiscernibilitySuppressed != 20 {
		t.Errorf("%+v", got)
	}
	if !utility.SpansGroups(r) {
		t.Error("both groups have records of one class")
	}
	apart := *qi
	apart.GroupStart, apart.Count = []uint32{0, 1, 2}, []uint32{3, 3}
	apart.Columns = []*anonymize.FragmentColumn{{Name: "age", Dictionary: ages, Codes: []uint32{0, 1}, Cells: qi.Columns[0].Cells}}
	if utility.SpansGroups(&anonymize.Release{Rows: 6, GroupSizes: []uint32{3, 3}, Fragments: []*anonymize.Fragment{&apart}}) {
		t.Error("each group has a class of its own")
	}
	qi.Columns[0].Cells, qi.Columns[1].Cells = nil, nil
	if got := utility.GeneralizationOf(r); got != nil {
		t.Errorf("points have lost %+v", got)
	}
}

// Ten records, k = 2: four with sex F and [1-2], two with M and 3, four suppressed. The
// squares are 16 + 4 + 16; with suppressed records at ten each 16 + 4 + 40. Three classes
// of 10/3 records are 5/3 of k. Sex is generalized for the four suppressed records (NCP
// and LM 1), x for all but two: 1/2 of the line for four, all of it for four.
func TestSuppressedRecords(t *testing.T) {
	sexes := []anonymize.Value{anonymize.TextValue("F"), anonymize.TextValue("M")}
	numbers := []anonymize.Value{anonymize.IntegerValue(1), anonymize.IntegerValue(2), anonymize.IntegerValue(3)}
	qi := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0, 1, 2, 3}, Count: []uint32{4, 2, 4},
		Columns: []*anonymize.FragmentColumn{
			{Name: "sex", Dictionary: sexes, Codes: []uint32{0, 1, 2},
				Cells: []anonymize.Cell{{Label: "F", Members: []uint32{0}}, {Label: "M", Members: []uint32{1}}, {Label: "*", Members: []uint32{0, 1}}}},
			{Name: "x", Dictionary: numbers, Codes: []uint32{0, 1, 2},
				Cells: []anonymize.Cell{{Label: "[1-2]", Members: []uint32{0, 1}}, {Label: "3", Members: []uint32{2}}, {Label: "*", Members: []uint32{0, 1, 2}}}},
		}}
	r := &anonymize.Release{Rows: 10, GroupSizes: []uint32{4, 2, 4}, Fragments: []*anonymize.Fragment{qi}}
	got := utility.GeneralizationOf(r)
	if got == nil || got.Classes != 3 || got.Suppressed != 4 || got.Discernibility != 36 || got.DiscernibilitySuppressed != 60 ||
		!close(got.MeanClass, 10./3) || !close(got.NormalizedClass(2), 5./3) || !close(got.Penalties[0].Penalty, 0.4) || !close(got.Penalties[0].Granularity, 0.4) ||
		!close(got.Penalties[1].Penalty, 0.6) || !close(got.Mean, 0.5) || !close(got.Granularity, 0.5) {
		t.Errorf("%+v", got)
	}
}

func close(x, y float64) bool { return x-y < 1e-12 && y-x < 1e-12 }
