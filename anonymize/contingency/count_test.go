package contingency_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
)

// A town has a number and a disease a record; released puts all into one group, and keeps the values.
func released(t *testing.T, towns, diseases []string) (*anonymize.Release, *anonymize.Column, *anonymize.Column) {
	t.Helper()
	column := func(name string, values []string) (*anonymize.Column, *anonymize.Fragment) {
		var all []anonymize.Value
		for _, v := range values {
			all = append(all, anonymize.TextValue(v))
		}
		c := anonymize.NewColumn(name, "text", all)
		f := &anonymize.Fragment{Name: name, GroupStart: []uint32{0, uint32(len(c.Dictionary))}, Count: make([]uint32, len(c.Dictionary))}
		published := &anonymize.FragmentColumn{Name: name, Type: "text", Dictionary: c.Dictionary}
		for code := range c.Dictionary {
			published.Codes = append(published.Codes, uint32(code))
		}
		for _, code := range c.Codes {
			f.Count[code]++
		}
		f.Columns = append(f.Columns, published)
		return c, f
	}
	town, one := column("town", towns)
	disease, other := column("disease", diseases)
	r := &anonymize.Release{Rows: len(towns), GroupSizes: []uint32{uint32(len(towns))}, Fragments: []*anonymize.Fragment{one, other}}
	return r, town, disease
}

// table writes a model's first table, row by row; . is a pooled cell.
func table(m *anonymize.Model) (text string) {
	for at, w := range m.Tables[0].Weight {
		if at > 0 && at%len(m.Categories) == 0 {
			text += "/ "
		}
		if w == anonymize.Pooled {
			text += ". "
		} else {
			text += fmt.Sprint(w, " ")
		}
	}
	return text
}

func repeat(parts ...any) (all []string) {
	for i := 0; i < len(parts); i += 2 {
		for range parts[i].(int) {
			all = append(all, parts[i+1].(string))
		}
	}
	return all
}

func TestCount(t *testing.T) {
	towns := repeat(23, "Bonn", 14, "Bonn", 12, "Oslo", 3, "Oslo", 1, "Rome")
	diseases := repeat(23, "flu", 14, "gout", 12, "flu", 3, "gout", 1, "flu")
	for _, c := range []struct {
		name    string
		options contingency.Options
		want    string
	}{
		{"as it is", contingency.Options{}, "23 14 / 12 3 / 1 0 "},
		{"in multiples of 5", contingency.Options{Base: 5}, "25 15 / 10 5 / 0 0 "},
		{"a small cell is pooled with the next one", contingency.Options{Least: 10, Base: 5}, "25 15 / . . / . . "},
		{"with noise, nothing is pooled", contingency.Options{Least: 10, Base: 5, Noise: func() (int64, error) { return -2, nil }}, "21 12 / 10 1 / -1 -2 "},
		{"few units of many records", contingency.Options{Least: 10, Units: make([]uint32, len(towns))}, ". . / . . / . . "},
	} {
		r, town, disease := released(t, towns, diseases)
		m, err := contingency.Count(r, []*anonymize.Column{town}, disease, c.options)
		if err != nil {
			t.Fatal(err)
		}
		if r.Model = m; r.Check() != nil || table(m) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.name, table(m), c.want, r.Check())
		}
		if m.Categories[0].Records != 36 || m.Tables[0].Categories[2].Records != 1 {
			t.Errorf("%s: records of categories %v, %v", c.name, m.Categories, m.Tables[0].Categories)
		}
	}
	r, town, disease := released(t, towns, diseases)
	broken := errors.New("no random bits")
	if _, err := contingency.Count(r, []*anonymize.Column{town}, disease, contingency.Options{Noise: func() (int64, error) { return 0, broken }}); !errors.Is(err, broken) {
		t.Errorf("noise that cannot be drawn: %v", err)
	}
}

// A model from counts of another store equals the one from records. Counts that do not add up to a column's are refused.
func TestCountElsewhere(t *testing.T) {
	r, town, disease := released(t, repeat(23, "Bonn", 14, "Bonn", 12, "Oslo", 3, "Oslo", 1, "Rome"), repeat(23, "flu", 14, "gout", 12, "flu", 3, "gout", 1, "flu"))
	margin := func(f *anonymize.Fragment) contingency.Margin {
		return contingency.Margin{Name: f.Name, Dictionary: f.Columns[0].Dictionary, Records: f.Weigh(f.Columns[0])}
	}
	lost := 0
	cells := func(row, column contingency.Binned) ([]int64, error) {
		weight := make([]int64, row.Number*column.Number)
		for record := lost; record < r.Rows; record++ {
			weight[int(row.Category[town.Codes[record]])*column.Number+int(column.Category[disease.Codes[record]])]++
		}
		return weight, nil
	}
	for _, o := range []contingency.Options{contingency.Usual, {Least: 3, Base: 2}, {Noise: func() (int64, error) { return -2, nil }, Scale: 4}} {
		want, err := contingency.Count(r, []*anonymize.Column{town}, disease, o)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := contingency.CountElsewhere([]contingency.Margin{margin(r.Fragments[0])}, margin(r.Fragments[1]), o, cells); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	lost = 1
	if _, err := contingency.CountElsewhere([]contingency.Margin{margin(r.Fragments[0])}, margin(r.Fragments[1]), contingency.Usual, cells); err == nil {
		t.Error("a record that nobody counted is not missed")
	}
}

// What a model without noise reveals about a town with one person does not depend on that person's value.
func TestUniqueValueTellsNothing(t *testing.T) {
	towns := repeat(40, "Bonn", 40, "Oslo", 1, "Rome")
	var told []string
	for _, disease := range []string{"flu", "gout"} {
		r, town, column := released(t, towns, repeat(20, "flu", 20, "gout", 20, "flu", 20, "gout", 1, disease))
		m, err := contingency.Count(r, []*anonymize.Column{town}, column, contingency.Usual)
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, table(m))
	}
	if told[0] != told[1] {
		t.Errorf("the tables differ: %s, %s", told[0], told[1])
	}
}

