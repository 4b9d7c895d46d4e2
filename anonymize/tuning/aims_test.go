package tuning_test

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/tuning"
)

// TestAims: every aim's choice by hand.
func TestAims(t *testing.T) {
	trials := []tuning.Trial{{Groups: 0, Risk: .5, Loss: .1}, {Groups: 1, Risk: .2, Loss: .5}, {Groups: 2, Risk: .3, Loss: .2}, {Groups: 3, Risk: .2, Loss: .4}, {Groups: 4, Risk: .5, Loss: .1}}
	for _, c := range []struct {
		of   func([]tuning.Trial) *tuning.Trial
		want int
	}{{tuning.Safest, 3}, {tuning.Balanced, 2}, {tuning.MostPrecise, 0}} {
		if got := c.of(trials); got.Groups != c.want {
			t.Errorf("choice %d, want %d", got.Groups, c.want)
		}
		if got := c.of(trials[2:3]); got.Groups != 2 {
			t.Errorf("of one choice %d", got.Groups)
		}
	}
}

// TestBalancedPromisesMost: of choices that a sample does not tell apart the one with the greatest l or 1/beta is the balance, of the same method only.
func TestBalancedPromisesMost(t *testing.T) {
	anatomy, arp := anonymize.Method{Name: "anatomy"}, anonymize.Method{Name: "arp"}
	of := func(m anonymize.Method, l string, risk, loss float64) tuning.Trial {
		return tuning.Trial{Method: m, Arguments: anonymize.Arguments{"l": l}, Risk: risk, Loss: loss}
	}
	trials := []tuning.Trial{of(anatomy, "2", .1, .4), of(anatomy, "2", .131, .189), of(anatomy, "5", .133, .190), of(arp, "6", .133, .190), of(anatomy, "7", .3, .2), of(anatomy, "2", .7, .1)}
	if got := tuning.Balanced(trials); got != &trials[2] {
		t.Errorf("%v", got)
	}
	for i := range trials {
		l := trials[i].Arguments["l"]
		trials[i].Arguments = anonymize.Arguments{"beta": "1/" + l}
	}
	if got := tuning.Balanced(trials); got != &trials[2] {
		t.Errorf("by beta %v", got)
	}
}
