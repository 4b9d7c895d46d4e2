package methods

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// Where nine in ten have a value that is no secret, every method of l or beta that publishes values as they are keeps the others from being more
// than 1/l of a group, counted here with maps; without not_sensitive none of them can. What is published is the table's.
func TestNotSensitive(t *testing.T) {
	in := anontest.AdultOfZhu(t)(1_000, "age education race sex")
	rare := frequentOf(in)
	for _, run := range []string{"anatomy l=3", "anatomy l=3 homogeneous=true", "slppa beta=1/3", "slppa beta=1/3 tables=2 homogeneous=true", "asn beta=1/3", "slicing l=3",
		"arp l=3", "mondrian k=3 l=3", "mondrian k=3 l=3 mode=strict", "fulldomain k=3 l=3 suppress=0.1", "cdt k=3 l=3", "aip l=3"} {
		name, _, _ := strings.Cut(run, " ")
		m, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Run(t.Context(), withRandom(rare), anontest.Arguments(run))
		if err == nil {
			t.Errorf("%s: 90 percent of one value are no obstacle", run)
		}
		own := withRandom(rare)
		own.NotSensitive = []string{"negative"}
		r, err := m.Run(t.Context(), own, anontest.Arguments(run))
		if err != nil {
			t.Errorf("%s: %v", run, err)
			continue
		}
		if err := anontest.Publishable(r, rare); err != nil {
			t.Errorf("%s: %v", run, err)
		}
		if err := secretsInGroups(r, "negative", 3); err != nil {
			t.Errorf("%s: %v", run, err)
		}
	}
	for _, refused := range []string{"mondrian k=3 t=1/2", "nonhomogeneous l=3", "cross_bucket k=2 l=3", "slppa beta=1/3 delta=1/2"} {
		name, _, _ := strings.Cut(refused, " ")
		m, _ := ByName(name)
		own := withRandom(rare)
		own.NotSensitive = []string{"negative"}
		_, err := m.Run(t.Context(), own, anontest.Arguments(refused))
		if !errors.As(err, new(*anonymize.ParameterError)) && !errors.As(err, new(*anonymize.DataError)) && !errors.As(err, new(*anonymize.InfeasibleError)) {
			t.Errorf("%s: %v", refused, err)
		}
	}
	all := withRandom(rare)
	for _, v := range rare.Sensitive[0].Dictionary {
		all.NotSensitive = append(all.NotSensitive, v.String())
	}
	m, _ := ByName("anatomy")
	if _, err := m.Run(t.Context(), all, anonymize.Arguments{"l": "3"}); err == nil || !strings.Contains(err.Error(), "are no secret") {
		t.Errorf("no secret is left: %v", err)
	}
}

// frequentOf gives nine in ten records the value negative.
func frequentOf(in *anonymize.Input) *anonymize.Input {
	own, old := *in, in.Sensitive[0]
	c := &anonymize.Column{Name: old.Name, Type: old.Type, Dictionary: append([]anonymize.Value{}, old.Dictionary...)}
	negative := uint32(len(c.Dictionary))
	c.Dictionary = append(c.Dictionary, anonymize.TextValue("negative"))
	for record, code := range old.Codes {
		if record%10 > 0 {
			code = negative
		}
		c.Codes = append(c.Codes, code)
	}
	own.Sensitive = []*anonymize.Column{c}
	return &own
}

