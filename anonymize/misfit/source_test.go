package misfit

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
)

// A source is the truth that answers are compared with.
type source struct {
	table *anonymize.Microdata
	roles anonymize.Roles
}

func sourceOf(s anontest.Source) source { return source{s.Table, s.Roles} }

func made(rows int, seed uint64) source   { return sourceOf(anontest.Guests(rows, seed)) }
func shops(rows int, seed uint64) source  { return sourceOf(anontest.Shops(rows, seed)) }
func pupils(rows int, seed uint64) source { return sourceOf(anontest.Pupils(rows, seed)) }
func adult(t testing.TB) source           { return sourceOf(anontest.AdultOccupations(t)) }

// people is the table of anontest.
func people(rows int) source {
	in := anontest.People(rows, 1)
	table := &anonymize.Microdata{Rows: rows, Columns: append(append([]*anonymize.Column(nil), in.QuasiIdentifiers...), in.Sensitive...)}
	return source{table, anonymize.Roles{QuasiIdentifiers: strings.Fields("q1 q2 q3 q4 q5 q6 q7 q8 q9"), Sensitive: []string{"sensitive"}}}
}

// bundled is the sample of the program.
func bundled(rows int) source {
	c := anontest.Collect("age sex education marital_status workclass occupation region hours_per_week income disease")
	for p := range sample.Generate(rows, 1) {
		c.Add(p.Age, p.Sex, p.Education, p.MaritalStatus, p.Workclass, p.Occupation, p.Region, p.HoursPerWeek, p.Income, p.Disease)
	}
	return sourceOf(c.Source())
}

// method returns a method and its arguments, which are names and values in turn.
func method(t testing.TB, name string, arguments ...string) (anonymize.Method, anonymize.Arguments) {
	t.Helper()
	m, err := methods.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	given := make(anonymize.Arguments)
	for i := 0; i < len(arguments); i += 2 {
		given[arguments[i]] = arguments[i+1]
	}
	return m, given
}

// released publishes a source.
func (s source) released(t testing.TB, m anonymize.Method, a anonymize.Arguments) *anonymize.Release {
	t.Helper()
	in, err := anonymize.NewInput(s.table, s.roles, rand.NewPCG(11, 12))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), in, a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
