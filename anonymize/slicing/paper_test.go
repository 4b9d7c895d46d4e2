package slicing

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// yao is Table 1 of Yao et al. 2021.
func yao(t testing.TB) *anonymize.Input {
	t.Helper()
	return anontest.NewInput(t, anontest.Parse(t, anontest.Yao), "Gender Job Age Zipcode", "Salary", rand.NewPCG(1, 2))
}

// li is a table after Table 1 of Li et al.
func li(t testing.TB) *anonymize.Input {
	t.Helper()
	return anontest.NewInput(t, anontest.Parse(t, `
Age  Sex  Zipcode  Disease
22   M    47906    dyspepsia
22   F    47906    flu
33   F    47905    flu
52   F    47905    bronchitis
54   M    47302    flu
60   M    47302    dyspepsia
60   M    47304    dyspepsia
64   F    47304    gastritis`), "Age Sex Zipcode", "Disease", rand.NewPCG(1, 2))
}

// Its sliced table, with the columns {Age, Sex} and {Zipcode, Disease} and two
// buckets of four records, in this file's order of tuples.
var liSliced = []anontest.Printed{{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: `
GID  Age  Sex  Count
1    22   M    1
1    22   F    1
1    33   F    1
1    52   F    1
2    54   M    1
2    60   M    2
2    64   F    1`},
	{Name: "sa", Role: anonymize.Mixed, Text: `
GID  Zipcode  Disease     Count
1    47905    flu         1
1    47906    dyspepsia   1
1    47905    bronchitis  1
1    47906    flu         1
2    47304    gastritis   1
2    47302    flu         1
2    47302    dyspepsia   1
2    47304    dyspepsia   1`}}

// Li et al., Section 3.2: (22, M, 47906) matches the first bucket only, and there
// its disease is dyspepsia or flu, each with 1/2; so it is for all records, and
// the verifier calls the release 2-diverse.
func TestSlicedTable(t *testing.T) {
	in := li(t)
	last := []*anonymize.Column{in.QuasiIdentifiers[2], in.Sensitive[0]}
	tables, err := project(context.Background(), [][]*anonymize.Column{in.QuasiIdentifiers[:2], last})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSensitive(context.Background(), bucketization.NewBuckets(in.Sensitive[0], nil), last, 2)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGlobalCheck(context.Background(), tables, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.measure(context.Background(), newRows(in, s), []bucket{{0, 4}, {4, 8}}); err != nil {
		t.Fatal(err)
	}
	if len(g.total) != 8 {
		t.Fatalf("%d different records, want 8", len(g.total))
	}
	for at, total := range g.total {
		for v, share := range g.share[at*g.values:][:g.values] {
			if p := share / total; p != 0 && p != 0.5 {
				t.Errorf("record %d has %s with probability %v, want 1/2", at, in.Sensitive[0].Dictionary[v], p)
			}
		}
	}
	r := anontest.Release(t, liSliced...)
	r.Promises = []anonymize.Promise{{Guarantee: "l", Bound: anonymize.NewRatio(2, 1)}}
	guarantees, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := privacy.FirstBroken(guarantees); err != nil {
		t.Error(err)
	}
	r.Promises[0].Bound = anonymize.NewRatio(3, 1)
	if guarantees, err = privacy.Verify(r); err != nil || privacy.FirstBroken(guarantees) == nil {
		t.Errorf("the verifier calls it 3-diverse; %v", err)
	}
}

// Table 1 of Yao et al. 2021: two salaries have two of eight records, so l is at
// most 4. From l = 3 on the table is one bucket, for no cut leaves l different
// salaries on both sides, none of them too often.
func TestYaosTable(t *testing.T) {
	for l, want := range map[string]int{"4": 1, "3": 1, "2": 3} {
		in := yao(t)
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": l})
		if err != nil {
			t.Fatal(err)
		}
		if err := anontest.Publishable(r, in); err != nil {
			t.Error(err)
		}
		if r.Groups() != want {
			t.Errorf("l = %s: %d buckets, want %d", l, r.Groups(), want)
		}
	}
	var infeasible *anonymize.InfeasibleError
	_, err := Method().Run(context.Background(), yao(t), anonymize.Arguments{"l": "5"})
	if !errors.As(err, &infeasible) || infeasible.Largest != anonymize.NewRatio(4, 1) {
		t.Error(err)
	}
}
