package mondrian

import (
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// On Adult, where the sensitive attribute goes with the quasi-identifiers, classes of one
// record a stratum lose less than those of cuts if t is small, and more if it is not.
func TestDeviation155_Strata(t *testing.T) {
	table := anontest.AdultTraining(t)
	in := anontest.NewInput(t, table, "age workclass education marital_status race sex native_country income", "occupation", nil)
	for text, strataAreBetter := range map[string]bool{"0.1": true, "0.4": false} {
		c := Condition{K: 5, L: 2, T: anonymize.MustRatio(text)}
		s := searchOf(t, in, c)
		strata, err := s.strata()
		if err != nil || strata == nil {
			t.Fatalf("t = %s: %v, %v", text, strata, err)
		}
		cuts, err := s.cutOnly()
		if err != nil {
			t.Fatal(err)
		}
		_, p := recoded(t, in, c, 1)
		t.Logf("t = %s: strata %.0f of %d classes, cuts %.0f of %d", text, s.loss(strata), strata.Groups(), s.loss(cuts), cuts.Groups())
		for g := range p.Groups() {
			if !s.meets(p.Records(g)) {
				t.Fatalf("t = %s: a class breaks the condition", text)
			}
		}
		if least := min(s.loss(strata), s.loss(cuts)); (s.loss(strata) < .8*s.loss(cuts)) != strataAreBetter || s.loss(p) > 1.05*least {
			t.Errorf("t = %s: the loss is %.0f, of strata %.0f, of cuts %.0f", text, s.loss(p), s.loss(strata), s.loss(cuts))
		}
	}
}

// Every record is in a stratum or left over; strata are of one size and follow the
// sensitive values; classes that break the condition are none.
func TestStrata(t *testing.T) {
	found, none := 0, 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 12))
		in := anontest.RandomTable(30+random.IntN(100), seed)
		c := randomCondition(random, in)
		c.T = anonymize.MustRatio([]string{"0.1", "0.3", "0.5"}[random.IntN(3)])
		_, p := recoded(t, in, c, seed)
		if text := wrong(in, p, c); text != "" {
			t.Fatalf("seed %d: %s", seed, text)
		}
		s := searchOf(t, in, c)
		size := 2 + random.IntN(10)
		r := s.cutIntoStrata(size)
		if len(r.over) >= size || len(r.over)+len(r.record) != in.Rows || r.size()*size != len(r.record) {
			t.Fatalf("seed %d: %d strata of %d records, %d left over", seed, size, len(r.record), len(r.over))
		}
		for i := range r.record[1:] {
			if value := s.sensitive[0].value; value[r.record[i]] > value[r.record[i+1]] {
				t.Fatalf("seed %d: strata do not follow the values", seed)
			}
		}
		classes, err := s.stratified(r)
		if err != nil {
			t.Fatal(err)
		}
		if none++; classes == nil {
			continue
		}
		found++
		if text := wrong(in, classes, c); text != "" {
			t.Fatalf("seed %d: %s", seed, text)
		}
	}
	if none -= found; found < 20 || none < 20 {
		t.Errorf("strata are classes in %d tables, and not in %d", found, none)
	}
}
