package crossbucket

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// One test for every departure from Li et al. in DEVIATIONS.md, by number.

// Algorithm 2's last call takes all remaining values, as often as the least count. On many small tables that can be
// divided, this leaves a rest of fewer than l values. Ours never does: TestSensitiveSet.
func TestDeviation60_LastCall(t *testing.T) {
	for _, c := range []struct{ k, l, fail, tables int }{{2, 2, 280, 1035}, {2, 3, 369, 513}, {2, 4, 120, 208}, {3, 3, 233, 513}, {3, 4, 155, 208}} {
		g := (max(c.k, c.l) + c.k - 1) / c.k * c.k
		tables, fail := 0, 0
		multisets(18, 9, c.l, func(counts []uint32) {
			tables++
			if !takeAll(slices.Clone(counts), func(counts []uint32) (int, int) { return literalSet(counts, c.k, c.l, g, c.l) }, c.l) {
				fail++
			}
		})
		if fail != c.fail || tables != c.tables {
			t.Errorf("k = %d, l = %d: as printed %d of %d tables fail, want %d of %d", c.k, c.l, fail, tables, c.fail, c.tables)
		}
	}
	if beta, alpha := literalSet([]uint32{2, 1, 1}, 2, 2, 2, 2); beta != 3 || alpha != 1 {
		t.Errorf("as printed (2, 1, 1) gives %d values %d times; one record would be left", beta, alpha)
	}
	p := parameters{k: 2, l: 2, m: 2, g: 2}
	if beta, alpha := sensitiveSet([]uint32{2, 1, 1}, 4, p); beta != 2 || alpha != 1 {
		t.Errorf("(2, 1, 1) gives %d values %d times, want 2 once", beta, alpha)
	}
}

// The m of calculate_alpha is max(k, l), not diversity_num: with 15 records of
// which two have one value, k = 3 and l = 7, lots of 9 are impossible.
func TestDeviation61_FeasibleIffMax(t *testing.T) {
	in := valued(t, 2, 2, 2, 2, 2, 2, 2, 1)
	r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": "7"})
	if got := guarantee(t, r, "breach"); !got.Holds || got.Achieved > 1./7 {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		k, l      string
		parameter string
		largest   uint64
	}{{"3", "8", "l", 7}, {"8", "7", "k", 7}} {
		_, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": c.k, "l": c.l})
		var infeasible *anonymize.InfeasibleError
		if !errors.As(err, &infeasible) || infeasible.Parameter != c.parameter || infeasible.Largest != anonymize.NewRatio(c.largest, 1) {
			t.Errorf("k = %s, l = %s: %v", c.k, c.l, err)
		}
	}
}

// valued returns an input with a numeric quasi-identifier and this many records of each sensitive value.
func valued(t testing.TB, counts ...int) *anonymize.Input {
	text, row := "q s", 0
	for v, n := range counts {
		for range n {
			text += "\n" + string(rune('0'+row%7)) + " v" + string(rune('a'+v))
			row++
		}
	}
	return anontest.NewInput(t, anontest.Parse(t, text), "q", "s", rand.NewPCG(1, 1))
}

// Property 2 does not hold for Algorithm 2: with k = 3, l = 4 it returns 7 values, neither a multiple of 3 nor at
// most 2 l. Our lots may have any size from m, and their buckets fit it.
func TestDeviation62_PropertyTwo(t *testing.T) {
	seven := []uint32{1, 1, 1, 1, 1, 1, 1}
	if beta, _ := literalSet(seven, 3, 4, 6, 4); beta != 7 {
		t.Errorf("as printed beta is %d", beta)
	}
	r := anontest.MustRun(t, Method(), valued(t, 1, 1, 1, 1, 1, 1, 1), anonymize.Arguments{"k": "3", "l": "4"})
	if got := guarantee(t, r, "breach"); !got.Holds {
		t.Errorf("%+v", got)
	}
}

// Proposition 2 fails for lots of l to 2 l records that k does not divide: k = 2,
// l = n = 5 gives 1/4. Here the number of buckets falls until 1/l holds.
func TestDeviation63_FewerBuckets(t *testing.T) {
	if keepsBreach(groupSizes(5, 2), 5, 2, 5) {
		t.Error("two buckets of five records keep 1/5")
	}
	if b := bucketNumber(groupSizes(5, 2), 5, 2, 5); b != 1 {
		t.Errorf("five records are in %d buckets", b)
	}
	broken, all := 0, 0
	for k := 2; k <= 12; k++ {
		for l := k; l <= 24; l++ {
			for n := l; n <= 2*l; n++ {
				if all++; !keepsBreach(groupSizes(n, k), n, k, l) {
					broken++
				}
			}
			for n := 2*l + 1; n < 6*l; n++ { // above, the proposition is right
				if !keepsBreach(groupSizes(n, k), n, k, l) {
					t.Errorf("k = %d, l = %d, n = %d breaks 1/l", k, l, n)
				}
			}
		}
	}
	if broken != 793 {
		t.Errorf("%d of %d lots are broken", broken, all)
	}
	r := anontest.MustRun(t, Method(), valued(t, 1, 1, 1, 1, 1), anonymize.Arguments{"k": "2", "l": "5"})
	if got := guarantee(t, r, "breach"); got.Achieved != 1./5 {
		t.Errorf("%+v", got)
	}
}

