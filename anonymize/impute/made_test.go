package impute

import (
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// A source is a table with its roles: the truth that answers are compared with.
type source struct {
	table *anonymize.Microdata
	roles anonymize.Roles
}

func sourceOf(s anontest.Source) source { return source{s.Table, s.Roles} }

func made(rows int, seed uint64) source { return sourceOf(anontest.Guests(rows, seed)) }
func adult(t testing.TB) source         { return sourceOf(anontest.AdultOccupations(t)) }

// released publishes a source: the arguments are names and values in turn.
func (s source) released(t testing.TB, method string, arguments ...string) *anonymize.Release {
	t.Helper()
	in, err := anonymize.NewInput(s.table, s.roles, rand.NewPCG(11, 12))
	if err != nil {
		t.Fatal(err)
	}
	given := make(anonymize.Arguments)
	for i := 0; i < len(arguments); i += 2 {
		given[arguments[i]] = arguments[i+1]
	}
	m, err := methods.ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), in, given)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
