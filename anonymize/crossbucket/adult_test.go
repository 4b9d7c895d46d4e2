package crossbucket

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/testsize"
)

// The paper's quasi-identifiers, with age in the place of salary, which Adult
// does not have, and without occupation.
const quasiIdentifiers = "workclass education marital_status race sex hours_per_week native_country relationship"

func adultInput(t testing.TB, sensitive string, seed uint64) *anonymize.Input {
	t.Helper()
	return anontest.NewInput(t, anontest.AdultComplete(t), quasiIdentifiers, sensitive, rand.NewPCG(seed, 1))
}

// first keeps the first records of an input.
func first(in *anonymize.Input, rows int) *anonymize.Input {
	short := *in
	short.Rows, short.QuasiIdentifiers = rows, nil
	cut := func(c *anonymize.Column) *anonymize.Column {
		d := *c
		d.Codes = c.Codes[:rows]
		return &d
	}
	for _, c := range in.QuasiIdentifiers {
		short.QuasiIdentifiers = append(short.QuasiIdentifiers, cut(c))
	}
	short.Sensitive = []*anonymize.Column{cut(in.Sensitive[0])}
	return &short
}

// Figs. 5 and 6 with SA = age, k = 3, all 45,222 complete records: C_DM of cross-bucket generalization is k n for
// every l, and no age is more probable than 1/l; Mondrian's C_DM grows with l.
func TestAdultAge(t *testing.T) {
	in := adultInput(t, "age", 1)
	t.Log(" l  method        C_DM        NCP     mean p   max p    matching records")
	for _, l := range testsize.Of([]int{14}, []int{4, 14, 30}) {
		arguments := anonymize.Arguments{"k": "3", "l": fmt.Sprint(l)}
		table := []struct {
			name string
			m    anonymize.Method
			more string
		}{{"bottomup", Method(), bottomUp}, {"kd", Method(), kd}, {"mondrian", mondrian.Method(), "strict"}}
		penalty := map[string]float64{}
		for _, c := range table {
			in.Random = rand.NewPCG(uint64(l), 1)
			delete(arguments, "search")
			delete(arguments, "mode")
			if c.name == "mondrian" {
				arguments["mode"] = c.more
			} else {
				arguments["search"] = c.more
			}
			r, err := c.m.Run(context.Background(), in, arguments)
			if err != nil {
				t.Fatal(err)
			}
			if err := anontest.Publishable(r, in); err != nil {
				t.Fatal(err)
			}
			p, err := attack.RecordProbabilities(context.Background(), r, attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]})
			if err != nil {
				t.Fatal(err)
			}
			cdm := anontest.FactNumber(t, r, "discernibility (C_DM)")
			penalty[c.name] = anontest.FactNumber(t, r, "normalized certainty penalty")
			t.Logf("%2d  %-8s %10.0f     %.4f   %.4f   %.4f   %6.1f", l, c.name, cdm, penalty[c.name], p.Mean, p.Max, p.Matches)
			if p.Max > 1/float64(l)+1e-12 || guarantee(t, r, "breach").Achieved > 1/float64(l) {
				t.Errorf("l = %d, %s: a record has p = %v", l, c.name, p.Max)
			}
			if strict := c.name != "mondrian"; strict && cdm != 135_666 || !strict && cdm < 5*135_666 {
				t.Errorf("l = %d, %s: C_DM %v", l, c.name, cdm)
			}
		}
		if penalty["bottomup"] > .6*penalty["kd"] || penalty["bottomup"] > .5*penalty["mondrian"] {
			t.Errorf("l = %d: penalties %v", l, penalty)
		}
	}
}

// Naive search as an oracle of quality: Algorithm 3 as printed, on 4,000 records.
// The one tree gives lots of its quality, the search upwards better ones.
func TestAdultSearches(t *testing.T) {
	in := first(adultInput(t, "age", 1), 4000)
	for _, l := range testsize.Of([]int{8}, []int{4, 8, 14}) {
		penalty := map[string]float64{}
		for _, search := range []string{bottomUp, kd, paper} {
			in.Random = rand.NewPCG(uint64(l), 2)
			r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": fmt.Sprint(l), "search": search})
			penalty[search] = anontest.FactNumber(t, r, "normalized certainty penalty")
		}
		t.Logf("l = %2d: %v", l, penalty)
		if penalty[kd] > 1.25*penalty[paper] || penalty[bottomUp] > .7*penalty[paper] {
			t.Errorf("l = %d: %v", l, penalty)
		}
	}
}

// Occupation: n/H = 7.51, so l = 7 is feasible although lots of g = 9 are not. l = 8 is infeasible, and the error
// says so.
func TestAdultOccupation(t *testing.T) {
	in := adultInput(t, "occupation", 1)
	for _, l := range testsize.Of([]string{"6"}, []string{"4", "6", "7"}) {
		for _, search := range []string{bottomUp, kd} {
			in.Random = rand.NewPCG(1, 3)
			r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": l, "search": search})
			t.Logf("l = %s, %s: C_DM %v, NCP %v", l, search, anontest.FactNumber(t, r, "discernibility (C_DM)"), anontest.FactNumber(t, r, "normalized certainty penalty"))
		}
	}
	_, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "3", "l": "8"})
	if err == nil || !strings.HasPrefix(err.Error(), "l = 8 cannot be met: occupation = 'Craft-repair' is 6020 of 45222 records") || !strings.HasSuffix(err.Error(), "; the largest feasible l is 7") {
		t.Error(err)
	}
}
