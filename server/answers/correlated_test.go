package answers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/testsize"
)

// correlatedTypes are the columns of both tables of the tests of subqueries, with values
// that are equal in one sense or another.
var correlatedTypes = []struct{ name, typ, values string }{
	{"i", "INT", "1|2|3|-1|NULL"},
	{"l", "BIGINT", "1|2|9007199254740993|9007199254740992|NULL"},
	{"ul", "BIGINT UNSIGNED", "1|2|18446744073709551615|0|NULL"},
	{"d", "DECIMAL(6,2)", "1.00|2.50|-1.00|3|NULL"},
	{"e", "DECIMAL(8,3)", "1.000|2.501|2.500|NULL"},
	{"f", "DOUBLE", "1|2.5|-0.0|0|NULL"},
	{"g", "FLOAT", "1|2.5|0.1|NULL"},
	{"s", "VARCHAR(10) COLLATE utf8mb4_0900_ai_ci", "'a'|'A'|'á'|'b'|'1'|'1.0'|''|NULL"},
	{"t", "VARCHAR(20) COLLATE utf8mb4_0900_ai_ci", "'a'|'Á'|'B '|'b'|'01'|NULL"},
	{"b", "VARCHAR(10) COLLATE utf8mb4_bin", "'a'|'A'|'b'|'1'|NULL"},
	{"dt", "DATE", "'2024-01-01'|'2024-02-29'|NULL"},
	{"ts", "DATETIME", "'2024-01-01 00:00:00'|'2024-02-29 10:00:00'|NULL"},
	{"n", "ENUM('a','b')", "'a'|'b'|NULL"},
}

// correlatedTables creates o, the outer table, and p, the table of the subqueries. Some rows occur twice.
func correlatedTables(r *rand.Rand) (statements []string) {
	for name, rows := range map[string]int{"o": 3 + r.IntN(12), "p": r.IntN(25)} {
		columns := []string{"id INT"}
		for _, c := range correlatedTypes {
			columns = append(columns, c.name+" "+c.typ)
		}
		statements = append(statements, fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(columns, ", ")))
		for id := range rows {
			values := []string{fmt.Sprint(id - r.IntN(2))}
			for _, c := range correlatedTypes {
				choices := strings.Split(c.values, "|")
				values = append(values, choices[r.IntN(len(choices))])
			}
			statements = append(statements, fmt.Sprintf("INSERT INTO %s VALUES (%s)", name, strings.Join(values, ", ")))
		}
	}
	slices.Sort(statements) // CREATE comes first
	return statements
}

type correlatedGrammar struct{ *rand.Rand }

func (g correlatedGrammar) of(choices ...string) string { return choices[g.IntN(len(choices))] }

// column is one of a table.
func (g correlatedGrammar) column(table string) string {
	return table + "." + correlatedTypes[g.IntN(len(correlatedTypes))].name
}

// term compares p with o.
func (g correlatedGrammar) term() string {
	same := correlatedTypes[g.IntN(len(correlatedTypes))].name
	switch g.IntN(10) {
	case 0:
		return g.column("p") + " = " + g.column("o")
	case 1:
		return g.of("p.i + 1 = o.i", "p.i = o.i + p.id", "p.d = o.i * 2", "o.d - 1 = p.e", "LOWER(p.s) = o.s", "p.s = CONCAT(o.s, '')", "p.i = o.d", "o.l = p.i", "p.ul = o.l")
	case 2:
		return g.of("p."+same+" <> o."+same, "p.id < o.id", "p.id <> o.id", "p."+same+" <=> o."+same, "p.d > o.d", "p.s LIKE o.s")
	case 3:
		return g.of("p.i = 1", "p.d IS NOT NULL", "p.s > 'a'", "p.i IN (1, 2)", "o.i = 1", "p.i = o.i OR p.d = o.d")
	case 4:
		return g.of("p.id IN (SELECT q.id FROM p q WHERE q.i = p.i)", "EXISTS (SELECT 1 FROM p q WHERE q.i = p.i AND q.d = o.d)",
			"p.d >= (SELECT AVG(q.d) FROM p q WHERE q.i = o.i)", "NOT EXISTS (SELECT 1 FROM o q WHERE q.s = p.s AND q.id <> o.id)")
	}
	return g.of("p."+same+" = o."+same, "o."+same+" = p."+same)
}

func (g correlatedGrammar) condition() string {
	terms := []string{g.term()}
	for g.IntN(2) == 0 {
		terms = append(terms, g.term())
	}
	return strings.Join(terms, " AND ")
}

// from is a source of rows that are called p.
func (g correlatedGrammar) from() string {
	return g.of("p", "p", "p", "(SELECT * FROM p WHERE i > 0) p", "(SELECT DISTINCT * FROM p) p", "p JOIN o x ON x.i = p.i", "p LEFT JOIN o x ON x.d = p.d AND x.id < p.id", "p, o x", "o p")
}

