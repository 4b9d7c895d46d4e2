package report_test

import (
	"context"
	dbsql "database/sql"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// A house has a table of sample people and releases of it by four methods.
type house struct {
	server         *servertest.Server
	owner, analyst *dbsql.DB
}

const quasi = "'qi=age,sex,education,occupation,region'"

// open publishes: slppa in fragments, mondrian with generalized cells, cdt with two
// sensitive attributes, cross_bucket across groups, drasl that follows its table.
func open(t *testing.T) *house {
	t.Helper()
	h := &house{server: servertest.Start(t, server.Config{Extend: server.Product})}
	file, err := os.Create(filepath.Join(t.TempDir(), "people.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := sample.WriteCSV(file, testsize.Of(1000, 2000), 1); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := importer.ToServer(context.Background(), importer.Options{File: file.Name(), Database: "census", Table: "people", Server: h.server.Addr, User: "root"}); err != nil {
		t.Fatal(err)
	}
	h.owner = h.server.Open(t, servertest.Root)
	servertest.Exec(t, h.owner,
		"CALL anonymize('census.people', 'slppa', "+quasi+", 'sa=disease', 'alpha=0.6', 'beta=0.25', 'delta=0.3', 'tables=2', 'publish=people', 'seed=1')",
		"CALL anonymize('census.people', 'mondrian', "+quasi+", 'sa=disease', 'k=5', 'l=3', 'publish=general', 'private=true', 'seed=1')",
		"CALL anonymize('census.people', 'cross_bucket', "+quasi+", 'sa=disease', 'k=4', 'l=3', 'publish=buckets', 'private=true', 'seed=1')",
		"CALL anonymize('census.people', 'cdt', 'qi=age,sex,education,region', 'sa=disease,occupation', 'k=4', 'l=2', 'publish=two', 'private=true', 'seed=1')",
		"CREATE TABLE census.following AS SELECT * FROM census.people WHERE person_id <= 600",
		"ALTER TABLE census.following ADD PRIMARY KEY (person_id)",
		"CALL anonymize('census.following', 'drasl', "+quasi+", 'sa=disease', 'k=4', 'publish=live', 'allow_composition=true', 'seed=1')",
		"DELETE FROM census.following WHERE person_id < 40",
		"CALL refresh_release('live')",
		"CALL evaluate('people', 'queries=80', 'qi=1,2,1-3', 'seed=7')",
		"CALL create_analyst('bi', 'a long secret')")
	h.analyst = h.server.Open(t, servertest.Account{User: "bi", Password: "a long secret"})
	return h
}

// call returns the page of CALL report.
func call(t *testing.T, db *dbsql.DB, arguments ...any) string {
	t.Helper()
	page, err := tryCall(db, arguments...)
	if err != nil {
		t.Fatalf("CALL report(%v): %v", arguments, err)
	}
	return page
}

func tryCall(db *dbsql.DB, arguments ...any) (page string, err error) {
	var release string
	var version int
	err = db.QueryRow("CALL report(?"+strings.Repeat(", ?", len(arguments)-1)+")", arguments...).Scan(&release, &version, &page)
	return page, err
}

// A document is an element of a parsed page.
type document struct{ *element }

type element struct {
	name       string
	attributes []xml.Attr
	parent     *element
	children   []*element // elements and texts; a text has no name
	content    string     // of a text
}

// parse reads a page as XML, which it is too: nothing is mended.
func parse(t *testing.T, page string) document {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Entity = xml.HTMLEntity
	root := &element{name: "page"}
	at := root
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			child := &element{name: token.Name.Local, attributes: token.Copy().Attr, parent: at}
			at.children = append(at.children, child)
			at = child
		case xml.EndElement:
			at = at.parent
		case xml.CharData:
			at.children = append(at.children, &element{content: string(token), parent: at})
		case xml.Comment, xml.ProcInst:
			t.Errorf("the page has a comment or an instruction: %q", token)
		}
	}
	return document{root}
}

// all are the elements of a name inside, "" for every one.
func (d document) all(name string) []document {
	var found []document
	for _, child := range d.children {
		if child.name != "" && (name == "" || child.name == name) {
			found = append(found, document{child})
		}
		found = append(found, document{child}.all(name)...)
	}
	return found
}

func (d document) attribute(name string) string {
	for _, a := range d.attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// text is the text of an element, the style sheet left out.
func (d document) text() string {
	if d.name == "style" {
		return ""
	}
	text := d.content
	for _, child := range d.children {
		text += document{child}.text()
		if child.name == "td" || child.name == "th" {
			text += " "
		}
	}
	return text
}

// figures are the values of all <data> elements.
func (d document) figures() map[string]int {
	figures := make(map[string]int)
	for _, e := range d.all("data") {
		figures[e.attribute("value")]++
	}
	return figures
}

// statements are the examples, the command of the client and the statement that made the release left out.
func (d document) statements() []string {
	var statements []string
	for _, pre := range d.all("pre") {
		if text := strings.TrimSuffix(strings.TrimSpace(pre.text()), ";"); !strings.HasPrefix(text, "mariadb ") && !strings.HasPrefix(text, "CALL anonymize(") {
			statements = append(statements, text)
		}
	}
	return statements
}

// runAll runs statements and reads their rows.
func runAll(t *testing.T, db *dbsql.DB, statements []string) {
	t.Helper()
	for _, statement := range statements {
		if strings.HasPrefix(statement, "CALL create_analyst") {
			servertest.Exec(t, db, "DROP USER IF EXISTS 'analyst'@'%'")
		}
		rows, err := db.Query(statement)
		if err != nil {
			t.Errorf("%s\n%v", statement, err)
			continue
		}
		n := 0
		for rows.Next() {
			n++
		}
		if err := rows.Err(); err != nil || n == 0 {
			t.Errorf("%s\n%d rows, %v", statement, n, err)
		}
		rows.Close()
	}
}

var spaces = regexp.MustCompile(`[\s\x{a0}]+`)

// plain is text with single spaces.
func plain(text string) string { return spaces.ReplaceAllString(text, " ") }
