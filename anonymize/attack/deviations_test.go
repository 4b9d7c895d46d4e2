package attack_test

import (
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize/attack"
)

// Deviation 140: the learner by completed tables reads what is published, fragment by
// fragment; deFinetti is given the quasi-identifiers of everybody, so that the fragments
// do not matter to it.
func TestDeviation140_PublishedFragments(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	truth := synthetic(1000, true, random)
	for _, c := range truth.QuasiIdentifiers[1:] { // only the first one tells the value
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
