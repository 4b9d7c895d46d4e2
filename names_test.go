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

// extremeConstant matches names of bounds that paraphrase max or min.
var extremeConstant = regexp.MustCompile(`^(most|least|Most|Least)[A-Z]`)

// phrases are read together with their room: testsize.Of(small, full).
var phrases = []exception{
	{"testsize Of", "testsize.Of(small, full) is read as one phrase"},
	{"testsize Some", "testsize.Some(3, list) is read as one phrase"},
}

// Names of functions say what they do, and names of constants what they bound, without a comment.
func TestNamesNeedNoComment(t *testing.T) {
	broken, functions := make(map[string]string), 0
	sources(t, ".go", func(file, text string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		positions := token.NewFileSet()
		f := parsed(t, positions, file, text)
		for _, name := range badNames(f) {
			broken[roomOf(file)+" "+name.Name] = "at " + positions.Position(name.Pos()).String() +
				": call a function by a verb or the noun that it returns, and a bound max or min"
		}
		functions += len(f.Decls)
	})
	if functions == 0 {
		t.Fatal("there are no functions")
	}
	checkRule(t, broken, phrases)
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
