package acceptance

import (
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

// Answers do not depend on the cache: without room in it, every statement reads the release from the file.
func TestAnswersWithoutCache(t *testing.T) {
	t.Parallel()
	file := census.Write(t, testsize.Of(500, 2000))
	publish := "CALL anonymize('census.people', 'slppa', 'qi=age,sex,region', 'sa=disease', 'beta=0.25', 'tables=2', 'publish=people', 'seed=5', 'misfit=false')"
	queries := []string{
		"SELECT disease, COUNT(*), AVG(age) FROM published.people WHERE sex = 'Female' GROUP BY disease ORDER BY disease",
		"SELECT * FROM published.people LIMIT 50",
		"SELECT * FROM published.people_qi1 ORDER BY 1, 2 LIMIT 50",
		"SELECT g.gid, s.disease FROM published.people_gid g JOIN published.people_sa s ON g.gid = s.gid ORDER BY 1, 2 LIMIT 20",
		"SELECT guarantee, achieved FROM ANON_PRIVACY(published.people)",
	}
	var want []string
	for _, limit := range []int64{1 << 30, 1, 100_000} {
		s := servertest.Start(t, server.Config{Extend: func(host server.Host) (server.Extensions, error) {
			host.Catalog.SetCacheLimit(limit)
			return server.Product(host)
		}})
		census.Import(t, s.Addr, file)
		db := s.Open(t, servertest.Root)
		run(t, db, publish)
		for i, query := range queries {
			got := fmt.Sprint(fetchRows(t, db, query))
			if limit == 1<<30 {
				want = append(want, got)
			} else if got != want[i] {
				t.Errorf("%s\nwith a cache of %d bytes:\n%.300s\nwith a large one:\n%.300s", query, limit, got, want[i])
			}
		}
	}
}
