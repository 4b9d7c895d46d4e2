package methods

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

// salaries are people of age, sex and place, with salaries around four amounts, and within 150 of these: what a pay scale looks like.
func salaries(people int, random *rand.Rand) *anonymize.Input {
	var age, sex, place, salary []anonymize.Value
	for range people {
		age = append(age, anonymize.IntegerValue(int64(18+random.IntN(50))))
		sex = append(sex, anonymize.TextValue([]string{"f", "m"}[random.IntN(2)]))
		place = append(place, anonymize.IntegerValue(int64(random.IntN(40))))
		amount := []int64{30_000, 45_000, 60_000, 90_000}[random.IntN(4)]
		salary = append(salary, anonymize.IntegerValue(amount-150+int64(random.IntN(301))))
	}
	return &anonymize.Input{Rows: people, Random: random,
		QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("age", "int", age), anonymize.NewColumn("sex", "text", sex), anonymize.NewColumn("place", "int", place)},
		Sensitive:        []*anonymize.Column{anonymize.NewColumn("salary", "int", salary)}}
}

// bounded are the methods that bound the share of a sensitive value, with parameters that bound it by a third.
var bounded = map[string]anonymize.Arguments{
	"slppa": {"beta": "0.34"}, "slicing": {"l": "3"}, "asn": {"beta": "0.34"}, "anatomy": {"l": "3"}, "arp": {"l": "3"}, "aip": {"l": "3"},
	"nonhomogeneous": {"l": "3"}, "mondrian": {"k": "5", "l": "3"}, "cross_bucket": {"k": "2", "l": "3"}, "fulldomain": {"k": "5", "l": "3"}, "cdt": {"k": "5", "l": "3"},
}

// with are the arguments and others.
func with(arguments anonymize.Arguments, others ...string) anonymize.Arguments {
	all := anonymize.Arguments{}
	for name, value := range arguments {
		all[name] = value
	}
	for i := 0; i < len(others); i += 2 {
		all[others[i]] = others[i+1]
	}
	return all
}

// Every method that bounds a value's share takes a threshold, and whoever bounds none has no such parameter.
func TestEveryBoundTakesAThreshold(t *testing.T) {
	for _, m := range All() {
		declares := 0
		for _, p := range m.Parameters {
			if p.Name == "threshold" {
				declares++
			}
		}
		_, bounds := bounded[m.Name]
		if want := map[bool]int{true: 1}[bounds]; declares != want || bounds != (m.Share != nil) {
			t.Errorf("%s declares threshold %d times, want %d; it bounds a share: %v", m.Name, declares, want, m.Share != nil)
		}
	}
}

// In no group of any method more than a third have salaries within 600, or within 1 percent, of each other: looked for from every record. In the
// groups of the same methods without it, many do.
func TestSalariesThatAreCloseAreParted(t *testing.T) {
	for name, arguments := range bounded {
		for _, width := range []string{"600", "1%"} {
			plain, _ := closeGroups(t, name, arguments, width)
			apart, groups := closeGroups(t, name, with(arguments, "threshold", width), width)
			t.Logf("%s threshold=%s: %d groups, %d of them too close; without it %d", name, width, groups, apart, plain)
			if apart > 0 || plain == 0 && name != "fulldomain" {
				t.Errorf("%s threshold=%s: %d groups are too close, without it %d", name, width, apart, plain)
			}
		}
	}
}

// closeGroups counts the groups, of records or of candidates, in which more than .34 are close to each other, by brute force.
func closeGroups(t *testing.T, method string, arguments anonymize.Arguments, width string) (close, groups int) {
	t.Helper()
	m, err := ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	in := salaries(testsize.Of(1500, 4000), rand.New(rand.NewPCG(7, 7)))
	r, err := m.Run(context.Background(), in, arguments)
	if err != nil {
		t.Fatalf("%s %v: %v", method, arguments, err)
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Fatal(err)
	}
	f, c, _ := r.Locate("salary")
	column := r.Fragments[f].Columns[c]
	var values []anonymize.Value
	for g := range r.Groups() {
		values = values[:0]
		for tuple := r.Fragments[f].GroupStart[g]; tuple < r.Fragments[f].GroupStart[g+1]; tuple++ {
			codes, times := []uint32{column.Codes[tuple]}, r.Fragments[f].Count[tuple]
			if !column.IsPoint() {
				codes = column.Cells[codes[0]].Members
			}
			for range times {
				for _, code := range codes {
					values = append(values, column.Dictionary[code])
				}
			}
		}
		if greatestNear(values, width) > .34 {
			close++
		}
	}
	return close, r.Groups()
}

