package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/version"
)

// play runs the command line and returns what it printed and its exit code.
func play(t *testing.T, arguments ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = program.Run(t.Context(), newCommand(), arguments, &o, &e)
	return o.String(), e.String(), code
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHelp(t *testing.T) {
	out, errs, code := play(t, "--help")
	for _, want := range []string{"--csv", "--out", "--quick", "--seed", "all", "Xie: Anonymization on Refining Partition"} {
		if code != 0 || errs != "" || !strings.Contains(out, want) {
			t.Errorf("exit %d, %q is missing:\n%s%s", code, want, out, errs)
		}
	}
}

// A run that is interrupted before its first figure has the shell's exit code.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := program.Run(ctx, newCommand(), []string{"arp", "--quick", "--out", t.TempDir()}, &out, &errs)
	if code != program.ExitInterrupted || !strings.Contains(errs.String(), "experiments: interrupted") {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
}

func TestUsage(t *testing.T) {
	few := write(t, "few.csv", "age,sex\n30,F\n40,M\n")
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"--nothing"}, "unknown flag: --nothing\n'experiments --help' shows"},
		{nil, "0 names are given, must be one, or all"},
		{[]string{"nothing"}, `there is no experiment "nothing", must be all or one of`},
		{[]string{"arp", "cdt"}, "2 names are given"},
		{[]string{"arp", "--csv", filepath.Join(t.TempDir(), "none.csv")}, "no such file"},
		{[]string{"arp", "--csv", few, "--out", t.TempDir()}, "experiments: experiment arp needs a column education"},
		{[]string{"arp", "--csv", write(t, "bad.csv", "a,b\n1\n")}, "expected 2 fields, found 1"},
		{[]string{"arp", "--quick", "--out", few}, "not a directory"},
	} {
		_, errs, code := play(t, c.arguments...)
		if code != program.ExitFailed || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %s", c.arguments, code, errs)
		}
	}
}

// The sample, without a CSV: figures, report, verdicts.
func TestOnTheSample(t *testing.T) {
	if testing.Short() {
		t.Skip("runs an experiment: seconds")
	}
	dir := filepath.Join(t.TempDir(), "new", "place")
	out, errs, code := play(t, "arp", "--quick", "--out", dir)
	if code != 0 || !strings.Contains(out, "Fig. 2 ") || !strings.Contains(out, "written: "+filepath.Join(dir, "RESULTS.md")) {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	if !strings.Contains(errs, ": 15 of 15") {
		t.Errorf("the progress is %s", errs)
	}
	text, err := os.ReadFile(filepath.Join(dir, "RESULTS.md"))
	if err != nil || !strings.Contains(string(text), "the bundled sample") || !strings.Contains(string(text), "anonsql "+version.Number) {
		t.Errorf("%v: %s", err, text)
	}
	for _, extension := range []string{"csv", "svg", "png"} {
		if _, err := os.Stat(filepath.Join(dir, "results", "arp-fig06."+extension)); err != nil {
			t.Error(err)
		}
	}
}
