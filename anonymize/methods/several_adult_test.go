package methods

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/testsize"
)

// What each costs: Adult with two and with three sensitive attributes, as one value
// and each, printed. The queries have a condition on every sensitive attribute and
// on one to three quasi-identifiers.
func TestSeveralSensitiveOnAdult(t *testing.T) {
	table := anontest.AdultComplete(t)
	cases := []struct {
		sensitive string
		l         int
	}{{"occupation education", 3}, {"occupation education", 2}, {"occupation education marital_status", 2}}
	if !testsize.All() {
		cases = cases[:1]
	}
	for _, c := range cases {
		t.Logf("%s, l = %d, %d records", c.sensitive, c.l, table.Rows)
		t.Logf("%-36s %7s %7s %7s %6s %6s", "", "groups", "size", "largest", "error", "s")
		all := []string{"anatomy l=%d", "slppa beta=1/%d tables=1", "mondrian k=2 l=%d", "anatomy l=%d homogeneous=true", "slppa beta=1/%d tables=1 delta=0.4",
			"slppa beta=1/%d tables=1 homogeneous=true", "arp l=%d", "arp l=%d partition=mondrian", "arp l=%d homogeneous=true"}
		for _, options := range all[:testsize.Of(3, len(all))] {
			sizes := map[string]float64{}
			for _, mode := range []string{"combined", "each"} {
				sizes[mode] = severalOnAdult(t, table, fmt.Sprintf(options, c.l), c.sensitive, mode)
			}
			// each protects the tuple, too: a tuple is no more frequent than its values.
			if !strings.HasPrefix(options, "mondrian") && !strings.Contains(options, "delta") && sizes["each"] > 1.5*float64(c.l) {
				t.Errorf("%s: groups of %.2f records in the mean, l is %d", options, sizes["each"], c.l)
			}
		}
	}
}

// severalOnAdult returns the mean size of the groups of one release.
func severalOnAdult(t *testing.T, table *anonymize.Microdata, options, sensitive, mode string) float64 {
	t.Helper()
	name, _, _ := strings.Cut(options, " ")
	m, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	arguments := anontest.Arguments(options + " sa_mode=" + mode)
	in := anontest.NewInput(t, table, "age workclass sex race native_country hours_per_week", sensitive, rand.NewPCG(1, 1))
	started := time.Now()
	r, err := m.Run(context.Background(), in, arguments)
	if err != nil {
		t.Fatalf("%s, %s: %v", options, mode, err)
	}
	seconds := time.Since(started).Seconds()
	if err := anontest.Publishable(r, in); err != nil {
		t.Fatalf("%s, %s: %v", options, mode, err)
	}
	e, err := utility.Evaluate(context.Background(), estimate.Prepare(r), table, utility.Workload{Queries: 1000, Low: 1, High: 3, Seed: 7}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	largest := uint32(0)
	for _, size := range r.GroupSizes {
		largest = max(largest, size)
	}
	mean := float64(r.Rows) / float64(r.Groups())
	t.Logf("%-36s %7d %7.2f %7d %6.3f %6.2f", options+" "+mode, r.Groups(), mean, largest, e.Estimate.Mean, seconds)
	return mean
}
