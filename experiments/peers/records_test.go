package peers

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/cdt"
	"github.com/anonsql/anonsql/anonymize/crossbucket"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/fulldomain"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// drawn is a table of numbers with gaps, and of texts with a hierarchy of two levels.
func drawn(t *testing.T, hierarchies bool) *Table {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	var ages, towns, jobs []anonymize.Value
	for range 300 {
		ages = append(ages, anonymize.IntegerValue(int64(20+random.IntN(15)*random.IntN(4))))
		towns = append(towns, anonymize.TextValue(string("abcdefgh"[random.IntN(8)])))
		jobs = append(jobs, anonymize.TextValue(string("uvwxyz"[random.IntN(6)])))
	}
	table, err := anonymize.NewMicrodata(anonymize.NewColumn("age", "", ages), anonymize.NewColumn("town", "", towns), anonymize.NewColumn("job", "", jobs))
	if err != nil {
		t.Fatal(err)
	}
	of := &Table{Microdata: table, Hierarchies: map[string]*anonymize.Domain{}}
	if hierarchies {
		of.Hierarchies["town"] = anontest.Semantic(t, [][]string{{"a", "north", "*"}, {"b", "north", "*"}, {"c", "north", "*"}, {"d", "east", "*"},
			{"e", "east", "*"}, {"f", "south", "*"}, {"g", "south", "*"}, {"h", "south", "*"}, {"elsewhere", "south", "*"}})
	}
	return of
}

// A release that is written by record and read back has the scores of the release itself and of utility.
func TestWrittenRecordsHaveTheScoresOfTheRelease(t *testing.T) {
	for _, hierarchies := range []bool{false, true} {
		table := drawn(t, hierarchies)
		for _, c := range []struct {
			method    anonymize.Method
			arguments anonymize.Arguments
		}{
			{mondrian.Method(), anonymize.Arguments{"k": "5", "l": "3"}},
			{mondrian.Method(), anonymize.Arguments{"k": "5", "l": "3", "mode": "strict"}},
			{crossbucket.Method(), anonymize.Arguments{"k": "5", "l": "3"}},
			{cdt.Method(), anonymize.Arguments{"k": "5", "max_share": "1/3"}},
			{fulldomain.Method(), anonymize.Arguments{"k": "20", "l": "3", "suppress": "0.2"}},
		} {
			in, err := anonymize.NewInput(table.Microdata, table.Roles(), rand.NewPCG(1, 2))
			if err != nil {
				t.Fatal(err)
			}
			in.Domains = table.Hierarchies
			r, err := c.method.Run(t.Context(), in, c.arguments)
			if err != nil {
				t.Fatal(err)
			}
			sameScores(t, fmt.Sprint(c.method.Name, c.arguments, hierarchies), table, r)
		}
	}
}

