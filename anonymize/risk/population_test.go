package risk

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// three classes: women of 30, women of 40, men of 30.
func threeClasses(t *testing.T) *anonymize.Release {
	return anontest.Release(t,
		anontest.Printed{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: `
GID  Age  Sex  Count
1    30   F    2
1    40   F    1
2    30   F    1
2    30   M    2`},
		anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  Disease  Count
1    flu      3
2    cold     3`})
}

// persons makes a population of "age sex" each.
func persons(t *testing.T, list ...string) *anonymize.Microdata {
	t.Helper()
	var ages, sexes []anonymize.Value
	for _, person := range list {
		var age int64
		var sex string
		fmt.Sscan(person, &age, &sex)
		ages, sexes = append(ages, anonymize.IntegerValue(age)), append(sexes, anonymize.TextValue(sex))
	}
	population, err := anonymize.NewMicrodata(anonymize.NewColumn("sex", "text", sexes), anonymize.NewColumn("age", "int", ages))
	if err != nil {
		t.Fatal(err)
	}
	return population
}

// By hand: 3 of 4 women of 30, 1 of 1 woman of 40, 2 of 5 men of 30; and a man of 50, whom
// no class covers.
func TestPopulationByHand(t *testing.T) {
	c, err := ClassesOf(threeClasses(t))
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Match(context.Background(), persons(t, "30 F", "30 F", "30 F", "30 F", "40 F", "30 M", "30 M", "30 M", "30 M", "30 M", "50 M"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(c.Records, m.Records) != "[3 1 2] [4 1 5]" || m.Population != 11 || m.Uncovered != 1 || m.Unique != 2 || m.Several >= 0 {
		t.Errorf("%v of %+v", c.Records, m)
	}
	if k, class := c.KMap(m); k != 1 || c.Describe(class) != "Age = 40 and Sex = F" {
		t.Errorf("k-map is %d in class %d", k, class)
	}
	if p := c.Presence(m); p.Least.Num != 0 || p.LeastClass != -1 || p.Greatest != anonymize.NewRatio(1, 1) || p.GreatestClass != 1 {
		t.Errorf("%+v", p)
	}
	prosecutor, journalist := c.Prosecutor(), c.Journalist(m)
	near(t, "prosecutor's highest", prosecutor.Highest, 1, 0)
	near(t, "prosecutor's mean", prosecutor.Mean, 3./6, 1e-12) // J/n
	near(t, "prosecutor's at risk", prosecutor.AtRisk, 1, 1e-12)
	near(t, "journalist's highest", journalist.Highest, 1, 0)
	near(t, "journalist's at risk", journalist.AtRisk, 4./6, 1e-12) // 1/5 is not above the threshold
	near(t, "journalist's mean", journalist.Mean, (3./4+1+2./5)/6, 1e-12)
	near(t, "marketer", c.Marketer(m), (3./4+1+2./5)/6, 1e-12)
	if got := c.Sizes(); !slices.Equal(got, []SizeCount{{1, 1}, {2, 1}, {3, 1}}) {
		t.Errorf("%v", got)
	}
}

// Of visits, each person counts once with each of her quasi-identifiers: the woman of 40 has three visits, one man of 30 two, and one of 50 was 30 before.
func TestPopulationOfVisits(t *testing.T) {
	c, err := ClassesOf(threeClasses(t))
	if err != nil {
		t.Fatal(err)
	}
	visits := persons(t, "30 F", "30 F", "30 F", "40 F", "40 F", "40 F", "30 M", "30 M", "30 M", "50 M")
	m, err := c.Match(t.Context(), visits, []uint32{0, 1, 2, 3, 3, 3, 4, 4, 5, 5})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(m.Records) != "[3 1 2]" || m.Population != 6 || m.Uncovered != 1 || m.Unique != 2 || m.Several >= 0 {
		t.Errorf("%+v", m)
	}
	if k, _ := c.KMap(m); k != 1 {
		t.Errorf("k-map is %d", k)
	}
	// A man of 30 who was 50 and is 51 is one person outside.
	m, err = c.Match(t.Context(), persons(t, "30 F", "30 F", "30 F", "40 F", "30 M", "30 M", "50 M", "51 M", "50 F"), []uint32{0, 1, 2, 3, 4, 5, 5, 5, 5})
	if err != nil || m.Population != 6 || m.Uncovered != 1 {
		t.Errorf("%+v, %v", m, err)
	}
	// Two persons of three ages each, which are theirs alone, are two unique persons and not six.
	own := &Classes{Fragment: c.Fragment, First: c.First, Records: make([]uint64, len(c.Records))}
	m, err = own.Match(t.Context(), persons(t, "30 F", "31 F", "32 F", "40 M", "41 M", "42 M"), []uint32{0, 0, 0, 1, 1, 1})
	if err != nil || m.Population != 2 || m.Unique != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}

// Cells of two classes overlap, and the classes do not: who was 32 and is 37 is one woman from 30 to 39, and not two.
func TestPopulationCountsPersonsOfAClass(t *testing.T) {
	ages := []anonymize.Value{anonymize.IntegerValue(30), anonymize.IntegerValue(35), anonymize.IntegerValue(39)}
	age := &anonymize.FragmentColumn{Name: "age", Dictionary: ages, Codes: []uint32{0, 1},
		Cells: []anonymize.Cell{{Label: "[30-39]", Members: []uint32{0, 1, 2}}, {Label: "[35-39]", Members: []uint32{1, 2}}}}
	sex := &anonymize.FragmentColumn{Name: "sex", Dictionary: []anonymize.Value{anonymize.TextValue("F"), anonymize.TextValue("M")}, Codes: []uint32{0, 1}}
	c := &Classes{Fragment: &anonymize.Fragment{Columns: []*anonymize.FragmentColumn{age, sex}}, First: []uint32{0, 1}, Records: []uint64{1, 1}, Rows: 2}
	m, err := c.Match(t.Context(), persons(t, "32 F", "37 F", "36 M"), []uint32{0, 0, 1})
	if err != nil || fmt.Sprint(m.Records) != "[1 1]" || m.Several >= 0 {
		t.Errorf("%+v, %v", m, err)
	}
}

// Who is drawn from the population is in its large classes: then J / sum F_j is the greater
// mean.
func TestJournalistTakesTheGreaterMean(t *testing.T) {
	c := &Classes{Records: []uint64{999, 1}, Rows: 1000}
	m := &Matches{Records: []uint64{10000, 100}}
	near(t, "mean", c.Journalist(m).Mean, 2./10100, 1e-15)
	near(t, "marketer", c.Marketer(m), (999./10000+1./100)/1000, 1e-15)
}

// What is no population of the table, and what has no classes.
func TestPopulationRefused(t *testing.T) {
	c, err := ClassesOf(threeClasses(t))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Match(context.Background(), persons(t, "30 F", "30 F", "30 F", "40 F", "30 M"), nil)
	if err == nil || err.Error() != "1 of its records have Age = 30 and Sex = M, and the release has 2: it does not have everybody of the table, or has other values or types" {
		t.Error(err)
	}
	population := persons(t, "30 F")
	population.Columns[0].Name = "gender"
	if _, err := c.Match(context.Background(), population, nil); err == nil || err.Error() != "it has no column Sex" {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Match(ended, persons(t, "30 F"), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r := threeClasses(t)
	r.Fragments[1].Role = anonymize.QuasiIdentifying
	if _, err := ClassesOf(r); err == nil || !strings.Contains(err.Error(), "not in one fragment") {
		t.Error(err)
	}
	r.Fragments = nil
	if _, err := ClassesOf(r); err == nil {
		t.Error("classes of nothing")
	}
}

// randomCells makes a release of overlapping cells over numbers 0, 2, ... 18 and letters.
func randomCells(random *rand.Rand) *anonymize.Release {
	var numbers, letters []anonymize.Value
	for v := range 10 {
		numbers = append(numbers, anonymize.IntegerValue(int64(2*v)))
		letters = append(letters, anonymize.TextValue(string(rune('a'+v))))
	}
	age, town := &anonymize.FragmentColumn{Name: "age", Dictionary: numbers}, &anonymize.FragmentColumn{Name: "town", Dictionary: letters}
	for cell := range uint32(8) {
		low := random.Uint32N(10)
		interval := anonymize.Cell{Label: fmt.Sprint("interval", cell)}
		for m := low; m <= min(9, low+random.Uint32N(5)); m++ {
			interval.Members = append(interval.Members, m)
		}
		set := anonymize.Cell{Label: fmt.Sprint("set", cell)}
		for m := range uint32(10) {
			if random.IntN(3) == 0 || m == low {
				set.Members = append(set.Members, m)
			}
		}
		if cell == 7 { // suppressed
			interval = anonymize.Cell{Label: "*", Members: []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
			set = interval
		}
		age.Cells, town.Cells = append(age.Cells, interval), append(town.Cells, set)
	}
	f := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, Columns: []*anonymize.FragmentColumn{age, town}, GroupStart: []uint32{0}}
	for range 20 {
		age.Codes, town.Codes = append(age.Codes, random.Uint32N(8)), append(town.Codes, random.Uint32N(8))
		f.Count = append(f.Count, 1)
		f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	}
	return &anonymize.Release{Rows: 20, GroupSizes: slices.Repeat([]uint32{1}, 20), Fragments: []*anonymize.Fragment{f}}
}

// covers asks a cell by its definition.
func covers(c *anonymize.FragmentColumn, cell uint32, v anonymize.Value) bool {
	members := c.Cells[cell].Members
	if c.Cells[cell].Label == "*" {
		return true
	}
	for _, m := range members {
		if c.Dictionary[m] == v {
			return true
		}
	}
	contiguous := int(members[len(members)-1]-members[0]) == len(members)-1
	known := slices.Contains(c.Dictionary, v)
	return v.Kind == anonymize.Integer && contiguous && !known &&
		v.Int > c.Dictionary[members[0]].Int && v.Int < c.Dictionary[members[len(members)-1]].Int
}

// Class by class and person by person.
func TestMatchAgainstEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	overlapping := 0
	for range 200 {
		r := randomCells(random)
		c, err := ClassesOf(r)
		if err != nil {
			t.Fatal(err)
		}
		var ages, towns []anonymize.Value
		for range 300 {
			ages = append(ages, anonymize.IntegerValue(int64(random.IntN(24))-2)) // odd, too small and too large ones
			towns = append(towns, anonymize.TextValue(string(rune('a'+random.IntN(12)))))
		}
		population, _ := anonymize.NewMicrodata(anonymize.NewColumn("age", "int", ages), anonymize.NewColumn("town", "text", towns))
		want, uncovered, several := make([]uint64, len(c.Records)), uint64(0), false
		f := c.Fragment
		for person := range ages {
			covering := 0
			for class, first := range c.First {
				if covers(f.Columns[0], f.Columns[0].Codes[first], ages[person]) && covers(f.Columns[1], f.Columns[1].Codes[first], towns[person]) {
					want[class]++
					covering++
				}
			}
			if covering == 0 {
				uncovered++
			}
			several = several || covering > 1
		}
		for class := range c.Records {
			c.Records[class] = min(c.Records[class], want[class]) // so that it is a population
		}
		m, err := c.Match(context.Background(), population, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Records, want) || m.Uncovered != uncovered || m.Several >= 0 != several {
			t.Fatalf("%+v, by enumeration %v, %d uncovered, several %v", m, want, uncovered, several)
		}
		if several {
			overlapping++
		}
	}
	if overlapping < 100 {
		t.Errorf("classes overlapped in %d releases", overlapping)
	}
}
