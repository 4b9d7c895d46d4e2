package anonsql_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// An exception names code that may break a rule of the house, and why. Lists of exceptions are sorted.
type exception struct{ what, why string }

// checkRule requires an exception for everything that breaks a rule, and no others. The values of broken say how.
func checkRule(t *testing.T, broken map[string]string, exceptions []exception) {
	t.Helper()
	if !slices.IsSortedFunc(exceptions, func(a, b exception) int { return strings.Compare(a.what, b.what) }) {
		t.Error("the exceptions are not sorted")
	}
	for i, e := range exceptions {
		if e.why == "" {
			t.Errorf("the exception %s has no reason", e.what)
		}
		if i > 0 && e.what == exceptions[i-1].what {
			t.Errorf("the exception %s is listed twice", e.what)
		}
		if _, ok := broken[e.what]; !ok {
			t.Errorf("%s keeps the rule or is gone: take it off the exceptions", e.what)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(broken)) {
		if !slices.ContainsFunc(exceptions, func(e exception) bool { return e.what == what }) {
			t.Errorf("%s %s", what, broken[what])
		}
	}
}

// maxTestLines is the greatest length of a function in tests.
const maxTestLines = 60

// longTests are the functions of tests that may be longer, by room and name.
var longTests []exception

// A function of tests fits the eye: a longer one is a table, or several stories.
func TestTestsAreShort(t *testing.T) {
	broken, functions := make(map[string]string), 0
	sources(t, "_test.go", func(file, text string) {
		positions := token.NewFileSet()
		for _, d := range parsed(t, positions, file, text).Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			functions++
			if n := positions.Position(f.End()).Line - positions.Position(f.Pos()).Line + 1; n > maxTestLines {
				broken[roomOf(file)+" "+f.Name.Name] = fmt.Sprintf("has %d lines, must have at most %d: make it a table with named cases, or several tests", n, maxTestLines)
			}
		}
	})
	if functions == 0 {
		t.Fatal("there are no tests")
	}
	checkRule(t, broken, longTests)
}

// maxColumns is the greatest width of a line of code. A tab counts as four columns. Texts in quotes do not count,
// since people search for messages by their words.
const maxColumns = 160

// A line is read without moving the eye or the window.
func TestLinesFitTheEye(t *testing.T) {
	files := 0
	sources(t, ".go", func(file, text string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		files++
		for i, n := range columnsOf(t, file, text) {
			if n > maxColumns {
				t.Errorf("%s:%d has %d columns without its texts, must have at most %d", file, i+1, n, maxColumns)
			}
		}
	})
	if files == 0 {
		t.Fatal("there are no files")
	}
}

// columnsOf counts the columns of every line, without those of texts.
func columnsOf(t *testing.T, file, text string) (columns []int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		columns = append(columns, utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")))
	}
	positions := token.NewFileSet()
	ast.Inspect(parsed(t, positions, file, text), func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			first := positions.Position(literal.Pos()).Line - 1
			for i, part := range strings.Split(literal.Value, "\n") {
				columns[first+i] -= utf8.RuneCountInString(strings.ReplaceAll(part, "\t", "    "))
			}
		}
		return true
	})
	return columns
}

// Client libraries use these error numbers for their own errors: 2000 to 2999, and 5000 to 5999 in MariaDB's.
var clientsOwnError = regexp.MustCompile(`\b(?:2|5)\d{3},\s*"[0-9A-Z]{5}"`)

// Errors that a server sends have a server's numbers: libmariadb shows "Malformed packet" in place of the text of one with a client's own number.
func TestErrorsAreOfServers(t *testing.T) {
	numbered := 0
	sources(t, ".go", func(file, text string) {
		numbered += strings.Count(text, `, "HY000"`)
		if found := clientsOwnError.FindString(text); found != "" && !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s sends %s: a number of a client's own", file, found)
		}
	})
	if numbered == 0 {
		t.Fatal("there are no errors with a SQLSTATE")
	}
}

// maxNames is how many names a room declares at most, next to maxWithoutMap files:
// constants, variables, types and functions of the package, without methods.
const maxNames = 200

// largeRooms are the rooms that may have more. Each has a map of its files.
var largeRooms = []exception{
	{"functions files", "a file a SQL name"},
}

// A room is small enough to know, or has a map and a reason to be large.
func TestRoomsAreSmall(t *testing.T) {
	names, files := make(map[string]int), productionFiles(t)
	sources(t, ".go", func(file, text string) {
		if !strings.HasSuffix(file, "_test.go") {
			names[roomOf(file)] += declared(parsed(t, token.NewFileSet(), file, text))
		}
	})
	broken := make(map[string]string)
	for room, n := range names {
		_, mapped := fileMap(t, room)
		for what, size := range map[string]struct{ is, most int }{"files": {len(files[room]), maxWithoutMap}, "names": {n, maxNames}} {
			if size.is <= size.most {
				continue
			}
			broken[room+" "+what] = fmt.Sprintf("are %d, must be at most %d: make it several rooms", size.is, size.most)
			if !mapped {
				t.Errorf("room %s has %d %s and no map of its files", room, size.is, what)
			}
		}
	}
	checkRule(t, broken, largeRooms)
}

