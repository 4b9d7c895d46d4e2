package main

import (
	"bytes"
	"context"
	"fmt"
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

// beside writes files for other tools, a release of ours by record, and judges both it and what others write.
func TestBeside(t *testing.T) {
	var text strings.Builder
	text.WriteString("age,workclass,education,marital_status,race,sex,native_country,income,occupation\n")
	for i := range 60 {
		fmt.Fprintf(&text, "%d,Private,HS-grad,Divorced,White,Male,Canada,>50K,%c\n", 20+i%12, 'a'+i%5)
	}
	directory := filepath.Join(t.TempDir(), "beside")
	releaseFile, other := filepath.Join(directory, "ours.csv"), write(t, "other.csv", strings.ReplaceAll(text.String(), "Canada", "*"))
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"files", directory, "--csv", write(t, "adult.csv", text.String())}, "table.csv, 60 records, and 8 hierarchies\n"},
		{[]string{"release", directory, "mondrian", releaseFile, "k=10", "l=4"}, ""},
		{[]string{"score", directory, "ours=" + releaseFile, "other=" + other, "--queries", "50"}, "| other | 5 | 0.200 | 0.0 % | 12 |"},
	} {
		out, errs, code := play(t, append([]string{"beside"}, c.arguments...)...)
		if code != 0 || errs != "" || !strings.Contains(out, c.want) {
			t.Fatalf("%v: exit %d\n%s%s", c.arguments, code, out, errs)
		}
	}
}

func TestBesideRefuses(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"files", empty}, "one directory and --csv must be given"},
		{[]string{"files", empty, "--csv", write(t, "few.csv", "age\n30\n")}, "needs a column workclass: the table has none"},
		{[]string{"release", empty}, "a directory, a method and a file must be given"},
		{[]string{"release", empty, "mondrian", "out.csv", "k"}, "'k' must be KEY=VALUE"},
		{[]string{"score", empty}, "a directory and at least one NAME=FILE must be given"},
		{[]string{"score", empty, "a=b"}, "table.csv: no such file"},
	} {
		_, errs, code := play(t, append([]string{"beside"}, c.arguments...)...)
		if code != program.ExitFailed || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %s", c.arguments, code, errs)
		}
	}
}
