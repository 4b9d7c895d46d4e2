package differential

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// mixedCondition compares quasi-identifiers with values of other types, in lists and rows.
func (g grammar) mixedCondition() string {
	number := func() string {
		return g.of("30", "30.5", "'30'", "'41'", "'41.5'", "40", "NULL", "41e0", "11100", "'11110'", "2")
	}
	text := func() string { return g.of("'F'", "'M'", "'m'", "'x'", "''") }
	zip := func() string { return g.of("'11100'", "11100", "11110", "'11120'", "'111'", "NULL", "11125") }
	list := func(of func() string) string { return "(" + of() + ", " + of() + g.of("", ", "+of()) + ")" }
	not := g.of("", "NOT ")
	compared := func() string { return g.of("=", "<>", "<", ">=", "<=>") }
	switch g.IntN(16) {
	case 0:
		return "age " + not + "IN " + list(number)
	case 1:
		return "charge " + not + "IN " + list(func() string { return g.of("17.31", "'34.62'", "50.93", "'50.930'", "NULL", "51") })
	case 2:
		return "sex " + not + "IN " + list(func() string { return g.of("'F'", "'M'", "'x'", "NULL", "0", "1") })
	case 3:
		return "zip " + not + "IN " + list(zip)
	case 4:
		return "zip " + compared() + " " + zip()
	case 5:
		return "(age, sex) " + g.of("=", "<>", "<", ">=") + " (" + g.of("30", "41", "52") + ", " + text() + ")"
	case 6:
		return "(age, sex) " + not + "IN ((" + g.of("30", "41") + ", 'F'), (" + g.of("52", "33") + ", " + g.of("'M'", "'F'") + "))"
	case 7:
		return "age " + not + "BETWEEN " + g.of("30", "'30'", "30.5") + " AND " + g.of("50", "'50.5'", "NULL")
	case 8:
		return "born " + compared() + " " + g.of("'1970-01-01'", "19700101", "'1970-1-1'", "DATE '1975-05-05'", "'1970-01-01 00:00:01'", "19700101000000", "TIMESTAMP '1970-01-01 12:00:00'")
	case 9:
		return "born " + not + "IN " + list(func() string { return g.of("'1943-04-22'", "19430422", "'1944-5-1'", "NULL", "DATE '1945-06-08'") })
	case 10: // rows with NULL
		return "(age, zip, sex) " + compared() + " (" + number() + ", " + zip() + ", " + text() + ")"
	case 11:
		return "(zip, age) " + not + "IN ((" + zip() + ", " + number() + "), (" + zip() + ", " + number() + "))"
	case 12: // a text, and a number, as a condition
		return g.of("zip", "sex", "age", "charge", "weight", "age - 33", "LEFT(zip, 1) - 1", "CONCAT(age, 'x')", "born") + g.of("", " IS NOT TRUE", " AND age > 30")
	case 13:
		return "NULLIF(" + g.of("zip, "+zip(), "age, "+number(), "sex, "+text()) + ") IS " + g.of("", "NOT ") + "NULL"
	case 14:
		return g.of("LEAST", "GREATEST", "COALESCE", "IFNULL") + "(" + g.of("age, "+number(), "zip, "+zip(), "charge, "+number()) + ") " + compared() + " " + number()
	}
	return "CASE " + g.of("zip WHEN "+zip(), "age WHEN "+number(), "sex WHEN "+text()) + " THEN 1 WHEN '11130' THEN 2 ELSE 0 END " + g.of("= 1", "<> 0", "= 2", "IN (1, '2.0')")
}

