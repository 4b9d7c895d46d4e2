package testsize

import (
	"flag"
	"slices"
	"testing"
)

func TestSizes(t *testing.T) {
	for value, want := range map[string]struct {
		size, level int
		skipped     bool
	}{"": {1, 1, true}, "ci": {1, 5, false}, "all": {9, 9, false}} {
		t.Setenv("ANONSQL_TESTS", value)
		if got := Levels(1, 5, 9); got != want.level {
			t.Errorf("%q: level %d, must be %d", value, got, want.level)
		}
		if got := Of(1, 9); got != want.size || All() != (want.size == 9) {
			t.Errorf("%q: size %d, must be %d", value, got, want.size)
		}
		r := &ended{TB: t}
		if Missing(r, "no %s", "cluster"); r.skipped != want.skipped || r.failed == want.skipped {
			t.Errorf("%q: skipped %v, failed %v", value, r.skipped, r.failed)
		}
	}
}

// ended records how a test ends, and continues.
type ended struct {
	testing.TB
	skipped, failed bool
}

func (e *ended) Helper()               {}
func (e *ended) Skipf(string, ...any)  { e.skipped = true }
func (e *ended) Fatalf(string, ...any) { e.failed = true }

func TestNamed(t *testing.T) {
	defer flag.Set("test.run", flag.Lookup("test.run").Value.String())
	for run, want := range map[string]bool{"": false, "TestPages": false, "TestPages/one": true} {
		if err := flag.Set("test.run", run); err != nil {
			t.Fatal(err)
		}
		if Named() != want {
			t.Errorf("-run %q names cases: %t", run, !want)
		}
	}
}

func TestUnknownSize(t *testing.T) {
	t.Setenv("ANONSQL_TESTS", "most")
	defer func() {
		if recover() == nil {
			t.Error("an unknown size is accepted")
		}
	}()
	All()
}

func TestSome(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6}
	t.Setenv("ANONSQL_TESTS", "")
	if got := Some(3, list); !slices.Equal(got, []int{0, 2, 4}) {
		t.Errorf("three of seven are %v", got)
	}
	if got := Some(9, list); !slices.Equal(got, list) {
		t.Errorf("nine of seven are %v", got)
	}
	t.Setenv("ANONSQL_TESTS", "all")
	if got := Some(3, list); !slices.Equal(got, list) {
		t.Errorf("all of seven are %v", got)
	}
}
