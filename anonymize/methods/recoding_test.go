package methods

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/testsize"
)

const eightOfAdult = "age workclass education marital_status race sex native_country income"

// A recoding is a release of Adult, with what it loses.
type recoding struct {
	row
	queries      int
	hierarchies  bool
	penalty      float64 // NCP (Xu et al. 2006)
	mean, median float64 // relative errors of counts of at least 0.1 percent of the table
}

// String is a line of a table in docs/methods.md.
func (r *recoding) String() string {
	with := "no"
	if r.hierarchies {
		with = "yes"
	}
	return fmt.Sprintf("| `%s` | %s | %d | %.3f | %.3f | %.3f | %.2f | %.0f |", r.options, with, r.groups, r.penalty, r.mean, r.median, r.top, 1000*r.seconds)
}

// measure publishes, and scores what is published: the normalized certainty penalty by the
// published cells alone, the errors of counts over one to three quasi-identifiers and
// the sensitive attribute, and how often a learner is right.
func (r *recoding) measure(t *testing.T, in *anonymize.Input) {
	t.Helper()
	release, gidOf := r.run(t, in)
	if err := anontest.Publishable(release, in); err != nil {
		t.Errorf("%s: %v", r.options, err)
	}
	r.penalty = utility.GeneralizationOf(release).Mean
	table := &anonymize.Microdata{Rows: in.Rows, Columns: append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)}
	e, err := utility.Evaluate(t.Context(), estimate.Prepare(release), table, utility.Workload{Queries: r.queries, Low: 1, High: 3, Least: .001, Seed: 3}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.mean, r.median = e.Estimate.Mean, e.Estimate.Median; !testsize.All() {
		return // what is guessed is only printed
	}
	truth := attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0], GroupOf: gidOf}
	learned, err := attack.DeFinetti(t.Context(), release, truth, attack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.top = learned.Top1
}

// Hierarchies cost nothing with local recoding: penalty and errors are at most those
// without, and far below those of medians. docs/methods.md has the table.
func TestRecodingOfAdult(t *testing.T) {
	table := anontest.Adult(t)
	find := map[string]*recoding{}
	var text strings.Builder
	promises := testsize.Of([]string{"k=5 l=3"}, []string{"k=5", "k=5 l=3"})
	for _, options := range promises {
		for _, mode := range []string{"local", "strict"} {
			for _, hierarchies := range []bool{false, true} {
				in := anontest.NewInput(t, table, eightOfAdult, "occupation", nil)
				if hierarchies {
					in.Domains = anontest.AdultHierarchies(t, table, eightOfAdult)
				}
				r := &recoding{row: row{method: "mondrian", options: options + " mode=" + mode}, queries: testsize.Of(500, 2000), hierarchies: hierarchies}
				r.measure(t, in)
				find[fmt.Sprint(r.options, hierarchies)] = r
				fmt.Fprintln(&text, r)
			}
		}
	}
	t.Logf("\n%s", text.String())
	for _, options := range promises {
		plain, with, medians := find[options+" mode=localfalse"], find[options+" mode=localtrue"], find[options+" mode=stricttrue"]
		if with.penalty > plain.penalty || with.mean > 1.02*plain.mean {
			t.Errorf("%s: with hierarchies %v, without %v", options, with, plain)
		}
		if with.penalty > .5*medians.penalty || with.mean > .6*medians.mean {
			t.Errorf("%s: local %v, medians %v", options, with, medians)
		}
	}
	if k := find["k=5 mode=localtrue"]; k != nil && k.penalty > .02 {
		t.Error(k)
	}
	if l := find["k=5 l=3 mode=localtrue"]; l.penalty > .045 || l.mean > .12 {
		t.Error(l)
	}
}

// Where other methods generalize, cells are no wider with hierarchies either; groups that
// are near by hierarchies may be others.
func TestHierarchiesOfOtherMethods(t *testing.T) {
	table := anontest.AdultTraining(t)
	others := []row{{method: "cross_bucket", options: "k=5 l=3"}, {method: "arp", options: "l=3 over=generalization"}, {method: "cdt", options: "k=5 l=3"},
		{method: "dpp", options: "k=5"}, {method: "ika", options: "k=5"}, {method: "oka", options: "k=5"}}
	for _, m := range others[:testsize.Of(2, len(others))] {
		var lines [2]*recoding
		for i := range lines {
			in := anontest.NewInput(t, table, eightOfAdult, "occupation", nil)
			if i == 1 {
				in.Domains = anontest.AdultHierarchies(t, table, eightOfAdult)
			}
			lines[i] = &recoding{row: m, queries: 300, hierarchies: i == 1}
			lines[i].measure(t, in)
			t.Log(m.method, lines[i])
		}
		if plain, with := lines[0], lines[1]; with.penalty > 1.05*plain.penalty || with.mean > 1.15*plain.mean {
			t.Errorf("%s: with hierarchies %v, without %v", m.method, with, plain)
		}
	}
}
