package anatomy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

func TestBattery(t *testing.T) {
	for name, homogeneous := range map[string]string{"largest first": "false", "homogeneous": "true", "by score": "score"} {
		t.Run(name, func(t *testing.T) {
			easy := anonymize.Arguments{"l": "5", "homogeneous": homogeneous}
			if homogeneous != "false" {
				easy["jitter"], easy["score_steps"] = "200", "8" // q1 distinguishes all records; without it only gids are random
			}
			anontest.Battery(t, Method(), anontest.Options{
				Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
					arguments := anonymize.Arguments{"l": fmt.Sprint(2 + random.IntN(3)), "homogeneous": homogeneous}
					if homogeneous != "false" {
						arguments["jitter"], arguments["score_steps"] = fmt.Sprint(random.IntN(3)), fmt.Sprint(random.IntN(40))
						arguments["score_weight"] = []string{"0", "0.75", "1"}[random.IntN(3)]
					}
					if in.Sensitive[0].IsNumeric() {
						arguments["threshold"] = []string{"0", "0", "10", "15.5", "20%"}[random.IntN(5)]
					}
					return arguments
				},
				Easy:  easy,
				Meets: meets,
			})
		})
	}
}

// readArguments are the parameters of arguments.
func readArguments(in *anonymize.Input, arguments anonymize.Arguments) (parameters, error) {
	settings, err := Method().Resolve(arguments)
	if err != nil {
		return parameters{}, err
	}
	return readParameters(in, settings)
}

// meets is Definition 1 of Zhu et al. for one grouping.
func meets(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	p, err := readArguments(in, arguments)
	if err != nil {
		return false
	}
	if width := arguments["threshold"]; width != "" && !anontest.CloseDiverse(in, groups, p.l, width) {
		return false
	}
	return anontest.MeetsL(in, p.l, groups) // and so l different values
}

// sized returns a table of one quasi-identifier, unique, and the given counts.
func sized(counts []int, seed uint64) *anonymize.Input {
	var ids, values []anonymize.Value
	for v, n := range counts {
		for range n {
			ids = append(ids, anonymize.IntegerValue(int64(len(ids))))
			values = append(values, anonymize.IntegerValue(int64(v)))
		}
	}
	return &anonymize.Input{Rows: len(ids), Random: rand.NewPCG(seed, 1),
		QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("q", "", ids)},
		Sensitive:        []*anonymize.Column{anonymize.NewColumn("s", "", values)}}
}

// Zhu et al., Properties 2 and 3, and Xiao and Tao's: floor(n/l) groups, l to
// 2l-1 records, no value twice; on random tables that can be l-diverse, tight
// ones among them.
func TestProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for trial := range 3000 {
		l, groups := 2+random.IntN(5), 1+random.IntN(10)
		rest := groups*l + random.IntN(l)
		var counts []int
		for range random.IntN(l + 1) {
			counts = append(counts, groups)
			rest -= groups
		}
		for rest > 0 {
			counts = append(counts, 1+random.IntN(min(groups, rest)))
			rest -= counts[len(counts)-1]
		}
		in := sized(counts, uint64(trial))
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": fmt.Sprint(l)})
		if err != nil {
			t.Fatalf("l = %d, counts %v: %v", l, counts, err)
		}
		if err := anontest.Publishable(r, in); err != nil {
			t.Fatal(err)
		}
		if r.Groups() != in.Rows/l {
			t.Fatalf("l = %d, counts %v: %d groups, want %d", l, counts, r.Groups(), in.Rows/l)
		}
		for g, size := range r.GroupSizes {
			if int(size) < l || int(size) > 2*l-1 {
				t.Fatalf("l = %d: group %d has %d records", l, g, size)
			}
		}
		if most := slices.Max(r.Fragments[1].Count); most != 1 {
			t.Fatalf("l = %d: a value occurs %d times in a group", l, most)
		}
	}
}