// The categories that a model publishes agree with the grain for every value that occurs.
func TestCategorize(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		column := &anonymize.FragmentColumn{Name: "q"}
		if random.IntN(3) == 0 {
			column.Dictionary = append(column.Dictionary, anonymize.NullValue)
		}
		numbers := random.IntN(2) == 0
		for n := range 1 + random.IntN(300) {
			v := anonymize.TextValue(fmt.Sprintf("%04d", n))
			if numbers {
				v = anonymize.IntegerValue(int64(n))
			}
			column.Dictionary = append(column.Dictionary, v)
		}
		f := &anonymize.Fragment{GroupStart: []uint32{0, uint32(len(column.Dictionary))}, Columns: []*anonymize.FragmentColumn{column}}
		for code := range column.Dictionary {
			column.Codes = append(column.Codes, uint32(code))
			f.Count = append(f.Count, uint32(1+random.IntN(50)))
		}
		r := &anonymize.Release{Fragments: []*anonymize.Fragment{f}}
		raw := &anonymize.Column{Name: "q", Dictionary: column.Dictionary}
		m, err := contingency.Count(r, []*anonymize.Column{raw}, raw, contingency.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, n := contingency.Finest.Categories(column.Dictionary, f.Weigh(column))
		if got := anonymize.Categorize(m.Categories, column.Dictionary); len(m.Categories) != n || !slices.Equal(got, want) {
			t.Fatalf("%d categories %v, want %d %v", len(m.Categories), got, n, want)
		}
	}
}

// A re-publication by the model's categories reveals what the model reveals: it rounds and pools in proportion to its fewer records.
func TestRecount(t *testing.T) {
	r, town, disease := released(t, repeat(30, "Bonn", 30, "Oslo"), repeat(30, "flu", 30, "gout"))
	m, err := contingency.Count(r, []*anonymize.Column{town}, disease, contingency.Usual)
	if err != nil {
		t.Fatal(err)
	}
	part, town, disease := released(t, repeat(9, "Bonn", 2, "Bonn", 8, "Oslo"), repeat(9, "flu", 2, "gout", 8, "gout"))
	again, err := contingency.Recount(m, part, &anonymize.Microdata{Rows: 19, Columns: []*anonymize.Column{town, disease}}, 0.3, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := table(again), ". . / . . "; got != want || again.Least != 3 || again.Base != 2 {
		t.Errorf("%s of at least %d, in multiples of %d", got, again.Least, again.Base)
	}
	if again.Categories[0].Records != 9 || again.Tables[0].Categories[1].Records != 8 {
		t.Errorf("records %v, %v", again.Categories, again.Tables[0].Categories)
	}
	m.Least, m.Base, m.Scale = 0, 0, 10
	noisy, err := contingency.Recount(m, part, &anonymize.Microdata{Rows: 19, Columns: []*anonymize.Column{town, disease}}, 0.3, rand.New(rand.NewPCG(1, 2)))
	if err != nil || noisy.Scale != 3 || table(noisy) == "9 2 / 0 8 " {
		t.Errorf("%v %s with noise of scale %v", err, table(noisy), noisy.Scale)
	}
}

// A model with noise states that other relations of the release do not have its privacy, unless all have the same noise.
func TestFacts(t *testing.T) {
	m := &anonymize.Model{Sensitive: "disease", Scale: 20, Epsilon: anonymize.NewRatio(1, 1), Tables: []anonymize.TwoWay{{Attribute: "town", Weight: []int64{1, 2}}}}
	for alone, want := range map[bool]string{false: "epsilon 1 for a record by itself, and not of the relations beside it", true: "label differential privacy of epsilon 1 for a record"} {
		m.Alone = alone
		if facts := contingency.Facts(m); len(facts) != 1 || !strings.HasSuffix(facts[0].Value, want) {
			t.Errorf("alone %v: %v, want %q at the end", alone, facts, want)
		}
	}
}

// A row's cells need not add up to its records, which another relation publishes: each cell is within half the base of its count. Cells that
// stand for several values belong to no table.
func TestDeviation161_CellsAsTheyAre(t *testing.T) {
	r, town, disease := released(t, repeat(76, "Bonn", 60, "Oslo"), repeat(12, "flu", 12, "gout", 52, "cold", 17, "flu", 22, "gout", 21, "cold"))
	m, err := contingency.Count(r, []*anonymize.Column{town}, disease, contingency.Usual)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := table(m), "50 10 10 / 20 15 20 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.Fragments[1].Columns[0].Cells = []anonymize.Cell{{Members: []uint32{0, 1}}, {Members: []uint32{1}}, {Members: []uint32{2}}}
	if _, err := contingency.Count(r, []*anonymize.Column{town}, disease, contingency.Usual); err == nil {
		t.Error("cells of several values are counted")
	}
}
