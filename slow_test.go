package anonsql_test

import (
	"os"
	"strings"
	"testing"
)

// .ci/slow names tests that exist, each once: those that take turns in CI.
func TestSlowTestsExist(t *testing.T) {
	rooms := make(map[string]bool)
	sources(t, "_test.go", func(file, text string) {
		for _, found := range testFunction.FindAllStringSubmatch(text, -1) {
			rooms[found[1]+" "+roomOf(file)] = true
		}
	})
	text, err := os.ReadFile(".ci/slow")
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 2 {
			t.Errorf("%q is no test with its room", line)
			continue
		}
		name, _, _ := strings.Cut(fields[0], "/")
		if !rooms[name+" "+fields[1]] {
			t.Errorf("room %s has no test %s", fields[1], name)
		}
		if listed[fields[0]] {
			t.Errorf("%s is listed twice", fields[0])
		}
		listed[fields[0]] = true
	}
	if len(listed) < 4 {
		t.Errorf("%d slow tests: what would take turns?", len(listed))
	}
}
