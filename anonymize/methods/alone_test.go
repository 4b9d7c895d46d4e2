package methods

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// Methods that form classes publish quasi-identifiers alone: at least k records have each combination of cells, every record is in
// a class that has room for it, and nothing else is published. The other methods say what they need.
func TestAlone(t *testing.T) {
	in := anontest.AdultOfZhu(t)(1_000, "age education race sex")
	in.Sensitive = nil
	alone := map[string]anonymize.Arguments{
		"mondrian": {"k": "7"}, "fulldomain": {"k": "7", "suppress": "0.05"}, "oka": {"k": "7"}, "ika": {"k": "7"},
	}
	for _, m := range All() {
		arguments, ok := alone[m.Name]
		if !ok {
			_, err := m.Run(t.Context(), withRandom(in), requiredOf(m))
			if !errors.As(err, new(*anonymize.DataError)) || !strings.Contains(err.Error(), "sensitive attribute") {
				t.Errorf("%s: %v", m.Name, err)
			}
			continue
		}
		own, gidOf := withRandom(in), []uint32(nil)
		own.Assigned = func(of []uint32) { gidOf = of }
		r, err := m.Run(t.Context(), own, arguments)
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		if err := anontest.Linked(r, own, gidOf); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if err := anontest.Publishable(r, own); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if len(r.Fragments) != 1 || r.Groups() < 2 || leastOfClasses(r) < 7 {
			t.Errorf("%s: %d fragments, %d groups, a class of %d", m.Name, len(r.Fragments), r.Groups(), leastOfClasses(r))
		}
		arguments["l"] = "2"
		var parameter *anonymize.ParameterError
		if _, err := m.Run(t.Context(), withRandom(in), arguments); !errors.As(err, &parameter) || parameter.Parameter != "l" {
			t.Errorf("%s with l: %v", m.Name, err)
		}
	}
}

func withRandom(in *anonymize.Input) *anonymize.Input {
	own := *in
	own.Random = rand.NewPCG(1, 2)
	return &own
}

// requiredOf are arguments for what a method cannot do without.
func requiredOf(m anonymize.Method) anonymize.Arguments {
	given := anonymize.Arguments{}
	for _, p := range m.Parameters {
		if p.Default == "" {
			given[p.Name] = map[string]string{"beta": "1/2", "k": "3", "l": "2"}[p.Name]
		}
	}
	return given
}

// leastOfClasses counts the records of the rarest combination of cells.
func leastOfClasses(r *anonymize.Release) int {
	records := map[string]int{}
	f := r.Fragments[0]
	for tuple, count := range f.Count {
		key := ""
		for _, c := range f.Columns {
			if c.IsPoint() {
				key += fmt.Sprintf("%#v|", c.Dictionary[c.Codes[tuple]])
			} else {
				key += fmt.Sprintf("%#v|", c.Cells[c.Codes[tuple]])
			}
		}
		records[key] += int(count)
	}
	least := r.Rows
	for _, n := range records {
		least = min(least, n)
	}
	return least
}