// maxLines is how many lines of production code a room has at most.
const maxLines = 3000

// maxSpareLines is how far above its room a bound of longRooms may lie.
const maxSpareLines = 500

// longRooms lists rooms that may be longer, with their bounds. A commit that raises a bound says what the room gains;
// a commit that shortens a room lowers its bound.
var longRooms = []struct {
	room  string
	lines int
	why   string
}{
	{"anonymize", 4050, "the types that every room of the library shares; taxonomies alone are a third; what is no secret, and which values count as one, of all methods; decimals in exact order"},
	{"anonymize/clustering", 3400, "three methods, and the space, the tree and the metric that they share with drasl and dynamic"},
	{"anonymize/impute", 3400, "one sampler, of the steps that draw a completed table; its models of a sample, with which an engine draws"},
	{"anonymize/privacy", 3500, "a verifier a promise, none of which believes a method"},
	{"anonymize/utility", 4100, "a measure a file"},
	{"catalog", 6600, "what is stored, and the transaction that changes it; completed tables that an engine keeps, and their rows page by page"},
	{"catalog/raw", 6300, "the engine's tables, on SQLite"},
	{"console", 4300, "a page a file: what it asks, its forms, what it shows; a release on one screen; files that browsers send, jobs, and methods with fields for their parameters"},
	{"datapackage", 3100, "two formats, read by who believes nothing"},
	{"engine/publication", 4400, "what a method asks of an engine, a step a file; the same groups of a table at hand, with which misfit is measured"},
	{"experiments", 3900, "a module of its own: a figure of a paper a function"},
	{"functions", 9000, "a file a SQL name; a package that is answered as at home; weights of a survey as a role of their own; proposals where one value dominates; shift=, whose moves no other room may see; attacks on a sample of what an engine publishes, and its model"},
	{"planner", 4600, "a rule of the analyzer a file; COUNT of the population where records have weights"},
	{"server", 5950, "the product's seams with the engine; what a process of an analyst may ask of it"},
	{"server/answers", 4400, "corrections of the engine, one an entry of its list"},
	{"server/wire", 4000, "the protocol: packets, results, commands; cursors, whose statements do not run beside others"},
}

// A room has a bound of lines, so that growth is argued for in the commit that raises it.
func TestRoomsGrowByReason(t *testing.T) {
	lines := make(map[string]int)
	sources(t, ".go", func(file, text string) {
		if !strings.HasSuffix(file, "_test.go") {
			lines[roomOf(file)] += strings.Count(text, "\n")
		}
	})
	bounds, last := make(map[string]int), ""
	for _, r := range longRooms {
		bounds[r.room] = r.lines
		if r.room <= last || r.why == "" {
			t.Errorf("%s: the rooms are sorted, and each has a reason", r.room)
		}
		last = r.room
		if n := lines[r.room]; r.lines-n > maxSpareLines || n <= maxLines {
			t.Errorf("room %s has %d lines, its bound is %d: lower the bound, or leave it out up to %d lines", r.room, n, r.lines, maxLines)
		}
	}
	for _, room := range slices.Sorted(maps.Keys(lines)) {
		if bound := max(maxLines, bounds[room]); lines[room] > bound {
			t.Errorf("room %s has %d lines, must have at most %d: make it several rooms or shorter, or raise its bound and say why", room, lines[room], bound)
		}
	}
}

// declared counts the names that a file adds to its package, without methods.
func declared(f *ast.File) (n int) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				n++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					n++
				case *ast.ValueSpec:
					n += len(s.Names)
				}
			}
		}
	}
	return n
}

// reaching are names of package reflect that reach beyond a package's exports: to fields by name, and to memory.
var reaching = []string{"FieldByName", "NewAt", "UnsafeAddr", "UnsafePointer"}

// reachingFiles are the production files that use these names, or unsafe.
var reachingFiles = []exception{
	{"server/syntax/planned.go", "an exported field that several types of the parser have"},
}

// No code reaches into the private parts of other packages: no compiler would notice when the engine renames a field.
func TestNobodyReachesIntoOthers(t *testing.T) {
	broken := make(map[string]string)
	sources(t, ".go", func(file, text string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		f := parsed(t, token.NewFileSet(), file, text)
		if !imports(f, "reflect") {
			return
		}
		if imports(f, "unsafe") {
			broken[filepath.ToSlash(file)] = "imports unsafe beside reflect"
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(reaching, s.Sel.Name) {
				broken[filepath.ToSlash(file)] = "imports reflect and uses " + s.Sel.Name
			}
			return true
		})
	})
	checkRule(t, broken, reachingFiles)
}

// roomOf is the folder of a file, as architecture_test.go names it.
func roomOf(file string) string { return path.Dir(filepath.ToSlash(file)) }

func parsed(t *testing.T, positions *token.FileSet, file, text string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(positions, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func imports(f *ast.File, name string) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"`+name+`"` })
}
