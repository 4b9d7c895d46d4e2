package slppa

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/testsize"
)

// The battery with two and with three sensitive attributes, as one value and
// each.
func TestBatterySeveral(t *testing.T) {
	for _, mode := range []string{"combined", "each"} {
		for _, homogeneous := range []string{"false", "true"} {
			for sensitive := 2; sensitive <= 3; sensitive++ {
				t.Run(fmt.Sprint(mode, " ", sensitive, " homogeneous=", homogeneous), func(t *testing.T) {
					runBatterySeveral(t, mode, homogeneous, sensitive)
				})
			}
		}
	}
}

func runBatterySeveral(t *testing.T, mode, homogeneous string, sensitive int) {
	orders, jitter := []string{balanced}, "0"
	switch {
	case homogeneous == "true":
		jitter = "200" // a random order, as gids are
	case mode == "combined":
		orders = append(orders, balanced, paper)
	}
	anontest.Battery(t, Method(), anontest.Options{Sensitive: sensitive, Tables: testsize.Of(15, 90),
		Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
			pick := func(of ...string) string { return of[random.IntN(len(of))] }
			return anonymize.Arguments{"sa_mode": mode, "homogeneous": homogeneous, "jitter": jitter, "order": pick(orders...),
				"alpha": pick("1", "1", "0.9", "2/3", "1/2"), "beta": pick("1", "0.75", "0.6", "1/2", "1/3"),
				"gamma": pick("1", "1", "0.5", "0.25"), "delta": pick("1", "0.5", "0.25", "1/3", "0.1", "0"),
				"tables": fmt.Sprint(1 + random.IntN(len(in.QuasiIdentifiers)))}
		},
		Easy: anonymize.Arguments{"alpha": "0.6", "beta": "0.3", "gamma": "0.2", "tables": "2",
			"sa_mode": mode, "homogeneous": homogeneous, "jitter": jitter},
		Meets: func(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
			for _, one := range protected(t, in, mode) {
				if !meets(one, arguments, groups) {
					return false
				}
			}
			return true
		},
	})
}

// protected are tables of the one sensitive attribute that is bounded: the tuple,
// or each in turn.
func protected(t *testing.T, in *anonymize.Input, mode string) (all []*anonymize.Input) {
	t.Helper()
	if mode == "combined" {
		tuples, err := bucketization.Combine(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		return []*anonymize.Input{tuples.Input}
	}
	for _, c := range in.Sensitive {
		one := *in
		one.Sensitive = []*anonymize.Column{c}
		all = append(all, &one)
	}
	return all
}

// An attribute that stands in the way is named, and so is what Algorithm 1 cannot.
func TestEachErrors(t *testing.T) {
	table := anontest.Parse(t, "q s1 s2\n1 a x\n2 b x\n3 c x\n4 d y")
	for _, c := range []struct {
		arguments anonymize.Arguments
		want      string
	}{
		{anonymize.Arguments{"beta": "1/2"}, "beta = 0.5 cannot be met: s2 = 'x' is 3 of 4 records; the smallest feasible beta is 0.75"},
		{anonymize.Arguments{"beta": "1", "order": paper}, "order is paper, must be balanced with sa_mode=each: Algorithm 1 knows buckets of one sensitive attribute"},
	} {
		c.arguments["sa_mode"] = "each"
		in := anontest.NewInput(t, table, "q", "s1 s2", rand.NewPCG(1, 1))
		if _, err := Method().Run(context.Background(), in, c.arguments); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v", c.arguments, err)
		}
	}
	in := anontest.NewInput(t, anontest.Parse(t, "q s1 s2\n1 a x\n2 b x"), "q", "s1 s2", rand.NewPCG(1, 1))
	var data *anonymize.DataError
	if _, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": "1", "sa_mode": "each"}); !errors.As(err, &data) ||
		err.Error() != "s2 = 'x' is all 2 records: there is nothing that groups could hide" {
		t.Error(err)
	}
}

// Gamma of an attribute is at least that of the tuple, which bounds none of its
// attributes; and it may rise in a union, so that it is asked again after merging.
func TestDeviation123_GammaOfEach(t *testing.T) {
	compared := 0
	for seed := range uint64(300) {
		in := anontest.WithSensitive(anontest.RandomTable(40, seed), 2, seed)
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": "0.7", "gamma": "0.3", "sa_mode": "each"})
		if err != nil {
			continue
		}
		guarantees, err := privacy.Verify(r)
		if err != nil {
			t.Fatal(err)
		}
		figure := map[string]float64{}
		for _, g := range guarantees {
			figure[g.Name] = g.Achieved
		}
		compared++
		for _, name := range []string{"gamma(s)", "gamma(s2)"} {
			if figure[name] < figure["gamma"] || figure[name] > 0.3 {
				t.Errorf("seed %d: %s is %v, that of the tuple %v", seed, name, figure[name], figure["gamma"])
			}
		}
	}
	if compared < 50 {
		t.Errorf("%d releases were compared", compared)
	}
}
