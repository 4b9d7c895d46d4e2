package differential

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A window over a view's groups is computed from their estimates: the answer equals, byte by byte, the window over a
// derived table of the groups, with the same notes. grouped is the derived table's SELECT list.
var overEstimates = []struct{ selected, grouped, written, tail string }{
	{"k, n, SUM(n) OVER () AS t", "sex AS k, COUNT(*) AS n", "sex AS k, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t", "GROUP BY k ORDER BY k"},
	{"k, n / SUM(n) OVER () AS share", "disease AS k, COUNT(*) AS n", "disease AS k, COUNT(*) / SUM(COUNT(*)) OVER () AS share", "GROUP BY k ORDER BY k"},
	{"k, ROUND(h / SUM(n) OVER (), 1) AS p", "disease AS k, 100 * COUNT(*) AS h, COUNT(*) AS n",
		"disease AS k, ROUND(100 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS p", "GROUP BY 1 ORDER BY 2 DESC, 1"},
	{"k, RANK() OVER (ORDER BY n DESC) AS r, DENSE_RANK() OVER (ORDER BY n) AS d, NTILE(2) OVER (ORDER BY n, k) AS t, ROW_NUMBER() OVER (ORDER BY a, k) AS o", "disease AS k, COUNT(*) AS n, AVG(age) AS a",
		"disease AS k, RANK() OVER (ORDER BY COUNT(*) DESC) AS r, DENSE_RANK() OVER (ORDER BY COUNT(*)) AS d, NTILE(2) OVER (ORDER BY COUNT(*), disease) AS t, ROW_NUMBER() OVER (ORDER BY AVG(age), disease) AS o", "GROUP BY k ORDER BY k"},
	{"k, s, RANK() OVER (PARTITION BY s ORDER BY c) AS r, lo", "disease AS k, sex AS s, SUM(charge) AS c, ANON_STDERR(COUNT(*)) AS lo",
		"disease AS k, sex AS s, RANK() OVER (PARTITION BY sex ORDER BY SUM(charge)) AS r, ANON_STDERR(COUNT(*)) AS lo", "GROUP BY k, s HAVING COUNT(*) > 1 ORDER BY k, s"},
	{"k, SUM(c) OVER (ORDER BY k ROWS UNBOUNDED PRECEDING) AS run, AVG(c) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS m, LAG(n) OVER (ORDER BY k) AS l, FIRST_VALUE(n) OVER (ORDER BY k) AS f",
		"YEAR(born) DIV 10 AS k, SUM(charge) AS c, COUNT(*) AS n",
		"YEAR(born) DIV 10 AS k, SUM(SUM(charge)) OVER (w ROWS UNBOUNDED PRECEDING) AS run, AVG(SUM(charge)) OVER (w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS m, LAG(COUNT(*)) OVER w AS l, FIRST_VALUE(COUNT(*)) OVER w AS f",
		"GROUP BY YEAR(born) DIV 10 WINDOW w AS (ORDER BY YEAR(born) DIV 10) ORDER BY k LIMIT 4"},
	{"k, s, n, SUM(n) OVER (PARTITION BY g) AS t", "disease AS k, sex AS s, COUNT(*) AS n, GROUPING(sex) AS g", "disease AS k, sex AS s, COUNT(*) AS n, SUM(COUNT(*)) OVER (PARTITION BY GROUPING(sex)) AS t", "GROUP BY disease, sex WITH ROLLUP ORDER BY k, s"},
	{"COUNT(*) OVER () AS groups_", "disease", "COUNT(*) OVER () AS groups_", "GROUP BY disease"},
	{"SUM(n) OVER () AS t", "COUNT(*) AS n", "SUM(COUNT(*)) OVER () AS t", ""},
	{"k, SUM(a) OVER () AS t", "disease AS k, ANON_ACTUAL(COUNT(*)) AS a", "disease AS k, SUM(ANON_ACTUAL(COUNT(*))) OVER () AS t", "GROUP BY k ORDER BY k"},
	{"k, m, RANK() OVER (ORDER BY m) AS r", "disease AS k, MEDIAN(age) AS m", "disease AS k, MEDIAN(age) AS m, RANK() OVER (ORDER BY MEDIAN(age)) AS r", "GROUP BY k ORDER BY k"},
	{"DISTINCT n, SUM(n) OVER () AS t", "COUNT(*) AS n, disease", "DISTINCT COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t", "GROUP BY disease ORDER BY n"},
}

