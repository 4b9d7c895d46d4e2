package slppa

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
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// One test for every departure from Yao et al. in DEVIATIONS.md, by number.

// columnsOf lists the attributes of every table.
func columnsOf(r *anonymize.Release) (tables []string) {
	for _, f := range r.Fragments {
		names := make([]string, len(f.Columns))
		for i, c := range f.Columns {
			names[i] = c.Name
		}
		tables = append(tables, strings.Join(names, " "))
	}
	return tables
}

// Eq. (10) is 0/0 for an attribute of one value; here phi^2 is 0.
func TestDeviation01_PhiOfOneValue(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, `
a b s
1 x u
2 x v
3 x w`), "a b", "s", nil)
	if phi := association.PhiSquared(in.QuasiIdentifiers[0], in.QuasiIdentifiers[1], association.Options{}); phi != 0 {
		t.Errorf("phi^2 is %v, want 0", phi)
	}
}

// Attributes of many numbers are cut into 32 bins for phi^2: as printed, one
// that numbers the records determines everything, phi^2 = 1. The entropies and
// the release keep the values.
func TestDeviation02_BinsForPhi(t *testing.T) {
	const n = 4000
	random := rand.New(rand.NewPCG(1, 1))
	id, coin := make([]anonymize.Value, n), make([]anonymize.Value, n)
	for i := range n {
		id[i], coin[i] = anonymize.IntegerValue(int64(i)), anonymize.IntegerValue(int64(random.IntN(2)))
	}
	a, b := anonymize.NewColumn("id", "", id), anonymize.NewColumn("coin", "", coin)
	if phi := association.PhiSquared(a, b, association.Options{}); phi < 1-1e-9 {
		t.Errorf("phi^2 as printed is %v, want 1", phi)
	}
	if phi := association.PhiSquared(a, b, association.Options{Bins: association.DefaultBins}); phi > 0.03 {
		t.Errorf("phi^2 of two independent attributes, in bins, is %v", phi)
	}
	if bits := association.Entropy(a); bits < 11.9 {
		t.Errorf("the entropy is %v bits, want log2(4000) = 11.97", bits)
	}
}

// Equal weights and equal associations: the earlier quasi-identifier, and the
// table of fewer columns. The paper is silent.
func TestDeviation03_Ties(t *testing.T) {
	if got := descending([]float64{1, 2, 1 + 1e-15, 2}); !slices.Equal(got, []int{1, 3, 0, 2}) {
		t.Errorf("order %v", got)
	}
	tables := assign([]int{0, 1, 2, 3, 4, 5}, 2, func(int, []int) float64 { return 0.5 })
	if fmt.Sprint(tables) != "[[0 2 4] [1 3 5]]" {
		t.Errorf("tables %v", tables)
	}
}

// Section 4.3.1 does not give its own Table 4, {Age, Zipcode} and {Gender, Job}:
// phi^2(Gender, Age) = 1 and phi^2(Gender, Job) = 1/9 on Table 1.
func TestDeviation04_DivisionOfTable4(t *testing.T) {
	for _, division := range []string{average, seed} {
		r := anontest.MustRun(t, Method(), example(t), anonymize.Arguments{"beta": "1/4", "tables": "2", "division": division})
		if got := fmt.Sprint(columnsOf(r)); got != "[Age Zipcode Gender Job Salary]" || len(r.Fragments[0].Columns) != 3 {
			t.Errorf("division=%s: %s", division, got)
		}
	}
	in := example(t)
	gender := in.QuasiIdentifiers[0]
	for i, want := range map[int]float64{1: 1. / 9, 2: 1} {
		if got := association.PhiSquared(gender, in.QuasiIdentifiers[i], association.Options{}); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("phi^2(Gender, %s) = %v, want %v", in.QuasiIdentifiers[i].Name, got, want)
		}
	}
}

// Section 4.3.1 compares with all columns of a table, Section 6.1 with the first
// one only. Both are there; see TestFigure3a for the paper's figures.
func TestDeviation05_AverageOrSeed(t *testing.T) {
	phi := [][]float64{{1, 0, .3, .3}, {0, 1, .2, .25}, {.3, .2, 1, 0}, {.3, .25, 0, 1}}
	average := assign([]int{0, 1, 2, 3}, 2, func(a int, members []int) float64 { return meanPhi(phi, a, members) })
	first := assign([]int{0, 1, 2, 3}, 2, func(a int, members []int) float64 { return meanPhi(phi, a, members[:1]) })
	if fmt.Sprint(average, first) != "[[0 2] [1 3]] [[0 2 3] [1]]" {
		t.Errorf("average %v, seed %v", average, first)
	}
}

