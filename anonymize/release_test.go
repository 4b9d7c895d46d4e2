package anonymize

import "testing"

// wellFormed has two groups, {(a,x), (a,x), (b,x)} and {(a,y)}, as one fragment.
func wellFormed() *Release {
	letters := []Value{TextValue("a"), TextValue("b")}
	return &Release{Rows: 4, GroupSizes: []uint32{3, 1}, Fragments: []*Fragment{{
		Name: "qi1", Role: QuasiIdentifying, GroupStart: []uint32{0, 2, 3}, Count: []uint32{2, 1, 1},
		Columns: []*FragmentColumn{
			{Name: "q", Dictionary: letters, Codes: []uint32{0, 1, 0}},
			{Name: "r", Dictionary: letters, Codes: []uint32{0, 0, 1}},
		}}}}
}

func TestCheck(t *testing.T) {
	if err := wellFormed().Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Release, *Fragment){
		"the groups have 4 records, the release 5":                                  func(r *Release, _ *Fragment) { r.Rows = 5 },
		"fragment qi1: has 2 groups, the release 1":                                 func(r *Release, _ *Fragment) { r.GroupSizes = []uint32{4} },
		"fragment qi1: its groups do not span its 3 tuples":                         func(_ *Release, f *Fragment) { f.GroupStart[2] = 2 },
		"fragment qi1: column r has 2 codes for 3 tuples":                           func(_ *Release, f *Fragment) { f.Columns[1].Codes = f.Columns[1].Codes[:2] },
		"fragment qi1: column q has code 2, beyond its 2 cells":                     func(_ *Release, f *Fragment) { f.Columns[0].Codes[2] = 2 },
		"fragment qi1: column r has code 1, beyond its 1 cells":                     func(_ *Release, f *Fragment) { f.Columns[1].Cells = []Cell{{Members: []uint32{0, 1}}} },
		"fragment qi1: group 1 has a tuple with count 0":                            func(_ *Release, f *Fragment) { f.Count[1] = 0 },
		"fragment qi1: group 1 has tuples that are not in strictly ascending order": func(_ *Release, f *Fragment) { f.Columns[0].Codes[1] = 0 },
		"fragment qi1: group 1 has 4 records here, size 3 in the release":           func(_ *Release, f *Fragment) { f.Count[0] = 3 },
		"fragment qi1: group 2 ends before it starts": func(r *Release, f *Fragment) {
			r.GroupSizes, f.GroupStart = []uint32{3, 0, 1}, []uint32{0, 2, 1, 3}
		},
	} {
		r := wellFormed()
		change(r, r.Fragments[0])
		if err := r.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestLocate(t *testing.T) {
	r := wellFormed()
	if f, c, ok := r.Locate("r"); !ok || f != 0 || c != 1 {
		t.Error(f, c, ok)
	}
	if _, _, ok := r.Locate("R"); ok {
		t.Error("names are case-sensitive")
	}
	if r.Groups() != 2 {
		t.Error(r.Groups())
	}
}

func TestCellWeight(t *testing.T) {
	set := Cell{Members: []uint32{0, 1, 2, 3}}
	weighted := Cell{Members: []uint32{0, 1}, Weights: []float64{0.9, 0.1}}
	if set.Weight(2) != 0.25 || weighted.Weight(1) != 0.1 {
		t.Error(set.Weight(2), weighted.Weight(1))
	}
}
