package differential

import (
	"cmp"
	dbsql "database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// Files of statements run on both servers, each in its own database: testdata/suite, where they agree, or another project's
// suite in the folder of -suite, whose differences are shown by kind.
func TestSuite(t *testing.T) {
	folder := *suite
	p, counts, files := newPair(t), map[outcome]int{}, 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isSuite.MatchString(path) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		t.Run(strings.TrimPrefix(path, folder+"/"), func(t *testing.T) { p.askFile(t, string(text), counts) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files: %d agree, %d differ, %d are refused here, %d there, %d by both", files, counts[agree], counts[differ], counts[refused],
		counts[otherFailed], counts[failed])
	if counts[agree] < 80 {
		t.Errorf("only %d statements agree", counts[agree])
	}
}

var (
	isSuite = regexp.MustCompile(`\.(sql|test)$`)
	// changes matches the name of the object that a statement creates or changes.
	changes = regexp.MustCompile("(?is)^(?:create|drop|alter|insert|replace|update|truncate|delete|load|rename)\\b.*?" +
		"(?:table|view|into|from|update|ignore|truncate)?\\s+(?:if\\s+(?:not\\s+)?exists\\s+)?`?(\\w+)`?")
	// elsewhere matches statements about accounts, other servers, and a server's own description.
	elsewhere = regexp.MustCompile(`(?is)^(?:grant|revoke|create\s+(?:user|role|account)|drop\s+(?:user|role|account)|set\s+(?:global|persist|password)|show|explain|` +
		`analyze|desc|describe|kill|shutdown|load|backup|restore)\b|into\s+(?:out|dump)file|information_schema|sleep\s*\(|rand\s*\(|uuid|now\s*\(|version\s*\(`)
)

// askFile runs a file's statements on both servers. After a change on only one server, it does not compare later statements about the table.
func (p pair) askFile(t *testing.T, text string, counts map[outcome]int) {
	for _, db := range []*dbsql.DB{p.own, p.other} {
		servertest.Exec(t, db, "DROP DATABASE IF EXISTS d", "CREATE DATABASE d", "USE d")
	}
	apart := map[string]bool{}
	for _, statement := range statements(text) {
		if elsewhere.MatchString(statement) {
			continue
		}
		own, other := ask(t, p.own, statement), ask(t, p.other, statement)
		outcome := outcomeOf(own, other, statement)
		known := false
		for _, word := range regexp.MustCompile(`\w+`).FindAllString(statement, -1) {
			known = known || apart[word]
		}
		if found := changes.FindStringSubmatch(statement); found != nil && (own.err == nil) != (other.err == nil) {
			apart[found[1]] = true
		}
		if known {
			continue
		}
		counts[outcome]++
		if outcome == differ || outcome == refused || outcome == otherFailed {
			t.Errorf("%.600s\n  own   %.300v %v\n  other %.300v %v", statement, own.rows, own.err, other.rows, other.err)
		}
	}
}

func outcomeOf(own, other result, statement string) outcome {
	switch {
	case own.err != nil && other.err != nil:
		return failed
	case own.err != nil:
		return refused
	case other.err != nil:
		return otherFailed
	case !equal(own, other, false, averaged.MatchString(strings.ToUpper(statement))):
		return differ
	}
	return agree
}

var (
	token     = regexp.MustCompile("(?s)'(?:[^'\\\\]|\\\\.|'')*'|\"(?:[^\"\\\\]|\\\\.|\"\")*\"|`[^`]*`|/\\*.*?\\*/|--(?:[ \\t][^\n]*)?(?:\n|$)|#[^\n]*|.")
	delimiter = regexp.MustCompile(`(?im)^\s*(?:--\s*@?)?delimiter\s+(\S+).*$`)
)

// statements splits a file as clients do: at semicolons, or at the file's DELIMITER.
func statements(text string) (list []string) {
	end := ";"
	for text != "" {
		part, next := text, ""
		if at := delimiter.FindStringSubmatchIndex(text); at != nil {
			part, next = text[:at[0]], text[at[2]:at[3]]
			text = text[at[1]:]
		} else {
			text = ""
		}
		var statement strings.Builder
		for _, piece := range token.FindAllString(part, -1) {
			comment := strings.HasPrefix(piece, "--") || strings.HasPrefix(piece, "#") || strings.HasPrefix(piece, "/*") && !strings.HasPrefix(piece, "/*!")
			if !comment {
				statement.WriteString(piece)
			}
			if s := statement.String(); strings.HasSuffix(s, end) {
				list = append(list, strings.TrimSpace(strings.TrimSuffix(s, end)))
				statement.Reset()
			}
		}
		list = append(list, strings.TrimSpace(statement.String()))
		end = cmp.Or(next, end)
	}
	kept := list[:0]
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

func TestStatementsOfAFile(t *testing.T) {
	text := "-- a; comment\nSELECT 'a;b', \"c\\\";\"; # another;\n/* and; one */ SELECT `x;`;\nDELIMITER //\nBEGIN SELECT 1; END//\ndelimiter ;\nSELECT 5--3;\nSELECT 2"
	want := []string{"SELECT 'a;b', \"c\\\";\"", "SELECT `x;`", "BEGIN SELECT 1; END", "SELECT 5--3", "SELECT 2"}
	got := statements(text)
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
