package misfit

import (
	"math"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/interval"
)

// Deviation 158: r of an average is the least that leaves one mean in twenty-five out, and that
// explains the mean square of what they are off by.
func TestDeviation158_Averages(t *testing.T) {
	for _, c := range []struct {
		name            string
		cells           []meanCell
		missed, moments float64
	}{
		{"what tables differ by", slices.Repeat([]meanCell{{off: .3, variance: .09}}, 20), 0, 0},
		{"a single mean decides nothing", []meanCell{{off: 1}, {}, {}, {}}, 0, 1},
		{"all off by a tenth", slices.Repeat([]meanCell{{off: .1}}, 20), .1, .2},
	} {
		if missed, moments := missedRatio(c.cells, 0, 1), momentRatio(c.cells, 0, 1); missed != c.missed || moments != c.moments {
			t.Errorf("%s: %v by those missed, %v by squares, want %v and %v", c.name, missed, moments, c.missed, c.moments)
		}
	}
	m := &Misfit{Pairs: []Pair{{A: "age", B: "sex", Ratio: .1}, {A: "age", B: "zip", Ratio: .3, Luck: 2}, {A: "sex", B: "zip", Ratio: 1}},
		Averages: []Average{{"age", "sex", .4, .3, .1}, {"age", "zip", 0, .8, .2}}, Unseen: []Unseen{{"age", 4, .25}, {"zip", 16, .5}}}
	// The pair of sex and zip moves no mean of age.
	ratio, drawn := m.Average([]string{"age"}, []string{"sex", "zip", "age"})
	if math.Abs(ratio-.5) > 1e-12 || math.Abs(drawn-.7) > 1e-12 { // (.3 .01 + .8 .04) / .05
		t.Errorf("AVG(age) by sex and zip has r = %v, drawn by %v", ratio, drawn)
	}
	if _, drawn := m.Average([]string{"zip"}, []string{"zip", "age"}); drawn != .5 {
		t.Errorf("AVG(zip) is drawn by %v, want what categories hide", drawn)
	}
	for _, c := range []struct {
		name    string
		columns []string
		age     interval.Selection
		zip     interval.Selection
		want    float64
	}{
		{"keys", []string{"age", "zip"}, interval.Selection{}, interval.Selection{}, 2},
		{"another pair", []string{"age", "sex"}, interval.Selection{}, interval.Selection{}, 0},
		{"a sum of ages by zip", []string{"age", "zip"}, interval.Selection{Weighted: true}, interval.Selection{}, 2},
		// Half of the records are eight of 16 categories: at either end a half of one, which has 1/4 of its luck.
		{"half of the zips", []string{"age", "zip"}, interval.Selection{Share: 1, Runs: 1}, interval.Selection{Share: .5, Runs: 1}, 2 * 2.0 / 16},
		{"one rare zip", []string{"age", "zip"}, interval.Selection{Share: 1, Runs: 1}, interval.Selection{Share: .001, Runs: 1}, 2},
		{"a sum of ages, half of the zips", []string{"age", "zip"}, interval.Selection{Weighted: true}, interval.Selection{Share: .5, Runs: 1}, 2 * .2},
	} {
		taken := func(name string) interval.Selection {
			return map[string]interval.Selection{"age": c.age, "zip": c.zip}[name]
		}
		if got := m.Luck(c.columns, taken); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: the luck is %v, want %v", c.name, got, c.want)
		}
	}
}

