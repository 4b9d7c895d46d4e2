package releases

import (
	"errors"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/publication"
)

// TestSizeBeyondCounting: a size that no number of records reaches is refused, not forgotten.
func TestSizeBeyondCounting(t *testing.T) {
	given := anonymize.Arguments{"l": "3", "k": "3", "tables": "auto", "alpha": "1", "beta": "0.5", "gamma": "1", "delta": "1"}
	for _, m := range methods {
		for size, refused := range map[uint64]bool{40: false, 1<<63 - 1: false, 1 << 63: true, 1<<64 - 1: true} {
			w := &source.Wanted{Parameters: given, Asked: []anonymize.Promise{{Guarantee: "size", Bound: anonymize.NewRatio(size, 1)}}}
			var r publication.Request
			err := m.write(w, &r)
			var parameter *anonymize.ParameterError
			if errors.As(err, &parameter) != refused || !refused && (err != nil || uint64(r.Size) != size) {
				t.Errorf("%s of size %d: groups of %d, %v", m.name, size, r.Size, err)
			}
		}
	}
}

// TestAskedPromisesAreFound: a release is not accepted if nothing recomputed what was asked for, or with another bound.
func TestAskedPromisesAreFound(t *testing.T) {
	forty, fifty := anonymize.NewRatio(40, 1), anonymize.NewRatio(50, 1)
	asked := []anonymize.Promise{{Guarantee: "size", Bound: forty}}
	for what, c := range map[string]struct {
		found    anonymize.Guarantee
		accepted bool
	}{
		"it":            {anonymize.Guarantee{Name: "size", Required: &forty, Holds: true}, true},
		"another one":   {anonymize.Guarantee{Name: "l", Required: &forty, Holds: true}, false},
		"another bound": {anonymize.Guarantee{Name: "size", Required: &fifty, Holds: true}, false},
		"a figure":      {anonymize.Guarantee{Name: "size", Holds: true}, false},
		"a broken one":  {anonymize.Guarantee{Name: "size", Required: &forty}, false},
	} {
		err := checkAsked(asked, []anonymize.Guarantee{c.found})
		if (err == nil) != c.accepted || err != nil && !strings.Contains(err.Error(), "nobody has checked size = 40") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
