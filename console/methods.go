package console

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize/methods"
)

// An offer is a method with fields for its parameters.
type offer struct {
	Name, Title string
	Chosen      bool
	Needed      []parameterField // without a default
	Further     []parameterField
}

// A parameterField is a parameter as its method declares it.
type parameterField struct {
	ID, Name      string // of the field
	Label, Doc    string
	Default, Text string
	Choices       []string
}

// firstMethods stand before the others: one of each family.
var firstMethods = []string{"anatomy", "slppa", "mondrian", "fulldomain"}

// offers are all methods. Given are parameters by name, which the chosen one has; what is nobody's is returned.
func offers(chosen string, given map[string]string) (all []offer, others map[string]string) {
	others = make(map[string]string)
	for name, value := range given {
		others[name] = value
	}
	for _, m := range methods.All() {
		o := offer{Name: m.Name, Title: m.Title, Chosen: m.Name == chosen}
		for _, p := range m.Parameters {
			if p.Name == "sa_mode" {
				continue
			}
			field := parameterField{ID: "p-" + m.Name + "-" + p.Name, Name: "p:" + m.Name + ":" + p.Name, Label: p.Name, Doc: inWords(p.Doc)}
			field.Default, field.Choices = p.Default, p.Choices
			if o.Chosen {
				field.Text = given[p.Name]
				delete(others, p.Name)
			}
			if p.Default == "" {
				o.Needed = append(o.Needed, field)
			} else {
				o.Further = append(o.Further, field)
			}
		}
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b offer) int { return place(a) - place(b) })
	return all, others
}

// place is that of a method in the list.
func place(o offer) int {
	if at := slices.Index(firstMethods, o.Name); at >= 0 {
		return at
	}
	return len(firstMethods)
}

// linked is a link of Markdown.
var linked = regexp.MustCompile(`\s*\(?\[([^]]*)\]\([^)]*\)\)?`)

// inWords is a text of the documents without its marks.
func inWords(doc string) string {
	return strings.ReplaceAll(linked.ReplaceAllString(doc, ""), "`", "")
}

// commonFields are options of any method that the form has fields for.
var commonFields = []string{"size", "model"}

// hasMode tells whether a method has sa_mode, which says whether each of several secrets is bounded, or their combination alone. The form asks for it
// once, whatever the method, and states it where there are several secrets.
func hasMode(method string) bool {
	for _, m := range methods.All() {
		for _, p := range m.Parameters {
			if m.Name == method && p.Name == "sa_mode" {
				return true
			}
		}
	}
	return false
}

// parametersOf are those of a form, name=value, one a line: of the fields of its method, of those of any method, and what is written beside them.
// A link has all of them written.
func parametersOf(form url.Values) string {
	var lines []string
	method := form.Get("method")
	for _, m := range methods.All() {
		if m.Name != method {
			continue
		}
		for _, p := range m.Parameters {
			if value := strings.TrimSpace(form.Get("p:" + method + ":" + p.Name)); value != "" && value != p.Default {
				lines = append(lines, p.Name+"="+value)
			}
		}
	}
	for _, name := range commonFields {
		if value := strings.TrimSpace(form.Get("p:" + name)); value != "" && value != "none" {
			lines = append(lines, name+"="+value)
		}
	}
	secrets := 0
	for _, column := range form["column"] {
		if form.Get("role:"+column) == "sa" {
			secrets++
		}
	}
	if mode := form.Get("p:sa_mode"); mode != "" && secrets > 1 && hasMode(method) {
		lines = append(lines, "sa_mode="+mode)
	}
	if text := strings.TrimSpace(form.Get("parameters")); text != "" {
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// joinParameters has all parameters of a form written in one field.
func joinParameters(form url.Values) {
	form.Set("parameters", parametersOf(form))
	maps.DeleteFunc(form, func(name string, _ []string) bool { return strings.HasPrefix(name, "p:") })
}

func endsLine(c rune) bool { return c == '\n' || c == '\r' }

// splitParameters reads name=value, one a line: values may have blanks and semicolons.
func splitParameters(text string) map[string]string {
	given := make(map[string]string)
	for _, part := range strings.FieldsFunc(text, endsLine) {
		if name, value, _ := strings.Cut(part, "="); strings.TrimSpace(name) != "" {
			given[strings.TrimSpace(name)] = strings.TrimSpace(value) // of one without a value, too: it is not lost
		}
	}
	return given
}
