package differential

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// relations are three small tables with equal keys, none and NULLs; t has texts of numbers.
var relations = []string{
	`CREATE TABLE ra (id INT PRIMARY KEY, a INT, b INT, s VARCHAR(5) COLLATE utf8mb4_general_ci, d DECIMAL(4, 1), t VARCHAR(5), KEY (a))`,
	`INSERT INTO ra VALUES (0, 1, NULL, 'a', 1, '1'), (1, NULL, 2, 'A', 2.5, '01'), (2, 3, 0, 'b', 0, '2.5'), (3, 1, 1, NULL, NULL, NULL), (4, 0, 2, 'c', 2, ' 2')`,
	`CREATE TABLE rb (id INT PRIMARY KEY, a INT, b INT, s VARCHAR(5) COLLATE utf8mb4_general_ci, d DECIMAL(4, 1), t VARCHAR(5))`,
	`INSERT INTO rb VALUES (0, 2, 1, 'b', 2, '1.0'), (1, 1, NULL, 'a', 1, '1'), (2, NULL, 3, NULL, 1, '3'), (3, 3, 0, 'A', NULL, '0')`,
	`CREATE TABLE rc (id INT, a INT, b INT, s VARCHAR(5) COLLATE utf8mb4_general_ci, d DECIMAL(4, 1), t VARCHAR(5), KEY (id), KEY (t))`,
	`INSERT INTO rc VALUES (1, 1, 0, 'a', 2.5, '2'), (1, NULL, 3, 'c', 0, '02'), (NULL, 2, 2, 'B', 3, NULL), (3, 0, NULL, NULL, NULL, '1')`,
}

// A relational generates random joins and subqueries, with conditions on the joined and the outer tables.
type relational struct {
	grammar
	aliases int
}

func (r *relational) alias() string {
	r.aliases++
	return fmt.Sprintf("x%d", r.aliases)
}

// number is a column of one of some tables, text another; keys of either kind are compared with each other.
func (r *relational) number(tables []string) string {
	return r.of(tables...) + r.of(".id", ".a", ".b", ".id", ".a", ".b", ".d")
}
func (r *relational) text(tables []string) string { return r.of(tables...) + ".s" }
func (r *relational) key(tables []string) string {
	if r.IntN(4) == 0 {
		return r.of(tables...) + ".t"
	}
	return r.number(tables)
}

func (r *relational) value(tables []string, depth int) string {
	switch n := r.number(tables); r.IntN(10) {
	case 0:
		return "(" + n + r.of(" + 0", " + 1", " + 2") + ")"
	case 1:
		return "COALESCE(" + n + r.of(", 0", ", 3") + ")"
	case 2:
		return "(-" + n + ")"
	case 3:
		return r.of("0", "1", "2", "4")
	case 4:
		if depth > 0 {
			return r.scalar(tables, depth-1)
		}
		fallthrough
	default:
		return n
	}
}

func (r *relational) scalar(outside []string, depth int) string {
	from, tables := r.joins(depth)
	return "(SELECT " + r.of("MAX", "MIN", "COUNT", "SUM") + "(" + r.number(tables) + ") FROM " + from + r.where(tables, outside, depth) + ")"
}

// condition is one of tables, which may read those outside.
func (r *relational) condition(own, outside []string, depth int) string {
	all := own
	if r.IntN(5) < 3 {
		all = slices.Concat(own, outside)
	}
	if depth > 0 && r.IntN(3) == 0 {
		return r.subquery(own, all, depth-1)
	}
	switch r.IntN(8) {
	case 0:
		return r.number(all) + r.of(" IS NULL", " IS NOT NULL")
	case 1:
		return r.text(own) + r.of(" = ", " < ", " LIKE ") + r.of(r.text(all), "'a'", "'B'", "'%b'", "'c'")
	case 2:
		return r.number(own) + " IN (" + r.value(all, 0) + r.of(", 0)", ", 2)", ", 4)")
	case 3:
		return "(" + r.condition(own, outside, 0) + " OR " + r.condition(own, outside, 0) + ")"
	case 4:
		return "NOT (" + r.condition(own, outside, max(0, depth-1)) + ")"
	}
	if r.IntN(3) == 0 {
		return r.key(own) + r.of(" = ", " = ", " <> ", " < ", " <=> ") + r.key(all)
	}
	return r.number(own) + r.of(" = ", " = ", " = ", " < ", " > ", " <> ", " <=> ") + r.value(all, depth)
}