// Taking buckets "from the tail to head" starves the largest: as printed the
// algorithm fails on its own Table 1 with N = 4, and on Adult's occupation with
// N = 6, where the balanced deal finds 2 and 7,537 groups.
func TestDeviation06_BalancedDeal(t *testing.T) {
	fails := func(in *anonymize.Input, beta string, groups int) {
		t.Helper()
		arguments := anonymize.Arguments{"beta": beta, "order": paper}
		_, err := Method().Run(context.Background(), in, arguments)
		if parameter, ok := errors.AsType[*anonymize.ParameterError](err); !ok || parameter.Parameter != "order" {
			t.Errorf("order=paper with beta = %s: %v", beta, err)
		}
		arguments["order"] = balanced
		if r := anontest.MustRun(t, Method(), in, arguments); r.Groups() != groups {
			t.Errorf("beta = %s: %d groups, want %d", beta, r.Groups(), groups)
		}
	}
	fails(example(t), "1/4", 2)
	fails(anontest.NewInput(t, anontest.AdultComplete(t), "age sex", "occupation", rand.NewPCG(1, 1)), "1/6", 7537)
}

// Line 6 goes on while there are more than N buckets, the text until there are
// fewer than N. order=paper follows the line: with N values there is no group.
func TestDeviation07_MoreThanN(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n1 a\n2 b\n3 a\n4 b"), "q", "s", rand.NewPCG(1, 1))
	if _, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": "1/2", "order": paper}); err == nil {
		t.Error("order=paper made groups of two values, N = 2")
	}
	if r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"beta": "1/2"}); r.Groups() != 2 {
		t.Errorf("balanced: %d groups, want 2", r.Groups())
	}
}

// N = max(ceil(1/beta), ceil(1/delta)) different values a group are sufficient
// and not necessary: here delta = 1/4 with two values.
func TestDeviation08_NIsNotNecessary(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n1 a\n2 b\n3 a\n4 b\n5 a\n6 a\n7 a\n8 a"), "q", "s", rand.NewPCG(1, 1))
	if r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"beta": "3/4", "delta": "1/4"}); r.Groups() != 2 {
		t.Errorf("%d groups, want 2 of four records", r.Groups())
	}
	if _, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": "3/4", "delta": "1/4", "order": paper}); err == nil {
		t.Error("order=paper made groups of four different values out of two")
	}
}

// Section 4.4: "when alpha is larger than 1/min, alpha requirement can always be
// met". Race, in a table of its own, has min = 5 and needs alpha >= 0.86. And
// Table 7's beta = 0.05 on Adult's country needs 0.8974.
func TestDeviation09_ExactFeasibility(t *testing.T) {
	in := anontest.NewInput(t, anontest.AdultComplete(t), "race sex", "occupation", rand.NewPCG(1, 1))
	_, err := Method().Run(context.Background(), in, anonymize.Arguments{"alpha": "0.5", "beta": "0.2", "tables": "2"})
	var infeasible *anonymize.InfeasibleError
	if !errors.As(err, &infeasible) || infeasible.Parameter != "alpha" ||
		infeasible.Obstacle != "in table qi2, race = 'White' is 38903 of 45222 records" {
		t.Error(err)
	}
	in = anontest.NewInput(t, anontest.Adult(t), "age race", "native_country", rand.NewPCG(1, 1))
	_, err = Method().Run(context.Background(), in, anonymize.Arguments{
		"alpha": "0.5", "beta": "0.05", "gamma": "0.005", "delta": "0.05", "tables": "2"})
	if !errors.As(err, &infeasible) || infeasible.Parameter != "beta" || infeasible.Smallest != anonymize.NewRatio(43832, 48842) {
		t.Error(err)
	}
}

// The text says "smaller than", the equations "at most", and Section 4.4 "lower
// bound". Thresholds are upper bounds that may be reached, and exact: with beta
// = 0.1, one record of ten is allowed.
func TestDeviation10_ThresholdsMayBeReached(t *testing.T) {
	text := "q s"
	for i := range 10 {
		text += fmt.Sprintf("\n%d v%d", i%5, i)
	}
	in := anontest.NewInput(t, anontest.Parse(t, text), "q", "s", rand.NewPCG(1, 1))
	if r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"beta": "0.1"}); r.Groups() != 1 {
		t.Errorf("%d groups", r.Groups())
	}
	if _, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": "0.0999999999999999"}); err == nil {
		t.Error("a smaller beta was met")
	}
}

