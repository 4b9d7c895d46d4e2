package slppa

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

func TestBattery(t *testing.T) {
	for _, homogeneous := range []string{"false", "true", "score"} {
		t.Run("homogeneous="+homogeneous, func(t *testing.T) { runBattery(t, homogeneous) })
	}
}

func runBattery(t *testing.T, homogeneous string) {
	orders, jitter := []string{balanced, balanced, balanced, paper}, "0"
	if homogeneous != "false" {
		orders, jitter = orders[:3], "200" // a random order, as gids are
	}
	anontest.Battery(t, Method(), anontest.Options{
		Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
			pick := func(of ...string) string { return of[random.IntN(len(of))] }
			return anonymize.Arguments{
				"alpha": pick("1", "1", "0.9", "2/3", "1/2", "0.4"), "beta": pick("1", "0.75", "0.6", "1/2", "1/3", "0.3"),
				"gamma": pick("1", "1", "0.5", "0.25", "0.1"), "delta": pick("1", "0.5", "0.25", "1/3", "0.1", "0"),
				"tables": fmt.Sprint(1 + random.IntN(len(in.QuasiIdentifiers))),
				"order":  pick(orders...), "homogeneous": homogeneous, "jitter": jitter, "score_steps": pick("0", "8", "40"),
				"division": pick(average, seed), "bins": pick("0", "3", "32"), "phi": pick("raw", "corrected"),
			}
		},
		Easy: anonymize.Arguments{"alpha": "0.6", "beta": "0.3", "gamma": "0.1", "delta": "0.2", "tables": "2",
			"homogeneous": homogeneous, "jitter": jitter, "score_steps": "8"},
		Meets: meets,
	})
}

// readArguments are the parameters of arguments.
func readArguments(in *anonymize.Input, arguments anonymize.Arguments) (parameters, error) {
	settings, err := Method().Resolve(arguments)
	if err != nil {
		return parameters{}, err
	}
	return readParameters(in, settings)
}

// meets is Eqs. (3), (5), (7) and (8) by maps of texts and big rationals.
func meets(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	p, err := readArguments(in, arguments)
	if err != nil {
		return false
	}
	tables, err := divideTable(context.Background(), in, &p)
	if err != nil {
		return false
	}
	sensitive := in.Sensitive[0]
	for _, group := range groups {
		product := big.NewRat(1, 1)
		for _, table := range tables {
			c := mostIn(table.columns, group)
			if c.Cmp(p.alpha.Rat()) > 0 {
				return false
			}
			product.Mul(product, c)
		}
		c := mostIn(in.Sensitive, group)
		if c.Cmp(p.beta.Rat()) > 0 || product.Mul(product, c).Cmp(p.gamma.Rat()) > 0 {
			return false
		}
		for code, total := range sensitive.Histogram() {
			here := 0
			for _, record := range group {
				if sensitive.Codes[record] == uint32(code) {
					here++
				}
			}
			d := new(big.Rat).Sub(big.NewRat(int64(total), int64(in.Rows)), big.NewRat(int64(here), int64(len(group))))
			if d.Abs(d).Cmp(p.delta.Rat()) > 0 {
				return false
			}
		}
	}
	return true
}

func mostIn(columns []*anonymize.Column, group []int) *big.Rat {
	counts, most := map[string]int{}, 0
	for _, record := range group {
		tuple := ""
		for _, c := range columns {
			tuple += fmt.Sprint(c.Codes[record], ",")
		}
		counts[tuple]++
		most = max(most, counts[tuple])
	}
	return big.NewRat(int64(most), int64(len(group)))
}

