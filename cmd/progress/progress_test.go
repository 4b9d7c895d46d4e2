package progress

import (
	"os"
	"path/filepath"
	"testing"
)

// A file is no terminal: nothing is written to it.
func TestNothingIsDrawnElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	bar := Bytes(file, "reading", 10)
	bar.Set(5)
	bar.Finish(true)
	for _, begin := range []func() (func(string, int64, int64), func()){
		func() (func(string, int64, int64), func()) { return Phases(file) },
		func() (func(string, int64, int64), func()) { return Phases(file, "one") },
	} {
		show, end := begin()
		show("one", 1, 2)
		show("two", 1, 0)
		end()
	}
	if text, err := os.ReadFile(path); err != nil || len(text) > 0 {
		t.Errorf("%v: a file got %q", err, text)
	}
	if OnTerminal(file) || OnTerminal(nil) {
		t.Error("a file and nothing are terminals")
	}
}
