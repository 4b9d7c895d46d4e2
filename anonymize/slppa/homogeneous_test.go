package slppa

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Homogeneous groups are as many as those of the deal, in the third case with
// counts and sizes as dealt, and keep alpha by swaps alone.
func TestAdultHomogeneous(t *testing.T) {
	occupation := anontest.NewInput(t, anontest.AdultComplete(t), adultQI, "occupation", nil)
	country := anontest.NewInput(t, anontest.Adult(t),
		"age workclass education marital_status occupation relationship race sex hours_per_week", "native_country", nil)
	for _, c := range []struct {
		in                 *anonymize.Input
		alpha, beta, delta string
		groups             int
	}{
		{occupation, "1", "0.2", "0.2", 9044},
		{occupation, "0.5", "0.2", "0.2", 9044},
		{country, "1", "0.9", "0.05", 2471},
	} {
		c.in.Random = rand.NewPCG(1, 2)
		r, err := Method().Run(context.Background(), c.in, anonymize.Arguments{"alpha": c.alpha,
			"beta": c.beta, "delta": c.delta, "tables": "3", "homogeneous": "true"})
		if err != nil {
			t.Fatal(err)
		}
		if err := anontest.Publishable(r, c.in); err != nil {
			t.Errorf("alpha=%s beta=%s: %v", c.alpha, c.beta, err)
		}
		if r.Groups() != c.groups {
			t.Errorf("alpha=%s beta=%s delta=%s: %d groups, want %d", c.alpha, c.beta, c.delta, r.Groups(), c.groups)
		}
	}
}

// Homogeneous groups are as many as those of the balanced deal for any beta and
// delta, also where some pairs of a count and a size would break them: then they
// have the pairs that the deal has.
func TestDeviation33_HomogeneousAsDealt(t *testing.T) {
	bound, made := 0, 0
	for seed := range uint64(600) {
		random := rand.New(rand.NewPCG(seed, 3))
		in := anontest.RandomTable(10+random.IntN(50), seed)
		b := bucketization.NewBuckets(in.Sensitive[0], nil)
		_, H := b.MostFrequent()
		beta := anonymize.NewRatio(uint64(H)+random.Uint64N(3), uint64(in.Rows))
		if beta.Num >= beta.Den {
			continue
		}
		delta := anonymize.NewRatio(1+random.Uint64N(8), 20)
		arguments := anonymize.Arguments{"tables": "1",
			"beta": beta.Rat().String(), "delta": delta.Rat().String()}
		plain := anontest.MustRun(t, Method(), in, arguments)
		arguments["homogeneous"] = "true"
		in.Random = rand.NewPCG(seed, 1)
		alike := anontest.MustRun(t, Method(), in, arguments)
		if alike.Groups() != plain.Groups() {
			t.Fatalf("seed %d, beta %s, delta %s: %d homogeneous groups, %d dealt", seed, beta, delta, alike.Groups(), plain.Groups())
		}
		made++
		if !bucketization.AnySpread(b, plain.Groups(), beta, delta) {
			bound++
		}
	}
	if bound < 50 || made-bound < 50 {
		t.Errorf("of %d tables, %d leave no choice: too few of a kind", made, bound)
	}
}
