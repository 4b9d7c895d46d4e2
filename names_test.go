package anonsql_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bareWords are no names: a function so called is understood from its comment only. Functions are
// verbs or the nouns that they return, such as classOf, nearestPoint and describeChange.
var bareWords = strings.Fields(`about above across after again alike alone along among apart around as at away back behind below
	beneath beside between beyond both by down due during each either even evenly everyday exactly few fewer for from
	greatest here hopeful in inside into itself lasting least less likely many may meant more most much must near nobody
	nowhere of off on once one only or other others out over owe owed own say says several short shown side so some soon such tell
	telling tells that there thin those through to together told took twice under unseen up used welcome when where who whole
	whose with within without wobble worst worth wrote`)

// interfaceNames are such words in interfaces of the library: errors.Is and errors.As call them.
var interfaceNames = []string{"Is", "As"}

// extremeConstant is the name of a bound that says max or min in other words.
var extremeConstant = regexp.MustCompile(`^(most|least|Most|Least)[A-Z]`)

// A wordyRoom has so many such names.
type wordyRoom struct {
	room  string
	names int
}

// wordyRooms have such names still, with the rooms in them, and get no more.
var wordyRooms = []wordyRoom{
	{"console", 1}, // the templates ask for Took
	{"experiments", 25},
	{"functions", 2},
	{"relay/protocol", 1},
	{"server/answers", 49},
	{"server/defaults", 2},
	{"server/limits", 3},
	{"server/running", 1},
	{"server/wire", 1},
	{"testsize", 2}, // testsize.Of(small, full) is read as one phrase
	{"tree", 2},
}

// A name says what a function does, or of what a constant is the bound, without its comment.
func TestNamesNeedNoComment(t *testing.T) {
	wordy, functions := make([][]string, len(wordyRooms)), 0
	sources(t, ".go", func(file, text string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		positions, room := token.NewFileSet(), roomOf(file)
		f := parsed(t, positions, file, text)
		for _, name := range badNames(f) {
			place := positions.Position(name.Pos()).String() + ": " + name.Name
			i := slices.IndexFunc(wordyRooms, func(w wordyRoom) bool { return room == w.room || strings.HasPrefix(room, w.room+"/") })
			if i < 0 {
				t.Errorf("%s: call a function by a verb or the noun that it returns, and a bound max or min", place)
				continue
			}
			wordy[i] = append(wordy[i], place)
		}
		functions += len(f.Decls)
	})
	if functions == 0 {
		t.Fatal("there are no functions")
	}
	for i, w := range wordyRooms {
		if len(wordy[i]) > w.names {
			t.Errorf("%s has %d names that need a comment, must have at most %d:\n%s", w.room, len(wordy[i]), w.names, strings.Join(wordy[i], "\n"))
		}
	}
}

// badNames are the names of functions and constants that need a comment.
func badNames(f *ast.File) (names []*ast.Ident) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if slices.Contains(bareWords, strings.ToLower(d.Name.Name)) && !slices.Contains(interfaceNames, d.Name.Name) {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			if d.Tok != token.CONST {
				continue
			}
			for _, s := range d.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					if extremeConstant.MatchString(name.Name) {
						names = append(names, name)
					}
				}
			}
		}
	}
	return names
}