func sameScores(t *testing.T, name string, table *Table, r *anonymize.Release) {
	t.Helper()
	var text bytes.Buffer
	if err := WriteRecords(&text, r); err != nil {
		t.Fatal(err)
	}
	read, err := table.ReadRecords(t.Context(), &text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	w := Counts(100, 9)
	ours, err := table.Score(t.Context(), r, w)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := table.Score(t.Context(), read, w)
	if err != nil {
		t.Fatal(err)
	}
	loss := utility.GeneralizationOf(r)
	e, err := utility.Evaluate(t.Context(), estimate.Prepare(r), table.Microdata, w, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Score{Classes: ours.Classes, K: ours.K, Share: ours.Share, Suppressed: loss.Suppressed,
		Penalty: loss.Mean, Granularity: loss.Granularity, Discernibility: loss.Discernibility,
		DiscernibilitySuppressed: loss.DiscernibilitySuppressed, Errors: e.Estimate}
	if !near(ours, want) || !near(theirs, want) {
		t.Errorf("%s:\n%+v of the release,\n%+v of its records,\n%+v by utility", name, ours, theirs, want)
	}
	if ours.K < 5 || ours.Share > 1./3+1e-12 || loss.Mean == 0 || e.Estimate.Mean == 0 {
		t.Errorf("%s: %+v says nothing", name, ours)
	}
}

// near reports whether figures are equal except for the order of summation.
func near(a, b *Score) bool {
	figures := func(s *Score) []float64 {
		return []float64{float64(s.Classes), float64(s.K), s.Share, float64(s.Suppressed), s.Penalty, s.Granularity,
			s.Discernibility, s.DiscernibilitySuppressed, s.Errors.Mean, s.Errors.Median, s.Errors.P95}
	}
	return slices.EqualFunc(figures(a), figures(b), func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*max(1, math.Abs(x)) })
}

// Cells as tools write them.
func TestCellsOfOtherTools(t *testing.T) {
	table := drawn(t, true)
	ages, err := newCellReader(table.Columns[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	towns, err := newCellReader(table.Columns[1], table.Hierarchies["town"])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reader     *cellReader
		text, want string
	}{
		{ages, "20", "20"}, {ages, "20-23", "20 21 22 23"}, {ages, "20 - 23", "20 21 22 23"}, {ages, "[20, 23[", "20 21 22"}, {ages, "[20,23)", "20 21 22"},
		{ages, "(20, 23]", "21 22 23"}, {ages, "]20, 23]", "21 22 23"}, {ages, "[20-23]", "20 21 22 23"}, {ages, "20.5-22.5", "21 22"}, {ages, "{20,22}", "20 22"},
		{ages, "20,22", "20 22"}, {ages, "[-5 to 21]", "20 21"},
		{towns, "a", "a"}, {towns, "north", "a b c"}, {towns, "{a, east}", "a d e"}, {towns, "g,h,g", "g h"}, {towns, " * ", "a b c d e elsewhere f g h"},
		{towns, "south", "elsewhere f g h"},
	} {
		n, err := c.reader.read(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var names []string
		for _, code := range c.reader.cells[n].Members {
			names = append(names, c.reader.dictionary[code].String())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s is %s, want %s", c.text, got, c.want)
		}
	}
	for text, want := range map[string]string{"west": "is neither a value", "a,west": "is neither a value", "": "is neither a value"} {
		if _, err := towns.read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ages.read("100-200"); err == nil {
		t.Error("an interval without values is a cell")
	}
}

// A dropped record counts as suppressed, whichever tool dropped it; k and shares are of the remaining ones.
func TestDroppedRecordsAreSuppressed(t *testing.T) {
	table := drawn(t, false)
	var some, all strings.Builder
	some.WriteString("job,town,age\n")
	all.WriteString("job,town,age\n")
	for row := range table.Rows {
		line := table.Columns[2].Value(row).String() + ",*,20-40\n"
		if row < 250 {
			some.WriteString(line)
		} else {
			line = table.Columns[2].Value(row).String() + ",*,*\n"
		}
		all.WriteString(line)
	}
	var scores []*Score
	for _, text := range []string{some.String(), all.String()} {
		r, err := table.ReadRecords(t.Context(), strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := table.Score(t.Context(), r, Counts(50, 1))
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, s)
	}
	dropped, marked := scores[0], scores[1]
	if dropped.K != 250 || dropped.Suppressed != 50 || dropped.Classes != 1 || dropped.Discernibility != 250*250+50*50 || dropped.DiscernibilitySuppressed != 250*250+50*300 {
		t.Errorf("%+v", dropped)
	}
	marked.Errors = dropped.Errors // the published ones are counted
	if !near(dropped, marked) {
		t.Errorf("dropped %+v, marked %+v", dropped, marked)
	}
}

func TestReadRecordsRefuses(t *testing.T) {
	table := drawn(t, false)
	for text, want := range map[string]string{
		"age,job\n":                       "column town is missing",
		"age,town,job\n20,a,q\n":          "line 2: column job: 'q' is not a value of the table",
		"age,town,job\n20,a,u\nold,a,u\n": "line 3: column age: 'old' is neither a value",
		"age,town,job\n":                  "it has 0 records, the table 300",
		"":                                "the header: EOF",
		"age,town,job\n20,a\n":            "line 2",
	} {
		if _, err := table.ReadRecords(t.Context(), strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
