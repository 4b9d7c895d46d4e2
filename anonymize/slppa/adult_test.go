package slppa

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// Table 5's attributes with occupation as the sensitive one: with country, whose
// United-States has 91 percent of the complete records, Table 7's beta = 0.05
// cannot be met.
const adultQI = "age workclass education marital_status relationship race sex hours_per_week native_country"

func TestAdultOccupation(t *testing.T) {
	in := anontest.NewInput(t, anontest.AdultComplete(t), adultQI, "occupation", nil)
	for _, c := range []struct {
		beta, alpha string
		groups      int // floor(45222 / ceil(1/beta))
	}{
		{"0.2", "1", 9044},
		{"0.15", "1", 6460},
		{"0.2", "0.5", 9044}, // by swaps alone
	} {
		in.Random = rand.NewPCG(1, 2)
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{
			"alpha": c.alpha, "beta": c.beta, "delta": c.beta, "tables": "3"})
		if err != nil {
			t.Fatal(err)
		}
		if err := anontest.Publishable(r, in); err != nil {
			t.Errorf("beta=%s: %v", c.beta, err)
		}
		if r.Groups() != c.groups {
			t.Errorf("beta=%s alpha=%s: %d groups, want %d", c.beta, c.alpha, r.Groups(), c.groups)
		}
	}
}

func TestAdultInfeasible(t *testing.T) {
	for _, c := range []struct {
		table             *anonymize.Microdata
		sa, beta          string
		smallest          anonymize.Ratio
		value, asReported string
	}{
		{anontest.AdultComplete(t), "occupation", "0.1", anonymize.NewRatio(6020, 45222),
			"occupation = 'Craft-repair' is 6020 of 45222 records", "0.1332 (exactly 3010/22611)"},
		{anontest.Adult(t), "native_country", "0.05", anonymize.NewRatio(43832, 48842),
			"native_country = 'United-States' is 43832 of 48842 records", "0.8975 (exactly 21916/24421)"},
	} {
		in := anontest.NewInput(t, c.table, "age workclass race sex", c.sa, rand.NewPCG(1, 2))
		_, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": c.beta, "delta": c.beta})
		var infeasible *anonymize.InfeasibleError
		if !errors.As(err, &infeasible) || infeasible.Parameter != "beta" || infeasible.Smallest != c.smallest ||
			!strings.Contains(err.Error(), c.value) || !strings.Contains(err.Error(), c.asReported) {
			t.Errorf("%s: %v", c.sa, err)
		}
		// At the smallest feasible value there is a release.
		in.Random = rand.NewPCG(1, 2)
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": c.smallest.Rat().String()})
		if err != nil {
			t.Fatal(err)
		}
		if err := anontest.Publishable(r, in); err != nil {
			t.Errorf("%s: %v", c.sa, err)
		}
	}
}

// Nine in ten records are of one value, and still groups of 19 or 20 records
// have each value within 0.05 of its share.
func TestAdultCountry(t *testing.T) {
	in := anontest.NewInput(t, anontest.Adult(t),
		"age workclass education marital_status occupation relationship race sex hours_per_week", "native_country", rand.NewPCG(1, 2))
	r, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": "0.9", "delta": "0.05", "tables": "3"})
	if err != nil {
		t.Fatal(err)
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Error(err)
	}
	if r.Groups() != 2471 {
		t.Errorf("%d groups, want 2471", r.Groups())
	}
}

// Figure 3a: "three tables of SLPPA contain 2, 3 and 4 attributes". That is what
// comparing with the first column gives; the text's average gives 5, 1 and 3.
func TestFigure3a(t *testing.T) {
	in := anontest.NewInput(t, anontest.AdultTraining(t),
		"age workclass education marital_status occupation relationship race sex hours_per_week", "native_country", rand.NewPCG(1, 2))
	for division, want := range map[string][]int{seed: {3, 2, 4}, average: {5, 1, 3}} {
		p, err := readArguments(in, anonymize.Arguments{"beta": "1", "tables": "3", "bins": "0", "division": division})
		if err != nil {
			t.Fatal(err)
		}
		tables, err := divideTable(context.Background(), in, &p)
		if err != nil {
			t.Fatal(err)
		}
		for i, table := range tables {
			if len(table.columns) != want[i] {
				t.Errorf("division=%s: table %d is %s, want %d columns", division, i+1, table.describe(), want[i])
			}
		}
	}
}
