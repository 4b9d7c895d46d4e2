package asn

import (
	"context"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

func TestBattery(t *testing.T) {
	anontest.Battery(t, Method(), anontest.Options{
		Arguments: func(random *rand.Rand, _ *anonymize.Input) anonymize.Arguments {
			pick := func(of ...string) string { return of[random.IntN(len(of))] }
			return anonymize.Arguments{"alpha": pick("1", "1", "0.5", "0.25", "0.1", "1/64"), "beta": pick("1", "0.75", "0.6", "1/2", "1/3", "0.3")}
		},
		Easy:  anonymize.Arguments{"alpha": "0.1", "beta": "0.3"},
		Meets: meets,
	})
}

// meets is the two bounds by big rationals.
func meets(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	settings, err := Method().Resolve(arguments)
	if err != nil {
		return false
	}
	p := parameters{alpha: paramAlpha.Read(settings), beta: paramBeta.Read(settings)}
	for _, group := range groups {
		share := mostIn(in.Sensitive[0], group)
		if share.Cmp(p.beta.Rat()) > 0 {
			return false
		}
		for _, c := range in.QuasiIdentifiers {
			share.Mul(share, mostIn(c, group))
		}
		if share.Cmp(p.alpha.Rat()) > 0 {
			return false
		}
	}
	return true
}

func mostIn(c *anonymize.Column, group []int) *big.Rat {
	counts, most := map[uint32]int{}, 0
	for _, record := range group {
		counts[c.Codes[record]]++
		most = max(most, counts[c.Codes[record]])
	}
	return big.NewRat(int64(most), int64(len(group)))
}

func example(t *testing.T) *anonymize.Input {
	return anontest.NewInput(t, anontest.Parse(t, anontest.Yao), "Gender Job Age Zipcode", "Salary", rand.NewPCG(1, 1))
}

// Table 1 of Yao et al.: a table for each attribute, groups of four salaries.
func TestTable1(t *testing.T) {
	in := example(t)
	r, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": "1/4"})
	if err != nil {
		t.Fatal(err)
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Error(err)
	}
	if r.Groups() != 2 || len(r.Fragments) != 5 {
		t.Errorf("%d groups in %d tables, want 2 in 5", r.Groups(), len(r.Fragments))
	}
	for i, f := range r.Fragments {
		if len(f.Columns) != 1 {
			t.Errorf("table %d has %d attributes, want 1", i+1, len(f.Columns))
		}
	}
}

func TestErrors(t *testing.T) {
	salaries := ""
	for line := range strings.Lines(strings.TrimSpace(anontest.Yao)) {
		salaries += line[len("Alice  "):]
	}
	anontest.Refuses(t, Method(), [][3]string{
		{salaries, "beta=0", "beta is 0, must be above 0 and at most 1"},
		{salaries, "alpha=1", "beta is missing, method asn needs it: greatest share of a group that one sensitive value may have, above 0 and at most 1"},
		{salaries, "beta=0.2", "beta = 0.2 cannot be met: Salary = 4500 is 2 of 8 records; the smallest feasible beta is 0.25"},
		{salaries, "beta=0.3 alpha=1e-9", "alpha is 1e-09 (1/1000000000), was not reached: all 8 records came into one group, with 0.005493. That does not prove it impossible; try a larger alpha, a smaller beta, or fewer quasi-identifiers of one frequent value"},
	})
	same := anontest.NewInput(t, anontest.Parse(t, "q s\n1 a\n2 a"), "q", "s", rand.NewPCG(1, 1))
	if _, err := Method().Run(context.Background(), same, anonymize.Arguments{"beta": "1"}); err == nil {
		t.Error("a table of one sensitive value gave a release")
	}
}
