package servertest

import (
	"testing"
	"time"
)

const (
	// patience is how long Eventually waits: far longer than any condition needs on an overloaded machine with the race
	// detector.
	patience = 5 * time.Minute
	// pollInterval is the pause between two looks.
	pollInterval = 5 * time.Millisecond
)

// Soon is what a test accepts as "at once", if a failure would take minutes or forever: a statement of milliseconds
// stays within it on a slow machine with the race detector.
const Soon = time.Minute

// Eventually polls a condition until it holds, and fails the test if it never does. what describes the condition in
// the failure. Use channels if something can notify the test, and Eventually if only polling shows the condition,
// such as a row of the process list.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
