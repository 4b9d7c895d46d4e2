package estimate

import "testing"

// The race detector runs with -short, ten times slower, and looks for what
// happens at once: random questions compared one after the other show it the
// same after a few.

// trials is n, or with -short a twelfth.
func trials(n int) int {
	if testing.Short() {
		return (n + 11) / 12
	}
	return n
}

// atLeast is how many of what trials(...) tries must have been met: n, or with
// -short a thirtieth.
func atLeast(n int) int {
	if testing.Short() {
		return (n + 29) / 30
	}
	return n
}
