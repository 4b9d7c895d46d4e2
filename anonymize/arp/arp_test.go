package arp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

func pick(random *rand.Rand, of ...string) string { return of[random.IntN(len(of))] }

// partitions draws arguments of the initial partition.
func partitions(random *rand.Rand) anonymize.Arguments {
	return anonymize.Arguments{"l": pick(random, "2", "2", "3", "4"),
		"partition": pick(random, "correlation", "correlation", "mondrian"), "order": pick(random, "descending", "ascending"),
		"on_collapse": pick(random, "continue", "skip", "stop"), "bins": pick(random, "0", "3", "32")}
}

func TestBattery(t *testing.T) {
	for _, over := range []string{anatomy, slicing, ranges, randomization} {
		t.Run(over, func(t *testing.T) {
			anontest.Battery(t, Method(), anontest.Options{
				Arguments: func(random *rand.Rand, _ *anonymize.Input) anonymize.Arguments {
					arguments := partitions(random)
					arguments["over"] = over
					if arguments["homogeneous"] = pick(random, "false", "true", "score"); arguments["homogeneous"] != "false" {
						arguments["jitter"], arguments["score_steps"] = pick(random, "0", "5"), pick(random, "0", "40")
					}
					if over == randomization {
						arguments["p"] = pick(random, "0", "0.05", "1/8", "0.2", "0.3")
					}
					return arguments
				},
				Easy:  anonymize.Arguments{"l": "3", "over": over},
				Meets: meets,
			})
		})
	}
}

func TestBatteryInitial(t *testing.T) {
	anontest.Battery(t, InitialMethod(), anontest.Options{
		Arguments: func(random *rand.Rand, _ *anonymize.Input) anonymize.Arguments { return partitions(random) },
		Easy:      anonymize.Arguments{"l": "3"},
		Meets:     meets,
	})
}

// meets checks Definition 1 for every group; with retention, for the l that retention needs.
func meets(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	l, _ := strconv.Atoi(arguments["l"])
	if p, err := anonymize.ParseRatio(arguments["p"]); err == nil && p.Num > 0 {
		for asked := l; posterior(l, p) > 1/float64(asked); {
			if l++; l > in.Rows {
				return false
			}
		}
	}
	return anontest.MeetsL(in, l, groups)
}

// worstPosterior is the greatest probability of a value for a record of a group
// of m different values, over everything that the group may show and all ways to
// match values and records.
func worstPosterior(m int, p anonymize.Ratio) float64 {
	other := (1 - p.Float()) / float64(m)
	worst := 0.0
	for shown := range outcomes(m) {
		total, with := 0.0, make([]float64, m*m)
		for _, order := range anontest.Permutations(m) {
			weight := 1.0
			for i, v := range order {
				if weight *= other; v == shown[i] {
					weight *= 1 + p.Float()/other
				}
			}
			total += weight
			for i, v := range order {
				with[i*m+v] += weight
			}
		}
		worst = max(worst, slices.Max(with)/total)
	}
	return worst
}

// outcomes yields what m records may show, up to the order of the records:
// ascending sequences of m values.
func outcomes(m int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var extend func(shown []int) bool
		extend = func(shown []int) bool {
			if len(shown) == m {
				return yield(shown)
			}
			from := 0
			if len(shown) > 0 {
				from = shown[len(shown)-1]
			}
			for v := from; v < m; v++ {
				if !extend(append(shown, v)) {
					return false
				}
			}
			return true
		}
		extend(make([]int, 0, m))
	}
}

// The terms of E_m overflow where m is some thousands. P(m) falls on there, and the least m is found as by trying one after the other.
func TestPosteriorOfManyValues(t *testing.T) {
	p := anonymize.MustRatio("0.1665")
	for before, m := posterior(500, p), 1000; m <= 64_000; m *= 2 {
		now := posterior(m, p)
		if limit := .1665 / .8335; !(now < before && now > limit) {
			t.Errorf("P(%d) = %v, P(%d) = %v, limit %v", m/2, before, m, now, limit)
		}
		before = now
	}
	m, ok := leastValues(5, p, 10_000)
	if !ok || posterior(m, p) > .2 || posterior(m-1, p) <= .2 {
		t.Errorf("for l = 5, %d values are enough: %v; P is %v, before %v", m, ok, posterior(m, p), posterior(m-1, p))
	}
	if _, ok := leastValues(5, p, m-1); ok {
		t.Errorf("for l = 5, %d values are enough, too", m-1)
	}
	for l := 2; l < 6; l++ {
		for _, part := range []float64{.01, .3, .7, .95} {
			p := anonymize.NewRatio(uint64(part*1000), 1000*uint64(l+1))
			want := l + 1
			for posterior(want, p) > 1/float64(l) {
				want++
			}
			if got, ok := leastValues(l, p, want+200); got != want || !ok {
				t.Errorf("l = %d, p = %s: %d values, %d are enough", l, p, got, want)
			}
		}
	}
}

