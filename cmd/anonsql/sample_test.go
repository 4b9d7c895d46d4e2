package main

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/program"
)

// The output of sample can be imported.
func TestSample(t *testing.T) {
	out, errs, code := play(t, "sample", "--rows", "20")
	if code != 0 || strings.Count(out, "\n") != 21 || !strings.HasPrefix(out, "person_id,name,age,") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	server := serving(t)
	out, errs, code = play(t, "import", write(t, "people.csv", out), "--table", "census.people", "--server", server)
	if code != 0 || !strings.Contains(out, "20 rows into census.people") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	out, errs, code = play(t, "sample", "--visits", "--rows", "30")
	if code != 0 || strings.Count(out, "\n") != 31 || !strings.HasPrefix(out, "visit_id,patient,birth_year,") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if _, errs, code := play(t, "sample", "--rows", "0"); code != program.ExitFailed || !strings.Contains(errs, "--rows is 0, must be at least 1") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
