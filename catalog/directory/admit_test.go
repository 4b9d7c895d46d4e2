package directory_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/fault"
)

func TestDirectoryIsHeldOnce(t *testing.T) {
	b := catalogtest.NewBench(t)
	_, err := catalog.Open(b.Dir)
	if !errors.Is(err, directory.ErrLocked) || !strings.Contains(err.Error(), b.Dir) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("second opener got %v", err)
	}
	for name, mode := range map[string]os.FileMode{"anonsql.db": 0o600, "anonsql.db-wal": 0o600, "LOCK": 0o600} {
		if info, err := os.Stat(filepath.Join(b.Dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	b := catalogtest.NewBench(t)
	b.Store("PRAGMA user_version = 9999")
	if err := b.Catalog.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Open(b.Dir); err == nil || !strings.Contains(err.Error(), "newer anonsql") {
		t.Errorf("got %v", err)
	}
	if _, err := catalog.Open(b.Dir); errors.Is(err, directory.ErrLocked) {
		t.Error("a refused directory stays locked")
	}
}

// Remains of an old database, which SQLite would take for a new one, are refused by Open and by a check.
func TestLostFiles(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
	c.Session.SessionEnd()
	if err := b.Catalog.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(b.Dir, directory.DatabaseFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name     string
		database []byte // nil for none
		log      []byte
		want     string
	}{
		{"empty", []byte{}, nil, "is empty (0 bytes)"},
		{"cut", whole[:60], nil, "is cut short: it has 60 bytes"},
		{"cut at a page", whole[:4096], nil, "is cut short: it has 4096 bytes"},
		{"overwritten", []byte(strings.Repeat("text", 5000)), nil, "is no database, or its beginning was overwritten"},
		{"a log alone", nil, []byte("log"), "is missing, while its log anonsql.db-wal has 3 bytes"},
	} {
		t.Run(x.name, func(t *testing.T) {
			for path, data := range map[string][]byte{file: x.database, file + directory.WALSuffix: x.log} {
				if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				if data == nil {
					continue
				}
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := catalog.Open(b.Dir); !errors.Is(err, fault.ErrDamaged) || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), "anonsql restore") {
				t.Errorf("got %v, want %q and a remedy", err, x.want)
			}
			if text := catalogtest.Findings(catalogtest.Checked(t, b.Dir)); !strings.Contains(text, x.want) {
				t.Errorf("check: got %s, want %q", text, x.want)
			}
			if left, err := os.ReadFile(file + directory.WALSuffix); x.log != nil && (err != nil || string(left) != string(x.log)) {
				t.Errorf("the log is gone: %v", err)
			}
		})
	}
}

// A restore that was killed after it moved the old catalog away leaves no room for an empty one.
func TestInterruptedRestore(t *testing.T) {
	dir := t.TempDir()
	aside := filepath.Join(dir, directory.DatabaseFile+".replaced-20260101T000000.000")
	if err := os.WriteFile(aside, []byte("SQLite"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Open(dir); !errors.Is(err, fault.ErrDamaged) || !strings.Contains(err.Error(), filepath.Base(aside)+" is there: a restore was interrupted") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, directory.DatabaseFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty catalog was made: %v", err)
	}
}

// A start that was killed while it created the catalog does not block later starts.
func TestInterruptedFirstStart(t *testing.T) {
	dir := t.TempDir()
	for _, suffix := range []string{"", directory.WALSuffix, directory.SHMSuffix} {
		if err := os.WriteFile(filepath.Join(dir, directory.DatabaseFile+".new"+suffix), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := &catalogtest.Bench{T: t, Dir: dir}
	b.Open()
	b.Owner().Run("CREATE TABLE t (a INT)")
	b.Catalog.Close()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
}
