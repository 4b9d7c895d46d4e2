package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExperimentsUsage(t *testing.T) {
	few := write(t, "few.csv", patients(10))
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{nil, "0 papers are given, must be one, or all"},
		{[]string{"009"}, `there is no paper "009", must be all or one of`},
		{[]string{"001", "002"}, "2 papers are given"},
		{[]string{"001", "--csv", filepath.Join(t.TempDir(), "none.csv")}, "no such file"},
		{[]string{"001", "--csv", few, "--out", t.TempDir()}, "anonsql: paper 001 needs a column education"},
		{[]string{"001", "--csv", write(t, "bad.csv", "a,b\n1\n")}, "expected 2 fields, found 1"},
		{[]string{"001", "--quick", "--out", few}, "not a directory"},
	} {
		_, errs, code := play(t, append([]string{"experiments"}, c.arguments...)...)
		if code != exitFailed || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %s", c.arguments, code, errs)
		}
	}
}

// The sample, without a CSV: figures, report, verdicts.
func TestExperimentsOnTheSample(t *testing.T) {
	if testing.Short() {
		t.Skip("runs an experiment: seconds")
	}
	dir := filepath.Join(t.TempDir(), "new", "place")
	out, errs, code := play(t, "experiments", "001", "--quick", "--out", dir)
	if code != 0 || !strings.Contains(out, "Fig. 2 ") || !strings.Contains(out, "written: "+filepath.Join(dir, "RESULTS.md")) {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	if !strings.Contains(errs, ": 15 of 15") {
		t.Errorf("the progress is %s", errs)
	}
	text, err := os.ReadFile(filepath.Join(dir, "RESULTS.md"))
	if err != nil || !strings.Contains(string(text), "the bundled sample") || !strings.Contains(string(text), "anonsql "+version) {
		t.Errorf("%v: %s", err, text)
	}
	for _, extension := range []string{"csv", "svg", "png"} {
		if _, err := os.Stat(filepath.Join(dir, "results", "001-fig06."+extension)); err != nil {
			t.Error(err)
		}
	}
}