// The proof of Proposition 2 has all matching buckets inside one lot. Cells of
// different lots overlap, and records match many; 1/l holds all the same, since
// no class has a greater probability.
func TestDeviation64_OverlappingCells(t *testing.T) {
	in := anontest.People(3000, 1)
	for _, search := range []string{bottomUp, kd} {
		in.Random = rand.NewPCG(1, 1)
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": "6", "search": search})
		p := probabilities(t, in, r)
		breach := guarantee(t, r, "breach").Achieved
		if p.Matches < 3.05 || p.Max > breach+1e-12 || breach > 1./6 {
			t.Errorf("search=%s: %.1f records match, p is up to %v, breach %v", search, p.Matches, p.Max, breach)
		}
	}
}

func probabilities(t testing.TB, in *anonymize.Input, r *anonymize.Release) *attack.Probabilities {
	t.Helper()
	p, err := attack.RecordProbabilities(context.Background(), r, attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Algorithm 3 recurses for ever where the median is the greatest value, and
// throws the result of its recursion away; it starts again from the root for
// every lot. Here a half that is everything is none, and search=kd keeps one tree.
func TestDeviation65_OneTree(t *testing.T) {
	text := "sex constant s"
	for i := range 40 {
		text += "\n" + []string{"F", "M", "M"}[i%3] + " 1 v" + string(rune('a'+i%5))
	}
	for _, search := range []string{kd, paper, bottomUp} {
		in := anontest.NewInput(t, anontest.Parse(t, text), "sex constant", "s", rand.NewPCG(1, 1))
		anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "2", "l": "4", "search": search})
	}
	in := anontest.People(2000, 1)
	penalty := map[string]float64{}
	for _, search := range []string{kd, paper} {
		in.Random = rand.NewPCG(1, 1)
		penalty[search] = anontest.FactNumber(t, anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": "5", "search": search}), "normalized certainty penalty")
	}
	if penalty[kd] > 1.3*penalty[paper] {
		t.Errorf("penalties %v", penalty)
	}
}

// The values of a lot need not be the most frequent ones of the whole rest; it is enough that the rest stays
// eligible. So lots can consist of records that are near to each other: about half the penalty, with the same
// promise.
func TestDeviation66_BottomUp(t *testing.T) {
	in := anontest.People(3000, 2)
	penalty := map[string]float64{}
	for _, search := range []string{bottomUp, kd} {
		in.Random = rand.NewPCG(1, 1)
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": "5", "search": search})
		penalty[search] = anontest.FactNumber(t, r, "normalized certainty penalty")
		if search == bottomUp && anontest.FactNumber(t, r, "discernibility (C_DM)") != 9000 {
			t.Errorf("C_DM is %v, not k n", anontest.FactNumber(t, r, "discernibility (C_DM)"))
		}
	}
	if penalty[bottomUp] > .7*penalty[kd] {
		t.Errorf("penalties %v", penalty)
	}
}

// Algorithm 4 cuts a lot in an unspecified order. We put near records together; in the table's order the same lots
// have wider cells.
func TestDeviation67_NearRecordsTogether(t *testing.T) {
	in := anontest.People(3000, 3)
	attributes, err := generalization.NewAttributes(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, search := range []string{bottomUp, kd} {
		p := parameters{k: 3, l: 6, m: 6, g: 6, search: search}
		l, err := divide(context.Background(), in, attributes, p, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		near := penaltyOf(t, l, attributes)
		at := 0
		for _, size := range l.sizes {
			slices.Sort(l.member[at : at+int(size)])
			at += int(size)
		}
		if index := penaltyOf(t, l, attributes); near > .85*index {
			t.Errorf("search=%s: penalty %v, in the order of the table %v", search, near, index)
		}
	}
}

func penaltyOf(t testing.TB, l *lots, attributes []*generalization.Attribute) float64 {
	t.Helper()
	classes, _ := l.partitions(rand.New(rand.NewPCG(1, 1)))
	var all []*generalization.Generalized
	for _, a := range attributes {
		g, err := a.Generalize(context.Background(), classes)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return generalization.MeanPenalty(all, classes)
}

// Fig. 4 prints every disease next to its record. We publish cells and diseases by bucket, each sorted. The bucket of
// each of a group's records is random, since the first one was chosen for its value.
func TestDeviation68_ValuesApart(t *testing.T) {
	r := anontest.MustRun(t, Method(), microdata(t), anonymize.Arguments{"k": "2", "l": "4"})
	if len(r.Fragments) != 2 || r.Fragments[0].Column("Disease") >= 0 || r.Fragments[1].Role != anonymize.Sensitive {
		t.Errorf("%+v", r.Fragments)
	}
	together, random := 0, rand.New(rand.NewPCG(1, 1))
	const runs = 3000 // the share is 1/3, off by 0.0086 in the mean
	for range runs {
		l := newLots(parameters{k: 3, l: 6, m: 6, g: 6})
		l.member, l.sizes = []uint32{0, 1, 2, 3, 4, 5}, []uint32{6}
		_, buckets := l.partitions(random)
		for b := range buckets.Groups() {
			if slices.Contains(buckets.Records(b), 0) && slices.Contains(buckets.Records(b), 3) {
				together++
			}
		}
	}
	if share := float64(together) / runs; share < .29 || share > .38 {
		t.Errorf("the seeds of two groups share a bucket in %.3f of the lots, not 1/3", share)
	}
}

// An equivalence group has no number in the release. Its records have the same cells, which show the class; a number
// would also distinguish groups with equal cells, and the paper's QIT has none. privacy.Complete refuses a column
// that the table does not have.
func TestDeviation69_NoGroupNumber(t *testing.T) {
	in := microdata(t)
	r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "2", "l": "4"})
	f := r.Fragments[0]
	if len(f.Columns) != 3 {
		t.Errorf("%d columns", len(f.Columns))
	}
	f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: "equivalence_class", Dictionary: []anonymize.Value{anonymize.IntegerValue(1)}, Codes: make([]uint32, f.Tuples())})
	if err := privacy.Complete(r, append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)); err == nil {
		t.Error("a number of the equivalence group is complete")
	}
}

