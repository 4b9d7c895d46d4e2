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

// One test for every departure from the papers in DEVIATIONS.md, by number.

// Which of equal buckets are taken from is drawn: with four values of two
// records each and l = 2, all six pairs of values come together, the first group
// having each as often as the others. 5 standard errors of a share of 1/6 in
// 6,000 runs are 0.024.
func TestDeviation30_TiesAtRandom(t *testing.T) {
	const runs = 6000
	first := map[[2]uint32]int{}
	in := sized([]int{2, 2, 2, 2}, 1)
	for seed := range uint64(runs) {
		c := newCreation(bucketization.NewBuckets(in.Sensitive[0], nil), 2, rand.New(rand.NewPCG(seed, 1)))
		if err := c.largestFirst(context.Background()); err != nil {
			t.Fatal(err)
		}
		var values []uint32
		for place, record := range c.records {
			if c.group[place] == 0 {
				values = append(values, in.Sensitive[0].Codes[record])
			}
		}
		slices.Sort(values)
		first[[2]uint32(values)]++
	}
	for pair, n := range first {
		if share := float64(n) / runs; share < 1./6-.024 || share > 1./6+.024 {
			t.Errorf("the first group has values %v in %.3f of the runs, want about 1/6", pair, share)
		}
	}
	if len(first) != 6 {
		t.Errorf("%d kinds of groups, want 6", len(first))
	}
}

// "Values are different if they differ by more than a threshold": with 5, no group
// has both 10 and 14, nor 26 and 31, wherever a class might begin.
func TestDeviation31_Threshold(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, `
q  wage
1  10
2  14
3  20
4  26
5  31
6  40`), "q", "wage", rand.NewPCG(1, 1))
	for _, homogeneous := range []string{"false", "true"} {
		together := 0
		for seed := range uint64(50) {
			in.Random = rand.NewPCG(seed, 1)
			r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "3", "threshold": "5", "homogeneous": homogeneous})
			sa := r.Fragments[1]
			for g := range r.Groups() {
				if codes := sa.Columns[0].Codes[sa.GroupStart[g]:sa.GroupStart[g+1]]; slices.Contains(codes, 0) && slices.Contains(codes, 1) || slices.Contains(codes, 3) && slices.Contains(codes, 4) {
					together++
				}
			}
		}
		if together > 0 {
			t.Errorf("homogeneous=%s: 10 and 14, or 26 and 31, were in one group %d times", homogeneous, together)
		}
	}
	if _, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "3", "threshold": "10"}); err == nil {
		t.Error("with a threshold of 10, three wages of six are one, and still l = 3")
	}
}

// There are as many homogeneous groups as others, with l or l+1 records if there are as many groups as residual
// records, and their quasi-identifiers are close: on a line of 300 places, a group of three spans 10 in the mean, not
// 150.
func TestDeviation32_HomogeneousGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	table := "q s"
	for q := range 300 {
		table += fmt.Sprintf("\n%d %d", q, random.IntN(9))
	}
	span := func(homogeneous string) float64 {
		in := anontest.NewInput(t, anontest.Parse(t, table), "q", "s", rand.NewPCG(1, 1))
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "3", "homogeneous": homogeneous})
		if r.Groups() != 100 {
			t.Errorf("homogeneous=%s: %d groups, want 100", homogeneous, r.Groups())
		}
		qi, sum := r.Fragments[0], 0
		for g, size := range r.GroupSizes {
			codes := qi.Columns[0].Codes[qi.GroupStart[g]:qi.GroupStart[g+1]] // ascending
			sum += int(codes[size-1] - codes[0])
		}
		return float64(sum) / float64(r.Groups())
	}
	if alike, others := span("true"), span("false"); alike > 10 || others < 100 {
		t.Errorf("homogeneous groups span %.1f places in the mean, Anatomy's %.1f", alike, others)
	}
	for n := 4; n < 40; n++ {
		in := sized([]int{n / 4, n / 4, n / 4, n - 3*(n/4)}, uint64(n))
		if r, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "3", "homogeneous": "true"}); err == nil {
			if least, most := slices.Min(r.GroupSizes), slices.Max(r.GroupSizes); least < 3 || most > least+1 {
				t.Errorf("n = %d: groups of %d to %d records", n, least, most)
			}
		}
	}
}
