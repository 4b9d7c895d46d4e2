package asking

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// keywordsOfParser are all words that the server's parser has for something else than names.
func keywordsOfParser(t *testing.T) (words []string) {
	t.Helper()
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/dolthub/vitess/go/vt/sqlparser").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "keywords.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`(?m)^\t\{?"([a-z_0-9]+)"[:,]`).FindAllStringSubmatch(string(text), -1) {
		words = append(words, match[1])
	}
	if len(words) < 500 {
		t.Fatalf("the parser has %d keywords, too few", len(words))
	}
	return words
}

// A column and a release may have any name: the form's statement means them, and no keyword.
func TestNamesThatAreKeywords(t *testing.T) {
	for _, word := range append(keywordsOfParser(t), "current_date", "localtime", "current_user", "utc_date", "a b", "1", "1e3", "x'", "@a", "ä") {
		columns := []Column{{Name: word, Kind: Number}}
		statement := Choice{Release: word, Measure: "avg", Of: word, By: []string{word}, Where: []Condition{{word, "=", "1"}}}.Statement(columns)
		parsed, err := sqlparser.Parse(statement)
		if err != nil {
			t.Errorf("%s: %v", statement, err)
			continue
		}
		key, ok := parsed.(*sqlparser.Select).SelectExprs[0].(*sqlparser.AliasedExpr).Expr.(*sqlparser.ColName)
		if !ok || !strings.EqualFold(key.Name.String(), word) {
			t.Errorf("%s does not select the column", statement)
		}
	}
}
