package arp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

// The battery with two and with three sensitive attributes, as one value and
// each.
func TestBatterySeveral(t *testing.T) {
	for _, mode := range []string{"combined", "each"} {
		for i, over := range []string{anatomy, slicing, ranges} {
			t.Run(mode+" "+over, func(t *testing.T) {
				anontest.Battery(t, Method(), anontest.Options{Sensitive: 2 + i%2, Tables: testsize.Of(15, 90),
					Arguments: func(random *rand.Rand, _ *anonymize.Input) anonymize.Arguments {
						arguments := partitions(random)
						arguments["l"] = pick(random, "2", "2", "2", "3")
						arguments["over"], arguments["sa_mode"] = over, mode
						if arguments["homogeneous"] = pick(random, "false", "false", "true"); arguments["homogeneous"] == "true" {
							arguments["jitter"] = pick(random, "0", "5")
						}
						return arguments
					},
					Easy: anonymize.Arguments{"l": "3", "over": over, "sa_mode": mode},
					Meets: func(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
						l := 0
						fmt.Sscan(arguments["l"], &l)
						return anontest.Diverse(anontest.Protected(in, mode == "each"), groups, l)
					},
				})
			})
		}
	}
}

func TestSeveralErrors(t *testing.T) {
	const table = "q s1 s2\n1 a 10\n2 b 11\n3 c 20\n4 d 11"
	for _, c := range []struct {
		arguments anonymize.Arguments
		want      string
	}{
		{anonymize.Arguments{"l": "2", "over": randomization}, "over is randomization, must be anatomy, slicing or generalization with several sensitive attributes: the cell of a record has candidates of one attribute"},
		{anonymize.Arguments{"l": "3", "sa_mode": "each"}, "l = 3 cannot be met: s2 = 11 is 2 of 4 records; the largest feasible l is 2"},
		{anonymize.Arguments{"l": "2", "sa_mode": "each", "threshold": "1"}, "l = 2 cannot be met: s2 from 10 to 11 is 3 of 4 records, and numbers within 1 of each other count as one; no l but 1 would be met, which protects nothing"},
		{anonymize.Arguments{"l": "2", "threshold": "1"}, "l = 2 cannot be met: s2 from 10 to 11 is 3 of 4 records, and numbers within 1 of each other count as one; no l but 1 would be met, which protects nothing"},
	} {
		in := anontest.NewInput(t, anontest.Parse(t, table), "q", "s1 s2", rand.NewPCG(1, 1))
		if _, err := Method().Run(context.Background(), in, c.arguments); err == nil || err.Error() != c.want {
			t.Errorf("%v:\n got %v\nwant %s", c.arguments, err, c.want)
		}
	}
}

// A value of one in l records must be in every group. Blocks put records of one value side by side, so neighbours
// alone would leave most of them over; records with such a value are fetched from elsewhere.
func TestDeviation124_ValuesThatMustBeEverywhere(t *testing.T) {
	const n = 600
	text := "q s1 s2"
	for i := range n {
		one := fmt.Sprint("a", 1+i%7)
		if i < n/2 {
			one = "all" // half of the records, the first ones along q
		}
		text += fmt.Sprintf("\n%d %s b%d", i, one, i%9)
	}
	for _, homogeneous := range []string{"false", "true"} {
		in := anontest.NewInput(t, anontest.Parse(t, text), "q", "s1 s2", rand.NewPCG(1, 1))
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "2", "sa_mode": "each", "homogeneous": homogeneous})
		if err != nil {
			t.Fatal(err)
		}
		if err := anontest.Publishable(r, in); err != nil {
			t.Fatal(err)
		}
		if r.Groups() < n/2*95/100 {
			t.Errorf("homogeneous=%s: %d groups, at most %d are possible", homogeneous, r.Groups(), n/2)
		}
	}
}