// With l <= k a bucket has one record, and the release says so.
func TestDeviation70_BucketsOfOne(t *testing.T) {
	in := anontest.People(400, 1)
	for l, want := range map[string]bool{"2": true, "6": false} {
		in.Random = rand.NewPCG(1, 1)
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": l})
		warned := slices.ContainsFunc(r.Facts, func(f anonymize.Fact) bool {
			return f.Name == "warning" && strings.HasPrefix(f.Value, "there are buckets of one record")
		})
		if warned != want || (slices.Min(r.GroupSizes) == 1) != want {
			t.Errorf("l = %s: buckets from %d records on, warned: %v", l, slices.Min(r.GroupSizes), warned)
		}
	}
}

// Fig. 5 takes a lower mean of p(t,s) for better protection. The lower mean comes from wider cells that overlap: the
// search with the greater penalty has the lower mean, while the promise, the maximum, is the same.
func TestDeviation71_TheMaximumProtects(t *testing.T) {
	in := anontest.People(3000, 4)
	mean, most := map[string]float64{}, map[string]float64{}
	for _, search := range []string{bottomUp, kd} {
		in.Random = rand.NewPCG(1, 1)
		p := probabilities(t, in, anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": "6", "search": search}))
		mean[search], most[search] = p.Mean, p.Max
	}
	if mean[kd] >= mean[bottomUp] || max(most[kd], most[bottomUp]) > 1./6+1e-12 {
		t.Errorf("means %v, maxima %v", mean, most)
	}
}

// Lots have g records if possible, so l = 4, 5 and 6 are the same with k = 3, and all reach 1/6.
func TestDeviation72_MultiplesOfK(t *testing.T) {
	in := anontest.People(600, 1)
	var before *anonymize.Release
	for _, l := range []string{"4", "5", "6"} {
		in.Random = rand.NewPCG(1, 1)
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": l})
		if p := guarantee(t, r, "breach").Achieved; p != 1./6 {
			t.Errorf("l = %s: breach %v", l, p)
		}
		if before != nil && !slices.Equal(r.Fragments[0].Columns[0].Codes, before.Fragments[0].Columns[0].Codes) {
			t.Errorf("l = %s: another release", l)
		}
		before = r
	}
}

// The values of a lot are different, so k > l needs as much of the sensitive attribute as l = k. Mondrian may still
// be feasible if they are not available.
func TestDeviation73_LotsOfDifferentValues(t *testing.T) {
	in := valued(t, 6, 2)
	_, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "2", "l": "1"})
	var infeasible *anonymize.InfeasibleError
	if !errors.As(err, &infeasible) || infeasible.Parameter != "k" {
		t.Errorf("%v", err)
	}
	if _, err := mondrian.Method().Run(context.Background(), in, anonymize.Arguments{"k": "2", "l": "1"}); err != nil {
		t.Error(err)
	}
	if b := bucketization.NewBuckets(in.Sensitive[0], nil); b.CheckDiversity(1) != nil {
		t.Error("l = 1 is infeasible")
	}
}
