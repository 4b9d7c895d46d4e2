package fulldomain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

func TestBattery(t *testing.T) {
	anontest.Battery(t, Method(), anontest.Options{
		Easy: anonymize.Arguments{"k": "3", "l": "2", "suppress": "0.1"},
		Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
			return anonymize.Arguments{"k": fmt.Sprint(1 + random.IntN(6)), "l": fmt.Sprint(1 + random.IntN(4)),
				"t": []string{"1", "1", "0.5", "1/4"}[random.IntN(4)], "suppress": []string{"0", "0.1", "1/3", "1"}[random.IntN(4)],
				"optimize": []string{loss, discernibility, classSize, precision}[random.IntN(4)]}
		},
		// One class for all is a choice of levels: the method finds a release if and only if there is a grouping.
		Meets: anontest.MeetsKL,
	})
}

// cells prints the release: a line a class, "zip age: count  value count ...".
func cells(r *anonymize.Release) string {
	var lines []string
	qi, sa := r.Fragments[0], r.Fragments[1]
	for g := range r.Groups() {
		tuple := qi.GroupStart[g]
		var parts []string
		for _, c := range qi.Columns {
			parts = append(parts, c.Cells[c.Codes[tuple]].Label)
		}
		parts = append(parts, fmt.Sprint(r.GroupSizes[g]))
		for i := sa.GroupStart[g]; i < sa.GroupStart[g+1]; i++ {
			parts = append(parts, fmt.Sprintf("%s:%d", sa.Columns[0].Dictionary[sa.Columns[0].Codes[i]], sa.Count[i]))
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// A table of patients that was made for this test, with a taxonomy of zip codes
// and intervals of ages.
func patients(t *testing.T) *anonymize.Input {
	t.Helper()
	table := anontest.Parse(t, `
race  age zip   disease
white 21  94138 flu
white 24  94139 cold
white 27  94141 flu
black 22  94142 gout
black 26  94139 cold
black 38  94138 flu
white 33  94141 gout
white 39  94142 cold
asian 71  94139 flu`)
	in := anontest.NewInput(t, table, "race age zip", "disease", rand.NewPCG(1, 2))
	in.Domains = map[string]*anonymize.Domain{
		"age": {Scale: anonymize.Numeric, Taxonomy: tree(t, table.Column("age"), func(v anonymize.Value) []string {
			return []string{fmt.Sprintf("%d0s", v.Int/10), "*"}
		})},
		"zip": {Scale: anonymize.Semantic, Taxonomy: tree(t, table.Column("zip"), func(v anonymize.Value) []string {
			text := v.String()
			return []string{text[:4] + "*", text[:3] + "**"}
		})}}
	return in
}

// tree makes a taxonomy of what every value of a column generalizes to.
func tree(t testing.TB, c *anonymize.Column, above func(v anonymize.Value) []string) *anonymize.Taxonomy {
	t.Helper()
	var paths [][]string
	for _, v := range c.Dictionary {
		if !v.IsNull() {
			paths = append(paths, append([]string{v.String()}, above(v)...))
		}
	}
	taxonomy, err := anonymize.TaxonomyOfPaths(paths, func(text string) (anonymize.Value, error) { return anontest.Value(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return taxonomy
}

// Without suppression the patient of 71 years costs the ages of all. With it, the
// two records that are alone in their cells are one class, whose disease is flu
// alone: with l = 2 other levels are the best.
func TestPatients(t *testing.T) {
	for name, c := range map[string]struct {
		arguments anonymize.Arguments
		want      string
		fact      string
	}{
		"k = 2": {anonymize.Arguments{"k": "2"}, `
* * 94138 2 flu:2
* * 94139 3 cold:2 flu:1
* * 94141 2 flu:1 gout:1
* * 94142 2 cold:1 gout:1`, "0 of 9 (0.00 %), at most 0 were allowed"},
		"k = 2, suppressed": {anonymize.Arguments{"k": "2", "suppress": "0.4"}, `
* * 941** 2 flu:2
black 20s 941** 2 cold:1 gout:1
white 20s 941** 3 cold:1 flu:2
white 30s 941** 2 cold:1 gout:1`, "2 of 9 (22.22 %), at most 3 were allowed"},
		"k = 2, l = 2, suppressed": {anonymize.Arguments{"k": "2", "l": "2", "suppress": "0.4"}, `
* * 941** 2 flu:1 gout:1
black * 9413* 2 cold:1 flu:1
white * 9413* 2 cold:1 flu:1
white * 9414* 3 cold:1 flu:1 gout:1`, "2 of 9 (22.22 %), at most 3 were allowed"},
		"k = 1": {anonymize.Arguments{"k": "1", "optimize": classSize}, `
asian 71 94139 1 flu:1
black 22 94142 1 gout:1
black 26 94139 1 cold:1
black 38 94138 1 flu:1
white 21 94138 1 flu:1
white 24 94139 1 cold:1
white 27 94141 1 flu:1
white 33 94141 1 gout:1
white 39 94142 1 cold:1`, ""},
	} {
		r, err := Method().Run(context.Background(), patients(t), c.arguments)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := anontest.Publishable(r, patients(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := cells(r); got != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%s\nwant%s\n%v", name, got, c.want, r.Facts)
		}
		if c.fact != "" && !slices.Contains(r.Facts, anonymize.Fact{Name: "suppressed records", Value: c.fact}) {
			t.Errorf("%s: %v", name, r.Facts)
		}
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct{ parameter, value, largest string }{
		"k": {"k", "10", "9"}, "l": {"l", "3", "2"},
	} {
		arguments := anonymize.Arguments{"k": "1"}
		arguments[c.parameter] = c.value
		_, err := Method().Run(context.Background(), patients(t), arguments)
		var infeasible *anonymize.InfeasibleError
		if !errors.As(err, &infeasible) || infeasible.Parameter != c.parameter || infeasible.Largest.String() != c.largest {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := &anonymize.Input{Rows: 100, Random: rand.NewPCG(1, 1)}
	for i := range 12 {
		values := make([]anonymize.Value, in.Rows)
		for row := range values {
			values[row] = anonymize.IntegerValue(int64(row))
		}
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, anonymize.NewColumn(fmt.Sprintf("q%d", i), "INT", values))
		in.Sensitive = []*anonymize.Column{anonymize.NewColumn("s", "INT", values)}
	}
	_, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "2"})
	var data *anonymize.DataError
	if !errors.As(err, &data) || !strings.HasPrefix(err.Error(), "the lattice of generalization levels has 2.177e+09 nodes (q0 6 x q1 6 x ") {
		t.Error(err)
	}
}

// The release does not depend on the number of cores.
func TestCores(t *testing.T) {
	arguments := anonymize.Arguments{"k": "4", "l": "2", "suppress": "0.03"}
	var first string
	for _, cores := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(cores)
		in := anontest.People(2000, 3)
		in.QuasiIdentifiers = in.QuasiIdentifiers[:6]
		r, err := Method().Run(context.Background(), in, arguments)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		text := cells(r) + fmt.Sprint(r.Facts)
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("%d cores: %v", cores, r.Facts)
		}
	}
}
