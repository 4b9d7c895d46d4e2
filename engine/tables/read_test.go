package tables_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/enginetest"
)

// TestSeedRepeats: the same table and seed make the same release, in whatever order the engine sends the rows.
func TestSeedRepeats(t *testing.T) {
	var rows [][]any
	for i := range 120 {
		rows = append(rows, []any{20 + i%40, fmt.Sprintf("d%d", i/7%6)})
	}
	rows = append(rows, []any{nil, "d1"}, []any{30, nil})
	s := enginetest.NewStandIn(func(statement string) enginetest.Answer {
		a := people(statement)
		switch {
		case strings.HasPrefix(statement, "SELECT count(*)"):
			a.Rows = [][]any{{len(rows)}}
		case strings.HasPrefix(statement, `SELECT "age", "disease" FROM`):
			a.Rows = slices.Clone(rows)
		}
		return a
	})
	t.Cleanup(s.Close)
	f := serve(t, "trino://anonsql@"+s.Address()+"/lake", 0)
	var releases [3][]string
	for i := range releases {
		query(t, f.owner, "CALL anonymize('trino.sales.people', 'anatomy', 'l=3', 'qi=age', 'sa=disease', 'seed=%d', 'fit=false', 'calibrate=false', 'attacks=false', "+
			"'publish=seeded', 'replace=true')", 7+i/2)
		releases[i] = append(query(t, f.owner, "SELECT * FROM published.seeded_qi1 ORDER BY gid, age"), query(t, f.owner, "SELECT * FROM published.seeded_sa ORDER BY gid, disease")...)
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	if !slices.Equal(releases[0], releases[1]) {
		t.Error("the same seed makes another release of the same rows in another order")
	}
	if slices.Equal(releases[0], releases[2]) || len(releases[0]) < 100 {
		t.Errorf("another seed makes the same release, of %d tuples", len(releases[0]))
	}
}
