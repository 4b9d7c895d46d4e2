package anonsql_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sources calls look with the text of every file of the tree that ends so. What
// begins with a dot is no part of it.
func sources(t *testing.T, suffix string, look func(file, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && len(file) > 1 && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, suffix):
			return nil
		}
		text, err := os.ReadFile(file)
		if err == nil {
			look(file, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	testFunction  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	namedTest     = regexp.MustCompile("`(Test\\w+)`")
	namedDocument = regexp.MustCompile(`\b(?:docs|bench|testdata)/[\w./-]*\.(?:md|txt)\b`)
	comment       = regexp.MustCompile(`(?m)^\s*//.*$`)
	deviation     = regexp.MustCompile(`(?m)^\*\*(\d+)\. .*$`)
)

// DEVIATIONS.md names tests that exist, and every entry one of its number.
func TestDeviationsHaveTests(t *testing.T) {
	exists := make(map[string]bool)
	sources(t, "_test.go", func(_, text string) {
		for _, found := range testFunction.FindAllStringSubmatch(text, -1) {
			exists[found[1]] = true
		}
	})
	text, err := os.ReadFile("DEVIATIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	entries := deviation.FindAllStringSubmatch(string(text), -1)
	if len(entries) < 100 {
		t.Fatalf("DEVIATIONS.md has %d entries", len(entries))
	}
	for _, entry := range entries {
		if !strings.Contains(entry[0], "`TestDeviation"+entry[1]+"_") {
			t.Errorf("deviation %s names no test of its number", entry[1])
		}
	}
	for _, named := range namedTest.FindAllStringSubmatch(string(text), -1) {
		if !exists[named[1]] {
			t.Errorf("DEVIATIONS.md names %s, which does not exist", named[1])
		}
	}
}

// Comments name documents that exist.
func TestCommentsNameDocuments(t *testing.T) {
	named := 0
	sources(t, ".go", func(file, text string) {
		for _, line := range comment.FindAllString(text, -1) {
			for _, document := range namedDocument.FindAllString(line, -1) {
				named++
				if _, err := os.Stat(document); err == nil {
					continue
				}
				if _, err := os.Stat(filepath.Join(filepath.Dir(file), document)); err != nil {
					t.Errorf("%s names %s, which does not exist", file, document)
				}
			}
		}
	})
	if named < 3 {
		t.Errorf("%d documents are named: the test finds nothing", named)
	}
}
