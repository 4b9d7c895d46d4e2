package datapackage

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"testing"
)

// Where the new package is not sure to last, the old one has its name again, or what name the error says.
func TestOldPackageIsNotLost(t *testing.T) {
	unsure := errors.New("unsure")
	for _, c := range []struct {
		name      string
		meanwhile func(root *os.Root) error // while it is made sure
		kept      string                    // where the old one is
	}{
		{"it comes back", func(*os.Root) error { return nil }, "in/p"},
		{"the new one is gone", func(root *os.Root) error { return root.RemoveAll("in/p") }, "in/p"},
		{"its name is taken", func(root *os.Root) error {
			return errors.Join(root.RemoveAll("in/p"), root.MkdirAll("in/.p", 0o755), root.WriteFile("in/.p/file", nil, 0o600), root.WriteFile("in/p", nil, 0o600))
		}, "in/.p.old"},
	} {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		for _, folder := range []string{"in/.p", "in/p"} {
			if err := errors.Join(root.MkdirAll(folder, 0o755), root.WriteFile(path.Join(folder, "name"), []byte(folder), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		err = place(root, "in/.p", "in/p", true, func(*os.Root, string) error { return errors.Join(unsure, c.meanwhile(root)) })
		if !errors.Is(err, unsure) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := root.RemoveAll("in/.p"); err != nil { // as Write does
			t.Fatal(err)
		}
		if text, err := root.ReadFile(path.Join(c.kept, "name")); err != nil || string(text) != "in/p" {
			t.Errorf("%s: %s has %q, %v", c.name, c.kept, text, err)
		}
		if _, err := root.Lstat("in/.p.old"); (c.kept == "in/.p.old") == errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: in/.p.old: %v", c.name, err)
		}
	}
}
