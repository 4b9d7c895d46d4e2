// Package testsize says how much the tests do.
//
// There is one switch, the environment variable ANONSQL_TESTS. Without it every test takes a small case, so that `go test ./...` ends
// within minutes on two cores, and a test that needs what this machine lacks is skipped. With "ci" such a test fails, and tests
// of many alike cases run more of them. With "all" every test runs in full, which takes hours.
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

// IsSmall tells whether ANONSQL_TESTS is not set.
func IsSmall() bool { return asked() == small }

// All tells whether tests run in full.
func All() bool { return asked() == all }

// Of is the size of a test's case: small, or full where tests run in full.
func Of[T any](small, full T) T {
	if All() {
		return full
	}
	return small
}

// Levels is the size of a test's case without ANONSQL_TESTS, with ci, and with all.
func Levels[T any](small, inCI, full T) T {
	if IsSmall() {
		return small
	}
	return Of(inCI, full)
}

// ProcessorTime is what this process has used.
func ProcessorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the arguments are right
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Named tells whether -run names single cases of a test, behind a slash: then none is left out.
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
