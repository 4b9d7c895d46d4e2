package server_test

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize/anontest"
)

// The race detector runs with -short, many times slower: what one client
// computes shows it the same after a handful of cases.

// fewer is n, or a handful with -short.
func fewer(n, handful int) int {
	if testing.Short() {
		return min(n, handful)
	}
	return n
}

// inFull is n with ANONSQL_LONG=1, some of it without, a handful with -short.
func inFull(n, some, handful int) int {
	if anontest.Long() {
		return n
	}
	return fewer(some, handful)
}

// oneClient skips, with -short, a test in which nothing happens at once.
func oneClient(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one client: run without -short")
	}
}
