// Package testsize decides how much the tests do.
//
// There is one switch, the environment variable ANONSQL_TESTS. Without it every test runs a small case, so that `go test ./...` ends
// within minutes on two cores, and skips tests that need something which the machine lacks. With "ci" such a test fails, and tests of
// many similar cases run more of them. With "all" every test runs in full, which takes hours.
//
// Only tests and rooms of tests import it.
package testsize

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	small    = ""
	complete = "ci"
	all      = "all"
)

func asked() string {
	switch size := os.Getenv("ANONSQL_TESTS"); size {
	case small, complete, all:
		return size
	default:
		panic(fmt.Sprintf("ANONSQL_TESTS is %q: it is not set, ci (what is missing fails a test) or all (everything, in full)", size))
	}
}

// IsSmall reports whether ANONSQL_TESTS is not set.
func IsSmall() bool { return asked() == small }

// All reports whether tests run in full.
func All() bool { return asked() == all }

// Of returns the size of a test's case: full if tests run in full, otherwise small.
func Of[T any](small, full T) T {
	if All() {
		return full
	}
	return small
}

// Levels returns the size of a test's case without ANONSQL_TESTS, with ci, and with all.
func Levels[T any](small, inCI, full T) T {
	if IsSmall() {
		return small
	}
	return Of(inCI, full)
}

// ProcessorTime returns the processor time that this process has used.
func ProcessorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the arguments are valid
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Named reports whether -run names single cases of a test, after a slash; then no case is skipped.
func Named() bool { return strings.Contains(flag.Lookup("test.run").Value.String(), "/") }

// Missing ends a test that needs what this machine lacks. It is skipped, or fails with ANONSQL_TESTS=ci or all.
func Missing(t testing.TB, format string, arguments ...any) {
	t.Helper()
	if IsSmall() {
		t.Skipf(format, arguments...)
		return
	}
	t.Fatalf(format, arguments...)
}

// Some is n entries of a list, evenly apart, or the whole list where tests run in full.
func Some[T any](n int, list []T) []T {
	if All() || n >= len(list) {
		return list
	}
	some := make([]T, n)
	for i := range some {
		some[i] = list[i*len(list)/n]
	}
	return some
}
