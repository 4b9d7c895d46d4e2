package acceptance

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// unpack writes the files of an archive into a directory.
func unpack(t *testing.T, archive, directory string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(directory, filepath.FromSlash(h.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUpgrade: this server opens the data directories and data packages of every earlier version (testdata/upgrade), and gives their answers. Its
// changes survive a restart.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("../testdata/upgrade/*.tar.gz")
	if err != nil || len(archives) < 2 {
		t.Fatalf("%d versions are kept, want two or more (%v)", len(archives), err)
	}
	for _, archive := range archives {
		script := strings.TrimSuffix(archive, ".tar.gz") + ".test"
		t.Run(filepath.Base(script), func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			unpack(t, archive, directory)
			packages := filepath.Join(directory, "packages")
			if err := os.MkdirAll(packages, 0o700); err != nil {
				t.Fatal(err)
			}
			servertest.RunScript(t, script, server.Config{DataDir: filepath.Join(directory, "data"), ExportDir: packages, Extend: server.Product})
		})
	}
}
