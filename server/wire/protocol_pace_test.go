package wire

import (
	"testing"
	"time"
)

// Only some panics per second are logged; the first one of the next second has the number of the omitted ones.
func TestPace(t *testing.T) {
	var p Pace
	now := time.Unix(100, 0)
	admitted := 0
	for range 20 {
		if ok, before := p.Admits(now); ok {
			admitted++
			if before != 0 {
				t.Errorf("%d were not logged before the first", before)
			}
		}
	}
	if admitted != pacePerSecond {
		t.Errorf("%d were admitted, want %d", admitted, pacePerSecond)
	}
	if ok, before := p.Admits(now.Add(time.Second)); !ok || before != 20-pacePerSecond {
		t.Errorf("a second later: %v, after %d", ok, before)
	}
}
