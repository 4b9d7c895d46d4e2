package attack_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
)

func definetti(t testing.TB, truth attack.Truth, o attack.Options) attack.Result {
	t.Helper()
	got, err := attack.DeFinetti(context.Background(), release(truth.Sensitive, truth.GroupOf), truth, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func rank(t testing.TB, truth attack.Truth, position []uint32) attack.Result {
	t.Helper()
	got, err := attack.Rank(context.Background(), release(truth.Sensitive, truth.GroupOf), truth, position, attack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s is %.4f, want %.4f within %g", what, got, want, tolerance)
	}
}

// The figures of an independent implementation on the same 20,000 records, with its own random groups, hence a
// tolerance of 1.5 points.
func TestAdultDeFinetti(t *testing.T) {
	truth := adult(t, 20000)
	for _, c := range []struct {
		l                                 int
		mean, top1, above90, above90Right float64
	}{
		{2, .718, .808, .306, .967},
		{3, .531, .640, .086, .91},
		{5, .334, .425, math.NaN(), math.NaN()},
	} {
		truth.GroupOf = anatomy(truth.Sensitive, c.l, rand.New(rand.NewPCG(1, uint64(c.l))))
		got := definetti(t, truth, attack.Options{})
		t.Logf("l = %d: %+v, effective l %.2f", c.l, got, got.EffectiveL())
		name := func(what string) string { return fmt.Sprintf("l = %d: %s", c.l, what) }
		near(t, name("baseline"), got.Baseline, 1/float64(c.l), .0001)
		near(t, name("mean"), got.Mean, c.mean, .015)
		near(t, name("top-1"), got.Top1, c.top1, .015)
		if !math.IsNaN(c.above90) {
			near(t, name("above 0.9"), got.Above90, c.above90, .03)
			near(t, name("right above 0.9"), got.Above90Right, c.above90Right, .03)
		}
	}
}

// Groups of neighbours: deFinetti gains less than with Anatomy, the rank attack
// more; jitter of the order undoes both. The independent implementation has
// 0.380 and 0.444 for the rank attack.
func TestAdultNeighbours(t *testing.T) {
	truth := adult(t, 20000)
	position := kdOrder(truth.QuasiIdentifiers)
	jittered := jitter(position, 200, rand.New(rand.NewPCG(5, 5)))
	for l, reference := range map[int]float64{3: .444, 5: .380} {
		run := func(groupOf []uint32) (learned, ranked attack.Result) {
			truth.GroupOf = groupOf
			return definetti(t, truth, attack.Options{}), rank(t, truth, position)
		}
		anatomyLearned, anatomyRanked := run(anatomy(truth.Sensitive, l, rand.New(rand.NewPCG(1, uint64(l)))))
		learned, ranked := run(neighbours(truth.Sensitive, l, position))
		jitterLearned, jitterRanked := run(neighbours(truth.Sensitive, l, jittered))
		for _, line := range []struct {
			name            string
			learned, ranked attack.Result
		}{{"anatomy", anatomyLearned, anatomyRanked}, {"neighbours", learned, ranked}, {"jitter", jitterLearned, jitterRanked}} {
			t.Logf("l = %d, %-10s deFinetti %.3f, top-1 %.3f; rank %.3f, top-1 %.3f",
				l, line.name, line.learned.Mean, line.learned.Top1, line.ranked.Mean, line.ranked.Top1)
		}
		near(t, fmt.Sprintf("l = %d: rank attack's top-1", l), ranked.Top1, reference, .03)
		if !(learned.Top1 < jitterLearned.Top1 && jitterLearned.Top1 < anatomyLearned.Top1) {
			t.Errorf("l = %d: deFinetti's top-1 does not grow from neighbours to jitter to anatomy", l)
		}
		if jitterRanked.Top1 > 1/float64(l)+.05 {
			t.Errorf("l = %d: the rank attack has top-1 %.3f in spite of jitter", l, jitterRanked.Top1)
		}
	}
}

// jitter moves every record by up to this many places.
func jitter(position []uint32, by int, random *rand.Rand) []uint32 {
	keys := make([]int, len(position))
	for i, p := range position {
		keys[i] = int(p) + random.IntN(2*by+1) - by
	}
	return ranks(keys)
}

// resampled draws rows records of Adult with replacement.
func resampled(t testing.TB, rows int) attack.Truth {
	truth, random := adult(t, 30718), rand.New(rand.NewPCG(7, uint64(rows)))
	drawn := make([]uint32, rows)
	for i := range drawn {
		drawn[i] = random.Uint32N(uint32(truth.Sensitive.Rows()))
	}
	draw := func(c *anonymize.Column) *anonymize.Column {
		codes := make([]uint32, rows)
		for i, record := range drawn {
			codes[i] = c.Codes[record]
		}
		return &anonymize.Column{Name: c.Name, Dictionary: c.Dictionary, Codes: codes}
	}
	for i, c := range truth.QuasiIdentifiers {
		truth.QuasiIdentifiers[i] = draw(c)
	}
	truth.Sensitive = draw(truth.Sensitive)
	return truth
}

func BenchmarkAttacks(b *testing.B) {
	const l = 5
	for _, rows := range []int{20_000, 48_000, 1_000_000} {
		truth := resampled(b, rows)
		truth.GroupOf = anatomy(truth.Sensitive, l, rand.New(rand.NewPCG(1, 1)))
		r, position := release(truth.Sensitive, truth.GroupOf), anonymize.Indices(rows)
		whole, some := withQuasiIdentifiers(truth, truth.QuasiIdentifiers), sampled(truth, uint32(max(1, rows/50_000)))
		cut := withQuasiIdentifiers(some, some.QuasiIdentifiers)
		for _, c := range []struct {
			name string
			run  func() (attack.Result, error)
		}{
			{"definetti", func() (attack.Result, error) {
				return attack.DeFinetti(b.Context(), r, truth, attack.Options{})
			}},
			{"definetti sample", func() (attack.Result, error) {
				return attack.DeFinetti(b.Context(), r, truth, attack.Options{Sample: 100_000, Random: rand.NewPCG(1, 1)})
			}},
			{"learned sample", func() (attack.Result, error) {
				return attack.Learned(b.Context(), whole, truth, attack.Options{Sample: 100_000, Random: rand.NewPCG(1, 1)})
			}},
			{"definetti of a cut", func() (attack.Result, error) {
				return attack.DeFinetti(b.Context(), cut, some, attack.Options{})
			}},
			{"learned of a cut", func() (attack.Result, error) {
				return attack.Learned(b.Context(), cut, some, attack.Options{})
			}},
			{"rank", func() (attack.Result, error) {
				return attack.Rank(b.Context(), r, truth, position, attack.Options{})
			}},
		} {
			b.Run(fmt.Sprintf("%s/rows=%d", c.name, rows), func(b *testing.B) {
				b.ReportAllocs()
				var got attack.Result
				for b.Loop() {
					var err error
					if got, err = c.run(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				b.ReportMetric(got.Mean, "mean")
				b.ReportMetric(got.Top1, "top1")
			})
		}
	}
}
