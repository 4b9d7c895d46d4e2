package datapackage

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
)

//go:embed readme.md.tmpl
var readmeText string

var readmeTemplate = template.Must(template.New("README.md").Funcs(template.FuncMap{"cell": markdownCell}).Parse(readmeText))

// markdownCell escapes a text for a cell of a table.
func markdownCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;").Replace(text)
}

func (p *Package) title() string { return "Anonymized release " + p.Name }

func (p *Package) description() string {
	parameters := make([]string, 0, len(p.Parameters))
	for _, name := range slices.Sorted(maps.Keys(p.Parameters)) {
		parameters = append(parameters, name+"="+p.Parameters[name])
	}
	return fmt.Sprintf("%d records in %d groups, anonymized by the method %s (%s). Inside a group nothing links the tuples of one file with those of another.",
		p.Release.Rows, p.Release.Groups(), p.Release.Method, strings.Join(parameters, ", "))
}

// readme returns the text for visitors of a portal.
func (d *descriptor) readme() []byte {
	var text bytes.Buffer
	// The template is a constant and its data has no methods, so it cannot fail.
	if err := readmeTemplate.Execute(&text, d); err != nil {
		return []byte("# " + d.Title + "\n")
	}
	return text.Bytes()
}
