package differential

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

const (
	blockKeys = "sex|region|kids|YEAR(admitted)|age DIV 10|COALESCE(region, '?')|IF(kids > 1, 'many', 'few')|kids IS NULL|QUARTER(admitted)|income > 1000|" +
		"disease|COALESCE(disease, 'none')|disease IS NULL|IF(disease = 'flu', sex, 'o')|CONCAT(sex, disease)|NULLIF(disease, 'flu')"
	blockFigures = "COUNT(*)|COUNT(kids)|SUM(income)|AVG(age)|SUM(kids)|SUM(kids = 1)|COUNT(DISTINCT region)|MIN(age)|MAX(income)|AVG(income)|SUM(age * kids)|MIN(admitted)|MAX(region)|" +
		"SUM(CASE WHEN sex = 'F' THEN income END)|AVG(sex = 'F')|MAX(kids) - MIN(kids)|SUM(income) / COUNT(*)|ROUND(AVG(income), 1)|COALESCE(SUM(kids), 0)|100 * SUM(sex = 'F') / COUNT(*)|" +
		"IF(COUNT(*) > 5, SUM(age), NULL)|SUM(disease = 'flu')|COUNT(disease)|COUNT(DISTINCT disease)|MAX(disease)|SUM(IF(disease IS NULL, income, 0))|AVG(CASE WHEN disease = 'gout' THEN age END)"
	blockConditions = "age > 30|sex = 'F'|region IS NOT NULL|kids IN (1, 2)|admitted >= '2024-01-01'|income BETWEEN 500 AND 1500|NOT (kids > 2)|kids IS NULL OR age < 40|age < 0|" +
		"disease = 'flu'|disease <> 'cold'|disease IS NULL|disease LIKE '%u%'"
)

// block is a query of estimates: of one or two keys (k1, k2), and two figures (f1, f2).
func (g grammar) block() string {
	keys, figures := g.some(1+g.IntN(2), blockKeys), g.some(2, blockFigures)
	second := "1"
	if len(keys) > 1 {
		second = keys[1]
	}
	query := "SELECT " + keys[0] + " AS k1, " + second + " AS k2, " + figures[0] + " AS f1, " + figures[1] + " AS f2 FROM published.stays"
	if terms := g.some(g.IntN(3), blockConditions); len(terms) > 0 {
		query += " WHERE " + strings.Join(terms, " AND ")
	}
	return query + " GROUP BY " + strings.Join(keys, ", ")
}

