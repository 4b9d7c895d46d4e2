package privacy_test

import (
	"errors"
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// Deviation 152: delta is in bits, and a group that lacks a value of the release has none.
func TestDeviation152_DisclosureInBits(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s  Count
1    a  3
1    b  1
2    a  1
2    b  3`})
	r.Promises = []anonymize.Promise{{Guarantee: "delta_disclosure", Bound: anonymize.MustRatio("2")}}
	if g := anontest.Guarantees(t, r)["delta_disclosure"]; math.Abs(g.Achieved-1) > 1e-12 { // 1/4 beside 1/2
		t.Errorf("%+v", g)
	}
	r = anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s  Count
1    a  3
2    a  1
2    b  4`})
	r.Promises = []anonymize.Promise{{Guarantee: "delta_disclosure", Bound: anonymize.MustRatio("1000")}}
	if _, err := privacy.Verify(r); !errors.As(err, new(*privacy.CannotCheckError)) {
		t.Errorf("a group without b: %v", err)
	}
}
