package anonsql_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sources calls look with the text of every file in the tree with this suffix, except under names that begin with a
// dot.
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
	namedTest     = regexp.MustCompile("`(Test\\w+)(\\.\\.\\.)?`")
	namedDocument = regexp.MustCompile(`\b(?:docs|bench|testdata)/[\w./-]*\.(?:md|txt)\b`)
	comment       = regexp.MustCompile(`(?m)^\s*//.*$`)
	deviation     = regexp.MustCompile(`(?m)^\*\*(\d+)\. `)
	indexRow      = regexp.MustCompile(`(?m)^\| ([\d, -]+) \|.*\((docs/deviations/\w+\.md)\) \|$`)
)

// Documents name existing tests. `TestDoors...` means any test with this prefix, and the NN of CONTRIBUTING.md is a
// number.
func TestDocumentsNameTests(t *testing.T) {
	var names strings.Builder
	sources(t, "_test.go", func(_, text string) {
		for _, found := range testFunction.FindAllStringSubmatch(text, -1) {
			fmt.Fprintf(&names, "%s ", found[1])
		}
	})
	named := 0
	sources(t, ".md", func(file, text string) {
		for _, found := range namedTest.FindAllStringSubmatch(text, -1) {
			named++
			name := found[1]
			if found[2] == "" {
				name += " "
			}
			if !strings.Contains(names.String(), name) && name != "TestDeviationNN_" {
				t.Errorf("%s names %s, which does not exist", file, found[0])
			}
		}
	})
	if named < 100 {
		t.Errorf("%d tests are named: the test finds nothing", named)
	}
}

// Every deviation names a test with its number, and DEVIATIONS.md names the file of every number.
func TestDeviationsHaveTests(t *testing.T) {
	indexed, numbers := indexOfDeviations(t), 0
	sources(t, ".md", func(file, text string) {
		if filepath.ToSlash(filepath.Dir(file)) != "docs/deviations" {
			return
		}
		starts := deviation.FindAllStringSubmatchIndex(text, -1)
		for i, start := range starts {
			numbers++
			end := len(text)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			number := text[start[2]:start[3]]
			if !strings.Contains(text[start[0]:end], "`TestDeviation"+number+"_") {
				t.Errorf("%s: deviation %s names no test of its number", file, number)
			}
			if indexed[number] != filepath.ToSlash(file) {
				t.Errorf("deviation %s is in %s; DEVIATIONS.md has it in %q", number, file, indexed[number])
			}
			delete(indexed, number)
		}
	})
	if numbers < 100 {
		t.Errorf("there are %d deviations: the test finds nothing", numbers)
	}
	for number, file := range indexed {
		t.Errorf("DEVIATIONS.md has number %s in %s, which does not have it once", number, file)
	}
}

// indexOfDeviations reads DEVIATIONS.md: the file of every number.
func indexOfDeviations(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("DEVIATIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, row := range indexRow.FindAllStringSubmatch(string(text), -1) {
		for _, span := range strings.Split(row[1], ", ") {
			first, last, several := strings.Cut(span, "-")
			if !several {
				last = first
			}
			from, err := strconv.Atoi(first)
			if err != nil {
				t.Fatal(err)
			}
			to, err := strconv.Atoi(last)
			if err != nil {
				t.Fatal(err)
			}
			for n := from; n <= to; n++ {
				number := fmt.Sprintf("%02d", n)
				if files[number] != "" {
					t.Errorf("DEVIATIONS.md has number %s twice", number)
				}
				files[number] = row[2]
			}
		}
	}
	return files
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

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	block   = regexp.MustCompile("(?s)```.*?```")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	named   = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	unsaid  = regexp.MustCompile(`\]\([^)]*\)|[^\pL\pN\- _]`)
)

// Links between documents lead to files and headings that exist.
func TestLinksLeadSomewhere(t *testing.T) {
	places := make(map[string]map[string]bool)
	texts := make(map[string]string)
	sources(t, ".md", func(file, text string) {
		text = block.ReplaceAllString(text, "")
		file = filepath.ToSlash(file)
		texts[file], places[file] = text, make(map[string]bool)
		for _, found := range heading.FindAllStringSubmatch(text, -1) {
			places[file][strings.ReplaceAll(unsaid.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-")] = true
		}
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			places[file][found[1]] = true
		}
	})
	for file, text := range texts {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			target, place, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, ":") { // elsewhere
				continue
			}
			target = path.Join(path.Dir(file), target)
			if found[1][0] == '#' {
				target = file
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", file, found[1])
			} else if headings, read := places[target]; read && place != "" && !headings[place] {
				t.Errorf("%s links to %s, and %s has no such heading", file, found[1], target)
			}
		}
	}
	if len(texts) < 20 {
		t.Errorf("%d documents were read: the test finds nothing", len(texts))
	}
}
