package anatomy

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// The running example of Xiao and Tao (their Table 1).
const table1 = `
Age  Sex  Zipcode  Disease
23   M    11000    pneumonia
27   M    13000    dyspepsia
35   M    59000    dyspepsia
59   M    12000    pneumonia
61   F    54000    flu
65   F    25000    gastritis
65   F    25000    flu
70   F    30000    bronchitis`

// With l = 4 the three diseases of two records are in both groups, and each
// other one in one: whatever is drawn, the ST is one of two that differ in the
// numbers of the groups.
var sensitiveTables = []string{`
GID  Disease     Count
1    bronchitis  1
1    dyspepsia   1
1    flu         1
1    pneumonia   1
2    dyspepsia   1
2    flu         1
2    gastritis   1
2    pneumonia   1`, `
GID  Disease     Count
1    dyspepsia   1
1    flu         1
1    gastritis   1
1    pneumonia   1
2    bronchitis  1
2    dyspepsia   1
2    flu         1
2    pneumonia   1`}

func TestRunningExample(t *testing.T) {
	var want []*anonymize.Fragment
	for _, text := range sensitiveTables {
		want = append(want, anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: text}).Fragments[0])
	}
	seen := map[int]bool{}
	for seed := range uint64(40) {
		in := anontest.NewInput(t, anontest.Parse(t, table1), "Age Sex Zipcode", "Disease", rand.NewPCG(seed, 1))
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "4"})
		if len(r.Fragments) != 2 || len(r.Fragments[0].Columns) != 3 {
			t.Fatalf("%d tables, the first of %d columns; want QIT and ST", len(r.Fragments), len(r.Fragments[0].Columns))
		}
		which := -1
		for i, f := range want {
			if reflect.DeepEqual(r.Fragments[1], f) {
				which = i
			}
		}
		if which < 0 {
			t.Fatalf("the ST is %v %v", r.Fragments[1].GroupStart, r.Fragments[1].Columns[0].Codes)
		}
		seen[which] = true
	}
	if len(seen) != 2 {
		t.Error("40 sources gave one ST: gids are not random")
	}
}

// Zhu et al., Property 8: the reconstruction error of groups of different values is n(1-1/l)(1 + r/(n(l-1))), where r
// is the number of residual records. Anatomy attains it, like their method, with r = n mod l: the property does not
// distinguish them.
func TestReconstructionError(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		counts := make([]int, 6+random.IntN(6))
		for i := range counts {
			counts[i] = 8 + random.IntN(4)
		}
		in := sized(counts, random.Uint64())
		l, n := 2+random.IntN(3), float64(in.Rows)
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": []string{"", "", "2", "3", "4"}[l]})
		re := 0.0 // over all records, the probability of all values but their own
		for _, size := range r.GroupSizes {
			re += float64(size) * (1 - 1/float64(size))
		}
		residue := float64(in.Rows % l)
		want := n * (1 - 1/float64(l)) * (1 + residue/(n*float64(l-1)))
		if math.Abs(re-want) > 1e-9*n {
			t.Fatalf("l = %d, n = %v: RE %v, Property 8 says %v", l, n, re, want)
		}
	}
}
