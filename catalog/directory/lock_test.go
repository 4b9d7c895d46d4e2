package directory_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/anonsql/anonsql/catalog/directory"
)

// A released directory can be locked at once, even while processes are started: between fork and exec a child has all
// our files open.
func TestLockIsGivenBackAtOnce(t *testing.T) {
	dir, done := t.TempDir(), make(chan error)
	shell, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		go func() {
			var errs error
			for range 50 {
				errs = errors.Join(errs, exec.Command(shell).Run())
			}
			done <- errs
		}()
	}
	for running := 4; running > 0; {
		select {
		case err := <-done:
			running--
			if err != nil {
				t.Error(err)
			}
		default:
			lock, err := directory.Lock(dir)
			if err != nil {
				t.Fatalf("%s: %v", filepath.Base(dir), err)
			}
			if err := lock.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// An account that may write in the directory cannot have root write to, or give away, a file elsewhere.
func TestLockFollowsNoLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	if err := errors.Join(os.WriteFile(elsewhere, []byte("kept"), 0o600), os.Symlink(elsewhere, filepath.Join(dir, "LOCK"))); err != nil {
		t.Fatal(err)
	}
	if lock, err := directory.Lock(dir); err == nil {
		t.Error("a link was locked", lock.Close())
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
}
