package methods

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// docs/methods.md has a section for every method, with all of its parameters as
// they are declared, and the README's table has a line for it.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../../docs/methods.md")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(string(document), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		sections[strings.Trim(name, "`")] = text
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
		if !strings.Contains(string(readme), "\n| `"+m.Name+"` ") {
			t.Errorf("the README's table has no line for %s", m.Name)
		}
	}
}

// parameterTable is how the document has the declaration.
func parameterTable(m anonymize.Method) string {
	var text strings.Builder
	fmt.Fprint(&text, "| parameter | default | meaning |\n|---|---|---|\n")
	for _, p := range m.Parameters {
		name, value := "`"+p.Name+"`", "`"+p.Default+"`"
		if p.Default == "" {
			value = "required"
		}
		if len(p.Choices) > 0 {
			name += ": `" + strings.Join(p.Choices, "`, `") + "`"
		}
		fmt.Fprintf(&text, "| %s | %s | %s |\n", name, value, strings.ReplaceAll(p.Doc, "|", `\|`))
	}
	return text.String()
}
