package methods

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/testsize"
)

// A keptRow is a line of the table in docs/risk.md: a method, by promise, none first.
type keptRow struct {
	method, options string
	groups          []int
	penalty, mean   []float64 // NCP, -1 of exact cells; mean relative error of counts
}

func (r *keptRow) String() string {
	text := fmt.Sprintf("| `%s` | `%s`", r.method, r.options)
	for i := range r.groups {
		penalty := "-"
		if r.penalty[i] >= 0 {
			penalty = fmt.Sprintf("%.3f", r.penalty[i])
		}
		text += fmt.Sprintf(" | %d / %s / %.3f", r.groups[i], penalty, r.mean[i])
	}
	return text + " |"
}

// measure publishes with what is asked and scores what is published.
func (r *keptRow) measure(t *testing.T, in *anonymize.Input, queries int, asked ...anonymize.Promise) {
	t.Helper()
	release, err := runAsking(t, in, r.method+" "+r.options, asked...)
	if err != nil {
		t.Fatalf("%s %s: %v", r.method, r.options, err)
	}
	for _, p := range asked {
		if !keepsPromise(t, in, release, p) {
			t.Errorf("%s %s: %s %s is not kept", r.method, r.options, p.Guarantee, p.Bound)
		}
	}
	table := &anonymize.Microdata{Rows: in.Rows, Columns: append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)}
	e, err := utility.Evaluate(t.Context(), estimate.Prepare(release), table, utility.Workload{Queries: queries, Low: 1, High: 3, Seed: 11}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	penalty := -1.
	if g := utility.GeneralizationOf(release); g != nil {
		penalty = g.Mean
	}
	r.groups, r.penalty, r.mean = append(r.groups, release.Groups()), append(r.penalty, penalty), append(r.mean, e.Estimate.Mean)
}

// What promises cost: groups, NCP and the error of counts of methods that unite groups,
// without a promise and with one, beside mondrian, which looks for classes. A promise costs.
// cross_bucket unites buckets and leaves the cells as they are, so that it answers better
// than mondrian under the promises that want large groups. docs/risk.md has the table for
// 20,000 records.
func TestWhatPromisesCost(t *testing.T) {
	rows, queries := 3_000, 200
	if testsize.All() {
		rows, queries = 20_000, 1000
	}
	in := anontest.AdultOfZhu(t)(rows, nsas)
	promises := []anonymize.Promise{askedPromises[1], askedPromises[3], askedPromises[5]}
	var text strings.Builder
	all := make(map[string]*keptRow)
	for _, r := range []*keptRow{{method: "mondrian", options: "k=5"}, {method: "cdt", options: "k=5 l=1"}, {method: "dpp", options: "k=5"}, {method: "cross_bucket", options: "k=5 l=5"},
		{method: "anatomy", options: "l=5"}, {method: "anatomy", options: "l=5 homogeneous=true"}, {method: "arp", options: "l=5"}, {method: "slppa", options: "beta=1/5"}} {
		r.measure(t, in, queries)
		for _, p := range promises {
			r.measure(t, in, queries, p)
		}
		fmt.Fprintln(&text, r)
		all[r.method] = r
		for i := range r.groups {
			if r.groups[i] > r.groups[0] || r.mean[i] < r.mean[0]-.001 {
				t.Errorf("promise %d: %v", i, r)
			}
		}
	}
	for i, buckets := range all["cross_bucket"].penalty {
		if math.Abs(buckets-all["cross_bucket"].penalty[0]) > 1e-9 || i > 1 && all["cross_bucket"].mean[i] > .9*all["mondrian"].mean[i] {
			t.Errorf("promise %d: %v, %v", i, all["cross_bucket"], all["mondrian"])
		}
	}
	t.Logf("none, entropy = 4, t_equal = 0.3, beta_likeness = 2\n%s", text.String())
}
