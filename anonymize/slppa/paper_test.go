package slppa

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// The running example of Yao et al., as printed.

var table3 = []anontest.Printed{{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: `
GID  Age  Zipcode  Count
1    30   11100    1
1    33   12200    1
1    45   12200    1
1    42   11100    1
2    32   25300    1
2    44   23200    1
2    30   11100    1
2    33   12200    1`},
	{Name: "qi2", Role: anonymize.QuasiIdentifying, Text: `
GID  Gender  Job       Count
1    F       Teacher   1
1    M       Engineer  1
1    F       Engineer  1
1    M       Teacher   1
2    M       Doctor    2
2    M       Police    1
2    F       Doctor    1`},
	{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  Salary  Count
1    4500    2
1    6000    1
1    4700    1
2    6700    1
2    4000    1
2    6400    1
2    6000    1`}}

var table4 = []anontest.Printed{{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: `
Age  Zipcode  Count
30   11100    2
33   12200    2
45   12200    1
42   11100    1
32   25300    1
44   23200    1`},
	{Name: "qi2", Role: anonymize.QuasiIdentifying, Text: `
Gender  Job       Count
F       Teacher   1
M       Engineer  1
F       Engineer  1
M       Teacher   1
M       Doctor    2
M       Police    1
F       Doctor    1`},
	{Name: "sa", Role: anonymize.Sensitive, Text: `
Salary  Count
4500    2
6000    2
4700    1
6700    1
4000    1
6400    1`}}

// example is Table 1 as an input, quasi-identifiers in its order.
func example(t testing.TB) *anonymize.Input {
	return anontest.NewInput(t, anontest.Parse(t, anontest.Yao), "Gender Job Age Zipcode", "Salary", rand.NewPCG(1, 1))
}

// printedTables are the divisions of Tables 3 and 4, and the sensitive table.
func printedTables(t *testing.T) []*bucketization.Projection {
	in := example(t)
	gender, job, age, zip := in.QuasiIdentifiers[0], in.QuasiIdentifiers[1], in.QuasiIdentifiers[2], in.QuasiIdentifiers[3]
	projections, err := project(context.Background(), []qiTable{
		{columns: []*anonymize.Column{age, zip}}, {columns: []*anonymize.Column{gender, job}}})
	if err != nil {
		t.Fatal(err)
	}
	return append(projections, bucketization.ProjectionOn(in.Sensitive[0]))
}

func TestTables3And4(t *testing.T) {
	for name, c := range map[string]struct {
		start []uint32
		want  []anontest.Printed
	}{
		"Table 3": {[]uint32{0, 4, 8}, table3}, // Alice to David, Eric to Henry
		"Table 4": {[]uint32{0, 8}, table4},
	} {
		groups := &bucketization.Partition{Start: c.start, Member: []uint32{0, 1, 2, 3, 4, 5, 6, 7}}
		want := anontest.Release(t, c.want...)
		for i, p := range printedTables(t) {
			w := want.Fragments[i]
			got, err := bucketization.NewFragment(context.Background(), bucketization.Table{Name: w.Name, Role: w.Role, Projection: p}, groups)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, w) {
				t.Errorf("%s, %s:\n got %+v\nwant %+v", name, w.Name, got, w)
			}
		}
	}
}

// Section 3 takes four probabilities from Table 3. Two of them are right as
// maxima over both groups: beta, by Alice in g1, and delta.
func TestProbabilitiesOfTable3(t *testing.T) {
	got := anontest.Guarantees(t, anontest.Release(t, table3...))
	for name, want := range map[string]struct {
		achieved float64
		group    int
		detail   string
	}{
		"alpha":    {1. / 2, 1, "in qi2, Gender = 'M' and Job = 'Doctor' is 2 of 4 records"}, // paper: 1/4
		"beta":     {1. / 2, 0, "Salary = 4500 is 2 of 4 records"},
		"gamma":    {1. / 32, 0, "qi1 1/4 x qi2 1/4 x sa 2/4"},
		"presence": {1. / 8, 0, "4 records x qi1 1/4 x qi2 1/4 x sa 2/4"},
		"delta":    {1. / 4, 0, "Salary = 4500 is 2 of 4 records, 2 of 8 in the release"},
		"lift":     {2, 0, "Salary = 4500 is 2 of 4 records, 2 of 8 in the release"},
	} {
		g := got[name]
		if g.Achieved != want.achieved || g.WorstGroup != want.group || g.Detail != want.detail {
			t.Errorf("%s is %v in group %d: %s; want %v in %d: %s",
				name, g.Achieved, g.WorstGroup, g.Detail, want.achieved, want.group, want.detail)
		}
	}
}

// On Table 1 with N = 4 the balanced deal finds two groups of four different
// salaries: beta = 1/4, delta = 1/8, and with at most two of three doctors in a
// group alpha = 1/2 and gamma = 1/32.
func TestTable1(t *testing.T) {
	r, err := Method().Run(context.Background(), example(t), anonymize.Arguments{
		"alpha": "1/2", "beta": "1/4", "gamma": "1/32", "delta": "1/8", "tables": "2"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Groups() != 2 {
		t.Errorf("%d groups, want 2", r.Groups())
	}
	if err := anontest.Publishable(r, example(t)); err != nil {
		t.Error(err)
	}
}
