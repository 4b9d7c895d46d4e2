package console

import (
	"net/url"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/console/chart"
)

// The legend calls nothing exact that is not known to be.
func TestLegend(t *testing.T) {
	exact, estimate, unknown := chart.Figure{Value: 1, Low: 1, High: 1}, chart.Figure{Value: 1, Low: 0, High: 2}, chart.Unknown(1)
	for _, c := range []struct {
		figures []chart.Figure
		said    string
		exact   bool
	}{{nil, "", false}, {[]chart.Figure{unknown}, "", false}, {[]chart.Figure{exact}, "Exact", true}, {[]chart.Figure{exact, unknown}, "", false},
		{[]chart.Figure{estimate, unknown}, "95 %", false}, {[]chart.Figure{estimate, exact, unknown}, "95 %", false}, {[]chart.Figure{estimate, exact}, "95 %", true}} {
		var known certainty
		for _, f := range c.figures {
			known.note(f)
		}
		if got := known.legend(); !strings.Contains(got, c.said) || (got == "") != (c.said == "") || strings.Contains(strings.ToLower(got), "exact") != c.exact {
			t.Errorf("%v: %q", c.figures, got)
		}
	}
}

// A comparison whose statement was stopped is stopped, and untried methods are not called failures.
func TestStopped(t *testing.T) {
	w := &work{fields: url.Values{"action": {"tune"}}}
	w.add(&answer{Problem: &problem{Number: 1105, Text: "cannot"}})
	w.add(&answer{Problem: &problem{Number: interrupted, Text: "stopped"}})
	if tuned := newTuned(w); !tuned.Stopped || len(tuned.Failures) != 1 || tuned.Failures[0].Failure != "cannot" {
		t.Errorf("%+v", tuned)
	}
}