// Before groups are merged, records of equal sensitive value are exchanged:
// beta, delta and the number of groups stay.
func TestDeviation11_SwapsBeforeMerges(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, `
q s
x a
x b
y a
y b
x a
x b
y a
y b`), "q", "s", nil)
	for seed := range uint64(50) {
		in.Random = rand.NewPCG(seed, 1)
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"alpha": "1/2", "beta": "1/2"})
		if r.Groups() != 4 || anontest.FactNumber(t, r, "repair: merges") != 0 {
			t.Fatalf("seed %d: %d groups, %v", seed, r.Groups(), r.Facts)
		}
	}
}

// Merging can raise gamma: two groups of 1/10 make one of 121/400. So a merge
// that ends in one group proves nothing, and the error does not say infeasible.
func TestDeviation12_GammaIsNotMonotone(t *testing.T) {
	// (x, z) and nine of (x, v_i), then (x, z) and nine of (w_i, z).
	text := "q s\nx z"
	for i := range 9 {
		text += fmt.Sprintf("\nx v%d", i)
	}
	text += "\nx z"
	for i := range 9 {
		text += fmt.Sprintf("\nw%d z", i)
	}
	in := anontest.NewInput(t, anontest.Parse(t, text), "q", "s", rand.NewPCG(1, 1))
	p, err := bucketization.NewProjection(context.Background(), in.QuasiIdentifiers)
	if err != nil {
		t.Fatal(err)
	}
	measure := func(starts ...uint32) (products []float64) {
		groups := &bucketization.Partition{Start: starts}
		for record := range uint32(20) {
			groups.Member = append(groups.Member, record)
		}
		r, err := newRepairer(context.Background(), groups, []*bucketization.Projection{p}, in.Sensitive[0], nil,
			&parameters{alpha: ratioOne, gamma: anonymize.NewRatio(1, 10)})
		if err != nil {
			t.Fatal(err)
		}
		for g := range groups.Groups() {
			products = append(products, r.measure(r.scratch, g).product)
		}
		return products
	}
	if got := fmt.Sprint(measure(0, 10, 20), measure(0, 20)); got != "[0.1 0.1] [0.30250000000000005]" {
		t.Error(got)
	}
	_, err = Method().Run(context.Background(), in, anonymize.Arguments{"beta": "11/20", "gamma": "0.001"})
	if err == nil || errors.As(err, new(*anonymize.InfeasibleError)) || !strings.Contains(err.Error(), "was not reached") {
		t.Error(err)
	}
}

// Lines 20-41 leave their loop at the first good group (line 22), and start k
// from an l that has no value (line 24). Here every group is looked at, absorbs
// from the end, and the last one from what is before it.
func TestDeviation13_MergeLoop(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, `
q s
a 1
b 2
c 3
c 4
d 5
e 6
f 7
f 8`), "q", "s", nil)
	p, err := bucketization.NewProjection(context.Background(), in.QuasiIdentifiers)
	if err != nil {
		t.Fatal(err)
	}
	// Groups ab (good), cc (bad), de (good), ff (bad), in that order.
	groups := &bucketization.Partition{Start: []uint32{0, 2, 4, 6, 8}, Member: []uint32{0, 1, 2, 3, 4, 5, 6, 7}}
	r, err := newRepairer(context.Background(), groups, []*bucketization.Projection{p}, in.Sensitive[0], nil,
		&parameters{alpha: anonymize.NewRatio(1, 2), gamma: ratioOne})
	if err != nil {
		t.Fatal(err)
	}
	merged, merges, err := r.merge(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if merges != 1 || fmt.Sprint(merged.Start, merged.Member) != "[0 2 6 8] [0 1 2 3 6 7 4 5]" {
		t.Errorf("%d merges: %v", merges, merged)
	}
}

