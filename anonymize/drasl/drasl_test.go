package drasl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

// synonymous is the method on tables whose sensitive attribute has no taxonomy:
// every two neighbouring values are synonyms.
func synonymous(m anonymize.Method) anonymize.Method {
	run := m.Algorithm
	m.Algorithm = func(ctx context.Context, in *anonymize.Input, s anonymize.Settings) (*anonymize.Release, error) {
		with := *in
		with.Domains = map[string]*anonymize.Domain{"s": {Scale: anonymize.Semantic, Taxonomy: pairs(in.Sensitive[0].Dictionary)}}
		return run(ctx, &with, s)
	}
	return m
}

func pairs(values []anonymize.Value) *anonymize.Taxonomy {
	labels, parents, byLabel := []string{"*"}, []int{-1}, map[string]anonymize.Value{}
	for i, v := range values {
		if i%2 == 0 {
			labels, parents = append(labels, fmt.Sprint("pair ", i/2)), append(parents, 0)
		}
		label := fmt.Sprint("value ", i)
		byLabel[label] = v
		labels, parents = append(labels, label), append(parents, slices.Index(labels, fmt.Sprint("pair ", i/2)))
	}
	t, err := anonymize.NewTaxonomy(labels, parents, func(text string) (anonymize.Value, error) { return byLabel[text], nil })
	if err != nil {
		panic(err)
	}
	return t
}

func TestBattery(t *testing.T) {
	for _, improve := range []string{"false", "true"} {
		t.Run("improve="+improve, func(t *testing.T) {
			anontest.Battery(t, synonymous(Method()), anontest.Options{
				Tables: testsize.Levels(6, 15, 300), // brute force finds the best groups of each
				Easy:   anonymize.Arguments{"k": "3", "improve": improve},
				Meets: func(_ *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
					k, err := strconv.Atoi(arguments["k"])
					return err == nil && k > 1 && !slices.ContainsFunc(groups, func(g []int) bool { return len(g) < k })
				},
				Arguments: func(random *rand.Rand, _ *anonymize.Input) anonymize.Arguments {
					one := func(of ...string) string { return of[random.IntN(len(of))] }
					return anonymize.Arguments{"k": fmt.Sprint(1 + random.IntN(7)), "improve": improve,
						"search": one("fast", "exact"), "nominal": one("each", "joint"), "gamma": one("auto", "0", "2"),
						"alpha": one("0", "0.6", "1"), "beta": one("0", "0.4", "1")}
				},
			})
		})
	}
}

func TestRefusals(t *testing.T) {
	known := anontest.Parse(t, "q s\n1 anemia\n2 leukemia\n3 acne")
	for _, c := range []struct {
		table     *anonymize.Microdata
		arguments anonymize.Arguments
		want      string
	}{
		{known, anonymize.Arguments{"k": "1"}, "k is 1, must be between 2"},
		{known, anonymize.Arguments{"k": "4"}, "k = 4 cannot be met: the table has 3 records; the largest feasible k is 3"},
		{known, anonymize.Arguments{"k": "2", "gamma": "101"}, "gamma is '101', must be a number from 0 to 100, or auto"},
		{known, anonymize.Arguments{"k": "2", "alpha": "2"}, "alpha is 2, must be between 0 and 1"},
	} {
		in := anontest.NewInput(t, c.table, "q", "s", rand.NewPCG(1, 1))
		if _, err := Method().Run(context.Background(), in, c.arguments); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v\nwant %s", c.arguments, err, c.want)
		}
	}
	in := anontest.NewInput(t, known, "q", "s", rand.NewPCG(1, 1))
	in.Sensitive = append(in.Sensitive, in.Sensitive[0])
	if _, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "2"}); !errors.As(err, new(*anonymize.DataError)) {
		t.Errorf("two sensitive attributes: %v", err)
	}
}

// Without a catalogue every value is its own class, and the release says so.
func TestUnknownSynonyms(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n1 anemia\n2 flu\n3 leukemia\n4 flu"), "q", "s", rand.NewPCG(1, 1))
	want := anonymize.Fact{Name: "synonyms", Value: "none known: a taxonomy of s says which values are synonyms, " +
		"and the bundled one of 32 diseases does not fit: the taxonomy of s has no leaf for the value flu"}
	for _, improve := range []string{"false", "true"} {
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "2", "improve": improve})
		if err != nil || r.Groups() != 2 || !slices.Contains(r.Facts, want) {
			t.Errorf("improve=%s: %v, %v", improve, err, r)
		}
	}
	in = anontest.NewInput(t, anontest.Parse(t, "q s\n1 anemia\n2 leukemia"), "q", "s", rand.NewPCG(1, 1))
	r, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "2"})
	if err != nil || slices.ContainsFunc(r.Facts, func(f anonymize.Fact) bool { return f.Name == want.Name }) {
		t.Errorf("with the bundled catalogue: %v, %v", err, r)
	}
}
