package attack_test

import (
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
)

// Deviation 140: the learner with completed tables reads the published fragments. deFinetti gets everybody's
// quasi-identifiers, so fragments do not matter to it.
func TestDeviation140_PublishedFragments(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	truth := synthetic(1000, true, random)
	for _, c := range truth.QuasiIdentifiers[1:] { // only the first one reveals the value
		codes := make([]uint32, len(c.Codes))
		for i := range codes {
			codes[i] = random.Uint32N(10)
		}
		c.Codes = codes
	}
	truth.GroupOf = anatomy(truth.Sensitive, 4, random)
	q := truth.QuasiIdentifiers
	var guesses, naive []attack.Result
	for _, fragments := range []int{1, 3} {
		r := withQuasiIdentifiers(truth, q)
		if fragments == 3 {
			r = withQuasiIdentifiers(truth, q[:1], q[1:2], q[2:])
		}
		got, err := attack.DeFinetti(t.Context(), r, truth, attack.Options{})
		if err != nil {
			t.Fatal(err)
		}
		naive, guesses = append(naive, got), append(guesses, learned(t, r, truth))
	}
	if naive[0] != naive[1] {
		t.Errorf("deFinetti of one table %+v, of three %+v", naive[0], naive[1])
	}
	if guesses[0] == guesses[1] {
		t.Errorf("the learner knows the same of one table and of three: %+v", guesses[0])
	}
	for _, got := range append(guesses, naive...) {
		if got.Mean <= got.Baseline {
			t.Errorf("nothing was learned: %+v", got)
		}
	}
}

// Deviation 165: a learner from a sample of whole groups, a release of its own, is nearly as successful as one from all groups. A record that is
// alone in the sample need not be alone in the release.
func TestDeviation165_ASampleOfGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 4))
	truth := leaning(20_000, random)
	truth.GroupOf = anatomy(truth.Sensitive, 3, random)
	r := withQuasiIdentifiers(truth, truth.QuasiIdentifiers)
	some := sampled(truth, 4)
	cut := withQuasiIdentifiers(some, some.QuasiIdentifiers)
	if cut.Groups() < r.Groups()/5 || cut.Groups() > r.Groups()/3 {
		t.Fatalf("%d of %d groups are sampled", cut.Groups(), r.Groups())
	}
	const threeErrors = .02 // posteriors of 1,667 groups differ by .3
	whole, part := definetti(t, truth, attack.Options{}), definetti(t, some, attack.Options{})
	near(t, "deFinetti", part.Mean, whole.Mean, threeErrors)
	near(t, "by completed tables", learned(t, cut, some).Mean, learned(t, r, truth).Mean, threeErrors)
	if whole.Mean < whole.Baseline+.1 {
		t.Errorf("nothing was learned: %+v", whole)
	}
	some.Alone = make([]bool, len(some.GroupOf))
	some.Alone[2], some.Alone[5] = true, true
	if got := definetti(t, some, attack.Options{}).Alone.Records; got != 2 {
		t.Errorf("%d records are alone, the table has 2", got)
	}
}

// sampled returns the records of every n-th group, with new group numbers.
func sampled(truth attack.Truth, every uint32) (some attack.Truth) {
	var records []uint32
	for record, g := range truth.GroupOf {
		if g%every == 0 {
			records, some.GroupOf = append(records, uint32(record)), append(some.GroupOf, g/every)
		}
	}
	of := func(c *anonymize.Column) *anonymize.Column {
		drawn := *c
		drawn.Codes = anonymize.Gather(c.Codes, records)
		return &drawn
	}
	for _, c := range truth.QuasiIdentifiers {
		some.QuasiIdentifiers = append(some.QuasiIdentifiers, of(c))
	}
	some.Sensitive = of(truth.Sensitive)
	return some
}