// sameQuestion returns a question that a release answers exactly, with %s for the figures.
func (g grammar) sameQuestion() query {
	figure := g.of("COUNT(*)", "SUM(age)", "MAX(charge)", "MIN(zip)", "COUNT(zip)", "COUNT(DISTINCT sex)", "AVG(age)", "SUM("+g.publishedNumber()+")", "AVG(charge)", "COUNT(NULLIF(zip, 11110))", "SUM(zip IN ('11110', 11120))",
		"SUM(age) / COUNT(*)", "MIN(born)", "MAX(weight)")
	q := query{from: "%s", columns: []string{figure + " AS n"}}
	if g.IntN(4) > 0 {
		q.where = g.mixedCondition()
		if g.IntN(3) == 0 {
			q.where = "NOT (" + q.where + ") OR " + g.publishedCondition(0)
		}
	}
	if g.IntN(3) > 0 {
		key := g.of("sex", "zip", "age DIV 10", "YEAR(born)", g.publishedKey())
		figured, keyed := g.of("n", "m", "age", "charge"), g.of("k", "k", "born", "weight") // which is a column's name, too
		q.columns = []string{key + " AS " + keyed, figure + " AS " + figured}
		q.tail = " GROUP BY " + g.of(key, "1") + g.of("", " HAVING "+figured+" > 3", " HAVING "+figure+" > 3 AND "+figured+" < 3000", " HAVING "+keyed+" IS NOT NULL", " HAVING COUNT(*) IN (2, '3', 4.0, 45)", " HAVING NOT "+figured+" IN (7, '31')",
			" HAVING ("+figured+", COUNT(*)) > (3, NULL)")
		q.tail += " ORDER BY " + g.of("1", "2, 1", figured+", 1", "2 DESC, 1")
		switch g.IntN(6) {
		case 0: // a window over the groups
			q.columns = append(q.columns, g.of("SUM(COUNT(*)) OVER ()", "COUNT(*) / SUM(COUNT(*)) OVER ()", "RANK() OVER (ORDER BY COUNT(*) DESC)", "SUM(SUM(age)) OVER (ORDER BY "+key+")", "LAG(COUNT(*)) OVER (ORDER BY "+key+")")+" AS w")
		case 1:
			text := g.of("SELECT COUNT(*), MIN("+keyed+"), SUM("+figured+" IN (3, '4', 50.5)) FROM (%q) q", "SELECT "+keyed+" FROM (%q) q WHERE "+figured+" > (SELECT AVG(age) FROM %s) ORDER BY 1", "SELECT "+keyed+", "+figured+" FROM (%q) q WHERE NOT EXISTS (SELECT 1 FROM (SELECT 1) o WHERE q."+keyed+" > 5) ORDER BY 1")
			return query{from: strings.ReplaceAll(text, "%q", q.String()), whole: true, tail: q.tail}
		}
	}
	return q
}

// A table and the published view of its rows give the same answer, if the view's is exact.
func TestViewAndTable(t *testing.T) {
	queries, seed := queriesOr(100, 400), *seed
	t.Logf("seed %d, %d queries", seed, queries)
	db := connect(t, "tcp", servertest.Start(t, server.Config{Extend: server.Product}).Addr, "root")
	servertest.Exec(t, db, patients()...)
	servertest.Exec(t, db, "CALL anonymize('d.p', 'slppa', 'qi=age,sex,zip,born,charge,weight', 'sa=disease', 'beta=0.5', 'tables=1', 'publish=v', 'seed=3')")
	answered := 0
	for at := range queries {
		q := newGrammar(seed, at).sameQuestion()
		view, table := strings.ReplaceAll(q.String(), "%s", "published.v"), strings.ReplaceAll(q.String(), "%s", "p")
		ofView, ofTable := ask(t, db, view), ask(t, db, table)
		switch {
		case ofView.err != nil && ofTable.err != nil:
			continue
		case ofView.err != nil || ofTable.err != nil, !equal(ofView, ofTable, q.tail != "", averaged.MatchString(view)):
			t.Errorf("query %d: %s\n  view  %v\n  table %v", at, view, ofView, ofTable)
		}
		answered++
	}
	if answered < int(queries)*9/10 {
		t.Errorf("%d of %d questions are answered", answered, queries)
	}
}