// P(m) is the greatest posterior of all, by enumeration. For p up to 1/3, which l >= 2 permits, it falls in m to
// p/(1-p), so larger groups are no worse. (For p = 0.45 it rises again.)
func TestPosterior(t *testing.T) {
	for _, p := range []string{"1/100", "0.05", "0.1", "1/4", "1/3", "0.45"} {
		ratio := anonymize.MustRatio(p)
		for m := 2; m <= 6; m++ {
			if got, want := posterior(m, ratio), worstPosterior(m, ratio); math.Abs(got-want) > 1e-12 {
				t.Errorf("P(%d) with p = %s is %.6f, by enumeration %.6f", m, p, got, want)
			}
		}
		limit := ratio.Float() / (1 - ratio.Float())
		for m := 2; m < 400 && limit <= 0.5; m++ {
			if now, next := posterior(m, ratio), posterior(m+1, ratio); next >= now || next <= limit {
				t.Errorf("p = %s: P(%d) = %v, P(%d) = %v, limit %v", p, m, now, m+1, next, limit)
			}
		}
	}
}

// twenty is a table of 24 records that is easy for l up to 4.
func twenty(t testing.TB, seed uint64) *anonymize.Input {
	text := "age town s"
	for i := range 24 {
		text += fmt.Sprintf("\n%d %c %c", 20+i, 'A'+rune(i%3), 'u'+rune(i%4))
	}
	return anontest.NewInput(t, anontest.Parse(t, text), "age town", "s", rand.NewPCG(seed, 1))
}

// The fragments of each way to publish a group.
func TestOver(t *testing.T) {
	for over, want := range map[string]string{
		anatomy: "qi1(age town) sa(s)", slicing: "qi1(age) qi2(town) sa(s)",
		ranges: "qi1(age town) sa(s)", randomization: "qi1(age town) sa(s)"} {
		in := twenty(t, 1)
		var gids []uint32
		in.Assigned = func(gidOf []uint32) { gids = gidOf }
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "3", "over": over})
		var fragments []string
		for _, f := range r.Fragments {
			var names []string
			for _, c := range f.Columns {
				names = append(names, c.Name)
			}
			fragments = append(fragments, f.Name+"("+strings.Join(names, " ")+")")
		}
		if got := strings.Join(fragments, " "); got != want {
			t.Errorf("over=%s: %s, want %s", over, got, want)
		}
		assigned(t, r, in, gids)
		if table := estimate.Draw(r, rand.NewPCG(3, 4)); table.Rows != in.Rows || len(table.Columns) != 3 {
			t.Errorf("over=%s: %d rows of %d columns drawn", over, table.Rows, len(table.Columns))
		}
	}
}

// assigned checks that every record's values are possible in its group.
func assigned(t *testing.T, r *anonymize.Release, in *anonymize.Input, gids []uint32) {
	t.Helper()
	if len(gids) != in.Rows {
		t.Fatalf("%d records were assigned", len(gids))
	}
	for _, c := range slices.Concat(in.QuasiIdentifiers, in.Sensitive) {
		i, j, _ := r.Locate(c.Name)
		f := r.Fragments[i]
		for row, g := range gids {
			found := false
			for tuple := f.GroupStart[g]; tuple < f.GroupStart[g+1]; tuple++ {
				code := f.Columns[j].Codes[tuple]
				if f.Columns[j].IsPoint() {
					found = found || code == c.Codes[row]
				} else {
					found = found || slices.Contains(f.Columns[j].Cells[code].Members, c.Codes[row])
				}
			}
			if !found {
				t.Fatalf("%s of row %d is not possible in its group", c.Name, row)
			}
		}
	}
}

func TestParameters(t *testing.T) {
	for _, c := range []struct {
		arguments anonymize.Arguments
		parameter string
	}{
		{anonymize.Arguments{"l": "1"}, "l"},
		{anonymize.Arguments{"l": "2", "p": "0.1"}, "p"},
		{anonymize.Arguments{"l": "2", "p": "0.1", "over": "slicing"}, "p"},
		{anonymize.Arguments{"l": "4", "p": "0.2", "over": "randomization"}, "p"},
		{anonymize.Arguments{"l": "2", "bins": "1"}, "bins"},
		{anonymize.Arguments{"l": "2", "threshold": "near"}, "threshold"},
	} {
		_, err := Method().Run(context.Background(), twenty(t, 1), c.arguments)
		if bad, ok := errors.AsType[*anonymize.ParameterError](err); !ok || bad.Parameter != c.parameter {
			t.Errorf("%v: %v", c.arguments, err)
		}
	}
	// Four values are not enough for l = 3 with retention: the error names the obstacle.
	_, err := Method().Run(context.Background(), twenty(t, 1), anonymize.Arguments{"l": "3", "p": "0.2", "over": "randomization"})
	var infeasible *anonymize.InfeasibleError
	if !errors.As(err, &infeasible) || infeasible.Parameter != "p" || !strings.Contains(err.Error(), "more than 4 different values") {
		t.Errorf("%v", err)
	}
}

