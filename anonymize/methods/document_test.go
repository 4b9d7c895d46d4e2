package methods

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// docs/methods.md has a section for every method, with all of its parameters as
// they are declared: those that several methods share are said once.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../../docs/methods.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(string(document), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		sections[strings.Trim(name, "`")] = text
	}
	if table := sharedTable(); !strings.Contains(sections[sharedSection], table) {
		t.Errorf("docs/methods.md has no section %q with\n%s", sharedSection, table)
	}
	for _, m := range All() {
		section, ok := sections[m.Name]
		if !ok {
			t.Errorf("docs/methods.md has no section `%s`", m.Name)
			continue
		}
		if table := parameterTable(m); !strings.Contains(section, table) {
			t.Errorf("section %s of docs/methods.md has not these parameters:\n%s", m.Name, table)
		}
		if !strings.Contains(section, m.Source) {
			t.Errorf("section %s of docs/methods.md does not name %s", m.Name, m.Source)
		}
		if !strings.Contains(section, "CALL anonymize('census.people', '"+m.Name+"'") || !strings.Contains(section, strings.ToUpper(m.Name)+"(census.people") {
			t.Errorf("section %s of docs/methods.md shows no call, or not the table function", m.Name)
		}
	}
}

// The README's table says of every method what becomes of the quasi-identifiers, as a release
// with the method's defaults shows it.
func TestReadmeSaysWhatIsPublic(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[disclosure]string{}
	for _, d := range []disclosure{wholeRows, dividedColumns, generalized} {
		_, after, found := strings.Cut(string(readme), "\n| "+string(d)+" |")
		if !found {
			t.Fatalf("the README's table has no row %q", d)
		}
		rows[d], _, _ = strings.Cut(after, "\n")
	}
	for _, m := range All() {
		shown := disclosureOf(t, m)
		for d, row := range rows {
			if listed := strings.Contains(row, "`"+m.Name+"`"); listed != (d == shown) {
				t.Errorf("%s: the README lists it under %q: %v; its release shows %q", m.Name, d, listed, shown)
			}
		}
	}
}

// A disclosure is what a release shows of quasi-identifiers, as a row of the README's table begins.
type disclosure string

const (
	wholeRows      disclosure = "**public as they are**, all values of a person in one row"
	dividedColumns disclosure = "**public as they are**, divided among relations that only the group connects"
	generalized    disclosure = "generalized to ranges and sets that at least k records share"
)

// disclosureOf runs a method with its defaults.
func disclosureOf(t *testing.T, m anonymize.Method) disclosure {
	t.Helper()
	in, arguments := anontest.People(400, 1), anonymize.Arguments{}
	for _, p := range m.Parameters {
		if p.Default == "" {
			arguments[p.Name] = map[string]string{"k": "2", "l": "2", "beta": "1/2"}[p.Name]
		}
	}
	r, err := m.Run(context.Background(), in, arguments)
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	shown := wholeRows
	first, _, _ := r.Locate(in.QuasiIdentifiers[0].Name)
	for _, q := range in.QuasiIdentifiers {
		fragment, column, ok := r.Locate(q.Name)
		switch {
		case !ok:
			t.Fatalf("%s publishes no %s", m.Name, q.Name)
		case !r.Fragments[fragment].Columns[column].IsPoint():
			return generalized
		case fragment != first:
			shown = dividedColumns
		}
	}
	return shown
}

// sharedSection has the parameters with a default that so many methods, shared, declare alike.
const sharedSection, shared = "Parameters of several methods", 4

const tableHead = "| parameter | default | meaning |\n|---|---|---|\n"

// parameterTable is how the document has the declaration.
func parameterTable(m anonymize.Method) string {
	var text strings.Builder
	var others []string
	for _, p := range m.Parameters {
		if isShared(p) {
			others = append(others, "`"+p.Name+"`")
			continue
		}
		text.WriteString(parameterRow(p))
	}
	if len(others) > 0 {
		fmt.Fprintf(&text, "| %s | | [of several methods](#parameters-of-several-methods) |\n", strings.Join(others, ", "))
	}
	return tableHead + text.String()
}

// sharedTable is how the document has what several methods declare alike.
func sharedTable() string {
	table, known := tableHead, map[string]bool{}
	for _, m := range All() {
		for _, p := range m.Parameters {
			if row := parameterRow(p); isShared(p) && !known[row] {
				table, known[row] = table+row, true
			}
		}
	}
	return table
}

func isShared(p anonymize.Parameter) bool {
	row, declared := parameterRow(p), 0
	for _, m := range All() {
		for _, other := range m.Parameters {
			if parameterRow(other) == row {
				declared++
			}
		}
	}
	return declared >= shared && p.Default != ""
}

func parameterRow(p anonymize.Parameter) string {
	name, value := "`"+p.Name+"`", "`"+p.Default+"`"
	if p.Default == "" {
		value = "required"
	}
	if len(p.Choices) > 0 {
		name += ": `" + strings.Join(p.Choices, "`, `") + "`"
	}
	return fmt.Sprintf("| %s | %s | %s |\n", name, value, strings.ReplaceAll(p.Doc, "|", `\|`))
}
