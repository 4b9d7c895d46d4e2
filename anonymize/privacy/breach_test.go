package privacy_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// Two women in two groups: 2/3 of a third and a third of one.
func TestBreach(t *testing.T) {
	r := anontest.Release(t,
		anontest.Printed{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: `
GID  Sex  Count
1    F    2
1    M    1
2    F    1
2    M    2`},
		anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  Disease  Count
1    flu      1
1    cold     1
1    cough    1
2    flu      2
2    gout     1`})
	// F: flu 2/3 1/3 + 1/3 2/3 = 4/9. M: flu 1/3 1/3 + 2/3 2/3 = 5/9.
	for bound, holds := range map[string]bool{"5/9": true, "555/1000": false} {
		r.Promises = []anonymize.Promise{{Guarantee: "breach", Bound: anonymize.MustRatio(bound)}}
		g := anontest.Guarantees(t, r)["breach"]
		if g.Holds != holds || g.Achieved != 5./9 || g.WorstGroup != 0 || g.Detail != "Disease = 'flu' of the 3 with Sex = 'M'" {
			t.Errorf("%s: %+v", bound, g)
		}
	}
}

// Where the quasi-identifiers are in two fragments nobody is shown whole, and a
// promise is an error.
func TestBreachNeedsOneFragment(t *testing.T) {
	r := small(t)
	second := *r.Fragments[0]
	second.Name = "qi2"
	r.Fragments = append(r.Fragments, &second)
	if g, ok := anontest.Guarantees(t, r)["breach"]; ok {
		t.Errorf("%+v", g)
	}
	r.Promises = []anonymize.Promise{{Guarantee: "breach", Bound: anonymize.MustRatio("1")}}
	_, err := privacy.Verify(r)
	if err == nil || err.Error() != "breach was promised and cannot be checked: the quasi-identifiers are not in one fragment of their own" {
		t.Error(err)
	}
}

// Against the formula in big rationals, with small groups and with groups whose
// sizes have no common multiple of 32 bits.
func TestBreachOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for range 400 {
		r := breachRelease(random)
		want := slowBreach(r)
		wanted, _ := want.Float64()
		r.Promises = []anonymize.Promise{{Guarantee: "breach", Bound: anonymize.NewRatio(1, 1)}}
		if g := anontest.Guarantees(t, r)["breach"]; g.Achieved != wanted {
			t.Fatalf("breach is %v, by the slow way %v", g.Achieved, wanted)
		}
		if !want.Num().IsUint64() || !want.Denom().IsUint64() {
			continue
		}
		// Exactly at the bound it holds.
		r.Promises[0].Bound = anonymize.Ratio{Num: want.Num().Uint64(), Den: want.Denom().Uint64()}
		if g := anontest.Guarantees(t, r)["breach"]; !g.Holds {
			t.Fatalf("breach %s does not hold at that bound", want)
		}
	}
}

func breachRelease(random *rand.Rand) *anonymize.Release {
	r := &anonymize.Release{}
	most := []uint32{6, 30, 5000}[random.IntN(3)]
	for range 1 + random.IntN(8) {
		size := 1 + random.Uint32N(most)
		r.GroupSizes = append(r.GroupSizes, size)
		r.Rows += int(size)
	}
	for i, role := range []anonymize.FragmentRole{anonymize.QuasiIdentifying, anonymize.Sensitive} {
		f := &anonymize.Fragment{Name: []string{"qi1", "sa"}[i], Role: role, GroupStart: []uint32{0}}
		c := &anonymize.FragmentColumn{Name: []string{"q", "s"}[i]}
		for v := range 5 {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for _, size := range r.GroupSizes {
			for code, left := uint32(0), size; left > 0; code++ {
				n := random.Uint32N(left + 1)
				if code == 4 {
					n = left
				}
				if n > 0 {
					c.Codes, f.Count = append(c.Codes, code), append(f.Count, n)
					left -= n
				}
			}
			f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
		}
		f.Columns = []*anonymize.FragmentColumn{c}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

func slowBreach(r *anonymize.Release) *big.Rat {
	qi, sa := r.Fragments[0], r.Fragments[1]
	class := map[uint32]int64{}
	sum := map[string]*big.Rat{}
	for g, size := range r.GroupSizes {
		for t := qi.GroupStart[g]; t < qi.GroupStart[g+1]; t++ {
			q := qi.Columns[0].Codes[t]
			class[q] += int64(qi.Count[t])
			for s := sa.GroupStart[g]; s < sa.GroupStart[g+1]; s++ {
				key := fmt.Sprint(q, " ", sa.Columns[0].Codes[s])
				if sum[key] == nil {
					sum[key] = new(big.Rat)
				}
				sum[key].Add(sum[key], big.NewRat(int64(qi.Count[t])*int64(sa.Count[s]), int64(size)))
			}
		}
	}
	worst := new(big.Rat)
	for key, x := range sum {
		var q, s uint32
		fmt.Sscan(key, &q, &s)
		if p := x.Quo(x, big.NewRat(class[q], 1)); p.Cmp(worst) > 0 {
			worst = p
		}
	}
	return worst
}

// Tuples of more pairs than an array holds: 3,000 x 3,000 values, each tuple
// twice, in two groups.
func TestManyTuples(t *testing.T) {
	const n = 3000
	r := &anonymize.Release{Rows: 2 * n, GroupSizes: []uint32{n, n}}
	qi := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0, n, 2 * n}}
	a, b := &anonymize.FragmentColumn{Name: "a"}, &anonymize.FragmentColumn{Name: "b"}
	for i := range uint32(2 * n) {
		a.Codes, b.Codes, qi.Count = append(a.Codes, i%n), append(b.Codes, i%n*7%n), append(qi.Count, 1)
		if i < n {
			a.Dictionary = append(a.Dictionary, anonymize.IntegerValue(int64(i)))
		}
	}
	b.Dictionary = a.Dictionary
	qi.Columns = []*anonymize.FragmentColumn{a, b}
	sa := &anonymize.Fragment{Name: "sa", Role: anonymize.Sensitive, GroupStart: []uint32{0, 1, 2}, Count: []uint32{n, n},
		Columns: []*anonymize.FragmentColumn{{Name: "s", Dictionary: a.Dictionary[:2], Codes: []uint32{0, 1}}}}
	r.Fragments = []*anonymize.Fragment{qi, sa}
	got := anontest.Guarantees(t, r)
	if got["k"].Achieved != 2 || got["breach"].Achieved != .5 {
		t.Errorf("%+v %+v", got["k"], got["breach"])
	}
}
