package interval

import (
	"math"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// agesAndSex is a reader of eight ages of 1 to 4 records, and a sex, for a question that is to be given; with relations, or of an engine that keeps them and
// tells values and their records alone. Leaves 0 to 6: ages from 2 on, up to 5, 6 or 7; the age; a condition on both columns; one on the sex; the sex.
func agesAndSex(kept bool) reader {
	ages := &anonymize.FragmentColumn{Name: "age"}
	people := &anonymize.Fragment{Name: "people", Columns: []*anonymize.FragmentColumn{ages, {Name: "sex", Dictionary: []anonymize.Value{anonymize.TextValue("f")}}}}
	r := &anonymize.Release{Fragments: []*anonymize.Fragment{people}}
	for code := range 8 {
		ages.Dictionary, ages.Codes = append(ages.Dictionary, anonymize.IntegerValue(int64(code))), append(ages.Codes, uint32(code))
		people.Columns[1].Codes = append(people.Columns[1].Codes, 0)
		people.Count = append(people.Count, uint32(1+code%4))
		r.Rows += 1 + code%4
	}
	margin := func(_, column int) ([]anonymize.Value, []uint64) {
		records := make([]uint64, len(people.Columns[column].Dictionary))
		for t, code := range people.Columns[column].Codes {
			records[code] += uint64(people.Count[t])
		}
		return people.Columns[column].Dictionary, records
	}
	if kept {
		r = &anonymize.Release{Rows: r.Rows, Fragments: []*anonymize.Fragment{{Name: "people", Columns: []*anonymize.FragmentColumn{{Name: "age"}, {Name: "sex"}}}}}
	}
	within := func(low, high int64) estimate.Leaf {
		return estimate.ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Int >= low && v.Int <= high })
	}
	leaves := []estimate.Leaf{within(2, 9), within(0, 5), within(6, 7), estimate.ValueOf(0, 0),
		{Fragment: 0, Columns: []int{0, 1}, Eval: func([]anonymize.Value) (anonymize.Value, error) { return estimate.True, nil }},
		estimate.ValueLeaf(0, 1, func(v anonymize.Value) bool { return v.Text == "f" }), estimate.ValueOf(0, 1)}
	return reader{r, &estimate.Question{Leaves: leaves}, margin}
}

func truthOf(is bool) (anonymize.Value, error) {
	if is {
		return estimate.True, nil
	}
	return estimate.False, nil
}

func either(v []anonymize.Value) (anonymize.Value, error) {
	return truthOf(isTrue(v[0]) || isTrue(v[1]))
}

func one(leaf int) estimate.Expression { return estimate.Expression{Leaves: []int{leaf}} }

// How questions take ages, by conditions and keys.
func TestSelection(t *testing.T) {
	for _, c := range []struct {
		name  string
		where []estimate.Expression
		keys  []estimate.Expression
		want  Selection
	}{
		{"a range", []estimate.Expression{one(0)}, nil, Selection{Share: 17.0 / 20, Runs: 1}},
		{"a range of two ends", []estimate.Expression{one(0), one(1)}, nil, Selection{Share: 10.0 / 20, Runs: 1}},
		{"an OR of two", []estimate.Expression{{Leaves: []int{1, 2}, Combine: either}}, nil, Selection{Share: 1, Runs: 1}},
		{"nothing asked", nil, nil, Selection{Share: 1, Runs: 1}},
		{"a key", []estimate.Expression{one(0)}, []estimate.Expression{one(3)}, Selection{}},
		{"a condition with another column", []estimate.Expression{one(4)}, nil, Selection{}},
	} {
		for _, kept := range []bool{false, true} {
			asked := agesAndSex(kept)
			asked.question.Where, asked.question.Keys = c.where, c.keys
			if got := roundedShare(asked.selection(nil, "age")); got != c.want {
				t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
			}
		}
	}
}

