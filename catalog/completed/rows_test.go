package completed

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// release has groups of 3, 2 and 4 records, in three fragments; tuples repeat.
func release() *anonymize.Release {
	fragment := func(name string, starts, counts, codes []uint32) *anonymize.Fragment {
		dictionary := []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b"), anonymize.TextValue("c")}
		return &anonymize.Fragment{Name: name, GroupStart: starts, Count: counts,
			Columns: []*anonymize.FragmentColumn{{Name: name, Type: "TEXT", Dictionary: dictionary, Codes: codes}}}
	}
	return &anonymize.Release{Rows: 9, GroupSizes: []uint32{3, 2, 4}, Fragments: []*anonymize.Fragment{
		fragment("x", []uint32{0, 2, 3, 5}, []uint32{2, 1, 2, 1, 3}, []uint32{0, 1, 2, 0, 1}),
		fragment("y", []uint32{0, 3, 5, 6}, []uint32{1, 1, 1, 1, 1, 4}, []uint32{0, 1, 2, 0, 1, 2}),
		fragment("z", []uint32{0, 1, 2, 4}, []uint32{3, 2, 2, 2}, []uint32{1, 0, 2, 0}),
	}}
}

func completion(r *anonymize.Release, wide bool) *anonymize.Completion {
	places := [][][]uint16{
		{{2, 0, 1, 1, 0, 3, 2, 1, 0}, {0, 1, 2, 0, 1, 3, 0, 2, 1}},
		{{0, 1, 2, 0, 1, 0, 1, 2, 3}, {2, 1, 0, 1, 0, 0, 1, 2, 3}},
	}
	if wide {
		return &anonymize.Completion{Tables: 2, Wide: places}
	}
	return anonymize.NewCompletion(r, places)
}

func TestRows(t *testing.T) {
	want := []string{
		"0 a c b", "0 a a b", "0 b b b", "0 c b a", "0 c a a", "0 a c a", "0 b c c", "0 b c a", "0 b c c",
		"1 a a b", "1 a b b", "1 b c b", "1 c a a", "1 c b a", "1 a c c", "1 b c c", "1 b c a", "1 b c a",
	}
	for _, wide := range []bool{false, true} {
		r := release()
		for first, part := range map[int][]string{0: want, 1: want[9:]} {
			rows, err := NewRows(r, completion(r, wide), []string{"z", "x", "y"}, first, 2)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for table, codes, n := rows.Next(); n > 0; table, codes, n = rows.Next() {
				for i := range n {
					value := func(c int) anonymize.Value { return rows.Column(c).Dictionary[codes[c][i]] }
					got = append(got, fmt.Sprint(table, " ", value(1), " ", value(2), " ", value(0)))
				}
			}
			if !slices.Equal(got, part) {
				t.Errorf("wide %v, from table %d:\n%q, want\n%q", wide, first, got, part)
			}
			if _, _, n := rows.Next(); n != 0 {
				t.Errorf("%d rows after the last", n)
			}
		}
	}
}

func TestRowsRefuses(t *testing.T) {
	r := release()
	c := completion(r, false)
	for _, asked := range []struct {
		column     string
		first, end int
	}{{"w", 0, 2}, {"x", 0, 3}, {"x", -1, 1}, {"x", 2, 1}} {
		if _, err := NewRows(r, c, []string{asked.column}, asked.first, asked.end); err == nil {
			t.Errorf("%+v is not refused", asked)
		}
	}
	r.Fragments[1].Columns[0].Cells = []anonymize.Cell{{Label: "a-b", Members: []uint32{0, 1}}}
	if _, err := NewRows(r, c, []string{"y"}, 0, 1); err == nil {
		t.Error("cells that stand for several values are not refused")
	}
}
