package estimate

import (
	"os"
	"testing"
)

// The race detector runs with -short, ten times slower, and looks for what
// happens at once: random questions compared one after the other show it the
// same after a few.

// trials is n with ANONSQL_LONG=1, a third without, with -short a twelfth.
func trials(n int) int {
	if testing.Short() {
		return (n + 11) / 12
	}
	if os.Getenv("ANONSQL_LONG") != "1" {
		return (n + 2) / 3
	}
	return n
}

// atLeast is how many of what trials(...) tries must have been met: n with ANONSQL_LONG=1, a fifth
// without, with -short a thirtieth.
func atLeast(n int) int {
	if testing.Short() {
		return (n + 29) / 30
	}
	if os.Getenv("ANONSQL_LONG") != "1" {
		return (n + 4) / 5
	}
	return n
}