func TestWindowsOverEstimates(t *testing.T) {
	db := connect(t, "tcp", servertest.Start(t, server.Config{Extend: server.Product}).Addr, "root")
	servertest.Exec(t, db, patients()...)
	servertest.Exec(t, db, "CALL anonymize('d.p', 'anatomy', 'qi=age,sex,zip,born,charge,weight', 'sa=disease', 'l=2', 'fit=true', 'publish=v', 'seed=3')")
	for _, estimator := range []string{"imputed", "independent"} {
		servertest.Exec(t, db, "SET anon_estimator = '"+estimator+"'")
		for _, c := range overEstimates {
			for _, where := range []string{"", " WHERE age > 40", " WHERE age > 40 AND disease <> 'flu'"} {
				group, order, _ := strings.Cut(c.tail, " ORDER BY")
				if order != "" {
					order = " ORDER BY" + order
				}
				group, _, _ = strings.Cut(group, " WINDOW")
				written := fmt.Sprintf("SELECT %s FROM published.v%s %s", c.written, where, c.tail)
				derived := fmt.Sprintf("SELECT %s FROM (SELECT %s FROM published.v%s %s) AS q%s", c.selected, c.grouped, where, group, order)
				got, want := askNoted(t, db, written), askNoted(t, db, derived)
				if got != want {
					t.Errorf("%s\n  %s\n%s\n  %s", written, got, derived, want)
				}
				if refusedHere := strings.Contains(got, "error"); refusedHere != (estimator == "independent" && strings.Contains(written, "MEDIAN")) {
					t.Errorf("%s\n  %s", written, got)
				}
			}
		}
	}
	// Prepared, in a view, in a common table expression and in a UNION.
	servertest.Exec(t, db, "CREATE VIEW shares AS SELECT disease, COUNT(*) / SUM(COUNT(*)) OVER () AS s FROM published.v WHERE age > 40 GROUP BY disease")
	want := ask(t, db, "SELECT disease, n / SUM(n) OVER () AS s FROM (SELECT disease, COUNT(*) AS n FROM published.v WHERE age > 40 GROUP BY disease) q ORDER BY disease")
	for _, text := range []string{"SELECT * FROM shares ORDER BY disease",
		"WITH c AS (SELECT * FROM published.v WHERE age > 40) SELECT disease, COUNT(*) / SUM(COUNT(*)) OVER () AS s FROM c GROUP BY disease ORDER BY disease",
		"WITH c AS (SELECT disease, COUNT(*) / SUM(COUNT(*)) OVER () AS s FROM published.v WHERE age > 40 GROUP BY disease) SELECT * FROM c ORDER BY disease",
		"SELECT disease, COUNT(*) / SUM(COUNT(*)) OVER () AS s FROM published.v WHERE age > 40 GROUP BY disease UNION SELECT disease, COUNT(*) / SUM(COUNT(*)) OVER () FROM published.v WHERE age > 40 GROUP BY disease ORDER BY 1",
	} {
		if got := ask(t, db, text); got.err != nil || !equal(got, want, true, false) {
			t.Errorf("%s\n  %v, want\n  %v", text, got, want)
		}
	}
	statement, err := db.PrepareContext(t.Context(), "SELECT disease, COUNT(*) * ? / SUM(COUNT(*)) OVER () AS s FROM published.v WHERE age > ? GROUP BY disease ORDER BY s DESC LIMIT ?")
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	var disease string
	var share float64
	if err := statement.QueryRowContext(t.Context(), 100, 40, 1).Scan(&disease, &share); err != nil || share < 20 || share > 100 {
		t.Errorf("the largest share is %v of %q, %v", share, disease, err)
	}
}

// askNoted is an answer with its types and notes.
func askNoted(t *testing.T, db *dbsql.DB, text string) string {
	t.Helper()
	answer := ask(t, db, text)
	if answer.err != nil {
		return "error " + answer.err.Error()
	}
	return fmt.Sprint(answer.types, answer.rows, ask(t, db, "SHOW WARNINGS").rows)
}
