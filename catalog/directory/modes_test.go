package directory_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/maintenance"
)

// underUmask runs f with a umask of the process; no other test may run in parallel.
func underUmask(t *testing.T, mask int, f func()) {
	t.Helper()
	old := syscall.Umask(mask)
	defer syscall.Umask(old)
	f()
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// fill opens a directory as a server does, with its audit, and leaves it.
func fill(t *testing.T, dir string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	audit, err := audit.Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := audit.Close(); err != nil {
		t.Fatal(err)
	}
	checkModes(t, dir)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// checkModes wants the directory and all that is in it for its owner alone.
func checkModes(t *testing.T, dir string) {
	t.Helper()
	if mode := modeOf(t, dir); mode != 0o700 {
		t.Errorf("the directory has mode %04o", mode)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if mode := modeOf(t, filepath.Join(dir, f.Name())); mode != 0o600 {
			t.Errorf("%s has mode %04o", f.Name(), mode)
		}
	}
}

// Whatever the umask and the directory's modes, only the owner may access a catalog, its backup and a restored copy.
// Wider modes are reported.
func TestModes(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o077} {
		underUmask(t, mask, func() {
			dir := filepath.Join(t.TempDir(), "new")
			if c := fill(t, dir); len(c.Narrowed()) > 0 {
				t.Errorf("of a new directory %q is told", c.Narrowed())
			}
			backup := filepath.Join(t.TempDir(), "people.backup")
			if _, err := maintenance.Backup(context.Background(), dir, backup, false, nil); err != nil {
				t.Fatal(err)
			}
			if mode := modeOf(t, backup); mode != 0o600 {
				t.Errorf("umask %04o: the backup has mode %04o", mask, mode)
			}
			wide := t.TempDir()
			if err := os.Chmod(wide, 0o755); err != nil {
				t.Fatal(err)
			}
			for _, into := range []string{filepath.Join(t.TempDir(), "restored"), wide} {
				report, err := maintenance.Restore(context.Background(), backup, into, false, nil)
				if err != nil {
					t.Fatal(err)
				}
				if told := strings.Join(report.Narrowed, "\n"); strings.Contains(told, "0755") != (into == wide) {
					t.Errorf("restoring into %s tells %q", into, told)
				}
				checkModesOf(t, into)
				fill(t, into)
			}
		})
	}
}

func checkModesOf(t *testing.T, dir string) {
	t.Helper()
	for path, want := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, directory.DatabaseFile): 0o600} {
		if mode := modeOf(t, path); mode != want {
			t.Errorf("%s has mode %04o, must have %04o", path, mode, want)
		}
	}
}

// Opening a directory that others could read narrows its modes and those of its known files, and logs this; unknown
// files stay.
func TestWideModesAreNarrowed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[data]*")
	fill(t, dir)
	foreign := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(foreign, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	wide := 0
	for _, name := range []string{directory.DatabaseFile, audit.File, "LOCK", "."} {
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		wide++
	}
	c, err := catalog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if len(c.Narrowed()) != wide || !strings.Contains(c.Narrowed()[0], "0755") {
		t.Errorf("told: %q, want %d notes", c.Narrowed(), wide)
	}
	checkModesOf(t, dir)
	for name, want := range map[string]fs.FileMode{audit.File: 0o600, "LOCK": 0o600, "notes.txt": 0o644} {
		if mode := modeOf(t, filepath.Join(dir, name)); mode != want {
			t.Errorf("%s has mode %04o, must have %04o", name, mode, want)
		}
	}
}