// above are queries of a table of blocks, $.
var above = []string{
	"SELECT k1, k2, f1, f2 FROM $ x",
	"SELECT k1, k2, f1, SUM(f1) OVER (), f1 / SUM(f1) OVER (PARTITION BY k1) FROM $ x",
	"SELECT k1, k2, f1, ROW_NUMBER() OVER (ORDER BY f1, k1, k2), RANK() OVER (PARTITION BY k1 ORDER BY f1 DESC), SUM(f1) OVER (ORDER BY k1, k2 ROWS UNBOUNDED PRECEDING) FROM $ x",
	"SELECT k1, k2, LAG(f1) OVER (ORDER BY k1, k2), f1 - LAG(f1, 1, 0) OVER (PARTITION BY k1 ORDER BY k2), FIRST_VALUE(f2) OVER (ORDER BY f1, k1, k2) FROM $ x",
	"SELECT a.k1, a.k2, b.k2, a.f1, b.f1, a.f1 - b.f1, a.f2 FROM $ a JOIN $ b ON a.k1 = b.k1",
	"SELECT a.k1, a.k2, a.f1, b.f2, COALESCE(b.f1, 0) FROM $ a LEFT JOIN $ b ON a.k1 = b.k1 AND a.k2 = b.k2 AND b.f1 > a.f1 / 2 + 1",
	"SELECT a.k1, a.f1 / t.s, a.f2 FROM $ a CROSS JOIN (SELECT SUM(f1) AS s, COUNT(f2) AS c FROM $ y) t",
	"SELECT a.k1, a.k2, a.f1, t.s, t.m FROM $ a JOIN (SELECT k1, SUM(f1) AS s, MAX(f2) AS m FROM $ y GROUP BY k1) t ON a.k1 <=> t.k1",
	"SELECT k1, SUM(f1), COUNT(*), AVG(f1), MIN(f1), MAX(f2), COUNT(f2), COUNT(DISTINCT f1) FROM $ x GROUP BY k1",
	"SELECT k1, k2, SUM(f1), COUNT(*), MAX(f1), GROUPING(k1), GROUPING(k2) FROM $ x GROUP BY k1, k2 WITH ROLLUP",
	"SELECT SUM(f1), SUM(f1 * f1), COUNT(*), AVG(f1), STDDEV(f1), MIN(k1), MAX(f2) FROM $ x",
	"SELECT u, COUNT(*), SUM(f) FROM (SELECT k1 AS u, f1 AS f FROM $ x UNION ALL SELECT k2, f1 FROM $ y) z GROUP BY u",
	"SELECT k1, f1 FROM $ x UNION SELECT k1, f1 FROM $ y",
	"SELECT k1, f1, 0 FROM $ x UNION ALL SELECT 'total', SUM(f1), 1 FROM $ y UNION ALL SELECT 'n', COUNT(f1), 2 FROM $ y",
	"SELECT k1, k2, f1 FROM $ x WHERE f1 > (SELECT AVG(f1) FROM $ y)",
	"SELECT k1, k2, f1 FROM $ x WHERE k1 IN (SELECT k1 FROM $ y WHERE f1 > 20)",
	"SELECT k1, k2, f1 FROM $ x WHERE k1 NOT IN (SELECT k1 FROM $ y WHERE f1 > 20 AND k1 IS NOT NULL)",
	"SELECT k1, k2, f1 FROM $ x WHERE EXISTS (SELECT 1 FROM $ y WHERE y.k1 = x.k1 AND y.f1 > x.f1)",
	"SELECT k1, k2, f1 FROM $ x WHERE NOT EXISTS (SELECT 1 FROM $ y WHERE y.k1 = x.k1 AND y.f1 > x.f1)",
	"SELECT k1, k2, (SELECT SUM(f1) FROM $ y WHERE y.k1 <=> x.k1), (SELECT COUNT(*) FROM $ y WHERE y.f1 >= x.f1) FROM $ x",
	"SELECT DISTINCT f1, k1 FROM $ x",
	"SELECT SUM(f1), MAX(f2) FROM (SELECT f1, f2, k1, k2 FROM $ y ORDER BY f1 DESC, k1, k2 LIMIT 3) t",
	"SELECT k1, k2, CASE WHEN f1 > 10 THEN 'big' WHEN f1 IS NULL THEN 'none' ELSE k1 END, IF(f2 IS NULL, 0, 1), NULLIF(f1, f2), GREATEST(f1, 5), FLOOR(f1), CAST(f1 AS SIGNED) FROM $ x",
	"SELECT CASE WHEN f1 > 10 THEN 'big' ELSE 'small' END AS c, COUNT(*), SUM(f1) FROM $ x GROUP BY c",
	"SELECT x.k1, x.f1, r.title, r.weight * x.f1 FROM $ x LEFT JOIN regions r ON r.region = x.k1",
	"SELECT r.region, r.title, x.f1, x.k2, COALESCE(x.f1, -1) FROM regions r LEFT JOIN $ x ON r.region = x.k1",
	"SELECT r.title, SUM(x.f1), COUNT(x.f1), COUNT(*) FROM regions r LEFT JOIN $ x ON r.region = x.k1 GROUP BY r.title",
	"SELECT d.chronic, SUM(x.f1 * d.price), COUNT(x.k2) FROM $ x RIGHT JOIN diseases d ON d.disease = x.k1 GROUP BY d.chronic",
	"SELECT region FROM regions WHERE region IN (SELECT k1 FROM $ x WHERE f1 > 3)",
	"SELECT region, (SELECT SUM(f1) FROM $ x WHERE x.k1 = r.region) FROM regions r",
	"SELECT k1, NTILE(3) OVER (ORDER BY f1, k1, k2), CUME_DIST() OVER (ORDER BY f1), AVG(f1) OVER (PARTITION BY k2) FROM $ x",
	"SELECT k1, SUM(f1), SUM(SUM(f1)) OVER (), SUM(f1) / SUM(SUM(f1)) OVER (), RANK() OVER (ORDER BY SUM(f1)) FROM $ x GROUP BY k1",
	"SELECT k1, SUM(f1) AS s FROM $ x GROUP BY k1 HAVING s > (SELECT AVG(s2) FROM (SELECT SUM(f1) AS s2 FROM $ y GROUP BY k1) q)",
	"SELECT COUNT(*), SUM(f2) FROM $ x WHERE f1 BETWEEN 2 AND 50 AND k1 IS NOT NULL",
	"SELECT GROUP_CONCAT(k1 ORDER BY f1, k1, k2), MEDIAN(f1) FROM $ x",
	"SELECT k1, f1 FROM $ x INTERSECT SELECT k1, f1 FROM $ y WHERE f1 > 4",
	"SELECT k1, f1 FROM $ x EXCEPT SELECT k1, f1 FROM $ y WHERE f1 > 4",
	"SELECT a.k1, a.f1, l.s FROM $ a, LATERAL (SELECT SUM(f1) AS s FROM $ b WHERE b.k1 = a.k1) l",
	"SELECT k1, k2, f1 FROM $ x WHERE (k1, f1) IN (SELECT k1, MAX(f1) FROM $ y GROUP BY k1)",
	"SELECT k1, k2, f1 FROM $ x WHERE f1 >= ALL (SELECT f1 FROM $ y WHERE f1 IS NOT NULL)",
	"SELECT * FROM (SELECT k1, k2, f1, ROW_NUMBER() OVER (PARTITION BY k1 ORDER BY f1 DESC, k2) AS r FROM $ x) t WHERE r = 1",
	"SELECT k1, f1, SUM(f1) OVER w, COUNT(f1) OVER w FROM $ x WINDOW w AS (PARTITION BY k1)",
}