// Section 3.1: wages a threshold apart are one value, so that no group has two
// of them.
func TestThreshold(t *testing.T) {
	text := "age wage"
	for i := range 40 {
		text += fmt.Sprintf("\n%d %d", i, 1000*(i%4)+i)
	}
	in := anontest.NewInput(t, anontest.Parse(t, text), "age", "wage", rand.NewPCG(1, 1))
	r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "3", "threshold": "100"})
	f := r.Fragments[1]
	for g := range r.Groups() {
		seen := map[int64]bool{}
		for _, code := range f.Columns[0].Codes[f.GroupStart[g]:f.GroupStart[g+1]] {
			thousand := f.Columns[0].Dictionary[code].Int / 1000
			if seen[thousand] {
				t.Fatalf("group %d has two wages of about %d000", g, thousand)
			}
			seen[thousand] = true
		}
	}
}

// The dealer takes from the largest buckets, and among equals from random ones.
func TestDealer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n, values := 1+random.IntN(60), 2+random.IntN(8)
		value, records := make([]uint32, n), make([]uint32, n)
		counts := make([]int, values)
		for i := range value {
			value[i], records[i] = uint32(random.IntN(values)), uint32(i)
			counts[value[i]]++
		}
		d := newDealer(values)
		d.open(records, value, random)
		size := 1 + random.IntN(values)
		for len(d.buckets) >= size {
			sorted := slices.Clone(counts)
			slices.Sort(sorted)
			least := sorted[values-size]
			taken := d.take(size, random)
			for _, record := range taken {
				if counts[value[record]] < least {
					t.Fatalf("took from a bucket of %d, the %d-th largest has %d", counts[value[record]], size, least)
				}
			}
			for i, record := range taken {
				counts[value[record]]--
				for _, other := range taken[:i] {
					if value[other] == value[record] {
						t.Fatal("took twice from one bucket")
					}
				}
			}
		}
		left := 0
		for _, c := range counts {
			if c > 0 {
				left++
			}
		}
		if left != len(d.buckets) {
			t.Fatalf("%d buckets are left, the dealer has %d", left, len(d.buckets))
		}
	}
	// Six values with two records each, three at a time: each meets the first
	// with the same probability, 2/5. 2,000 runs have a standard error of 0.011.
	meets := make([]int, 6)
	for range 2000 {
		d := newDealer(6)
		d.open([]uint32{0, 1, 2, 3, 4, 5}, []uint32{0, 1, 2, 3, 4, 5}, random)
		if taken := d.take(3, random); slices.Contains(taken, 0) {
			for _, record := range taken {
				meets[record]++
			}
		}
	}
	for v, n := range meets[1:] {
		if share := float64(n) / float64(meets[0]); math.Abs(share-0.4) > 0.1 {
			t.Errorf("value %d meets value 0 with frequency %.3f, want 0.4", v+1, share)
		}
	}
}

// The estimator reads what over=randomization publishes: expected counts of the
// sensitive values, summed over the cells' weights.
func TestRandomizedWeights(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n"+strings.Repeat("1 a\n2 b\n3 c\n4 d\n5 e\n6 f\n7 g\n8 h\n", 30)), "q", "s", rand.NewPCG(1, 1))
	r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "2", "over": "randomization", "p": "0.25"})
	least, _ := leastValues(2, anonymize.NewRatio(1, 4), 8)
	for _, cell := range r.Fragments[1].Columns[0].Cells {
		sum, high := 0.0, 0.0
		for _, w := range cell.Weights {
			sum += w
			high = max(high, w)
		}
		m := float64(len(cell.Members))
		if math.Abs(sum-1) > 1e-12 || len(cell.Members) < least || math.Abs(high-(0.25+0.75/m)) > 1e-12 {
			t.Fatalf("cell %s: weights %v, at least %d values", cell.Label, cell.Weights, least)
		}
	}
}

func TestCancelledRefinement(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := twenty(t, 1)
	b := bucketization.NewBuckets(in.Sensitive[0], nil)
	if _, err := refine(ctx, b, bucketization.NewPartition([]uint32{0}, []uint32{0}, 1), 2, rand.New(in.Random)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