func (r *relational) subquery(own, all []string, depth int) string {
	from, tables := r.joins(depth)
	rest := " FROM " + from + r.where(tables, all, depth) + ")"
	switch r.IntN(10) {
	case 0:
		return r.number(own) + r.of(" = ", " < ", " >= ") + r.scalar(all, depth)
	case 1:
		return r.number(own) + r.of(" > ALL", " = ANY", " <= ANY") + " (SELECT " + r.number(tables) + rest // MariaDB compares a number with the greatest text
	case 2, 3, 4, 5:
		return r.key(own) + r.of("", " NOT") + " IN (SELECT " + r.key(tables) + rest
	}
	return r.of("", "NOT ") + "EXISTS (SELECT " + r.of("1", "*", r.number(tables)) + rest
}

func (r *relational) where(own, outside []string, depth int) string {
	if r.IntN(4) == 0 {
		return ""
	}
	terms := make([]string, 1+r.IntN(3))
	for i := range terms {
		terms[i] = r.condition(own, outside, depth)
	}
	return " WHERE " + strings.Join(terms, r.of(" AND ", " AND ", " AND ", " OR "))
}

// joins are one to three tables, or derived ones.
func (r *relational) joins(depth int) (from string, tables []string) {
	for range r.IntN(3) + 1 {
		alias := r.alias()
		table := r.of("ra", "rb", "rc")
		if depth > 0 && r.IntN(8) == 0 {
			below := r.alias()
			table = "(SELECT * FROM " + table + " " + below + r.where([]string{below}, nil, depth-1) + ")"
		}
		table += " " + alias
		if from == "" {
			from, tables = table, []string{alias}
			continue
		}
		on := r.key([]string{alias}) + " = " + r.key(tables)
		tables = append(slices.Clone(tables), alias)
		if r.IntN(2) == 0 {
			on += " AND " + r.condition(tables, nil, 0)
		}
		from += r.of(" JOIN ", " JOIN ", " LEFT JOIN ", " RIGHT JOIN ") + table + " ON " + on
	}
	return from, tables
}

func (r *relational) branch(depth int) string {
	from, tables := r.joins(depth)
	columns := r.value(tables, depth) + " AS p, " + r.value(tables, 0) + " AS q"
	rest := " FROM " + from + r.where(tables, nil, depth)
	switch r.IntN(7) {
	case 0:
		key := r.number(tables)
		return "SELECT " + key + " AS p, COUNT(*) AS q" + rest + " GROUP BY " + key + r.of("", " HAVING COUNT(*) > 1")
	case 1:
		return "SELECT DISTINCT " + columns + rest
	}
	return "SELECT " + columns + rest
}

// Joins and subqueries find the same rows as in MariaDB: no condition is lost, and no row is duplicated.
func TestJoinsAndSubqueries(t *testing.T) {
	queries, refusals := queriesOr(1_000, 50_000), 0
	p := newPair(t)
	servertest.Exec(t, p.own, relations...)
	servertest.Exec(t, p.other, relations...)
	for at := range queries {
		r := &relational{grammar: grammar{Rand: rand.New(rand.NewPCG(*seed, at))}}
		q := query{from: r.branch(1 + r.IntN(2)), whole: true}
		if r.IntN(4) == 0 {
			q.from += r.of(" UNION ", " UNION ALL ") + r.branch(1)
		}
		switch found, own, other := p.compare(t, q); found {
		case differ:
			t.Errorf("query %d differs: %s\n  own   %v\n  other %v", at, q, own, other)
		case refused:
			refusals++
			t.Logf("query %d: %s\n  own   %v", at, q, own)
		}
	}
	if refusals > int(queries/1_000) {
		t.Errorf("%d of %d queries are refused", refusals, queries)
	}
}

