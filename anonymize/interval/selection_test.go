package interval

import (
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Eight ages of 1 to 4 records, and a sex: how questions take them.
func TestSelection(t *testing.T) {
	ages := &anonymize.FragmentColumn{Name: "age"}
	people := &anonymize.Fragment{Name: "people", Columns: []*anonymize.FragmentColumn{ages, {Name: "sex", Dictionary: []anonymize.Value{anonymize.TextValue("f")}}}}
	r := &anonymize.Release{Fragments: []*anonymize.Fragment{people}}
	for code := range 8 {
		ages.Dictionary, ages.Codes = append(ages.Dictionary, anonymize.IntegerValue(int64(code))), append(ages.Codes, uint32(code))
		people.Columns[1].Codes = append(people.Columns[1].Codes, 0)
		people.Count = append(people.Count, uint32(1+code%4))
		r.Rows += 1 + code%4
	}
	// An engine that keeps the relations tells values and their records, and nothing else.
	kept := &anonymize.Release{Rows: r.Rows, Fragments: []*anonymize.Fragment{{Name: "people", Columns: []*anonymize.FragmentColumn{{Name: "age"}, {Name: "sex"}}}}}
	margin := func(_, column int) ([]anonymize.Value, []uint64) {
		records := make([]uint64, len(people.Columns[column].Dictionary))
		for t, code := range people.Columns[column].Codes {
			records[code] += uint64(people.Count[t])
		}
		return people.Columns[column].Dictionary, records
	}
	within := func(low, high int64) estimate.Leaf {
		return estimate.ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Int >= low && v.Int <= high })
	}
	// Leaves 0 to 4: ages from 2 on, up to 5, 6 or 7; the age; a condition on both columns.
	leaves := []estimate.Leaf{within(2, 9), within(0, 5), within(6, 7), estimate.ValueOf(0, 0),
		{Fragment: 0, Columns: []int{0, 1}, Eval: func([]anonymize.Value) (anonymize.Value, error) { return estimate.True, nil }}}
	either := func(values []anonymize.Value) (anonymize.Value, error) {
		if isTrue(values[0]) || isTrue(values[1]) {
			return estimate.True, nil
		}
		return estimate.False, nil
	}
	one := func(leaf int) estimate.Expression { return estimate.Expression{Leaves: []int{leaf}} }
	for _, c := range []struct {
		name  string
		where []estimate.Expression
		keys  []estimate.Expression
		own   []string
		want  Selection
	}{
		{"a range", []estimate.Expression{one(0)}, nil, nil, Selection{Share: 17.0 / 20, Runs: 1}},
		{"a range of two ends", []estimate.Expression{one(0), one(1)}, nil, nil, Selection{Share: 10.0 / 20, Runs: 1}},
		{"an OR of two", []estimate.Expression{{Leaves: []int{1, 2}, Combine: either}}, nil, nil, Selection{Share: 1, Runs: 1}},
		{"nothing asked", nil, nil, nil, Selection{Share: 1, Runs: 1}},
		{"a key", []estimate.Expression{one(0)}, []estimate.Expression{one(3)}, nil, Selection{}},
		{"a condition with another column", []estimate.Expression{one(4)}, nil, nil, Selection{}},
		{"the numbers of a sum", []estimate.Expression{one(0)}, nil, []string{"age"}, Selection{Weighted: true}},
	} {
		for _, of := range []*anonymize.Release{r, kept} {
			asked := reader{of, &estimate.Question{Leaves: leaves, Where: c.where, Keys: c.keys}, margin}
			if got := roundedShare(asked.selection(c.own, "age")); got != c.want {
				t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
			}
		}
	}
}

func roundedShare(s Selection) Selection {
	s.Share = math.Round(s.Share*1e9) / 1e9
	return s
}