func TestErrors(t *testing.T) {
	two := `
q1 q2 q3 q4 s
1  1  1  1  a
2  1  2  1  a
3  2  1  1  NULL
4  2  2  1  b`
	same := "q1 q2 q3 q4 s\n1 1 1 1 a\n2 1 2 1 a"
	null := "q1 q2 q3 q4 s\n1 1 1 1 NULL\n2 1 2 1 NULL\n3 1 1 1 a"
	anontest.Refuses(t, Method(), [][3]string{
		{two, "beta=0", "beta is 0, must be above 0 and at most 1"},
		{two, "beta=1.5", "beta is 1.5, must be above 0 and at most 1"},
		{two, "beta=.5 alpha=-1", "alpha is '-1', must be a number such as 0.05 or 1/3"},
		{two, "beta=.5 tables=9", "tables is 9, must be at most 4, the number of quasi-identifiers"},
		{two, "beta=.5 tables=0", "tables is '0', must be a whole number from 1 to 1073741824, or auto"},
		{two, "beta=.5 bins=1", "bins is 1, must be 0 (never) or at least 2"},
		{two, "beta=.5 order=random", "order is 'random', must be one of balanced, paper"},
		{two, "alpha=.5", "beta is missing, method slppa needs it: greatest share of a group that one sensitive value may have, above 0 and at most 1"},
		{two, "beta=.5 delta=0 order=paper", "delta is 0, must be above 0 with order=paper, which makes groups of ceil(1/delta) records"},
		{two, "beta=1/3", "beta = 0.3333 (1/3) cannot be met: s = 'a' is 2 of 4 records; the smallest feasible beta is 0.5"},
		{two, "beta=.5 alpha=.5 tables=4", "alpha = 0.5 cannot be met: in table qi4, q4 = 1 is 4 of 4 records; the smallest feasible alpha is 1"},
		{two, "beta=.5 gamma=0.01 tables=1", "gamma is 0.01, was not reached: all 4 records came into one group, with 0.125. That does not prove it impossible; try a larger gamma, a smaller alpha or beta, or other tables"},
		{same, "beta=1", "s = 'a' is all 2 records: there is nothing that groups could hide"},
		{same, "beta=.5", "beta = 0.5 cannot be met: s = 'a' is 2 of 2 records; the smallest feasible beta is 1"},
		{null, "beta=.5", "beta = 0.5 cannot be met: s = NULL is 2 of 3 records; the smallest feasible beta is 0.6667 (exactly 2/3)"},
		{"q1 q2 q3 q4 s\n1 1 1 1 a", "beta=1", "s = 'a' is all 1 records: there is nothing that groups could hide"},
	})
}

func TestInputErrors(t *testing.T) {
	arguments := anonymize.Arguments{"beta": "1"}
	in := example(t)
	in.Sensitive = nil
	var data *anonymize.DataError
	if _, err := Method().Run(context.Background(), in, arguments); !errors.As(err, &data) ||
		!strings.HasPrefix(err.Error(), "no sensitive attribute is given: say sa=column. Without one mondrian, ") {
		t.Error(err)
	}
}

// NULL is a value like any other: it is grouped, published and bounded.
func TestNull(t *testing.T) {
	table := anontest.Parse(t, `
q    s
NULL NULL
1    a
NULL b
2    NULL
3    a
NULL b`)
	in := anontest.NewInput(t, table, "q", "s", rand.NewPCG(1, 1))
	r, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": "1/3", "delta": "0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Error(err)
	}
	if r.Groups() != 2 || r.Fragments[1].Columns[0].Dictionary[0] != anonymize.NullValue {
		t.Errorf("%d groups, want 2, each with a NULL", r.Groups())
	}
}

func TestFacts(t *testing.T) {
	r, err := Method().Run(context.Background(), example(t), anonymize.Arguments{"beta": "1/4", "tables": "2"})
	if err != nil {
		t.Fatal(err)
	}
	want := []anonymize.Fact{
		{Name: "table qi1", Value: "Age (2.50 bits), Zipcode (1.81 bits), Gender (0.95 bits)"},
		{Name: "table qi2", Value: "Job (1.91 bits)"},
		{Name: "groups", Value: "2"},
		{Name: "repair: groups before", Value: "2"},
		{Name: "repair: swaps", Value: "0"},
		{Name: "repair: merges", Value: "0"},
		{Name: "unique sub-tuples qi1", Value: "4 of 6 sub-tuples (66.7 %) occur once in the whole table and reveal their owners' group"},
		{Name: "unique sub-tuples qi2", Value: "1 of 4 sub-tuples (25.0 %) occur once in the whole table and reveal their owners' group"},
	}
	if fmt.Sprint(r.Facts) != fmt.Sprint(want) {
		t.Errorf("facts:\n%v\nwant\n%v", r.Facts, want)
	}
}
