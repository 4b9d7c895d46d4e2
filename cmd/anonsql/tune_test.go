package main

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/program"
)

// serving starts the server of a command line on a free port and returns its
// address; it ends with the test.
func serving(t *testing.T, flags ...string) (address string) {
	t.Helper()
	arguments := append([]string{"serve", "--data-dir", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0"}, flags...)
	return begin(context.Background(), t, arguments...).await(t, `ready for clients.* address=(\S+)`)[1]
}

// tune prints a frontier whose statements publish.
func TestTune(t *testing.T) {
	server := serving(t)
	file := write(t, "patients.csv", patients(2000))
	if _, errs, code := play(t, "import", file, "--table", "clinic.patients", "--server", server); code != 0 {
		t.Fatal(errs)
	}
	tune := []string{"tune", "clinic.patients", "--server", server, "--qi", "age,sex,city", "--sa", "disease",
		"--methods", "anatomy,mondrian,oka", "--guarantee", "l=3", "--seed", "1", "--queries", "50", "--sample", "1000"}
	out, errs, code := play(t, append(tune, "--try", "mondrian.k=5|10")...)
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"breach", "relative_error", "of 13 trials meet", "tried on a sample of 1000 records"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing of\n%s", want, out)
		}
	}
	statements := regexp.MustCompile(`(?m)^\*.* CALL anonymize\('clinic\.patients',.*\);$`).FindAllString(out, -1)
	if stars := strings.Count(out, "\n*"); stars == 0 || len(statements) != stars {
		t.Errorf("%d points on the frontier, %d statements:\n%s", stars, len(statements), out)
	}
	again, _, _ := play(t, append(tune, "--try", "mondrian.k=5|10", "--all")...)
	if !strings.Contains(again, "no choice: CALL anonymize('clinic.patients','oka','qi=age,sex,city','sa=disease','k=5'): l is 1 in group") {
		t.Errorf("no reason for what fails:\n%s", again)
	}
	for _, c := range []struct {
		arguments []string
		says      string
	}{
		{[]string{"tune"}, "0 tables are given"},
		{[]string{"tune", "clinic.patients"}, "--server is missing"},
		{[]string{"tune", "clinic.patients", "--server", server, "--guarantee", "l"}, `"l" must be name=value`},
		{[]string{"tune", "clinic.none", "--server", server}, "table not found: clinic.none"},
		{append(tune, "--guarantee", "k=5000"), "no trial meets what is asked for"},
	} {
		if out, errs, code := play(t, c.arguments...); code != program.ExitFailed || !strings.Contains(errs, c.says) {
			t.Errorf("%v: exit %d, %s%s", c.arguments, code, out, errs)
		}
	}
}
