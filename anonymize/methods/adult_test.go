package methods

import (
	"context"
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

// measure fills in the row: GLP, relative errors of 1,000 queries with one to
// three conditions on quasi-identifiers, the deFinetti attack's first guesses;
// -1 for what is not defined for the method.
func (r *row) measure(t *testing.T, in *anonymize.Input) {
	t.Helper()
	ctx := context.Background()
	release, gidOf := r.run(t, in)
	if err := anontest.Publishable(release, in); err != nil {
		t.Fatalf("%s %s: %v", r.method, r.options, err)
	}
	r.glp = glpOf(t, release, in, gidOf)
	table := &anonymize.Microdata{Rows: in.Rows, Columns: append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)}
	e, err := utility.Evaluate(ctx, estimate.Prepare(release), table, utility.Workload{Queries: testsize.Of(400, 1000), Low: 1, High: 3, Seed: 11}, nil, nil)
	if err != nil {
		t.Fatalf("%s %s: %v", r.method, r.options, err)
	}
	if r.relative, r.top = e.Estimate.Mean, -1; !testsize.All() {
		return // what is guessed is only printed
	}
	truth := attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0], GroupOf: gidOf}
	learned, err := attack.DeFinetti(ctx, release, truth, attack.Options{})
	if err == nil {
		r.top = learned.Top1
	}
	if utility.SpansGroups(release) { // the attacker is told the group, which nobody can tell
		r.top = -1
	}
}

// beside are the options worth comparing with a method's plain ones.
var beside = []row{
	{method: "slppa", options: "homogeneous=true"},
	{method: "anatomy", options: "homogeneous=true"},
	{method: "arp", options: "on_collapse=stop"},
	{method: "arp", options: "partition=mondrian"},
	{method: "arp", options: "homogeneous=true"},
	{method: "arp", options: "over=generalization"},
}

// All methods side by side, one run each: 20,000 records, occupation, seven
// quasi-identifiers. docs/methods.md has these tables.
//
// Groups of records that are alike answer better than the papers' groups: for
// anatomy and slppa at every l, for arp as printed too; not for arp with its
// merged blocks divided further (the default) at l = 2, whose groups are alike
// already.
func TestMethodsOnAdult(t *testing.T) {
	in := anontest.AdultOfZhu(t)(testsize.Of(6_000, 20_000), nsas)
	ls := []int{5}
	if testsize.All() {
		ls = []int{2, 5}
	}
	for _, l := range ls {
		relative := map[string]float64{}
		var text strings.Builder
		for _, m := range All() {
			if !testsize.All() && !slices.Contains([]string{"anatomy", "slppa", "arp"}, m.Name) {
				continue // those that are compared below
			}
			for _, r := range slices.Concat([]row{{method: m.Name}}, beside) {
				if r.method != m.Name {
					continue
				}
				more := r.options
				r.options = strings.TrimSpace(plain(l)[m.Name] + " " + more)
				r.measure(t, in)
				relative[strings.TrimSpace(m.Name+" "+more)] = r.relative
				fmt.Fprintln(&text, r.String())
			}
		}
		t.Logf("l = %d\n%s", l, text.String())
		for _, c := range [][2]string{{"anatomy homogeneous=true", "anatomy"}, {"slppa homogeneous=true", "slppa"},
			{"arp homogeneous=true", "arp on_collapse=stop"}, {"arp homogeneous=true", "arp"}} {
			if l == 2 && c[1] != "anatomy" && c[1] != "slppa" {
				continue
			}
			if alike, other := relative[c[0]], relative[c[1]]; alike >= other {
				t.Errorf("l = %d: the mean relative error of %s is %.3f, of %s %.3f", l, c[0], alike, c[1], other)
			}
		}
	}
}

// String is a line of the table in docs/methods.md.
func (r *row) String() string {
	known := func(format string, figure float64) string {
		if figure < 0 {
			return "-"
		}
		return fmt.Sprintf(format, figure)
	}
	return fmt.Sprintf("| `%s` | `%s` | %d | %s | %.3f | %s | %.0f |", r.method, r.options, r.groups,
		known("%.3f", r.glp), r.relative, known("%.2f", r.top), 1000*r.seconds)
}
