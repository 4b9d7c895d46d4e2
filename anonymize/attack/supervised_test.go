package attack_test

import (
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/modeled"
)

// leaning is a table of four values. One quasi-identifier equals the record's value with probability .7, another is independent.
func leaning(rows int, random *rand.Rand) attack.Truth {
	var v, lean, none []anonymize.Value
	for range rows {
		own := random.IntN(4)
		v = append(v, anonymize.IntegerValue(int64(own)))
		if random.Float64() < .4 {
			own = random.IntN(4)
		}
		lean, none = append(lean, anonymize.IntegerValue(int64(own))), append(none, anonymize.IntegerValue(int64(random.IntN(5))))
	}
	return attack.Truth{Sensitive: anonymize.NewColumn("v", "int", v),
		QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("lean", "int", lean), anonymize.NewColumn("none", "int", none)}}
}

// The floor is .7 * .7 + .3 * .1 = .52 whatever is published, within .02: the mean of .7 or .1 has a standard deviation of .28, and of 4,000 records
// a standard error of .0044. In a group of two values the odds are 7 to 1 for either record, so that the right one of two matchings is as 49 to
// 1 where both lean to their own (.49 of the groups), as 1 to 1 where both lean to the same one or to neither, and so on: enumerated here.
func TestSupervised(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	truth := leaning(4000, random)
	truth.GroupOf = anatomy(truth.Sensitive, 2, random)
	r := withQuasiIdentifiers(truth, truth.QuasiIdentifiers)
	floor, inside, err := attack.Supervised(t.Context(), r, truth, attack.Options{})
	if err != nil || floor.Records != 4000 {
		t.Fatal(floor, err)
	}
	near(t, "floor", floor.Mean, .52, .02)
	near(t, "floor's baseline", floor.Baseline, .25, .01)
	near(t, "inside", inside.Mean, matchedPairs(), .02)
	if floor.Own50 < .6 || floor.Own90 > 0 || inside.Own90 < .4 || inside.Own90 > .55 {
		t.Errorf("floor %+v, inside %+v", floor, inside)
	}
}

// matchedPairs is the mean probability of the right one of two matchings of records that have two different values.
func matchedPairs() (mean float64) {
	lean := func(to, own int) float64 {
		if to == own {
			return .7
		}
		return .1
	}
	for a := range 4 {
		for b := range 4 { // the distributions for values 0 and 1
			right, wrong := lean(a, 0)*lean(b, 1), lean(a, 1)*lean(b, 0)
			mean += right * right / (right + wrong)
		}
	}
	return mean
}

// If counts have noise, groups reveal nothing, and DeFinetti says so. A sample has whole groups. Errors say what prevents learning.
func TestSupervisedWithoutGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 2))
	truth := leaning(4000, random)
	truth.GroupOf = anatomy(truth.Sensitive, 2, random)
	r := withQuasiIdentifiers(truth, truth.QuasiIdentifiers)
	r.Model = &anonymize.Model{Sensitive: "v", Scale: 3, Alone: true}
	floor, inside, err := attack.Supervised(t.Context(), r, truth, attack.Options{Sample: 2000, Random: random})
	if err != nil || inside != floor || floor.Records != 2000 {
		t.Errorf("floor %+v, inside %+v: %v", floor, inside, err)
	}
	near(t, "floor", floor.Mean, .52, .03)
	if _, err := attack.DeFinetti(t.Context(), r, truth, attack.Options{}); err == nil {
		t.Error("DeFinetti scales to counts with noise")
	}
	truth.QuasiIdentifiers = nil
	const noQuasi = "attack with statistics: it learns from quasi-identifiers, and the release has none"
	if _, _, err := attack.Supervised(t.Context(), r, truth, attack.Options{}); err == nil || err.Error() != noQuasi {
		t.Errorf("statistics of no quasi-identifier: %v", err)
	}
	var salaries []anonymize.Value
	for i := range 600 {
		salaries = append(salaries, anonymize.IntegerValue(int64(i)))
	}
	many := attack.Truth{Sensitive: anonymize.NewColumn("v", "int", salaries), QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("q", "int", salaries)}}
	many.GroupOf = anatomy(many.Sensitive, 2, random)
	const tooMany = "attack with statistics: v has 600 values, and it is for up to 256"
	if _, _, err := attack.Supervised(t.Context(), withQuasiIdentifiers(many, many.QuasiIdentifiers), many, attack.Options{}); err == nil || err.Error() != tooMany {
		t.Errorf("too many values: %v", err)
	}
}

// One person lives alone in a town. With exact cells the town's row reveals that the person was counted, and with which value; without
// the row every value is about equally likely. In a model as published the row is pooled, and the person adds nothing.
func TestPooledCellsHideUniquePersons(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	truth := leaning(4000, random)
	town := *truth.QuasiIdentifiers[1]
	town.Dictionary, town.Codes = append(town.Dictionary, anonymize.IntegerValue(5)), append([]uint32{5}, town.Codes[1:]...)
	truth.QuasiIdentifiers[1], truth.GroupOf = &town, make([]uint32, 4000)
	r := withQuasiIdentifiers(truth, truth.QuasiIdentifiers[:1], truth.QuasiIdentifiers[1:])
	greatest := make(map[string]float64)
	for name, o := range map[string]contingency.Options{"exact": {}, "usual": contingency.Usual} {
		var err error
		if r.Model, err = contingency.Count(r, truth.QuasiIdentifiers, truth.Sensitive, o); err != nil {
			t.Fatal(err)
		}
		p, err := attack.PresenceIn(t.Context(), r, truth, attack.Options{})
		if err != nil || p.Records != 4000 || p.With < p.Without {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		greatest[name] = p.Greatest
		if exact := name == "exact"; exact != (p.Above2 == 1./4000) || exact != (p.Changed == 1) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if greatest["exact"] < 2 || greatest["usual"] > 1.2 {
		t.Errorf("greatest likelihood ratios %v", greatest)
	}
	r.Model.Scale = 1
	if _, err := attack.PresenceIn(t.Context(), r, truth, attack.Options{}); err == nil {
		t.Error("presence in tables with noise")
	}
}

// A release without groups whose counts have noise is read only through its model: a learner stays near the floor of .52, although the blocks
// have values that no record has.
func TestLearnedWithNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	r, truth := noisy(t, leaning(4000, random), 3, random)
	got, err := attack.Learned(t.Context(), r, truth, attack.Options{})
	if err != nil || got.Records != 4000 {
		t.Fatal(got, err)
	}
	near(t, "learned", got.Mean, .52, .04)
}

// noisy publishes a table by its model with noise of a standard deviation.
func noisy(t *testing.T, truth attack.Truth, deviation float64, random *rand.Rand) (*anonymize.Release, attack.Truth) {
	t.Helper()
	in := &anonymize.Input{Rows: truth.Sensitive.Rows(), Random: random, QuasiIdentifiers: truth.QuasiIdentifiers, Sensitive: []*anonymize.Column{truth.Sensitive}}
	r, truth := released(t, in, "modeled")
	draw := func() (int64, error) { return int64(random.NormFloat64() * deviation), nil }
	r, err := modeled.Blur(r, truth.Sensitive.Name, draw, random)
	if err == nil {
		r.Model, err = contingency.Count(r, truth.QuasiIdentifiers, truth.Sensitive, contingency.Options{Noise: draw, Variance: uint64(deviation * deviation)})
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Model.Alone = true
	return r, truth
}
