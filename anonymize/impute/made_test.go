package impute

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// A source is a table with its roles: the truth that answers are compared with.
type source struct {
	table *anonymize.Microdata
	roles anonymize.Roles
}

// made draws a table of people in which some pairs of attributes go together: the
// disease with the age and strongly with the diet, the diet with the sex. The region has
// nothing to do with any of them.
func made(rows int, seed uint64) source {
	random := rand.New(rand.NewPCG(seed, uint64(rows)))
	values := make(map[string][]anonymize.Value)
	put := func(name string, v anonymize.Value) { values[name] = append(values[name], v) }
	for range rows {
		age := 18 + int(50*math.Pow(random.Float64(), 1.5))
		sex := random.IntN(2)
		diet := min(4, int(5*math.Pow(random.Float64(), 0.7+0.8*float64(sex))))
		disease := min(7, int(8*math.Pow(random.Float64(), 0.6+float64(age)/60)))
		if random.Float64() < 0.5 {
			disease = (diet + random.IntN(2)) % 8
		}
		put("age", anonymize.IntegerValue(int64(age)))
		put("sex", anonymize.TextValue([]string{"f", "m"}[sex]))
		put("diet", anonymize.TextValue(fmt.Sprint("diet", diet)))
		put("region", anonymize.TextValue(fmt.Sprint("region", random.IntN(6))))
		put("disease", anonymize.TextValue(fmt.Sprint("disease", disease)))
	}
	var columns []*anonymize.Column
	for _, name := range []string{"age", "sex", "diet", "region", "disease"} {
		columns = append(columns, anonymize.NewColumn(name, "TEXT", values[name]))
	}
	table, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		panic(err) // the columns are of one length
	}
	return source{table, anonymize.Roles{QuasiIdentifiers: []string{"age", "sex", "diet", "region"}, Sensitive: []string{"disease"}}}
}

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
	for _, m := range methods.All() {
		if m.Name == method {
			r, err := m.Run(context.Background(), in, given)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	t.Fatalf("there is no method %s", method)
	return nil
}
