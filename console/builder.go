package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/console/asking"
)

// A builder has the fields that compose a statement: which release, which measure, by what, where.
type builder struct {
	Releases  []askable
	Chosen    *askable
	Choice    asking.Choice
	Measures  [][2]string
	Operators [][2]string
}

// An askable is a release with its columns and sample questions.
type askable struct {
	Name     string
	Columns  []asking.Column
	Examples []sample
}

// A sample is a question that a page offers, with the fields that compose it.
type sample struct {
	asking.Choice
	About, Statement string
}

// Numbers returns the columns that can be summed.
func (a *askable) Numbers() (columns []asking.Column) {
	return slices.DeleteFunc(slices.Clone(a.Columns), func(c asking.Column) bool { return c.Kind != asking.Number })
}

// measures returns the possible measures: without a numeric column only counts.
func (a *askable) measures() [][2]string {
	if len(a.Numbers()) == 0 {
		return asking.Measures[:1]
	}
	return asking.Measures
}

// sensitive is the role of sensitive columns.
const sensitive = "sensitive"

// conditions is the number of conditions in the form.
const conditions = 2

// build fills the builder's fields from the form, and an empty statement from the fields.
func (v *askView) build(r *http.Request, s *session) {
	releases := s.askables(r)
	if len(releases) == 0 {
		return
	}
	form := r.PostForm
	if len(form) == 0 {
		form = r.URL.Query()
	}
	b := &builder{Releases: releases, Chosen: &releases[0], Operators: asking.Operators}
	for i := range releases {
		if releases[i].Name == form.Get("release") {
			b.Chosen = &releases[i]
		}
	}
	b.Choice, b.Measures = choiceOf(form, b.Chosen), b.Chosen.measures()
	own := b.Choice.Statement(b.Chosen.Columns)
	if gone := form.Get("release"); v.Statement == "" && gone != "" && gone != b.Chosen.Name {
		v.Said = "There is no release " + gone + " that your account may read: choose another."
	} else if v.Statement = cmp.Or(v.Statement, own); strings.ReplaceAll(v.Statement, "\r\n", "\n") == own { // browsers send CRLF
		v.Said = cmp.Or(v.Said, b.Choice.Doubt(b.Chosen.Columns))
	}
	v.Builder = b
}

// choiceOf returns the fields' question; by default, the number of records by a sensitive attribute.
func choiceOf(form url.Values, release *askable) asking.Choice {
	c := asking.Choice{Release: release.Name, Measure: form.Get("measure"), Of: form.Get("of"), By: slices.Clone(form["by"])}
	if c.Measure == "" {
		c.By = []string{release.first(sensitive)}
	}
	if numbers := release.Numbers(); c.Measure == "count" {
		c.Of = ""
	} else if len(numbers) > 0 && c.Measure != "" && !slices.ContainsFunc(numbers, func(n asking.Column) bool { return n.Name == c.Of }) {
		c.Of = numbers[0].Name
	}
	for len(c.By) < 2 {
		c.By = append(c.By, "")
	}
	columns, operators, values := form["where"], form["operator"], form["value"]
	for i := range conditions {
		var w asking.Condition
		if i < len(columns) && i < len(operators) && i < len(values) {
			w = asking.Condition{Column: columns[i], Operator: operators[i], Value: values[i]}
		}
		c.Where = append(c.Where, w)
	}
	return c
}

// first returns the first column of a role, "" for none.
func (a *askable) first(role string) string {
	at := slices.IndexFunc(a.Columns, func(c asking.Column) bool { return c.Role == role })
	if at < 0 {
		return ""
	}
	return a.Columns[at].Name
}

// askables returns the releases that the account may read; none if they cannot be listed.
func (s *session) askables(r *http.Request) (releases []askable) {
	listed, failed := s.list(r.Context(), "SELECT table_name, column_name, data_type, column_comment LIKE '%sensitive%' FROM information_schema.columns "+
		"WHERE table_schema = 'published' ORDER BY table_name, ordinal_position")
	if failed != nil {
		return nil
	}
	for _, row := range listed.Rows {
		if len(releases) == 0 || releases[len(releases)-1].Name != row[0].Value {
			releases = append(releases, askable{Name: row[0].Value})
		}
		role := ""
		if row[3].Value == "1" {
			role = sensitive
		}
		a := &releases[len(releases)-1]
		a.Columns = append(a.Columns, asking.Column{Name: row[1].Value, Kind: asking.KindOf(row[2].Value), Type: row[2].Value, Role: role})
	}
	for i := range releases {
		releases[i].Examples = releases[i].examples()
	}
	return releases
}

// examples returns three questions: counts by a sensitive attribute, two attributes together, and counts over time or the average of a number.
func (a *askable) examples() (examples []sample) {
	secret := a.first(sensitive)
	other, number, date := "", "", ""
	for _, c := range a.Columns {
		switch {
		case c.Role == sensitive:
		case c.Kind == asking.Number && number == "":
			number = c.Name
		case c.Kind == asking.Date && date == "":
			date = c.Name
		case c.Kind == asking.Text && other == "":
			other = c.Name
		}
	}
	add := func(about string, c asking.Choice) {
		c.Release = a.Name
		examples = append(examples, sample{c, about, c.Statement(a.Columns)})
	}
	add("How many, by "+secret, asking.Choice{By: []string{secret}})
	switch {
	case date != "":
		add("How many over time", asking.Choice{By: []string{date + ":month"}})
	case number != "":
		add("Average "+number+", by "+secret, asking.Choice{Measure: "avg", Of: number, By: []string{secret}})
	}
	switch {
	case number != "":
		add("By "+number+" in tens and "+secret, asking.Choice{By: []string{number + ":10", secret}})
	case other != "":
		add("By "+other+" and "+secret, asking.Choice{By: []string{other, secret}})
	}
	return examples
}
