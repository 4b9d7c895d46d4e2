package datapackage

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Two folders have each other's name at once, and where one is missing nothing changes.
func TestExchange(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"in/new", "in/old"} {
		if err := errors.Join(root.MkdirAll(name, 0o755), root.WriteFile(name+"/name", []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := exchange(root, "in/new", "in/none"); !errors.Is(err, unix.ENOENT) {
		t.Errorf("with none: %v", err)
	}
	switch err := exchange(root, "in/new", "in/old"); {
	case errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS):
		t.Log("the file system does not exchange names, and place renames twice")
	case err != nil:
		t.Fatal(err)
	default:
		if text, err := root.ReadFile("in/old/name"); err != nil || string(text) != "in/new" {
			t.Errorf("in/old has %q, %v", text, err)
		}
	}
}
