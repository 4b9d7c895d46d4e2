package acceptance

import (
	dbsql "database/sql"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/functions"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
)

// section returns a document's part from a heading to the next one of its level.
func section(t *testing.T, document, heading string) string {
	t.Helper()
	level, _, _ := strings.Cut(heading, " ")
	_, rest, ok := strings.Cut(document, "\n"+heading+"\n")
	if !ok {
		t.Errorf("docs/reference.md has no section %q", heading)
		return ""
	}
	if end := regexp.MustCompile("(?m)^#{1," + string(rune('0'+len(level))) + "} ").FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// reference returns docs/reference.md.
type reference string

// docs/reference.md names every procedure with its columns (its options are functions/options'), every
// table function, every function, every system table with its columns, and every
// error number that the server has a name for.
func TestReferenceIsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	document := reference(text)
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, 100))
	owner := s.Open(t, servertest.Root)
	run(t, owner, "CALL set_attributes('census.people', 'qi=age,sex', 'sa=disease')")
	run(t, owner, "CALL anonymize('census.people', 'anatomy', 'l=2', 'publish=people')")
	t.Run("procedures", document.hasProcedures)
	t.Run("functions", document.hasFunctions)
	t.Run("system tables", func(t *testing.T) { document.hasSystemTables(t, owner) })
	t.Run("errors", document.hasErrors)
}

// needs checks that a part names what the server has.
func (reference) needs(t *testing.T, part, where, name string) {
	t.Helper()
	if !strings.Contains(part, "`"+name+"`") {
		t.Errorf("docs/reference.md: %s does not name `%s`", where, name)
	}
}

func (r reference) hasProcedures(t *testing.T) {
	for _, p := range (&functions.Environment{}).Procedures() {
		part := section(t, string(r), "### `"+p.Name+"`")
		for _, c := range p.Schema {
			r.needs(t, part, p.Name, c.Name)
		}
	}
}

func (r reference) hasFunctions(t *testing.T) {
	tables := section(t, string(r), "## Table functions")
	for _, f := range (&functions.Environment{}).TableFunctions() {
		if name := strings.ToUpper(f.Name()); !strings.Contains(tables, "`"+name+"`") && !strings.Contains(tables, "`"+name+"(") {
			t.Errorf("docs/reference.md has no table function %s", name)
		}
	}
	aggregates := section(t, string(r), "## Functions around aggregates")
	for _, f := range functions.Scalars() {
		if !strings.Contains(aggregates, "`"+strings.ToUpper(f.FunctionName())+"(") {
			t.Errorf("docs/reference.md has no function %s", f.FunctionName())
		}
	}
}

func (r reference) hasSystemTables(t *testing.T, owner *dbsql.DB) {
	system := section(t, string(r), "## System tables")
	for _, row := range fetchRows(t, owner, "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'anonsql'") {
		r.needs(t, system, "system tables", row[0].(string))
		r.needs(t, system, row[0].(string), row[1].(string))
	}
}

func (r reference) hasErrors(t *testing.T) {
	source, err := os.ReadFile("../server/sqlerror/numbers.go")
	if err != nil {
		t.Fatal(err)
	}
	numbers := section(t, string(r), "## Errors")
	named := regexp.MustCompile(`(?m)^\s+[A-Z]\w+\s+= (\d+)`).FindAllStringSubmatch(string(source), -1)
	for _, n := range named {
		if !strings.Contains(numbers, n[1]) {
			t.Errorf("docs/reference.md has no error %s", n[1])
		}
	}
	if len(named) < 30 || len(methods.All()) < 15 {
		t.Errorf("%d error numbers, %d methods", len(named), len(methods.All()))
	}
}