// What the owner said of the values is about none of the stand-ins: no method asks for these in a taxonomy or an order, and no fact tells of them.
func TestNotSensitiveBesideADomain(t *testing.T) {
	words := []string{"none", "none", "none", "none", "flu", "cold", "none", "hiv", "none", "none"}
	tree, err := anonymize.TaxonomyOfPaths([][]string{{"none", "mild", "*"}, {"flu", "mild", "*"}, {"cold", "severe", "*"}, {"hiv", "severe", "*"}},
		func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	var order, age, disease []anonymize.Value
	for _, text := range []string{"none", "flu", "cold", "hiv"} {
		order = append(order, anonymize.TextValue(text))
	}
	for i := range 400 {
		age, disease = append(age, anonymize.IntegerValue(int64(i%50))), append(disease, anonymize.TextValue(words[i*7%10]))
	}
	for _, domain := range []*anonymize.Domain{nil, {Scale: anonymize.Semantic, Taxonomy: tree}, {Scale: anonymize.Ordinal, Order: order}} {
		for _, run := range []string{"ika k=4", "oka k=4", "dpp k=4", "cdt k=2 l=2 variant=paper kmax=3", "cdt k=2 l=2", "mondrian k=2 l=2", "anatomy l=2"} {
			in := &anonymize.Input{Rows: 400, Random: rand.NewPCG(3, 4), NotSensitive: []string{"none"}, Domains: map[string]*anonymize.Domain{"d": domain},
				QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("age", "int", age)}, Sensitive: []*anonymize.Column{anonymize.NewColumn("d", "text", disease)}}
			name, _, _ := strings.Cut(run, " ")
			m, _ := ByName(name)
			r, err := m.Run(t.Context(), in, anontest.Arguments(run))
			if err != nil {
				t.Errorf("%s: %v", run, err)
				continue
			}
			if err := anontest.Publishable(r, in); err != nil {
				t.Errorf("%s: %v", run, err)
			}
			for _, f := range r.Facts {
				counts := []string{"synonymous linkage (Total_Pr_SA)", "greatest frequency", "synonym catalogue", "prevention of homogeneity (P(S))", "privacy of the release (P(D'))", "privacy gain"}
				if strings.Contains(f.Value, "􏿽") || slices.Contains(counts, f.Name) {
					t.Errorf("%s: a fact is of stand-ins: %s: %s", run, f.Name, f.Value)
				}
			}
		}
	}
}

// What an algorithm sees in the place of a value that is no secret is never frequent by chance, and named in no error.
func TestStandIns(t *testing.T) {
	var age, result []anonymize.Value
	for i := range 310 {
		age, result = append(age, anonymize.IntegerValue(int64(20+i%50))), append(result, anonymize.TextValue("negative"))
	}
	for i := range 10 {
		result[i*31] = anonymize.TextValue(fmt.Sprint("secret ", i))
	}
	run := func(rows int, l string) error {
		in := &anonymize.Input{Rows: rows, Random: rand.NewPCG(1, uint64(rows)), NotSensitive: []string{"negative"},
			QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("age", "int", age[:rows])}, Sensitive: []*anonymize.Column{anonymize.NewColumn("result", "text", result[:rows])}}
		anatomy, _ := ByName("anatomy")
		_, err := anatomy.Run(t.Context(), in, anonymize.Arguments{"l": l})
		return err
	}
	if err := run(200, "200"); err != nil {
		t.Errorf("200 different values: %v", err)
	}
	if err := run(310, "300"); !errors.As(err, new(*anonymize.InfeasibleError)) || !strings.Contains(err.Error(), "result = a part of 'negative' is 2 of 310 records") {
		t.Errorf("a stand-in is told: %v", err)
	}
}

// secretsInGroups looks for a value but one that is more than 1/l of a group.
func secretsInGroups(r *anonymize.Release, harmless string, l int) error {
	for _, f := range r.Fragments {
		if f.Role != anonymize.Sensitive {
			continue
		}
		for g, size := range r.GroupSizes {
			for tuple := f.GroupStart[g]; tuple < f.GroupStart[g+1]; tuple++ {
				value := f.Columns[0].Dictionary[f.Columns[0].Codes[tuple]].String()
				if value != harmless && int(f.Count[tuple])*l > int(size) {
					return fmt.Errorf("group %d: %d of %d records have %s", g, f.Count[tuple], size, value)
				}
			}
		}
	}
	return nil
}
