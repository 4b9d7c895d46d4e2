package differential

import (
	dbsql "database/sql"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// asksBoth compares the rows that the servers have for statements, in their order.
func (p pair) asksBoth(t *testing.T, statements []string) {
	t.Helper()
	for _, statement := range statements {
		own, other := ask(t, p.own, statement), ask(t, p.other, statement)
		if own.err != nil || other.err != nil || !equal(own, other, true, false) {
			t.Errorf("%s\n  own   %v\n  other %v", statement, own, other)
		}
	}
}

// asksView compares answers over a published view with MariaDB's over its table: %s is the view or the table.
func (p pair) asksView(t *testing.T, statements []string) {
	t.Helper()
	for _, statement := range statements {
		view, table := strings.ReplaceAll(statement, "%s", "published.v"), strings.ReplaceAll(statement, "%s", "p")
		own, other := ask(t, p.own, view), ask(t, p.other, table)
		if own.err != nil || other.err != nil || !equal(own, other, true, true) {
			t.Errorf("%s\n  own   %v\n  other %v", view, own, other)
		}
	}
}

// wards is a table in which groups, NULLs and ties are.
var wards = []string{
	"CREATE TABLE wards (id INT PRIMARY KEY, grp VARCHAR(5), v INT, o INT, s VARCHAR(10), e ENUM('lo','Hi'))",
	"INSERT INTO wards VALUES (1,'a',5,1,'x','lo'),(2,'a',10,2,'y','Hi'),(3,'b',10,1,NULL,'lo'),(4,'b',20,2,'x','Hi'),(5,'b',30,3,'y',NULL)",
}

// groupingPair has wards, and patients, which are published here as published.v.
func groupingPair(t *testing.T) pair {
	t.Helper()
	p := newPair(t)
	for _, db := range []*dbsql.DB{p.own, p.other} {
		servertest.Exec(t, db, append(wards, patients()...)...)
	}
	servertest.Exec(t, p.own, "CALL anonymize('d.p', 'slppa', 'qi=age,sex,zip,born,charge,weight', 'sa=disease', 'beta=0.5', 'tables=2', 'fit=true', 'misfit=false', 'publish=v', 'seed=3')")
	return p
}

// GROUP_CONCAT joins several expressions, of the rows without NULL among them, in any order.
func TestGroupConcat(t *testing.T) {
	p := groupingPair(t)
	p.asksBoth(t, []string{
		"SELECT GROUP_CONCAT(grp, ':', id ORDER BY id) AS r FROM wards w",
		"SELECT GROUP_CONCAT(grp, ':', s ORDER BY id) AS r FROM wards w",
		"SELECT GROUP_CONCAT(v, NULL) AS r FROM wards w",
		"SELECT GROUP_CONCAT(DISTINCT grp, s ORDER BY grp, s) AS r FROM wards w",
		"SELECT GROUP_CONCAT(DISTINCT grp, '-', o ORDER BY o DESC, grp SEPARATOR '; ') AS r FROM wards w",
		"SELECT GROUP_CONCAT(DISTINCT o, v) AS r FROM (SELECT '1' o, '11' v UNION ALL SELECT '11', '1' UNION ALL SELECT '11', '1') t",
		"SELECT GROUP_CONCAT(DISTINCT grp ORDER BY v DESC) AS r FROM wards w",
		"SELECT grp, GROUP_CONCAT(v, o ORDER BY 2 DESC) AS r, GROUP_CONCAT(v ORDER BY 1 DESC) AS q FROM wards w GROUP BY grp ORDER BY grp",
		"SELECT GROUP_CONCAT(e, '!' ORDER BY e, id) AS r, GROUP_CONCAT(e ORDER BY e DESC) AS q FROM wards w WHERE id < 4",
		"SELECT GROUP_CONCAT(id, v / 4, v * 1.5, v > 10 ORDER BY id) AS r FROM wards w",
		"SELECT GROUP_CONCAT(id ORDER BY (SELECT -x.v FROM wards x WHERE x.id = w.id), id) AS r FROM wards w",
		"SELECT GROUP_CONCAT(id, (SELECT x.s FROM wards x WHERE x.id = w.id) ORDER BY id) AS r FROM wards w",
		"SELECT (SELECT GROUP_CONCAT(b.id, b.s ORDER BY b.id DESC) FROM wards b WHERE b.grp = w.grp) AS r FROM wards w ORDER BY id",
		"SELECT GROUP_CONCAT(b.r, '|', b.grp ORDER BY b.grp) AS r FROM (SELECT grp, GROUP_CONCAT(id, s ORDER BY id) r FROM wards w GROUP BY grp) b",
		"SELECT COUNT(*) AS n FROM wards w HAVING GROUP_CONCAT(id, v ORDER BY id) = '15,210,310,420,530'",
		"SELECT grp FROM wards w GROUP BY grp ORDER BY GROUP_CONCAT(id, v ORDER BY id) DESC",
		"SELECT grp, GROUP_CONCAT(id, v ORDER BY id) AS r FROM wards w GROUP BY grp WITH ROLLUP",
		"SELECT GROUP_CONCAT(s SEPARATOR 'x') AS r, GROUP_CONCAT(s SEPARATOR 'X') AS q FROM wards w",
	})
	p.asksView(t, []string{
		"SELECT GROUP_CONCAT(DISTINCT zip, '/', sex ORDER BY zip, sex) AS r FROM %s",
		"SELECT GROUP_CONCAT(DISTINCT sex SEPARATOR 'x') AS r, GROUP_CONCAT(DISTINCT sex ORDER BY sex DESC SEPARATOR 'X') AS q FROM %s WHERE sex = 'F'",
	})
}

// Strings that differ in case are different.
func TestLettersOfFigures(t *testing.T) {
	p := groupingPair(t)
	p.asksBoth(t, []string{
		"SELECT MAX(CONCAT(s, 'a')) AS r, MAX(CONCAT(s, 'A')) AS q FROM wards w",
		"SELECT MAX(DATE_FORMAT('2024-03-05', '%m')) AS r, MAX(DATE_FORMAT('2024-03-05', '%M')) AS q FROM wards w",
		"SELECT SUM(HEX(s) = HEX('x')) AS r, SUM(HEX(s) = HEX('X')) AS q, SUM(HEX(s) = HEX('x')) + 1 AS r2 FROM wards w",
		"SELECT COUNT(DISTINCT CONCAT(s, 'a')) r, GROUP_CONCAT(DISTINCT CONCAT(s, 'A') ORDER BY id) c, GROUP_CONCAT(DISTINCT CONCAT(s, 'a') ORDER BY id) e FROM wards w",
		"SELECT MAX(CONCAT(s, 'a')) OVER () AS r, MAX(CONCAT(s, 'A')) OVER () AS q FROM wards w",
		"SELECT id, ROW_NUMBER() OVER (ORDER BY HEX(s) = HEX('x'), id) AS r, ROW_NUMBER() OVER (ORDER BY HEX(s) = HEX('X'), id) AS q FROM wards w ORDER BY id",
		"SELECT grp FROM wards w GROUP BY grp HAVING HEX(MAX(CONCAT(s, 'a'))) LIKE '%61' AND HEX(MAX(CONCAT(s, 'A'))) LIKE '%41' ORDER BY 1",
		"SELECT MAX((SELECT CONCAT(w.s, 'a'))) r, MAX((SELECT CONCAT(w.s, 'A'))) q FROM wards w",
		"SELECT id FROM wards w ORDER BY HEX(s) = HEX('X'), HEX(s) = HEX('x') DESC, id",
	})
	p.asksView(t, []string{
		"SELECT SUM(IF(HEX(sex) = HEX('f'), 1, 0)) AS r, SUM(IF(HEX(sex) = HEX('F'), 1, 0)) AS q FROM %s",
		"SELECT MAX(DATE_FORMAT(born, '%m')) AS r, MAX(DATE_FORMAT(born, '%M')) AS q FROM %s",
		"SELECT COUNT(CASE WHEN HEX(sex) = HEX('F') THEN 1 END) AS r, COUNT(CASE WHEN HEX(sex) = HEX('f') THEN 1 END) AS q FROM %s",
	})
}

// A name in HAVING is a key of GROUP BY, or else an alias of the SELECT list.
func TestNamesInHaving(t *testing.T) {
	p := groupingPair(t)
	p.asksBoth(t, []string{
		"SELECT grp, SUM(v) AS v FROM wards GROUP BY grp HAVING v > 15",
		"SELECT grp, COUNT(v) AS v FROM wards GROUP BY grp HAVING v > 2",
		"SELECT grp, MAX(v) AS v, MIN(v) AS o FROM wards GROUP BY grp HAVING v > 2 * o ORDER BY v DESC",
		"SELECT grp, SUM(v) AS v FROM wards GROUP BY grp HAVING SUM(v) > 15 AND v < 100 AND MAX(v) > 10",
		"SELECT grp, SUM(v) AS v FROM wards GROUP BY grp HAVING v IN (SELECT 60) AND (SELECT 20) < v",
		"SELECT grp, SUM(v) AS V FROM wards GROUP BY grp HAVING v > 15",
		"SELECT x.grp, SUM(x.v) AS v FROM wards x JOIN wards y ON x.id = y.id GROUP BY x.grp HAVING v > 15",
		"SELECT grp, (SELECT MAX(x.v) FROM wards x WHERE x.grp = w.grp) AS v FROM wards w GROUP BY grp HAVING v > 20",
		"SELECT SUM(v) AS v FROM wards HAVING v > 70",
		"SELECT a, 2 AS a FROM (SELECT '1' AS a) b HAVING a = 2",
		"SELECT 2 AS a, a FROM (SELECT '1' AS a) b HAVING a = 2",
		"SELECT v + 1 AS v FROM wards HAVING v > 11 ORDER BY v",
		"SELECT v AS o, o AS v FROM wards HAVING o > 5 ORDER BY 1, 2",
		"SELECT v * 2 AS v, SUM(o) AS o FROM wards GROUP BY v HAVING v > 15 ORDER BY 1",
		"SELECT v * 2 AS v, SUM(o) AS o FROM wards GROUP BY v HAVING o > 2 ORDER BY 1",
		"SELECT IF(v > 10, 1, 0) AS v, COUNT(*) AS o FROM wards GROUP BY 1 HAVING v = 1",
		"SELECT t.grp, SUM(t.v) AS v FROM (SELECT grp, SUM(v) AS v FROM wards GROUP BY grp, o HAVING v > 5) t GROUP BY t.grp HAVING v > 10",
		"WITH c AS (SELECT grp, SUM(v) AS v FROM wards GROUP BY grp HAVING v > 15) SELECT * FROM c",
		"SELECT grp, SUM(v) AS v FROM wards GROUP BY grp HAVING v > 15 UNION ALL SELECT 'z', 1",
	})
	p.asksView(t, []string{
		"SELECT zip, MAX(zip) AS sex FROM %s GROUP BY zip HAVING sex > '11110' ORDER BY zip",
		"SELECT zip, COUNT(*) AS age FROM %s GROUP BY zip HAVING age > 19 ORDER BY zip",
	})
}
