package anonymize

import (
	"slices"
	"testing"
)

func TestAbout(t *testing.T) {
	for _, c := range []struct {
		want       string
		attributes []string
	}{
		{"l", nil},
		{"l(disease)", []string{"disease"}},
		{"l(race,disease)", []string{"race", "disease"}},
		{"l(`race,disease`)", []string{"race,disease"}},
		{"l(`a``b`,c,`d)`)", []string{"a`b", "c", "d)"}},
		{"l(``)", []string{""}},
		{"l(größe in cm)", []string{"größe in cm"}},
	} {
		got := GuaranteeName("l", c.attributes...)
		if got != c.want {
			t.Errorf("%q is named %s, want %s", c.attributes, got, c.want)
		}
		guarantee, attributes, ok := SplitAbout(got)
		if guarantee != "l" || !slices.Equal(attributes, c.attributes) || !ok {
			t.Errorf("%s is split into %q, %q, %v", got, guarantee, attributes, ok)
		}
	}
	for _, bad := range []string{"l(", "l()", "l(a", "l(a,)", "l(a)b", "l(`a)", "l(a`b`)", "l(a b,,c)"} {
		if _, _, ok := SplitAbout(bad); ok {
			t.Errorf("%s was split", bad)
		}
	}
}
