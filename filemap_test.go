package anonsql_test

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxWithoutMap is the number of production files up to which a room needs no map of
// them in its package comment.
const maxWithoutMap = 30

// A room with many files has a map of them in its package comment. A map names every
// production file of its room once, and no other.
func TestFileMaps(t *testing.T) {
	for room, files := range productionFiles(t) {
		named, mapped := fileMap(t, room)
		if len(files) > maxWithoutMap && !mapped {
			t.Errorf("room %s has %d files, and its package comment no map of them", room, len(files))
		}
		if !mapped {
			continue
		}
		for _, file := range files {
			if n := named[file]; n != 1 {
				t.Errorf("the map of room %s names %s.go %d times", room, file, n)
			}
			delete(named, file)
		}
		for _, file := range slices.Sorted(maps.Keys(named)) {
			t.Errorf("the map of room %s names %s.go, which is not there", room, file)
		}
	}
}

// productionFiles lists the Go files of every room without their endings, but for
// tests and package comments.
func productionFiles(t *testing.T) map[string][]string {
	t.Helper()
	files := make(map[string][]string)
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		room, name := path.Split(filepath.ToSlash(file))
		if name != "doc.go" {
			room = path.Clean(room)
			files[room] = append(files[room], strings.TrimSuffix(name, ".go"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// mapLine is one line of a map: names of files, a gap, and what they are for.
var mapLine = regexp.MustCompile(`^\t([a-z0-9_]+(?:, [a-z0-9_]+)*) {2,}\S`)

// fileMap reads the map of a room: how often it names which file. mapped is false for
// a room without one.
func fileMap(t *testing.T, room string) (named map[string]int, mapped bool) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), path.Join(room, "doc.go"), nil, parser.ParseComments)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	_, after, mapped := strings.Cut(parsed.Doc.Text(), "# Where things are\n")
	if !mapped {
		return nil, false
	}
	after, _, _ = strings.Cut(after, "\n# ")
	named = make(map[string]int)
	for line := range strings.Lines(after) {
		if line = strings.TrimRight(line, "\n"); line == "" {
			continue
		}
		found := mapLine.FindStringSubmatch(line)
		if found == nil {
			t.Errorf("the map of room %s has the line %q, which is none of a map", room, line)
			continue
		}
		for _, file := range strings.Split(found[1], ", ") {
			named[file]++
		}
	}
	return named, true
}