// Eq. (8) is asked of every value of the table, also where a group lacks it: its
// share of the group is 0.
func TestDeviation14_DeltaOfAbsentValues(t *testing.T) {
	r := anontest.Release(t, table3...)
	r.Promises = []anonymize.Promise{{Guarantee: "delta", Bound: anonymize.MustRatio("0.24")}}
	if g := anontest.Guarantees(t, r)["delta"]; g.Holds || g.Achieved != 0.25 {
		t.Errorf("%+v", g)
	}
	// 4,500 is 2 of 8 in the table; g2, which has none, is off by as much as g1.
	alone := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  Salary  Count
1    4500    2
1    6000    2
1    4700    2
2    6000    1
2    4700    1`})
	if g := anontest.Guarantees(t, alone)["delta"]; g.Achieved != 0.25 || g.WorstGroup != 1 {
		t.Errorf("%+v: want 2 of 8 against 0 of 2, in the group that lacks it", g)
	}
}

// Section 5.2 says that Table 3 needs alpha >= 1/4. It needs 1/2: g2 has (M,
// Doctor) twice among four.
func TestDeviation15_AlphaOfTable3(t *testing.T) {
	r := anontest.Release(t, table3...)
	r.Promises = []anonymize.Promise{{Guarantee: "alpha", Bound: anonymize.MustRatio("1/4")}}
	if g := anontest.Guarantees(t, r)["alpha"]; g.Holds || g.Achieved != 0.5 || g.WorstGroup != 1 {
		t.Errorf("%+v", g)
	}
}

// Gamma is the probability of one combination at one place of the group, 1/32
// for Alice's in Table 3. That her record is in g1 has 1/8: her (30, 11100)
// meets (F, Teacher) with 1/4, and then 4,500 with 1/2; counted here over all
// matchings of the three tables.
func TestDeviation16_PresenceBesideGamma(t *testing.T) {
	got := anontest.Guarantees(t, anontest.Release(t, table3...))
	if got["gamma"].Achieved != 1./32 || got["presence"].Achieved != 1./8 {
		t.Errorf("gamma %v, presence %v", got["gamma"].Achieved, got["presence"].Achieved)
	}
	salaries := []int{4500, 6000, 4700, 4500}
	hits, all := 0, 0
	for _, job := range anontest.Permutations(4) {
		for _, salary := range anontest.Permutations(4) {
			all++
			// Place 0 has (30, 11100), tuple 0 of qi2 is (F, Teacher).
			if job[0] == 0 && salaries[salary[0]] == 4500 {
				hits++
			}
		}
	}
	if 8*hits != all {
		t.Errorf("Alice's record is in %d of %d matchings, want 1/8", hits, all)
	}
}

// The printed tables follow the file: g1 is its first half, in its order. Here
// records are shuffled inside their buckets, gids drawn at random and tuples
// sorted; else the order of the file would tell who is in which group.
func TestDeviation17_OrderTellsNothing(t *testing.T) {
	const n, runs = 60, 300
	text := "q s"
	for i := range n {
		text += fmt.Sprintf("\n%d v%d", i, i%3)
	}
	in := anontest.NewInput(t, anontest.Parse(t, text), "q", "s", nil)
	together := 0
	for seed := range uint64(runs) {
		in.Random = rand.NewPCG(seed, 1)
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"beta": "1/3"})
		f := r.Fragments[0]
		for g := range f.Groups() {
			members := f.Columns[0].Codes[f.GroupStart[g]:f.GroupStart[g+1]]
			if slices.Contains(members, 0) && slices.Contains(members, 1) {
				together++
			}
		}
	}
	// Records 0 and 1 meet with probability 1/20: 15 of 300, standard deviation
	// 3.8. Six of them is a false alarm once in 5 10^8.
	if together > 37 {
		t.Errorf("neighbours of the file share a group in %d of %d runs, expected 15", together, runs)
	}
}

// Section 3 says that presence is protected. Sub-tuples are published as they
// are: one that occurs once reveals its owner's group, and its absence her
// absence. The facts count them.
func TestDeviation18_UniqueSubTuplesAreReported(t *testing.T) {
	r := anontest.MustRun(t, Method(), example(t), anonymize.Arguments{"beta": "1/4", "tables": "4"})
	found := 0
	for _, f := range r.Facts {
		if f.Name == "unique sub-tuples qi1" && strings.HasPrefix(f.Value, "4 of 6 sub-tuples") {
			found++ // Age: 30 and 33 twice, 45, 42, 32 and 44 once
		}
	}
	if found != 1 {
		t.Errorf("facts: %v", r.Facts)
	}
	r = anontest.MustRun(t, Method(), example(t), anonymize.Arguments{"beta": "1/4", "tables": "1"})
	if last := r.Facts[len(r.Facts)-1]; last.Name != "warning" {
		t.Errorf("one table of all quasi-identifiers gives no warning: %v", r.Facts)
	}
}

// A table of one sensitive value meets every threshold of 1 and hides nothing:
// it is refused. NULL is a value, and not a licence to look away.
func TestDeviation19_OneSensitiveValue(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n1 NULL\n2 NULL"), "q", "s", rand.NewPCG(1, 1))
	_, err := Method().Run(context.Background(), in, anonymize.Arguments{"beta": "1"})
	if !errors.As(err, new(*anonymize.DataError)) || err.Error() != "s = NULL is all 2 records: there is nothing that groups could hide" {
		t.Error(err)
	}
}