// greatestNear is the greatest share of the values that are within the width of one of them, and not below it.
func greatestNear(values []anonymize.Value, width string) (share float64) {
	for _, a := range values {
		near := 0
		for _, b := range values {
			apart := b.Int - a.Int
			if width == "600" && apart >= 0 && apart <= 600 || width == "1%" && apart >= 0 && 100*apart <= a.Int {
				near++
			}
		}
		share = max(share, float64(near)/float64(len(values)))
	}
	return share
}

// F6: 59,990, 60,000 and 60,010 are one salary to who asks for a threshold of 30, in classes or not.
func TestThresholdHasNoEdges(t *testing.T) {
	var age, salary []anonymize.Value
	for i := range 900 {
		age = append(age, anonymize.IntegerValue(int64(20+i%50)))
		salary = append(salary, anonymize.IntegerValue([]int64{59_990, 60_000, 60_010, 20_000, 90_000, 120_000}[i%6]))
	}
	for name, arguments := range bounded {
		m, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		in := &anonymize.Input{Rows: len(age), Random: rand.NewPCG(3, 3), QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("age", "int", age)},
			Sensitive: []*anonymize.Column{anonymize.NewColumn("salary", "int", salary)}}
		two := with(arguments, "threshold", "30")
		if two["l"] = "2"; two["beta"] != "" {
			delete(two, "l")
			two["beta"] = "0.5"
		}
		r, err := m.Run(context.Background(), in, two)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := anontest.Publishable(r, in); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		in.Random = rand.NewPCG(3, 3)
		_, err = m.Run(context.Background(), in, with(arguments, "threshold", "30")) // a third: half of the salaries are close
		if infeasible, ok := errors.AsType[*anonymize.InfeasibleError](err); !ok || infeasible.Parameter != "l" && infeasible.Parameter != "beta" {
			t.Errorf("%s: %v", name, fmt.Sprint(err))
		}
	}
}

// diagnoses are people with one to three of ten codes in a cell, as hospitals export them.
func diagnoses(people int, random *rand.Rand) *anonymize.Input {
	in := salaries(people, random)
	var values []anonymize.Value
	for range people {
		text := ""
		for _, code := range random.Perm(10)[:1+random.IntN(3)] {
			text += ";" + []string{"I10", "E11", "J45", "K29", "F32", "M54", "N18", "C50", "G43", "H40"}[code]
		}
		values = append(values, anonymize.TextValue(text[1:]))
	}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn("codes", "text", values)}
	return in
}

// F8: with sa_sets no code is in more than a third of the cells of a group, counted by splitting them; without it, in most groups of some methods.
func TestCodesOfCellsAreParted(t *testing.T) {
	for name, arguments := range bounded {
		if name == "nonhomogeneous" { // which has no sa_sets: candidates of a record are no group that could be united
			continue
		}
		plain, _ := groupsOfOneCode(t, name, arguments)
		parted, groups := groupsOfOneCode(t, name, with(arguments, "sa_sets", ";"))
		t.Logf("%s: %d groups, %d with a code in more than a third; without sa_sets %d", name, groups, parted, plain)
		if parted > 0 || plain == 0 && name != "fulldomain" {
			t.Errorf("%s: a code is in more than a third of %d groups, without sa_sets of %d", name, parted, plain)
		}
	}
}

func groupsOfOneCode(t *testing.T, method string, arguments anonymize.Arguments) (broken, groups int) {
	t.Helper()
	m, err := ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	in := diagnoses(testsize.Of(1000, 4000), rand.New(rand.NewPCG(8, 8)))
	r, err := m.Run(context.Background(), in, arguments)
	if err != nil {
		t.Fatalf("%s %v: %v", method, arguments, err)
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Fatal(err)
	}
	fragment, c, _ := r.Locate("codes")
	f := r.Fragments[fragment]
	for g, size := range r.GroupSizes {
		with := map[string]int{}
		for tuple := f.GroupStart[g]; tuple < f.GroupStart[g+1]; tuple++ {
			for _, code := range strings.Split(f.Columns[c].Dictionary[f.Columns[c].Codes[tuple]].Text, ";") {
				with[code] += int(f.Count[tuple])
			}
		}
		for _, n := range with {
			if float64(n) > .34*float64(size) {
				broken++
				break
			}
		}
	}
	return broken, r.Groups()
}
