package anatomy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
		for sensitive := 2; sensitive <= 3; sensitive++ {
			for _, homogeneous := range []string{"false", "true"} {
				t.Run(fmt.Sprint(mode, " ", sensitive, " homogeneous=", homogeneous), func(t *testing.T) {
					easy := anonymize.Arguments{"l": "4", "homogeneous": homogeneous, "sa_mode": mode}
					if homogeneous == "true" {
						easy["jitter"] = "200" // q1 distinguishes all records; without it only gids are random
					}
					anontest.Battery(t, Method(), anontest.Options{Sensitive: sensitive, Tables: testsize.Of(20, 150),
						Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
							arguments := anonymize.Arguments{"l": fmt.Sprint(2 + random.IntN(2)), "homogeneous": homogeneous, "sa_mode": mode}
							if random.IntN(8) == 0 {
								arguments["threshold"] = "10" // for tables with numbers
							}
							return arguments
						},
						Easy:  easy,
						Meets: meetsSeveral,
					})
				})
			}
		}
	}
}

// meetsSeveral is Definition 1 of Zhu et al. for one grouping and every attribute,
// or the tuple.
func meetsSeveral(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	l := 0
	fmt.Sscan(arguments["l"], &l)
	if width := arguments["threshold"]; width != "" {
		numeric := slices.ContainsFunc(in.Sensitive, (*anonymize.Column).IsNumeric)
		if !numeric || !anontest.CloseDiverse(in, groups, l, width) {
			return false
		}
	}
	return anontest.Diverse(anontest.Protected(in, arguments["sa_mode"] == "each"), groups, l)
}

// several returns a table with a quasi-identifier that distinguishes all records, and sensitive attributes s1, s2,
// ... with the tuples in text.
func several(t *testing.T, tuples string) *anonymize.Input {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(tuples), "\n")
	names := []string{}
	for i := range strings.Fields(lines[0]) {
		names = append(names, fmt.Sprint("s", i+1))
	}
	text := "q " + strings.Join(names, " ")
	for i, line := range lines {
		text += fmt.Sprintf("\n%d %s", i, line)
	}
	return anontest.NewInput(t, anontest.Parse(t, text), "q", strings.Join(names, " "), rand.NewPCG(1, 1))
}

// The error names the attribute and the value in the way.
func TestEachInfeasible(t *testing.T) {
	in := several(t, "a x\na y\nb z\nc x\nd x")
	_, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "2", "sa_mode": "each"})
	var infeasible *anonymize.InfeasibleError
	if !errors.As(err, &infeasible) || err.Error() != "l = 2 cannot be met: s2 = 'x' is 3 of 5 records; no l but 1 would be met, which protects nothing" {
		t.Errorf("each: %v", err)
	}
	if _, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "2"}); err != nil {
		t.Errorf("the tuples all differ: %v", err)
	}
	in = several(t, "a x\na x\na x\nb z\nc x")
	_, err = Method().Run(context.Background(), in, anonymize.Arguments{"l": "2"})
	if err == nil || err.Error() != "l = 2 cannot be met: (s1, s2) = 'a, x' is 3 of 5 records; no l but 1 would be met, which protects nothing" {
		t.Errorf("combined: %v", err)
	}
}

// achieved returns the figure of a guarantee.
func achieved(t *testing.T, r *anonymize.Release, name string) float64 {
	t.Helper()
	guarantees, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range guarantees {
		if g.Name == name {
			return g.Achieved
		}
	}
	t.Fatalf("no %s among %v", name, guarantees)
	return 0
}

// Several attributes as one value: the tuple is bounded, an attribute is not.
func TestDeviation120_TupleAsOneValue(t *testing.T) {
	in := several(t, "flu x\nflu y")
	r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "2"})
	for name, want := range map[string]float64{"l(s1,s2)": 2, "l(s1)": 1, "l(s2)": 2, "l": 1} {
		if got := achieved(t, r, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if len(r.Promises) != 1 || r.Promises[0].Guarantee != "l(s1,s2)" {
		t.Errorf("promised is %v", r.Promises)
	}
	want := "s1, s2 are one value, of 2 tuples; different tuples may agree in an attribute: the greatest share of a value in a group is 1 of s1, 0.5 of s2"
	if last := r.Facts[len(r.Facts)-1]; last.Value != want {
		t.Errorf("the fact is %q", last.Value)
	}
}

// Each attribute separately; the release states the result for each.
func TestDeviation121_EachByItself(t *testing.T) {
	in := several(t, "flu x\nflu y\ncold x\ncold y\ngout z\ngout z")
	r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "2", "sa_mode": "each"})
	for _, name := range []string{"l(s1)", "l(s2)", "l(s1,s2)", "l"} {
		if got := achieved(t, r, name); got < 2 {
			t.Errorf("%s is %v", name, got)
		}
	}
	if len(r.Promises) != 2 || r.Promises[0].Guarantee != "l(s1)" || r.Promises[1].Guarantee != "l(s2)" {
		t.Errorf("promised is %v", r.Promises)
	}
	// Each bounds the tuple, too: the other way round nothing follows.
	if r.Groups() != 3 {
		t.Errorf("%d groups, want 3", r.Groups())
	}
}

// Of three attributes groups of records that differ in all need not exist although
// l can be met: Property 2 does not carry over.
func TestDeviation122_FewerGroupsOfThree(t *testing.T) {
	r := anontest.MustRun(t, Method(), several(t, "1 1 1\n1 2 2\n2 1 2\n2 2 1"), anonymize.Arguments{"l": "2", "sa_mode": "each"})
	if r.Groups() != 1 {
		t.Errorf("%d groups", r.Groups())
	}
}

// The direct deal against what merging makes of groups of different tuples.
func TestAdultEachAgainstMerging(t *testing.T) {
	table := anontest.AdultComplete(t)
	for _, l := range []int{2, 3} {
		in := anontest.NewInput(t, table, "age sex", "occupation education", rand.NewPCG(1, 1))
		tuples, err := bucketization.Combine(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 1))
		p := parameters{l: l}
		start, _, err := divide(context.Background(), tuples.Input, bucketization.NewBuckets(tuples.Input.Sensitive[0], nil), random, &p)
		if err != nil {
			t.Fatal(err)
		}
		each := bucketization.NewEach(in)
		merged, _, err := each.Merge(context.Background(), start, bucketization.DiverseBounds(l))
		if err != nil {
			t.Fatal(err)
		}
		dealt, _, err := each.Deal(context.Background(), l, bucketization.DiverseBounds(l), random)
		if err != nil {
			t.Fatal(err)
		}
		mean := func(p *bucketization.Partition) float64 { return float64(in.Rows) / float64(p.Groups()) }
		t.Logf("l = %d: groups of %.2f records merged, %.2f dealt", l, mean(merged), mean(dealt))
		if dealt.Groups() != in.Rows/l || merged.Groups() > dealt.Groups() {
			t.Errorf("l = %d: %d groups merged, %d dealt, %d at most", l, merged.Groups(), dealt.Groups(), in.Rows/l)
		}
	}
}