// How arguments of aggregates take ages: what chooses records does as a condition in WHERE would.
func TestSelectionOfArguments(t *testing.T) {
	both := func(v []anonymize.Value) (anonymize.Value, error) { return truthOf(isTrue(v[0]) && isTrue(v[1])) }
	chosen := func(v []anonymize.Value) (anonymize.Value, error) { // IF(first, second, NULL)
		if isTrue(v[0]) {
			return v[1], nil
		}
		return anonymize.NullValue, nil
	}
	two := func(first, second int, combine func([]anonymize.Value) (anonymize.Value, error)) estimate.Expression {
		return estimate.Expression{Leaves: []int{first, second}, Combine: combine}
	}
	for _, c := range []struct {
		name     string
		where    []estimate.Expression
		kind     estimate.Kind
		truths   bool
		argument estimate.Expression
		want     Selection
	}{
		{"the numbers of a sum", []estimate.Expression{one(0)}, estimate.Sum, false, one(3), Selection{Weighted: true}},
		{"a sum of truths", nil, estimate.Sum, true, one(0), Selection{Share: 17.0 / 20, Runs: 1}},
		{"a condition beside another one", nil, estimate.Sum, true, two(5, 1, both), Selection{Share: 13.0 / 20, Runs: 1}},
		{"either of two", nil, estimate.Sum, true, two(5, 1, either), Selection{Share: 1, Runs: 1}},
		{"a mean of those of a condition", []estimate.Expression{one(0)}, estimate.Average, false, two(1, 6, chosen), Selection{Share: 10.0 / 20, Runs: 1}},
		{"a mean of the ages of a condition", nil, estimate.Average, false, two(5, 3, chosen), Selection{Weighted: true}},
		{"truths of both columns", nil, estimate.Sum, true, one(4), Selection{}},
		{"a count of what is known", nil, estimate.Count, false, one(3), Selection{Share: 1, Runs: 1}},
	} {
		asked := agesAndSex(false)
		asked.question.Where = c.where
		of := []estimate.Aggregate{{Kind: c.kind, Truths: c.truths, Argument: &c.argument}}
		if got := roundedShare(asked.selection(of, "age")); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A misfit of one pair, of age and sex.
type onePair struct{}

func pairOf(columns []string) bool {
	return slices.Contains(columns, "age") && slices.Contains(columns, "sex")
}

func (onePair) Ratio(columns []string) float64 { return map[bool]float64{true: .3}[pairOf(columns)] }

func (onePair) Luck(columns []string, _ func(string) Selection) float64 {
	return map[bool]float64{true: 2}[pairOf(columns)]
}

func (onePair) Average(of, columns []string) (ratio, drawn float64) {
	return map[bool]float64{true: .4}[pairOf(columns) && !pairOf(of)], 0
}

// AVG(IF(condition, age, NULL)), SUM(IF(condition, age, 0)) / SUM(condition) and AVG(age) WHERE condition have one offset; SUM(a AND b) / COUNT(*) has that of its count.
func TestOffsetOfConditions(t *testing.T) {
	r := agesAndSex(false)
	chosen := estimate.Expression{Leaves: []int{5, 3}, Combine: func(v []anonymize.Value) (anonymize.Value, error) {
		if isTrue(v[0]) {
			return v[1], nil
		}
		return anonymize.NullValue, nil
	}}
	age, sex := one(3), one(5)
	both := estimate.Expression{Leaves: []int{0, 5}, Combine: func(v []anonymize.Value) (anonymize.Value, error) { return truthOf(isTrue(v[0]) && isTrue(v[1])) }}
	want := r.offset(onePair{}, true, []estimate.Aggregate{{Kind: estimate.Average, Argument: &age}}, []string{"sex"})
	for name, of := range map[string][]estimate.Aggregate{
		"AVG of IF":         {{Kind: estimate.Average, Argument: &chosen}},
		"sums of those few": {{Kind: estimate.Sum, Argument: &chosen}, {Kind: estimate.Sum, Truths: true, Argument: &sex}},
	} {
		if got := r.offset(onePair{}, true, of, nil); got != want || got.ratio != .4 || got.luck != 2 {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	share := []estimate.Aggregate{{Kind: estimate.Sum, Truths: true, Argument: &both}, {Kind: estimate.Count}}
	if got := r.offset(onePair{}, true, share, nil); got.ratio != .3 || got.luck != 2 {
		t.Errorf("a share: %+v", got)
	}
}

func roundedShare(s Selection) Selection {
	s.Share = math.Round(s.Share*1e9) / 1e9
	return s
}
