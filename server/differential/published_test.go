package differential

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// patients is a table for both servers, with enough rows for groups of every method. A rule makes the values, without
// chance.
func patients() []string {
	var rows []string
	for i := range 90 {
		born := fmt.Sprintf("'19%02d-%02d-%02d'", 40+i%50, 1+i%12, 1+i*7%28)
		zip := fmt.Sprintf("'%d'", 11100+i%4*10)
		if i%9 == 0 {
			zip = "NULL"
		}
		rows = append(rows, fmt.Sprintf("(%d, '%s', %s, %s, %d.%02d, %d.5, '%s')", 20+i*13%60, []string{"F", "M"}[i%2], zip, born, i*17%300, i*31%100, i%23,
			[]string{"flu", "cold", "asthma", "cancer", "none"}[i*i%5]))
	}
	return []string{
		"CREATE TABLE p (age INT, sex VARCHAR(1), zip VARCHAR(10), born DATE, charge DECIMAL(8,2), weight DOUBLE, disease VARCHAR(20))",
		"INSERT INTO p VALUES " + strings.Join(rows, ", "),
	}
}

func (g grammar) publishedKey() string {
	return g.of("sex", "zip", "age DIV 10", "YEAR(born)", "QUARTER(born)", "age > 40", "LEFT(zip, 3)", "COALESCE(zip, 'none')", "IF(age > 40, 'old', 'young')", "DATE_FORMAT(born, '%Y-%m')",
		"WEEK(born, 3)", "FLOOR(charge / 100)", "CASE WHEN age < 30 THEN 'a' WHEN age < 50 THEN 'b' ELSE 'c' END", "TIMESTAMPDIFF(YEAR, born, '2024-06-30') DIV 10", "EXTRACT(WEEK FROM born)", "CAST(zip AS SIGNED)", "age % 7", "MOD(charge, 50.5) > 20", "FIELD(sex, 'M', 'F')", "CONV(zip, 10, 16)", "ROUND(charge, -2)", "SUBSTRING_INDEX(zip, '1', -1)", "MD5(sex)", "HEX(zip)", "born + INTERVAL '1-2' YEAR_MONTH > DATE '1990-01-01'")
}

func (g grammar) publishedNumber() string {
	return g.of("age", "charge", "weight", "age * 2 - 7", "charge + age", "IF(sex = 'F', age, charge)", "IFNULL(CAST(zip AS SIGNED), 0.5)", "COALESCE(charge, age)", "YEAR(born)", "LENGTH(zip)", "age DIV 7",
		"CASE WHEN zip IS NULL THEN 1 ELSE 2.5 END", "ROUND(charge, 1)", "DATEDIFF('2024-06-30', born)", "CAST(charge AS DECIMAL(10,1))", "ABS(age - 40)", "LEAST(age, charge)", "age % 7", "charge % 3.5", "ROUND(charge)", "TRUNCATE(charge, 1)", "TO_DAYS(born)", "FIND_IN_SET(sex, 'M,F')", "BIT_LENGTH(zip)", "CRC32(zip)", "GREATEST(age, 40.5)", "FLOOR(charge)")
}

func (g grammar) publishedCondition(depth int) string {
	if depth > 0 {
		return "(" + g.publishedCondition(depth-1) + g.of(" AND ", " OR ") + g.publishedCondition(0) + ")"
	}
	return g.of("age > 40", "charge > 33.995", "charge <= 50.235", "charge = 17.314", "charge IN (17.314, 34.62)", "charge BETWEEN 50.925 AND 50.929", "charge < 17.314e0", "age > 30.5", "weight > 3.49", "charge <> weight", "charge > weight", "age BETWEEN 25 AND 55", "sex = 'F'", "zip IS NOT NULL", "zip IN ('11100', '11110')", "born >= '1970-01-01'", "charge < 150.5", "weight >= 10", "NOT (age = 30)",
		"zip LIKE '111%'", "YEAR(born) < 1975", "age * 2 > charge", "COALESCE(zip, '0') <> '11100'", "TIMESTAMPDIFF(YEAR, born, '2024-06-30') >= 60", "born < CAST('1980-05-05' AS DATE)", "MONTH(born) % 2 = 0",
		"IF(zip IS NULL, 0, age) > 30", "born < '2024-06-30' - INTERVAL 60 YEAR", "born >= DATE '1970-01-01'", "born + INTERVAL '1-2' YEAR_MONTH < DATE '1980-05-05'", "age % 2 = 1", "ROUND(charge) > 100", "sex <=> 'F'", "(age > 40) IS NOT UNKNOWN", "FIELD(zip, '11100', '11120') > 0")
}

// published returns a question whose conditions, keys and arguments are quasi-identifiers, which are in one fragment.
func (g grammar) published() query {
	figure := func() string {
		x := g.publishedNumber()
		return g.of("COUNT(*)", "COUNT(NULL)", "COUNT("+x+")", "SUM("+x+")", "AVG("+x+")", "MIN("+x+")", "MAX("+x+")", "SUM("+x+") / COUNT(*)", "COUNT(DISTINCT zip)", "ROUND(AVG(age), 1)", "MAX(born)", "SUM(CASE WHEN "+g.publishedCondition(0)+" THEN 1 ELSE 0 END)")
	}
	q := query{from: "%s", columns: []string{figure() + " AS f0"}}
	if g.IntN(2) == 0 {
		q.columns = append(q.columns, figure()+" AS f1")
	}
	if g.IntN(3) > 0 {
		q.where = g.publishedCondition(g.IntN(3))
	}
	if g.IntN(2) == 0 {
		key := g.publishedKey()
		q.columns = append([]string{key + " AS k"}, q.columns...)
		q.tail = " GROUP BY " + g.of(key, "k", "1") + g.of("", " HAVING COUNT(*) > 3")
	}
	return q
}

// Exact questions of a published view are answered as MariaDB answers them of the raw table.
func TestExactQuestions(t *testing.T) {
	queries, seed := queriesOr(75, 300), *seed
	t.Logf("seed %d, %d queries", seed, queries)
	p := newPair(t)
	for _, db := range []*dbsql.DB{p.own, p.other} {
		servertest.Exec(t, db, patients()...)
	}
	servertest.Exec(t, p.own, "CALL anonymize('d.p', 'slppa', 'qi=age,sex,zip,born,charge,weight', 'sa=disease', 'beta=0.5', 'tables=1', 'publish=v', 'seed=3')")
	refused := 0
	for at := range queries {
		q := newGrammar(seed, at).published()
		view, table := strings.Replace(q.String(), "%s", "published.v", 1), strings.Replace(q.String(), "%s", "p", 1)
		own, other := ask(t, p.own, view), ask(t, p.other, table)
		switch {
		case other.err != nil:
			t.Errorf("query %d: %s\n  %v", at, table, other.err)
		case own.err != nil:
			refused++
			t.Logf("query %d: %s\n  %v", at, view, own.err)
		case !equal(own, other, false, averaged.MatchString(view)):
			t.Errorf("query %d: %s\n  own   %v\n  other %v", at, view, own, other)
		}
	}
	t.Logf("%d of %d refused", refused, queries)
	if refused > int(queries/10) {
		t.Errorf("%d of %d questions are refused", refused, queries)
	}
}
