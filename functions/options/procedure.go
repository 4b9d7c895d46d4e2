// Package options declares the options of procedures, each once: its name, its type, its
// default, its text, and which procedures take it. The declaration parses the options of a
// statement, refuses wrong ones, and generates the tables of docs/reference.md. The package
// reads only texts: the procedure checks whether a column exists and whether two options
// are compatible.
package options

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// A Procedure declares the options that follow the subjects of a CALL.
type Procedure struct {
	Name string
	// Options are in the order of the documentation. An option without a doc shares the
	// doc of the option before it.
	Options []anonymize.Parameter
}

// Read parses and checks the arguments of a call.
func (p Procedure) Read(arguments []string) (anonymize.Settings, error) {
	given, err := Parse(arguments)
	if err != nil {
		return anonymize.Settings{}, err
	}
	return p.Resolve(given)
}

// Resolve checks the given options against the declaration. It reports unknown names
// before wrong values, since a misspelt name explains a missing option.
func (p Procedure) Resolve(given Given) (anonymize.Settings, error) {
	if err := given.refuseUnknown(p.names()); err != nil {
		return anonymize.Settings{}, err
	}
	return anonymize.ReadGiven(p.Options, anonymize.Arguments(given))
}

// ResolveMethod is Resolve for a statement that runs a method. It returns the parameters of
// the method separately.
func (p Procedure) ResolveMethod(m anonymize.Method, given Given) (anonymize.Settings, anonymize.Arguments, error) {
	if err := given.refuseOfOthers(m, p.names()); err != nil {
		return anonymize.Settings{}, nil, err
	}
	parameters, own := anonymize.Arguments{}, maps.Clone(given)
	for _, parameter := range m.Parameters {
		if value, ok := own[parameter.Name]; ok {
			parameters[parameter.Name] = value
			delete(own, parameter.Name)
		}
	}
	settings, err := p.Resolve(own)
	return settings, parameters, err
}

func (p Procedure) names() []string { return namesOf(p.Options) }

func namesOf(parameters []anonymize.Parameter) []string {
	names := make([]string, len(parameters))
	for i, parameter := range parameters {
		names[i] = parameter.Name
	}
	return names
}

// refuseOfOthers is refuseUnknown for a statement that runs a method. Its error names the
// other methods that have the parameter.
func (g Given) refuseOfOthers(m anonymize.Method, known []string) error {
	own := namesOf(m.Parameters)
	known = slices.Concat(known, own)
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if slices.Contains(known, name) {
			continue
		}
		var others []string
		for _, other := range methods.All() {
			if slices.Contains(namesOf(other.Parameters), name) {
				others = append(others, other.Name)
			}
		}
		if len(others) > 0 {
			instead := ""
			if name == "k" && slices.Contains(known, "size") {
				instead = fmt.Sprintf(", and as any method takes size=%s: groups of so many records or more", g[name])
			}
			return g.refuse(name, fmt.Sprintf("which %s does not have: it is of %s; %[1]s has %[3]s%[4]s",
				m.Name, strings.Join(others, ", "), strings.Join(own, ", "), instead))
		}
	}
	return g.refuseUnknown(known)
}

// refuseUnknown returns an error for the first option whose name is not known.
func (g Given) refuseUnknown(known []string) error {
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if !slices.Contains(known, name) {
			rule := "which is unknown" + anonymize.DidYouMean(name, known)
			if owners := proceduresWith(name); len(owners) > 0 {
				rule = "which is of CALL " + strings.Join(owners, " and CALL ") + ", and not of this statement"
			}
			return g.refuse(name, rule+"; there are "+strings.Join(slices.Sorted(slices.Values(known)), ", "))
		}
	}
	return nil
}

// proceduresWith returns the names of the procedures that have an option.
func proceduresWith(option string) (names []string) {
	for _, p := range All() {
		if slices.Contains(p.names(), option) {
			names = append(names, p.Name)
		}
	}
	return names
}

func (g Given) refuse(name, rule string) error {
	return &anonymize.ParameterError{Parameter: "option", Value: "'" + name + "=" + g[name] + "'", Rule: rule}
}

const tableHead = "| option | |\n|---|---|\n"

// Reference returns the procedure's table in docs/reference.md.
func (p Procedure) Reference() string {
	var table strings.Builder
	table.WriteString(tableHead)
	for i, o := range p.Options {
		if o.Doc == "" {
			continue
		}
		row := "| `" + o.Name + "`"
		for _, also := range p.Options[i+1:] {
			if also.Doc != "" {
				break
			}
			row += ", `" + also.Name + "`"
		}
		if o.Default != "" {
			o.Doc += "; default `" + o.Default + "`"
		}
		table.WriteString(row + " | " + strings.ReplaceAll(o.Doc, "|", `\|`) + " |\n")
	}
	return table.String()
}