// Groups follow the rule: the values of every group are among those of the l greatest counts, computed from all
// buckets each time.
func TestLargestFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for trial := range 2000 {
		counts := make([]int, 2+random.IntN(7))
		for i := range counts {
			counts[i] = 1 + random.IntN(9)
		}
		in := sized(counts, uint64(trial))
		l := 2 + random.IntN(len(counts)-1)
		c := newCreation(bucketization.NewBuckets(in.Sensitive[0], nil), l, rand.New(in.Random))
		if err := c.largestFirst(context.Background()); err != nil {
			t.Fatal(err)
		}
		left := slices.Clone(counts)
		for g := range c.groups {
			var values []uint32
			for place, record := range c.records {
				bucket := c.List[bucketAt(c, place)]
				if place < c.next(bucketAt(c, place)) && c.group[place] == uint32(g) {
					if in.Sensitive[0].Codes[record] != bucket {
						t.Fatal("a record stands in another value's bucket")
					}
					values = append(values, bucket)
				}
			}
			sorted := slices.Clone(left)
			slices.SortFunc(sorted, func(a, b int) int { return b - a })
			for _, v := range values {
				if left[v] < sorted[l-1] {
					t.Fatalf("counts %v, l = %d, group %d: value %d has %d left, the %d-th largest %d", counts, l, g, v, left[v], l, sorted[l-1])
				}
			}
			for _, v := range values {
				left[v]--
			}
			if len(values) != l {
				t.Fatalf("group %d has %d values, want %d", g, len(values), l)
			}
		}
	}
}

func bucketAt(c *creation, place int) int {
	bucket, found := slices.BinarySearch(c.Start, place)
	if !found {
		bucket--
	}
	return bucket
}

func TestErrors(t *testing.T) {
	table := `
q1 q2 s
1  1  a
2  1  a
3  2  NULL
4  2  b`
	numeric := "q1 q2 s\n1 1 10\n2 1 12\n3 1 30\n4 1 31"
	anontest.Refuses(t, Method(), [][3]string{
		{table, "", "l is missing, method anatomy needs it: least number of different sensitive values in a group, each in at most floor(m/l) of its m records; 2 or more"},
		{table, "l=1", "l is 1, must be between 2 and 1073741824"},
		{table, "l=two", "l is 'two', must be a whole number"},
		{table, "l=3", "l = 3 cannot be met: s = 'a' is 2 of 4 records; the largest feasible l is 2"},
		{table, "l=2 threshold=-1", "threshold is '-1', must be a number of at least 0, such as 500, or a part of the number itself, such as 1%"},
		{table, "l=2 threshold=1", "threshold: no sensitive attribute is numeric, and others have no distance to each other"},
		{table, "l=2 jitter=3", "jitter is 3, must be 0 unless homogeneous=true or score: other groups do not follow an order of the records"},
		{table, "l=2 max_posterior=0.9", "max_posterior is 0.9, is for homogeneous=score: other groups know no model whose probabilities could be bounded"},
		{table, "l=2 homogeneous=score max_posterior=0.5", "max_posterior is 0.5, must be above 0.5, the greatest share of a value in a group: no posterior is below it everywhere"},
		{table, "l=2 homogeneous=yes", "homogeneous is 'yes', must be one of false, true, score"},
		{numeric, "l=4 threshold=2", "l = 4 cannot be met: s from 10 to 12 is 2 of 4 records, and numbers within 2 of each other count as one; the largest feasible l is 2"},
	})
}

// A score is refused on unsuitable releases, and where groups change after their posteriors were bounded.
func TestScoreIsRefused(t *testing.T) {
	in := anontest.WithSensitive(anontest.RandomTable(200, 3), 2, 3)
	one := *in
	one.Sensitive = in.Sensitive[:1]
	one.Asked = []anonymize.Promise{{Guarantee: "size", Bound: anonymize.NewRatio(4, 1)}}
	for _, c := range []struct {
		in        *anonymize.Input
		arguments anonymize.Arguments
		want      string
	}{
		{in, anonymize.Arguments{"l": "2", "sa_mode": "each", "homogeneous": "score"},
			"homogeneous is score, must be true or false with sa_mode=each: a score is of the values of one attribute. sa_mode=combined scores tuples"},
		{&one, anonymize.Arguments{"l": "2", "homogeneous": "score", "max_posterior": "0.9"},
			"max_posterior is 0.9, must be 1 beside size: groups are united to keep that, and the posterior in a union is another"},
	} {
		if _, err := Method().Run(context.Background(), c.in, c.arguments); err == nil || err.Error() != c.want {
			t.Errorf("%v:\n got %v\nwant %s", c.arguments, err, c.want)
		}
	}
}

func TestFacts(t *testing.T) {
	in := sized([]int{3, 2, 2}, 1)
	r, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "2", "homogeneous": "true", "jitter": "4"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []anonymize.Fact{
		{Name: "groups", Value: "3"},
		{Name: "residue", Value: "1 records, in groups of more than 2"},
		{Name: "unique tuples", Value: "7 of 7 quasi-identifier tuples (100.0 %) occur once in the whole table and reveal their owners' group"},
		{Name: "jitter", Value: "4 places"},
	} {
		if r.Facts[i] != want {
			t.Errorf("fact %d is %v, want %v", i, r.Facts[i], want)
		}
	}
}
