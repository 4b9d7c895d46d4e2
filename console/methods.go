package console

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize/methods"
)

// An offer is a method with the fields of its parameters.
type offer struct {
	Name, Title string
	Chosen      bool
	Needed      []parameterField // required
	Further     []parameterField
}

// A parameterField is a parameter as its method declares it.
type parameterField struct {
	ID, Name      string // ID is the field's
	Label, Doc    string
	Default, Text string
	Choices       []string
}

// firstMethods are listed first: one of each family.
var firstMethods = []string{"anatomy", "slppa", "mondrian", "fulldomain"}

// offers returns all methods. given has parameters of the chosen one by name; offers returns those that it does not have.
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

// place returns a method's place in the list.
func place(o offer) int {
	if at := slices.Index(firstMethods, o.Name); at >= 0 {
		return at
	}
	return len(firstMethods)
}

// linked matches a link of Markdown.
var linked = regexp.MustCompile(`\s*\(?\[([^]]*)\]\([^)]*\)\)?`)

// inWords returns a documentation text without markup.
func inWords(doc string) string {
	return strings.ReplaceAll(linked.ReplaceAllString(doc, ""), "`", "")
}

// commonFields are options of all methods that have a field in the form.
var commonFields = []string{"size", "model"}

// hasMode reports whether a method has sa_mode: whether each of several sensitive attributes is bounded, or only their
// combination. The form has one field for it for all methods and states it if there are several sensitive attributes.
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

// parametersOf returns a form's parameters as lines of name=value: from the fields of its method, from
// those of all methods, and from the text field. In a link they are all in the text field.
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

// joinParameters writes all parameters of a form into one field.
func joinParameters(form url.Values) {
	form.Set("parameters", parametersOf(form))
	maps.DeleteFunc(form, func(name string, _ []string) bool { return strings.HasPrefix(name, "p:") })
}

func endsLine(c rune) bool { return c == '\n' || c == '\r' }

// splitParameters parses lines of name=value: values may contain blanks and semicolons.
func splitParameters(text string) map[string]string {
	given := make(map[string]string)
	for _, part := range strings.FieldsFunc(text, endsLine) {
		if name, value, _ := strings.Cut(part, "="); strings.TrimSpace(name) != "" {
			given[strings.TrimSpace(name)] = strings.TrimSpace(value) // keep even one without a value
		}
	}
	return given
}
