package servertest

import (
	"testing"
	"time"
)

const (
	// patience is how long Eventually waits: far longer than what it waits for takes
	// on an overloaded machine with the race detector.
	patience = 5 * time.Minute
	// pollInterval is the pause between two looks.
	pollInterval = 5 * time.Millisecond
)

// Soon is what a test accepts as "at once", where what is wrong takes minutes or has no
// end: a statement of milliseconds stays within it on a slow machine with the race detector.
const Soon = time.Minute

// Eventually looks until a condition holds, and ends the test when it does not come:
// what says, in the failure, what was waited for. For what a test can be told of there
// are channels: this is for what only a look shows, such as a row of the process list.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