// Means and cells are those of plain sums, record by record.
func TestCompareAverages(t *testing.T) {
	s, _, _, r, c := published(t, 1500, "anatomy", "l", "4")
	all, err := (&subject{r, c, s.table, 12, nil}).compareAverages(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	cells := all[average{"age", "disease"}]
	if len(cells) == 0 || len(all[average{"disease", "age"}]) > 0 {
		t.Fatalf("%d means of ages, %d of diseases", len(cells), len(all[average{"disease", "age"}]))
	}
	ages, diseases := s.table.Column("age"), s.table.Column("disease")
	m := &measurer{release: r, completion: c}
	number := func(t *anonymize.Microdata, record int) float64 {
		x, _ := t.Column("age").Dictionary[t.Column("age").Codes[record]].Number()
		return x
	}
	n := 0
	for code := range diseases.Dictionary {
		var known, tables moments
		var values []float64
		for record, x := range diseases.Codes {
			if int(x) == code {
				known.add(number(s.table, record), 1)
			}
		}
		for d := range c.Tables {
			completed := m.plain(d)
			for record, x := range completed.Column("disease").Codes {
				if int(x) == code {
					tables.add(number(completed, record), 1)
					values = append(values, number(completed, record))
				}
			}
		}
		if known.records < 12 {
			continue
		}
		distance := 0.0
		for _, x := range values {
			distance += math.Abs(x - tables.mean)
		}
		want := (known.mean - tables.mean) / (distance / tables.records / math.Sqrt2)
		if math.Abs(cells[n].off-want) > 1e-9 {
			t.Errorf("disease %d is off by %v, want %v", code, cells[n].off, want)
		}
		n++
	}
	if n != len(cells) || len(ages.Dictionary) < 10 {
		t.Errorf("%d means, want %d", len(cells), n)
	}
}

// plain is completed table d, in the order of publication.
func (m *measurer) plain(d int) *anonymize.Microdata {
	var at [][]uint32
	for j := range m.release.Fragments {
		at = append(at, records(m.release, m.completion, d, j))
	}
	return m.table(at)
}

// Deviation 159: what is compared are the model's categories and ranges of numbers; single values have a
// luck besides, and numbers a share that their categories hide.
func TestDeviation159_Categories(t *testing.T) {
	// Cells of 100 and 400 that are off by three roots: r = .1 does not cover the smaller, b = 1.5 does.
	lucky := comparison{cells: slices.Repeat([]cell{{known: 130, mean: 100}, {known: 460, mean: 400}}, 20)}
	if got := lucky.luck(.1, 1); got != 1.5 {
		t.Errorf("the luck is %v", got)
	}
	if got := lucky.luck(.3, 1); got != 0 {
		t.Errorf("the luck is %v where r covers", got)
	}
	c := coded{codes: []uint32{0, 0, 1, 1, 2, 2}, histogram: []int{2, 2, 2}, category: []uint16{0, 0, 1}}
	number, values := frequent(c, 3)
	if values != 1 || !slices.Equal(number, []int32{1, 1, 0}) {
		t.Errorf("categories of 3 records are %v, %d of them", number, values)
	}
	// 0, 1, 10 and 11, in two categories: 1 of 101 is inside.
	column := &anonymize.FragmentColumn{Name: "x", Codes: []uint32{0, 1, 2, 3}}
	for _, x := range []int64{0, 1, 10, 11} {
		column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(x))
	}
	r := &anonymize.Release{Rows: 4, Fragments: []*anonymize.Fragment{{Columns: []*anonymize.FragmentColumn{column}, Count: []uint32{1, 1, 1, 1}}}}
	m := &measurer{release: r, categories: map[string][]uint16{"x": {0, 0, 1, 1}}}
	if got := m.categorizedAttributes(); len(got) != 1 || got[0] != (Unseen{"x", 2, .01}) {
		t.Errorf("categories hide %v", got)
	}
	s := (&subject{known: &anonymize.Microdata{Rows: 4, Columns: []*anonymize.Column{{Name: "x", Dictionary: column.Dictionary, Codes: column.Codes}}}}).cut("x", .5)
	if !slices.Equal(s.categories["x"], []uint16{0, 0, 1, 1}) {
		t.Errorf("the ranges are %v", s.categories["x"])
	}
}

// Of guests the model tells all values apart; of bundled people the incomes share categories.
func TestCategories(t *testing.T) {
	_, _, _, r, _ := published(t, 1500, "anatomy", "l", "4")
	shared, err := impute.Categories(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for name, category := range shared {
		fragment, column, _ := r.Locate(name)
		if most := int(slices.Max(category)) + 1; most >= len(r.Fragments[fragment].Columns[column].Dictionary) {
			t.Errorf("%s has %d categories", name, most)
		}
	}
	if len(shared) == 0 || shared["sex"] != nil {
		t.Errorf("values share the categories of %d attributes", len(shared))
	}
}
