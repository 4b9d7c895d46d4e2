package score

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// scored is a table of which q tells the value v with a probability, r tells nothing, and the number of records is what is asked.
func scored(rows, values int, sure float64, random *rand.Rand) (*anonymize.Input, *bucketization.Buckets) {
	var q, r, v []anonymize.Value
	for range rows {
		value := random.IntN(values)
		tells := value
		if random.Float64() > sure {
			tells = random.IntN(values)
		}
		q, v = append(q, anonymize.IntegerValue(int64(tells))), append(v, anonymize.IntegerValue(int64(value)))
		r = append(r, anonymize.TextValue(string(rune('a'+random.IntN(4)))))
	}
	in := &anonymize.Input{Rows: rows, Random: random,
		QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("q", "INT", q), anonymize.NewColumn("r", "TEXT", r)},
		Sensitive:        []*anonymize.Column{anonymize.NewColumn("v", "INT", v)}}
	return in, bucketization.NewBuckets(in.Sensitive[0], nil)
}

func fitted(t *testing.T, in *anonymize.Input, b *bucketization.Buckets, random *rand.Rand) *Model {
	t.Helper()
	m, err := Fit(context.Background(), in, b, random)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A value that is no secret counts as many here. So the refusal names what the owner asked for, not a number of values that the table does not have.
func TestTooManyValues(t *testing.T) {
	for _, c := range []struct {
		notSensitive []string
		want         string
	}{{nil, "v has 300 values, a score takes up to 256"}, {[]string{"7"}, "leave not_sensitive out"}} {
		in, b := scored(9000, 300, 1, rand.New(rand.NewPCG(1, 2)))
		in.NotSensitive = c.notSensitive
		_, err := Fit(t.Context(), in, b, rand.New(rand.NewPCG(1, 2)))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "300") != (c.notSensitive == nil) {
			t.Errorf("%v: %v", c.notSensitive, err)
		}
	}
}

// The scores of a quasi-identifier that tells the value in .6 + .4/4 = .7 of the cases are the frequencies: a logistic regression with an indicator
// of every q reproduces them, up to the penalty. Of 8,000 records a frequency has a standard error of .01 in its cell of 2,000.
func TestScoresAreFrequencies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	in, b := scored(8_000, 4, .6, random)
	m := fitted(t, in, b, random)
	for record := range uint32(200) {
		q := in.QuasiIdentifiers[0].Value(int(record))
		for place, value := range b.List {
			want := .1
			if in.Sensitive[0].Dictionary[value] == q {
				want = .7
			}
			if got := float64(m.ScoreOf(record)[place]); math.Abs(got-want) > .05 {
				t.Errorf("record %d of q = %s has %s with %.3f, want %.1f", record, q, in.Sensitive[0].Dictionary[value], got, want)
			}
		}
	}
	if got, want := m.meanOfOwn(), .7*.7+.3*.1; math.Abs(got-want) > .02 {
		t.Errorf("the mean probability of the own value is %.3f, want %.3f", got, want)
	}
	if got, want := m.massAbove(.25), .7-.25; math.Abs(got-want) > .03 {
		t.Errorf("above 1/4 lies %.3f, want %.3f", got, want)
	}
}

// A record's score does not depend on its own value: nobody reads that out of it.
func TestScoresAreCrossFitted(t *testing.T) {
	in, b := scored(300, 3, .6, rand.New(rand.NewPCG(2, 2)))
	before := fitted(t, in, b, rand.New(rand.NewPCG(3, 3)))
	other := *b
	other.Value = append([]uint32(nil), b.Value...)
	other.Value[7] = (other.Value[7] + 1) % 3
	after := fitted(t, in, &other, rand.New(rand.NewPCG(3, 3)))
	changed := 0
	for record := range uint32(300) {
		for place := range 3 {
			if before.ScoreOf(record)[place] != after.ScoreOf(record)[place] {
				if record == 7 {
					t.Fatal("the score of record 7 depends on its value")
				}
				changed++
				break
			}
		}
	}
	if changed < 200 {
		t.Errorf("%d scores changed: those of other folds do", changed)
	}
}

// The posterior in a group is that of the enumeration of all matchings, with repeated values, whatever the order of the records.
func TestJudgeByEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	matcher := new(matcher)
	for range 300 {
		n, values := 1+random.IntN(6), 2+random.IntN(5)
		m := &Model{rows: n, values: values, score: make([]float32, n*values), value: make([]uint32, n)}
		records := make([]uint32, n)
		for i := range n {
			records[i], m.value[i] = uint32(i), uint32(random.IntN(values))
			for v := range values {
				m.score[i*values+v] = .01 + random.Float32()
			}
		}
		posterior, total := make([]float64, n*values), 0.0
		for _, p := range anontest.Permutations(n) {
			weight := 1.0
			for i, j := range p {
				weight *= float64(m.ScoreOf(uint32(i))[m.value[j]])
			}
			total += weight
			for i, j := range p {
				posterior[i*values+int(m.value[j])] += weight
			}
		}
		want := verdict{}
		for _, x := range posterior {
			want.mean += x / total * x / total / float64(n)
			want.greatest = max(want.greatest, x/total)
		}
		for range 2 {
			if got := matcher.judge(m, records); math.Abs(got.mean-want.mean) > 1e-5 || math.Abs(got.greatest-want.greatest) > 1e-5 {
				t.Fatalf("%d records of %d values: %+v, want %+v", n, values, got, want)
			}
			bucketization.Shuffle(records, random)
		}
	}
}

// A = V D V' with orthonormal V.
func TestEigen(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{1, 2, 5, 14, 40} {
		a, same := make([][]float64, n), make([][]float64, n)
		for i := range n {
			a[i], same[i] = make([]float64, n), make([]float64, n)
			for j := range i + 1 {
				a[i][j] = random.NormFloat64()
				a[j][i] = a[i][j]
			}
		}
		for i := range n {
			copy(same[i], a[i])
		}
		value, vector := eigen(same)
		for i := range n {
			for j := range n {
				product, unit := 0.0, 0.0
				for k := range n {
					product += vector[i][k] * value[k] * vector[j][k]
					unit += vector[k][i] * vector[k][j]
				}
				if i == j {
					unit--
				}
				if math.Abs(product-a[i][j]) > 1e-9 || math.Abs(unit) > 1e-9 {
					t.Fatalf("n = %d: (%d, %d) is %g, want %g; V'V is off by %g", n, i, j, product, a[i][j], unit)
				}
			}
		}
	}
}

// The distance of two records in the components is Hellinger's, but for the last one, which is left out: square roots lie on a sphere, which is
// nearly flat there.
func TestComponentsKeepDistances(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	in, b := scored(400, 4, .5, random)
	m := fitted(t, in, b, random)
	points, dimensions, _ := m.components()
	for range 100 {
		x, y := random.IntN(400), random.IntN(400)
		got, want := 0.0, 0.0
		for d := range dimensions {
			got += math.Pow(float64(points[x*dimensions+d]-points[y*dimensions+d]), 2)
		}
		for v := range m.values {
			want += math.Pow(math.Sqrt(float64(m.ScoreOf(uint32(x))[v]))-math.Sqrt(float64(m.ScoreOf(uint32(y))[v])), 2)
		}
		if math.Abs(got-want) > .01 {
			t.Fatalf("records %d and %d are %.6f apart, want %.6f", x, y, got, want)
		}
	}
}
