package score_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/locality"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/testsize"
)

// leastRecords: counts of fewer records are not compared.
const leastRecords = 20

// figures are what a release is worth: mean relative errors of the counts of a quasi-identifier's and a sensitive value, and what a
// learner has, and one who knows half of the records and where all stand in the order of their quasi-identifiers.
type figures struct {
	imputed, independent float64
	learned, rank        attack.Result
}

// measured publishes a table by anatomy; the arguments are names and values in turn.
func measured(t testing.TB, in *anonymize.Input, arguments ...string) (figures, *anonymize.Release) {
	t.Helper()
	r, truth := released(t, in, arguments...)
	completion, err := impute.Complete(t.Context(), r, impute.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learned, err := attack.Learned(t.Context(), r, truth, attack.Options{Sample: 50_000, Random: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	position, err := locality.Order(t.Context(), in.QuasiIdentifiers)
	if err != nil {
		t.Fatal(err)
	}
	rank, err := attack.Rank(t.Context(), r, truth, position, attack.Options{Random: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	f := figures{learned: learned, rank: rank}
	f.imputed, f.independent = pairErrors(r, completion, in)
	return f, r
}

func released(t testing.TB, in *anonymize.Input, arguments ...string) (*anonymize.Release, attack.Truth) {
	t.Helper()
	truth := attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]}
	given := make(anonymize.Arguments)
	for i := 0; i < len(arguments); i += 2 {
		given[arguments[i]] = arguments[i+1]
	}
	of := *in
	of.Random, of.Assigned = rand.NewPCG(11, 12), func(groupOf []uint32) { truth.GroupOf = groupOf }
	r, err := anatomy.Method().Run(t.Context(), &of, given)
	if err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	return r, truth
}

// pairErrors compares counts of pairs with those of the table: of completed tables, and when all matchings of a group are equally likely
// (Eq. 11 of Xiao and Tao).
func pairErrors(r *anonymize.Release, c *anonymize.Completion, in *anonymize.Input) (imputed, independent float64) {
	quasi, sensitive := r.Fragments[0], r.Fragments[1]
	value, cells := repeated(sensitive, sensitive.Columns[0]), 0
	for i, column := range quasi.Columns {
		width := len(sensitive.Columns[0].Dictionary)
		actual, drawn, even := make([]float64, width*len(column.Dictionary)), make([]float64, width*len(column.Dictionary)), make([]float64, width*len(column.Dictionary))
		for row, code := range in.QuasiIdentifiers[i].Codes {
			actual[int(code)*width+int(in.Sensitive[0].Codes[row])]++
		}
		code, begin := repeated(quasi, column), 0
		for _, size := range r.GroupSizes {
			for s := begin; s < begin+int(size); s++ {
				for d := range c.Tables {
					drawn[int(code[s])*width+int(value[begin+int(c.Narrow[d][0][s])])] += 1 / float64(c.Tables)
				}
				for k := begin; k < begin+int(size); k++ {
					even[int(code[s])*width+int(value[k])] += 1 / float64(size)
				}
			}
			begin += int(size)
		}
		for cell, n := range actual {
			if n >= leastRecords {
				cells++
				imputed += math.Abs(drawn[cell]-n) / n
				independent += math.Abs(even[cell]-n) / n
			}
		}
	}
	return imputed / float64(cells), independent / float64(cells)
}

// repeated has the code of every record's tuple, in the order of publication.
func repeated(f *anonymize.Fragment, c *anonymize.FragmentColumn) (codes []uint32) {
	for t, n := range f.Count {
		for range n {
			codes = append(codes, c.Codes[t])
		}
	}
	return codes
}

// some are so many records of a table, drawn at random.
func some(t testing.TB, s anontest.Source, rows int) *anonymize.Input {
	t.Helper()
	table := &anonymize.Microdata{Rows: min(rows, s.Table.Rows)}
	order := rand.New(rand.NewPCG(5, 5)).Perm(s.Table.Rows)[:table.Rows]
	for _, c := range s.Table.Columns {
		codes := make([]uint32, table.Rows)
		for i, row := range order {
			codes[i] = c.Codes[row]
		}
		table.Columns = append(table.Columns, &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: codes})
	}
	in, err := anonymize.NewInput(table, s.Roles, nil)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// adult is UCI Adult's complete records with occupation as the sensitive attribute.
func adult(t testing.TB) anontest.Source {
	t.Helper()
	return anontest.Source{Table: anontest.AdultComplete(t), Roles: anonymize.Roles{Sensitive: []string{"occupation"},
		QuasiIdentifiers: strings.Fields("age workclass education marital_status relationship race sex hours_per_week native_country")}}
}

// people is the sample of the program.
func people(testing.TB) anontest.Source {
	c := anontest.Collect("age sex education marital_status workclass occupation region hours_per_week income disease")
	for p := range sample.Generate(10_000, 1) {
		c.Add(p.Age, p.Sex, p.Education, p.MaritalStatus, p.Workclass, p.Occupation, p.Region, p.HoursPerWeek, p.Income, p.Disease)
	}
	return c.Source()
}

var frontierRows = flag.Int("records", 10_000, "records of each table of BenchmarkFrontier")

// BenchmarkFrontier has the table of docs/measured.md: error against attack, of every kind of groups.
func BenchmarkFrontier(b *testing.B) {
	for _, table := range []struct {
		name string
		of   func(testing.TB) anontest.Source
		l    string
	}{
		{"adult", adult, "5"}, {"adult", adult, "3"}, {"sample", people, "5"},
		{"guests", func(testing.TB) anontest.Source { return anontest.Guests(10_000, 1) }, "4"},
		{"shops", func(testing.TB) anontest.Source { return anontest.Shops(10_000, 1) }, "4"},
		{"pupils", func(testing.TB) anontest.Source { return anontest.Pupils(10_000, 1) }, "3"},
		{"staff", func(testing.TB) anontest.Source { return anontest.Staff(10_000) }, "3"},
	} {
		for _, groups := range []string{"false", "true", "score 0", "score 0.25", "score 0.5", "score 0.75", "score 0.9", "score 1"} {
			b.Run(table.name+"/l="+table.l+"/"+strings.ReplaceAll(groups, " ", "="), func(b *testing.B) {
				if !testsize.All() && groups != "score 0.75" {
					b.Skip("takes minutes")
				}
				in, arguments := some(b, table.of(b), *frontierRows), []string{"l", table.l, "homogeneous"}
				kind, weight, scored := strings.Cut(groups, " ")
				if arguments = append(arguments, kind); scored {
					arguments = append(arguments, "score_weight", weight)
				}
				var f figures
				var r *anonymize.Release
				for b.Loop() {
					f, r = measured(b, in, arguments...)
				}
				b.ReportMetric(f.imputed, "imputed")
				b.ReportMetric(f.independent, "independent")
				b.ReportMetric(f.learned.Mean, "learned")
				b.ReportMetric(f.learned.Own90, "own>.9")
				b.ReportMetric(f.rank.Mean, "rank")
				b.ReportMetric(f.rank.Own90, "rank>.9")
				for _, fact := range r.Facts {
					b.Log(fact.Name, fact.Value)
				}
			})
		}
	}
}
