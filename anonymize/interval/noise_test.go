package interval_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/modeled"
	"github.com/anonsql/anonsql/anonymize/noise"
)

// blurred is a release of 4,000 records in two blocks whose counts of s, one of six values, have noise.
func blurred(t *testing.T, source uint64) (exact, noisy *anonymize.Release, deviation float64) {
	t.Helper()
	const n, values = 4000, 6
	column := func(name string, code func(i int) uint32) *anonymize.Column {
		c := &anonymize.Column{Name: name, Type: "int", Codes: make([]uint32, n)}
		for i := range values {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(i)))
		}
		for i := range n {
			c.Codes[i] = code(i)
		}
		return c
	}
	in := &anonymize.Input{Rows: n, Random: rand.NewPCG(1, 2), QuasiIdentifiers: []*anonymize.Column{column("q", func(i int) uint32 { return uint32(i % 4) })},
		Sensitive: []*anonymize.Column{column("s", func(i int) uint32 { return uint32(i / 7 % values) })}}
	exact, err := modeled.Method().Run(context.Background(), in, anonymize.Arguments{"block": "2000"})
	if err != nil {
		t.Fatal(err)
	}
	laplace, err := noise.NewLaplace(anonymize.MustRatio("20"), rand.NewChaCha8([32]byte{byte(source), byte(source >> 8)}))
	if err != nil {
		t.Fatal(err)
	}
	if noisy, err = modeled.Blur(exact, "s", laplace.Draw, rand.New(rand.NewPCG(source, 3))); err != nil {
		t.Fatal(err)
	}
	noisy.Model = &anonymize.Model{Sensitive: "s", Scale: 20, Epsilon: anonymize.MustRatio("0.1"), Alone: true}
	return exact, noisy, laplace.StandardDeviation()
}

// counts asks COUNT(*) WHERE s >= from, or of all q where from is below 0.
func counts(r *anonymize.Release, from float64) *estimate.Question {
	q := &estimate.Question{Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
	name := "s"
	if from < 0 {
		name = "q"
	}
	f, c, _ := r.Locate(name)
	q.Leaves = []estimate.Leaf{{Fragment: f, Columns: []int{c}, Eval: func(values []anonymize.Value) (anonymize.Value, error) {
		if number, _ := values[0].Number(); name == "s" && number < from {
			return anonymize.IntegerValue(0), nil
		}
		return anonymize.IntegerValue(1), nil
	}}}
	q.Where = []estimate.Expression{{Leaves: []int{0}}}
	return q
}

// A COUNT by the attribute with noise is not exact, has no bounds, and a standard error that is the root mean square of what the noise does;
// one by quasi-identifiers is exact still.
func TestNoiseOfCounts(t *testing.T) {
	ctx, square, claimed := context.Background(), 0.0, 0.0
	const rounds = 200
	for round := range uint64(rounds) {
		exact, noisy, _ := blurred(t, round)
		q := counts(noisy, 2)
		truth, err := estimate.PrepareTuples(exact).Ask(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		p := estimate.Prepare(noisy)
		answer, err := p.AskWithSpread(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		s, err := interval.Compute(ctx, p, q, answer, interval.Parts{Deviations: true, Bounds: true})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Exact || !s.Bounds[0][0].Low.IsNull() || !s.Bounds[0][0].High.IsNull() {
			t.Fatalf("exact %v, bounds %+v", answer.Exact, s.Bounds[0][0])
		}
		square += math.Pow(answer.Rows[0].Figures[0].Float-truth.Rows[0].Figures[0].Float, 2) / rounds
		claimed = s.Deviations[0][0].Float
	}
	// The mean of 200 squares of a number near the normal is off by a tenth.
	if actual := math.Sqrt(square); actual < 0.8*claimed || actual > 1.2*claimed {
		t.Errorf("the standard error is %.1f, the noise does %.1f", claimed, actual)
	}
	_, noisy, _ := blurred(t, 1)
	if answer, err := estimate.PrepareTuples(noisy).Ask(ctx, counts(noisy, -1)); err != nil || !answer.Exact {
		t.Errorf("a COUNT by quasi-identifiers: %+v, %v", answer, err)
	}
}
