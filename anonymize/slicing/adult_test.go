package slicing

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// Table 5 of Yao et al. 2021, with occupation as the sensitive attribute: with
// country, whose United-States has 91 percent of the complete records, Table 7's
// l = 20 cannot be met.
const adultQI = "age workclass education marital_status relationship race sex hours_per_week native_country"

func adultRelease(t testing.TB, in *anonymize.Input, arguments anonymize.Arguments) *anonymize.Release {
	t.Helper()
	in.Random = rand.NewPCG(1, 2)
	r, err := Method().Run(context.Background(), in, arguments)
	if err != nil {
		t.Fatal(err)
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Error(err)
	}
	return r
}

// relativeError is the mean of Eq. (13) of Yao et al. 2021 over queries with one
// to three quasi-identifiers.
func relativeError(t testing.TB, r *anonymize.Release, table *anonymize.Microdata, queries int) float64 {
	t.Helper()
	e, err := utility.Evaluate(context.Background(), estimate.Prepare(r), table,
		utility.Workload{Queries: queries, Low: 1, High: 3, Seed: 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.Estimate.Mean
}

// Buckets of Adult, 45,222 complete records. A calculation of its own found 87
// buckets of 5 to 7,362 records for l = 5, and one bucket for l = 7.
func TestAdult(t *testing.T) {
	table := anontest.AdultComplete(t)
	in := anontest.NewInput(t, table, adultQI, "occupation", nil)
	for _, c := range []struct {
		l, split string
		buckets  int
	}{
		{"2", widest, 4261}, {"2", every, 9724}, {"2", nearest, 11451},
		{"3", widest, 631}, {"3", every, 2512}, {"3", nearest, 4213},
		{"5", widest, 9}, {"5", every, 78}, {"5", nearest, 220},
		{"7", widest, 1}, {"7", every, 1}, {"7", nearest, 1},
	} {
		r := adultRelease(t, in, anonymize.Arguments{"l": c.l, "tables": "3", "split": c.split})
		if r.Groups() != c.buckets {
			t.Errorf("l = %s, split=%s: %d buckets, want %d", c.l, c.split, r.Groups(), c.buckets)
		}
	}
}

// More splits, smaller errors.
func TestAdultErrors(t *testing.T) {
	table := anontest.AdultComplete(t)
	in := anontest.NewInput(t, table, adultQI, "occupation", nil)
	last := 1.0
	for _, split := range []string{widest, every, nearest} {
		r := adultRelease(t, in, anonymize.Arguments{"l": "5", "tables": "3", "split": split})
		e := relativeError(t, r, table, 400)
		t.Logf("split=%s: relative error %.3f", split, e)
		if e >= last {
			t.Errorf("split=%s has a relative error of %.3f, not below %.3f", split, e, last)
		}
		last = e
	}
}

// Figure 3 of Yao et al. 2021: slicing's clusters are of uneven sizes, with
// columns of one attribute.
func TestAdultColumnGroups(t *testing.T) {
	in := anontest.NewInput(t, anontest.AdultTraining(t),
		"age workclass education marital_status occupation relationship race sex hours_per_week", "native_country", nil)
	p := parameters{tables: 3}
	groups, err := groupColumns(context.Background(), in, &p)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"age, education",
		"workclass, marital_status, occupation, relationship, sex, hours_per_week", "race", "native_country"} {
		if got := names(groups[i]); got != want {
			t.Errorf("column group %d is %s, want %s", i+1, got, want)
		}
	}
}
