package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

func TestReport(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	if _, errs, code := play(t, "import", write(t, "p.csv", patients(300)), "--table", "h.p", "--server", s.Addr); code != 0 {
		t.Fatal(errs)
	}
	servertest.Exec(t, s.Open(t, servertest.Root),
		"CALL anonymize('h.p', 'slppa', 'qi=age,sex,city', 'sa=disease', 'beta=0.34', 'publish=p', 'seed=1')",
		"CALL anonymize('h.p', 'mondrian', 'qi=age,sex,city', 'sa=disease', 'k=4', 'publish=q', 'private=true', 'seed=1')")
	file := filepath.Join(t.TempDir(), "it is p.html")
	arguments := []string{"report", "p", "--out", file, "--server", s.Addr, "--compare", "q", "--title", "Patients & others"}
	out, errs, code := play(t, arguments...)
	if code != 0 || errs != "" || out != file+" has the report of p\n" {
		t.Fatalf("exit %d: %q, %q", code, out, errs)
	}
	page, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(page), "<!DOCTYPE html>") || !strings.Contains(string(page), "<bdi>Patients &amp; others</bdi>") || !strings.Contains(string(page), "The releases compared") {
		t.Errorf("%v: %.200s", err, page)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v: an owner's page is for its owner: %v", err, info.Mode())
	}
	if _, errs, code := play(t, arguments...); code == 0 || !strings.Contains(errs, "exists already: --force overwrites it") {
		t.Errorf("a file that exists: exit %d, %s", code, errs)
	}
	if _, errs, code := play(t, "report", "p", "--out", file, "--server", s.Addr, "--force"); code != 0 {
		t.Errorf("--force: %s", errs)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("%v: %v is left in the directory", err, left)
	}
	if again, err := os.ReadFile(file); err != nil || strings.Contains(string(again), "The releases compared") {
		t.Errorf("%v: --force did not overwrite", err)
	}
	missing := filepath.Join(t.TempDir(), "x.html")
	for arguments, want := range map[string]string{
		"report --out x --server s":                               "0 releases are given, must be one",
		"report p --server s":                                     "--out is missing: the file to write",
		"report p --out x":                                        "--server is missing: host:port of a running server",
		"report p --out " + t.TempDir() + " --server s":           "is not a regular file",
		"report nothing --out " + missing + " --server " + s.Addr: `there is no release "nothing"`,
		"report p --out " + missing + " --server 127.0.0.1:1":     "connect to 127.0.0.1:1",
	} {
		if _, errs, code := play(t, strings.Fields(arguments)...); code != program.ExitFailed || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s", arguments, code, errs)
		}
	}
	if _, err := os.Stat(missing); !os.IsNotExist(err) {
		t.Errorf("a report that failed left a file: %v", err)
	}
}
