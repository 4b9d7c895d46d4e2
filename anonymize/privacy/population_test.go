package privacy_test

import (
	"errors"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// A promise about a population is none that a release alone can keep, and one of an unknown
// name is not taken for one.
func TestPromisesAboutPopulations(t *testing.T) {
	for _, name := range []string{"k_map", "delta_presence_min", "delta_presence_max"} {
		if !privacy.NeedsPopulation(name) || privacy.Recomputable(name) {
			t.Errorf("%s needs a population: %v, is recomputable: %v", name, privacy.NeedsPopulation(name), privacy.Recomputable(name))
		}
		r := small(t)
		r.Promises = []anonymize.Promise{{Guarantee: name, Bound: anonymize.MustRatio("0.1")}}
		if _, err := privacy.Verify(r); !errors.As(err, new(*privacy.CannotCheckError)) {
			t.Errorf("%s of a release alone: %v", name, err)
		}
	}
	if privacy.NeedsPopulation("k") || privacy.NeedsPopulation("no_such_promise") {
		t.Error("promises that need no population")
	}
}