// value is a subquery with at most one row.
func (g correlatedGrammar) value() string {
	figure := g.of("COUNT(*)", "SUM(p.d)", "AVG(p.i)", "MAX(p.s)", "MIN(p.ts)", "COUNT(p.b)", "SUM(p.d) * 0.2", "GROUP_CONCAT(p.id)", "COUNT(DISTINCT p.s)", "COALESCE(SUM(p.i), o.i)", "MAX(p.i) + o.id")
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("(SELECT %s FROM %s WHERE %s ORDER BY p.id, p.d, p.s, p.i, p.l LIMIT 1)", g.of("p.d", "p.s", "p.id"), g.from(), g.condition())
	case 1:
		return fmt.Sprintf("(SELECT %s FROM %s WHERE %s HAVING COUNT(*) > %d)", figure, g.from(), g.condition(), g.IntN(3))
	}
	return fmt.Sprintf("(SELECT %s FROM %s WHERE %s)", figure, g.from(), g.condition())
}

func (g correlatedGrammar) truth() string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("%sEXISTS (SELECT %s FROM %s WHERE %s)", g.of("", "NOT "), g.of("1", "p.*", "p.id"), g.of("p", "p", g.from()), g.condition())
	case 1:
		return fmt.Sprintf("%s %sIN (SELECT %s FROM %s WHERE %s)", g.column("o"), g.of("", "NOT "), g.column("p"), g.of("p", g.from()), g.condition())
	case 2:
		return g.of("o.i", "o.d", "o.id") + g.of(" > ", " = ", " <= ", " <> ") + g.value()
	case 3:
		return g.value() + " IS " + g.of("", "NOT ") + "NULL"
	}
	return fmt.Sprintf("%sEXISTS (SELECT 1 FROM p WHERE %s)", g.of("", "NOT "), g.condition())
}

func (g correlatedGrammar) query() string {
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("SELECT o.id, %s AS x FROM o", g.value())
	case 1:
		return fmt.Sprintf("SELECT o.i, SUM(%s) AS x FROM o GROUP BY o.i", g.value())
	case 2:
		return fmt.Sprintf("SELECT o.id, p.id FROM o %s JOIN p ON %s", g.of("", "LEFT"), g.condition())
	case 3:
		return fmt.Sprintf("SELECT o.id, IF(%s, 1, 0) AS x FROM o WHERE %s OR o.id < 3", g.truth(), g.truth())
	case 4:
		return fmt.Sprintf("SELECT COUNT(*) FROM o JOIN p y ON o.i = y.i WHERE %s", g.truth())
	}
	return fmt.Sprintf("SELECT o.id FROM o WHERE %s AND %s", g.truth(), g.of("1 = 1", "o.id > 1", g.truth()))
}

// Correlated subqueries and joins give the same rows in the same order as without the rewrites that read tables once.
// Errors are the same, too, except for errors of pairs of rows that do not satisfy an equation: these pairs are no
// longer compared.
func TestCorrelatedAnswersEqualTheEngines(t *testing.T) {
	all := rewrites
	defer func() { rewrites = all }()
	without := slices.DeleteFunc(slices.Clone(all), func(r rewrite) bool { return r.reading })
	failed, different := 0, 0
	for seed := range testsize.Of(uint64(8), 25) {
		g := correlatedGrammar{rand.New(rand.NewPCG(seed, 21))}
		a := newAsked(t, true, correlatedTables(g.Rand)...)
		for range 40 {
			query := g.query()
			rewrites = without
			want := a.ask(query)
			rewrites = all
			if strings.HasPrefix(want, "error") {
				failed++
			}
			if got := a.ask(query); got != want && !strings.Contains(want, "Incorrect datetime value") && different < 10 {
				different++
				t.Errorf("seed %d: %s\n got %s\nwant %s", seed, query, got, want)
			}
		}
	}
	if asked := testsize.Of(8, 25) * 40; failed > asked/5 {
		t.Errorf("%d of %d queries fail", failed, asked)
	}
}

// CREATE TABLE ... SELECT reads like the query; statements that change a table read like the engine.
func TestCorrelatedInStatementsThatChange(t *testing.T) {
	for _, r := range rewrites {
		if !r.reading {
			continue
		}
		a := newAsked(t, true, tables...)
		if took, most := objects(a, "CREATE TABLE made AS "+r.probe), measured[r.name].most; took > most {
			t.Errorf("%s in CREATE TABLE makes %d objects, want at most %d", r.name, took, most)
		}
		if got := a.ask("SELECT COUNT(*) FROM made"); got != "1" {
			t.Errorf("%s: the table has %s rows", r.name, got)
		}
	}
	a := newAsked(t, true, tables...)
	a.ask("UPDATE many SET x = (SELECT COUNT(*) FROM many b WHERE b.id < many.x)")
	if got := a.ask("SELECT x, COUNT(*) FROM many GROUP BY x ORDER BY x"); got != "0 | 100; 1 | 100; 2 | 100" {
		t.Errorf("after the update there are %s", got)
	}
}
