package mondrian

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/testsize"
)

// The battery with two and with three sensitive attributes, as one value and
// each.
func TestBatterySeveral(t *testing.T) {
	for _, mode := range []string{"combined", "each"} {
		for sensitive := 2; sensitive <= 3; sensitive++ {
			t.Run(fmt.Sprint(mode, " ", sensitive), func(t *testing.T) {
				anontest.Battery(t, Method(), anontest.Options{Sensitive: sensitive, Tables: testsize.Of(15, 90),
					Easy: anonymize.Arguments{"k": "3", "l": "2", "mode": "relaxed", "sa_mode": mode},
					Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
						return anonymize.Arguments{"k": fmt.Sprint(1 + random.IntN(6)), "l": fmt.Sprint(1 + random.IntN(3)), "sa_mode": mode,
							"t": []string{"1", "1", "0.5", "1/4"}[random.IntN(4)], "mode": []string{local, local, strict, relaxed}[random.IntN(4)]}
					},
					Meets: meetsSeveral,
				})
			})
		}
	}
}

// meetsSeveral asks k and l of every group; any t can be met, by one class, which
// meets both if some grouping does.
func meetsSeveral(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	var k, l int
	fmt.Sscan(arguments["k"], &k)
	fmt.Sscan(arguments["l"], &l)
	return anontest.Diverse(anontest.Protected(in, arguments["sa_mode"] == "each"), groups, l) &&
		!slices.ContainsFunc(groups, func(group []int) bool { return len(group) < k })
}

// With a copy of an attribute beside it, each is as with the attribute alone.
func TestEachOfTheSame(t *testing.T) {
	for seed := range uint64(200) {
		in := anontest.RandomTable(20+int(seed), seed)
		c := in.Sensitive[0]
		attributes, err := generalization.NewAttributes(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, relaxed := range []bool{false, true} {
			condition := Condition{K: 2, L: 2, T: anonymize.MustRatio("0.4"), Ordered: c.IsNumeric()}
			alone, err := Partition(context.Background(), attributes, c.Codes, len(c.Dictionary), condition, relaxed, rand.New(rand.NewPCG(seed, 1)), nil)
			if err != nil {
				t.Fatal(err)
			}
			twice, err := PartitionEach(context.Background(), attributes, []*anonymize.Column{c, c}, condition, relaxed, rand.New(rand.NewPCG(seed, 1)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(alone.Member, twice.Member) || !slices.Equal(alone.Start, twice.Start) {
				t.Fatalf("seed %d: %v and %v", seed, alone, twice)
			}
		}
	}
}
