package anonymize_test

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

func TestDidYouMean(t *testing.T) {
	methods := []string{"slppa", "slicing", "anatomy", "mondrian", "k"}
	for name, want := range map[string]string{
		"slpa": "slppa", "SLPPA2": "slppa", "slicign": "slicing", "anatomie": "anatomy", "mondrain": "mondrian", "mondrian ": "mondrian",
		"zebra": "", "": "", "anonymize": "", "kk": "k", "x": "",
	} {
		got := anonymize.DidYouMean(name, methods)
		if want != "" {
			want = `; did you mean "` + want + `"?`
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