// A query over estimates answers like a query over a table with them: for a derived table, a common table expression and a view.
func TestAboveEstimates(t *testing.T) {
	db, _ := estimated(t)
	questions, refusals, asked := queriesOr(120, 20_000), map[string]int{}, 0
	for at := range questions {
		g := grammar{Rand: rand.New(rand.NewPCG(*seed, at))}
		block, outer := g.block(), above[at%uint64(len(above))]
		servertest.Exec(t, db, "DROP TABLE IF EXISTS d.stored")
		if _, err := db.Exec("CREATE TABLE d.stored AS " + block); err != nil {
			if servertest.Number(err) != 1235 {
				t.Errorf("block %d: %s\n  %v", at, block, err)
			}
			continue
		}
		servertest.Exec(t, db, "CREATE OR REPLACE VIEW d.shown AS "+block)
		want := ask(t, db, strings.ReplaceAll(outer, "$", "d.stored"))
		for _, question := range []string{strings.ReplaceAll(outer, "$", "("+block+")"), "WITH e AS (" + block + ") " + strings.ReplaceAll(outer, "$", "e"), strings.ReplaceAll(outer, "$", "d.shown")} {
			got := ask(t, db, question)
			asked++
			switch {
			case got.err != nil && (want.err != nil || servertest.Number(got.err) == 1235):
				refusals[got.err.Error()]++
			case got.err != nil || want.err != nil || !equal(got, want, false, false):
				t.Errorf("question %d: %s\n  got  %v %v\n  want %v %v", at, question, got.rows, got.err, want.rows, want.err)
			}
		}
	}
	refused := 0
	for why, n := range refusals {
		refused += n
		t.Logf("%d of %d are refused: %s", n, asked, why)
	}
	if asked < int(questions)*3*9/10 || refused > asked/10 {
		t.Errorf("%d questions are asked of %d blocks, %d are refused", asked, questions, refused)
	}
}
