package utility

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Zhu et al. 2015, Section 5: 20,000 of the 30,718 records of adult.data with an
// occupation, the seven attributes of its Table 1. The figures of Anatomy were
// computed independently, on a random 20,000.
func TestLossOnAdult(t *testing.T) {
	in := anontest.AdultOfZhu(t)(20_000, "age workclass education marital_status relationship race sex")
	for _, c := range []struct {
		l   int
		glp float64
	}{{2, 0.352}, {3, 0.471}, {5, 0.565}} {
		r, gidOf := publish(t, in, anatomy(in.Sensitive[0], c.l), in.QuasiIdentifiers, in.Sensitive)
		got := loss(t, r, in, gidOf)
		if math.Abs(*got.GLP-c.glp) > 0.01 {
			t.Errorf("l = %d: GLP %.4f, want %.3f", c.l, *got.GLP, c.glp)
		}
		p, residue := got.Probability, float64(in.Rows%c.l)
		if want := (float64(in.Rows)-residue)*(1-1/float64(c.l)) + residue; p.L != c.l || math.Abs(p.Error-want) > 1e-6 || p.Error < p.Bound {
			t.Errorf("l = %d: %+v, want the reconstruction error %v of Property 8", c.l, p, want)
		}
		for _, x := range got.Correlations {
			if x.After >= x.Before/2 {
				t.Errorf("l = %d: random groups keep %v of phi^2 = %v of %s", c.l, x.After, x.Before, x.Attribute)
			}
		}
	}
	// Those of another 20,000 of the 30,718.
	want := map[string]float64{"sex": .1863, "workclass": .0470, "education": .0390, "relationship": .0321, "marital_status": .0180, "age": .0122, "race": .0066}
	r, _ := publish(t, in, &bucketization.Partition{Start: []uint32{0, uint32(in.Rows)}, Member: anonymize.Indices(in.Rows)}, in.QuasiIdentifiers, in.Sensitive)
	for _, c := range loss(t, r, in, nil).Correlations {
		if math.Abs(c.Before-want[c.Attribute]) > 0.003 || c.After > 1e-12 {
			t.Errorf("%+v, want %v, and nothing left of it in a single group", c, want[c.Attribute])
		}
	}
}

// anatomy takes a record of each of the l largest buckets, time and again, and
// puts what is left into groups without its value.
func anatomy(sensitive *anonymize.Column, l int) *bucketization.Partition {
	random := rand.New(rand.NewPCG(4, 4))
	buckets := make([][]uint32, len(sensitive.Dictionary))
	for record, value := range sensitive.Codes {
		buckets[value] = append(buckets[value], uint32(record))
	}
	values := anonymize.Indices(len(buckets))
	for _, b := range buckets {
		bucketization.Shuffle(b, random)
	}
	var groups [][]uint32
	take := func(value uint32) uint32 {
		record := buckets[value][0]
		buckets[value] = buckets[value][1:]
		return record
	}
	for {
		bucketization.Shuffle(values, random) // ties
		slices.SortStableFunc(values, func(a, b uint32) int { return len(buckets[b]) - len(buckets[a]) })
		if len(buckets[values[l-1]]) == 0 {
			break
		}
		var group []uint32
		for _, value := range values[:l] {
			group = append(group, take(value))
		}
		groups = append(groups, group)
	}
	for value := range buckets {
		for len(buckets[value]) > 0 {
			g := random.IntN(len(groups))
			if !slices.ContainsFunc(groups[g], func(r uint32) bool { return sensitive.Codes[r] == uint32(value) }) {
				groups[g] = append(groups[g], take(uint32(value)))
			}
		}
	}
	p := &bucketization.Partition{Start: []uint32{0}}
	for _, g := range groups {
		p.Add(g)
	}
	return p
}
