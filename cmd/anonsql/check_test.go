package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/cmd/program"
)

// A backup, a loss, a check that names it, a restore: the owner's steps.
func TestCheckBackupRestore(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "data")
	backup := filepath.Join(t.TempDir(), "people.backup")
	tell := func(wantCode int, want string, arguments ...string) {
		t.Helper()
		out, errs, code := play(t, arguments...)
		if code != wantCode || !strings.Contains(out+errs, want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s%s", arguments, code, wantCode, want, out, errs)
		}
	}
	tell(0, "300 rows", "import", write(t, "p.csv", patients(300)), "--table", "h.p", "--data-dir", directory)
	tell(0, "is whole: 1 table with 300 rows, 0 releases", "check", "--data-dir", directory)
	tell(0, "people.backup is whole: 1 table with 300 rows", "backup", backup, "--data-dir", directory)
	tell(0, "is whole", "check", "--file", backup)
	tell(program.ExitFailed, "-> give another backup: a file that anonsql backup has written", "check", "--file", write(t, "p.csv", patients(300)))
	tell(program.ExitFailed, "is damaged: 1 finding\n", "check", "--file", write(t, "p.csv", patients(300)))
	tell(program.ExitFailed, "exists already: give another name, or overwrite it with --force", "backup", backup, "--data-dir", directory)
	tell(0, "is whole", "backup", backup, "--data-dir", directory, "--force")

	c, err := catalog.Open(directory)
	if err != nil {
		t.Fatal(err)
	}
	tell(program.ExitFailed, "stop the server first", "check", "--data-dir", directory)
	tell(0, "is whole", "backup", backup+"2", "--data-dir", directory)
	tell(program.ExitFailed, "data directory is in use", "restore", backup, "--data-dir", directory, "--force")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	if err := os.Truncate(filepath.Join(directory, "anonsql.db"), 20000); err != nil {
		t.Fatal(err)
	}
	tell(program.ExitFailed, "is cut short: it has 20000 bytes", "check", "--data-dir", directory)
	tell(program.ExitFailed, "-> restore a backup: anonsql restore", "check", "--data-dir", directory)
	tell(program.ExitFailed, "anonsql restore puts a backup in its place", "serve", "--data-dir", directory, "--listen", "127.0.0.1:0")
	tell(program.ExitFailed, "has a catalog already", "restore", backup, "--data-dir", directory)
	tell(0, "has the backup: 1 table with 300 rows", "restore", backup, "--data-dir", directory, "--force")
	tell(0, "is whole: 1 table with 300 rows", "check", "--data-dir", directory)
	tell(0, "has the backup", "restore", backup, "--data-dir", filepath.Join(t.TempDir(), "another"))

	for _, c := range []struct{ arguments, want string }{
		{"check", "say what to check, one of: --data-dir"},
		{"check --data-dir a --file b", "say what to check"},
		{"check --data-dir " + filepath.Join(directory, "none"), "there is no data directory"},
		{"backup --data-dir d", "0 files are given"},
		{"backup f", "--data-dir is missing"},
		{"restore f g --data-dir d", "2 files are given"},
		{"restore f", "--data-dir is missing"},
		{"restore " + filepath.Join(directory, "none") + " --data-dir " + filepath.Join(t.TempDir(), "d"), "there is no backup"},
	} {
		tell(program.ExitFailed, c.want, strings.Fields(c.arguments)...)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	tell(program.ExitFailed, "is no database, or its beginning was overwritten, so nothing was restored", "restore", write(t, "q.csv", patients(300)), "--data-dir", fresh)
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Errorf("a file that is no backup made a directory: %v", err)
	}
}