// A column of equal texts in two spellings, of integers or of decimals, with NULLs.
var setColumns = []string{"s", "a", "b", "d", "s, a", "a, d"}

// set counts the distinct rows of a UNION, INTERSECT or EXCEPT of plain tables, or its rows that are in another table. A set may have either of two
// spellings, so texts are shown in lower case.
func (r *relational) set() string {
	columns, left, right := r.of(setColumns...), r.of("ra", "rb", "rc"), r.of("ra", "rb", "rc")
	condition := r.of("", " WHERE x.a IS NOT NULL", " WHERE x.b > 0 OR x.s = 'A'", " WHERE x.id IN (SELECT id FROM rb)")
	if r.IntN(6) == 0 {
		return "SELECT COUNT(DISTINCT " + columns + ") FROM " + left + " x" + condition + r.of("", " GROUP BY b")
	}
	operation := r.of(" INTERSECT ", " EXCEPT ", " UNION ", " INTERSECT ", " EXCEPT ")
	if r.IntN(3) == 0 {
		return "SELECT COUNT(*) FROM " + left + " x WHERE (" + columns + ", id)" + r.of("", " NOT") + " IN (SELECT " + columns + ", " + r.of("id", "b") + " FROM " + right + " x" + condition + ")"
	}
	shown := "x." + columns[:1]
	if shown == "x.s" {
		shown = "LOWER(x.s)"
	}
	return "SELECT COUNT(*), COUNT(" + shown + "), MIN(" + shown + "), MAX(" + shown + ") FROM (SELECT " + columns + " FROM " + left + " x" + condition + operation +
		"SELECT " + columns + " FROM " + right + " x) x"
}

// frame is a window over a range of numbers, or up to a row and its peers.
func (r *relational) frame() string {
	order := r.of("a", "b", "d") + r.of("", " DESC") + " RANGE BETWEEN " +
		r.of("1 PRECEDING AND CURRENT ROW", "2 PRECEDING AND 1 FOLLOWING", "1 FOLLOWING AND 2 FOLLOWING", "UNBOUNDED PRECEDING AND 1 PRECEDING")
	if r.IntN(3) == 0 {
		order = r.of("s", "a", "d", "s DESC")
	}
	return "SELECT id, " + r.of("COUNT(*)", "COUNT(a)", "SUM(b)", "MAX(d)") + " OVER (" + r.of("", "PARTITION BY s ") + "ORDER BY " + order + ") AS n FROM " + r.of("ra", "rb")
}

// rollup has totals of one to three keys.
func (r *relational) rollup() string {
	keys := []string{"a", "b", "d", "LOWER(s)", "a + 1", "b IS NULL", "COALESCE(d, a > 1)"}
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:1+r.IntN(3)]
	return "SELECT " + strings.Join(keys, ", ") + ", COUNT(*), SUM(id), COUNT(DISTINCT a, b), MAX(d) FROM " + r.of("ra", "rb", "rc") + r.of("", " WHERE a > 0", " WHERE a > 100") +
		" GROUP BY " + strings.Join(keys, ", ") + " WITH ROLLUP" + r.of("", " HAVING COUNT(*) > 1", " HAVING SUM(id) < 4")
}

// Set operations, window frames and rollups equal MariaDB's.
func TestSetsFramesAndRollups(t *testing.T) {
	p := newPair(t)
	servertest.Exec(t, p.own, relations...)
	servertest.Exec(t, p.other, relations...)
	for at := range queriesOr(300, 5_000) {
		r := &relational{grammar: grammar{Rand: rand.New(rand.NewPCG(*seed, at))}}
		q := query{whole: true}
		switch r.IntN(4) {
		case 0:
			q.from = r.frame()
		case 1:
			q.from = r.rollup()
		default:
			q.from = r.set()
		}
		if found, own, other := p.compare(t, q); found != agree {
			t.Errorf("query %d: %s\n  own   %v\n  other %v", at, q, own, other)
		}
	}
}
