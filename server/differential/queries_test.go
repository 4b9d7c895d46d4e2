package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A query is a SELECT with the parts by which it can be reduced.
type query struct {
	columns []string
	from    string // and the clauses up to GROUP BY
	where   string
	tail    string
	ordered bool
	whole   bool // from is the query
}

func (q query) String() string {
	if q.whole {
		return q.from
	}
	text := "SELECT " + strings.Join(q.columns, ", ") + " FROM " + q.from
	if q.where != "" {
		text += " WHERE " + q.where
	}
	return text + q.tail
}

// smaller are queries with a part less.
func (q query) smaller() (list []query) {
	if q.where != "" {
		less := q
		less.where = ""
		list = append(list, less)
	}
	if q.tail == "" || q.tail == " ORDER BY v.id" {
		for i := range q.columns {
			if len(q.columns) > 1 {
				less := q
				less.columns = []string{q.columns[i]}
				list = append(list, less)
			}
		}
	}
	return list
}

func newGrammar(seed, at uint64) grammar { return grammar{Rand: rand.New(rand.NewPCG(seed, at))} }

func (g grammar) any(depth int) string {
	switch g.IntN(5) {
	case 0:
		return g.whole(depth)
	case 1:
		return g.number(depth)
	case 2:
		return g.text(depth)
	case 3:
		return g.date(depth)
	}
	return g.condition(depth)
}

// query is a random SELECT.
func (g grammar) query() query {
	switch g.IntN(10) {
	case 0:
		return g.beside(g.grouped())
	case 1:
		return g.beside(g.joining())
	case 2:
		return g.beside(g.windowed())
	case 3:
		return g.union()
	case 4:
		return g.nested()
	case 5:
		return g.correlated()
	case 6:
		return g.beside(g.ranked())
	}
	return g.beside(g.scalar())
}

func (g grammar) scalar() query {
	q := query{from: "v", tail: " ORDER BY v.id", ordered: true}
	for i := range 1 + g.IntN(3) {
		q.columns = append(q.columns, fmt.Sprintf("%s AS c%d", g.any(2), i))
	}
	if g.IntN(3) == 0 {
		q.where = g.condition(2)
	}
	return q
}

func (g grammar) aggregate(depth int) string {
	return g.fill(g.of("COUNT(*)", "COUNT({N})", "SUM({N})", "AVG({N})", "MIN({N})", "MAX({N})", "MIN(LOWER(v.s))", "MAX({D})", "MIN({D})", "COUNT(DISTINCT {I})", "SUM({I})",
		"SUM(IF({C}, 1, 0))", "SUM(CASE WHEN {C} THEN {N} ELSE 0 END)", "COUNT(DISTINCT v.s)", "SUM(DISTINCT v.i)", "GROUP_CONCAT(v.id ORDER BY v.id)",
		"ROUND(AVG({X}), 1)", "ROUND(SUM({X}), {k})", "ROUND(SUM({X}))", "TRUNCATE(SUM({X}), 1)", "ROUND(AVG({X}))", "FORMAT(SUM({X}), 1)", "FORMAT(AVG({X}), 2)", "SUM({I}) / COUNT(*)", "STDDEV(v.i)", "VARIANCE(v.d)", "BIT_OR(v.i)", "MAX({N}) - MIN({N})", "GROUP_CONCAT(v.dt ORDER BY v.id SEPARATOR ';')",
		"COALESCE(SUM({N}), 0)", "CAST(SUM({N}) AS SIGNED)", "IFNULL(MAX({D}), '2000-01-01')"), depth)
}

func (g grammar) grouped() query {
	key := g.of("v.g", "YEAR(v.dt)", "v.i > 3", "COALESCE(v.g, 0)", "v.i DIV 10", "DATE_FORMAT(v.dt, '%Y')", "IF(v.d > 1, 'a', 'b')", "QUARTER(v.ts)", "LOWER(v.s)", "WEEK(v.dt, 3)")
	q := query{from: "v", columns: []string{key + " AS k", g.aggregate(2) + " AS a0"}}
	if g.IntN(2) == 0 {
		q.columns = append(q.columns, g.aggregate(2)+" AS a1")
	}
	if g.IntN(3) == 0 {
		q.where = g.condition(1)
	}
	q.tail = " GROUP BY " + g.of(key, "k")
	switch g.IntN(4) {
	case 0:
		q.tail += " HAVING " + g.of("COUNT(*) > 1", "SUM(v.i) > (SELECT SUM(i) * 0.1 FROM v)", "MAX(v.d) IS NOT NULL", "COUNT(*) < 3",
			"COUNT(*) >= (SELECT AVG(n) FROM (SELECT COUNT(*) n FROM v GROUP BY g) t)", "SUM(v.i) > (SELECT AVG(n) FROM w)")
	case 1:
		return query{from: "v", columns: q.columns[1:], where: q.where}
	}
	return q
}

func (g grammar) joining() query {
	g.joined = true
	q := query{from: "v " + g.of("JOIN", "LEFT JOIN", "JOIN") + " w ON " + g.of("v.g = w.k", "v.i = w.n", "v.s = w.y", "v.dt = w.z", "v.d = w.x", "v.g = w.k AND v.i > w.n", "v.g = w.k AND "+impossible("v", g), "v.id = w.k OR v.i = w.n", "v.id < w.k"),
		columns: []string{"v.id", g.any(2) + " AS c0"}}
	if g.IntN(2) == 0 {
		q.where = g.condition(2)
	}
	return q
}

func (g grammar) windowed() query {
	over := g.of("OVER ()", "OVER (PARTITION BY v.g)", "OVER (ORDER BY v.id)", "OVER (PARTITION BY v.g ORDER BY v.id)", "OVER (ORDER BY v.i, v.id)",
		"OVER (ORDER BY v.id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)")
	ranked := g.of("OVER (ORDER BY v.i)", "OVER (PARTITION BY v.g ORDER BY v.d)", "OVER (ORDER BY v.g DESC)")
	figure := g.of(g.fill("SUM({N}) ", 1)+over, g.fill("COUNT({N}) ", 1)+over, g.fill("AVG({N}) ", 1)+over, g.fill("MAX({N}) ", 1)+over, "RANK() "+ranked, "DENSE_RANK() "+ranked,
		"v.i / SUM(v.i) "+over, "v.d * 100 / SUM(v.d) "+over, "ROW_NUMBER() OVER (ORDER BY v.id)", "LAG(v.i) OVER (ORDER BY v.id)", "LEAD(v.dt, 2) OVER (ORDER BY v.id)", "FIRST_VALUE(v.s) OVER (PARTITION BY v.g ORDER BY v.id)",
		"PERCENT_RANK() "+ranked, "NTILE(3) OVER (ORDER BY v.id)", "ROUND(v.i / SUM(v.i) "+over+", 2)", "v.i - AVG(v.i) "+over)
	return query{from: "v", columns: []string{"v.id", figure + " AS c0"}, tail: " ORDER BY v.id", ordered: true}
}

// ranked is about windows over groups.
func (g grammar) ranked() query {
	key := g.of("v.g", "YEAR(v.dt)", "v.i DIV 10", "QUARTER(v.ts)")
	figure := g.of("COUNT(*)", "SUM(v.i)", "SUM(v.d)", "MAX(v.i)", "COUNT(v.s)", "MIN(v.dt)", g.fill("COUNT({N})", 1))
	number := g.of("COUNT(*)", "SUM(v.i)", "COUNT(v.d)", "MAX(v.i)")
	over := g.of("OVER ()", "OVER (ORDER BY "+key+")", "OVER (PARTITION BY "+figure+" IS NULL)", "OVER (ORDER BY "+key+" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", "OVER w")
	ordered := "OVER (" + g.of("", "PARTITION BY "+figure+" IS NULL ") + "ORDER BY " + figure + g.of("", " DESC")
	column := g.of("SUM("+number+") "+over, "AVG("+number+") "+over, "MAX("+figure+") "+over, "COUNT("+figure+") "+over, number+" / SUM("+number+") "+over, "ROUND(100 * "+number+" / SUM("+number+") "+over+", 1)",
		"RANK() "+ordered+")", "DENSE_RANK() "+ordered+")", "ROW_NUMBER() "+ordered+", "+key+")", "NTILE(2) "+ordered+", "+key+")", "LAG("+figure+") OVER (ORDER BY "+key+")", "LEAD("+figure+", 2) OVER (ORDER BY "+key+")",
		"FIRST_VALUE("+figure+") "+g.of("OVER w", "OVER (ORDER BY "+key+" DESC)"), number+" - LAG("+number+") OVER (ORDER BY "+key+")", "IF(RANK() "+ordered+") = 1, 'first', "+key+")")
	q := query{from: "v", columns: []string{key + " AS k", column + " AS c0"}}
	if g.IntN(3) == 0 {
		q.where = g.condition(1)
	}
	q.tail = " GROUP BY " + g.of(key, "k", "1") + g.of("", " HAVING COUNT(*) > 1", " HAVING k IS NOT NULL") + " WINDOW w AS (ORDER BY " + key + ") ORDER BY " + g.of("k", "1", key)
	q.ordered = true
	switch g.IntN(6) {
	case 0:
		q.tail += g.of(" LIMIT 2", " LIMIT 1 OFFSET 1")
	case 1:
		return query{from: "(" + q.String() + ") q", columns: []string{g.of("COUNT(c0)", "MAX(c0)", "MIN(k)")}}
	case 2:
		q.tail, q.ordered = " GROUP BY "+key+" WITH ROLLUP", false
		q.columns = []string{key + " AS k", "SUM(COUNT(*)) OVER () AS c0"}
	}
	return q
}

var numberBranches = []string{"SELECT 1 AS u", "SELECT 70000 AS u", "SELECT 2.5 AS u", "SELECT NULL AS u", "SELECT i AS u FROM v", "SELECT n AS u FROM w", "SELECT d AS u FROM v",
	"SELECT x AS u FROM w", "SELECT f AS u FROM v", "SELECT ti AS u FROM v", "SELECT -1 AS u", "SELECT -2.5e0 AS u", "SELECT (i = 5) AS u FROM v", "SELECT SUM(i) AS u FROM v", "SELECT COUNT(*) AS u FROM v"}

func (g grammar) union() query {
	branch := func() string {
		return g.of(g.fill("SELECT {N} AS u FROM v", 2), g.fill("SELECT DATE({D}) AS u FROM v", 2), g.fill("SELECT ({C}) AS u FROM v", 2), "SELECT "+g.fill("{I}", 1)+" AS u FROM v", "SELECT 1 AS u", "SELECT 70000 AS u", "SELECT 2.5 AS u", "SELECT -1 AS u", "SELECT -2.5e0 AS u", "SELECT 1.5e0 AS u", "SELECT NULL AS u", "SELECT i AS u FROM v", "SELECT n AS u FROM w",
			"SELECT d AS u FROM v", "SELECT x AS u FROM w", "SELECT s AS u FROM v", "SELECT dt AS u FROM v", "SELECT ts AS u FROM v")
	}
	set := branch() + " " + g.of("UNION ALL", "UNION ALL", "UNION") + " " + branch()
	for g.IntN(3) == 0 { // a chain of numbers: in MariaDB the form of dates and texts depends on all branches
		set = g.of(numberBranches...) + " UNION " + g.of(numberBranches...) + " UNION ALL " + g.of(numberBranches...) + g.of("", " UNION "+g.of(numberBranches...))
	}
	if g.IntN(4) == 0 {
		return query{from: set, whole: true}
	}
	column := g.of("u", "u", "COUNT(u)", "COUNT(*)", "u IS NULL")
	return query{from: "(" + set + ") q", columns: []string{column}}
}

// correlated is about subqueries over w, or over v again, that look at v.
func (g grammar) correlated() query {
	inner, equation := "w", g.of("w.k = v.g", "w.n = v.i", "v.s = w.y", "w.z = v.dt", "w.x = v.d", "w.k = v.g AND w.n <> v.i", "w.k = v.g AND w.x > v.d", "w.n + 1 = v.i", "w.k = v.g AND w.z = v.dt", "w.k = v.g OR w.n = v.i")
	figure := g.of("COUNT(*)", "SUM(w.x)", "MAX(w.z)", "MIN(w.y)", "0.5 * AVG(w.n)", "COUNT(w.n)", "COUNT(DISTINCT w.k)", "SUM(w.n) + v.id")
	if g.IntN(3) == 0 {
		inner, equation = "v u", g.of("u.g = v.g", "u.g = v.g AND u.id <> v.id", "u.i = v.i", "u.s = v.s", "u.c = v.c AND u.id < v.id", "u.d = v.e", "u.g = v.g AND u.d IS NOT NULL", "u.dt = v.dt", "u.ti = v.b")
		figure = g.of("COUNT(*)", "SUM(u.d)", "MAX(u.dt)", "MIN(u.s)", "0.5 * AVG(u.i)", "COUNT(u.b)", "SUM(u.i) - v.id")
	}
	if g.IntN(8) == 0 {
		equation += " AND " + impossible(inner[strings.LastIndex(inner, " ")+1:], g)
	}
	value := fmt.Sprintf("(SELECT %s FROM %s WHERE %s)", figure, inner, equation)
	exists := fmt.Sprintf("%sEXISTS (SELECT 1 FROM %s WHERE %s)", g.of("", "NOT "), inner, equation)
	switch g.IntN(4) {
	case 0:
		return query{from: "v", columns: []string{"v.id", value + " AS c0"}, where: g.of("", g.condition(1))}
	case 1:
		return query{from: "v", columns: []string{"v.id", exists + " AS c0"}}
	case 2:
		return query{from: "v", columns: []string{"v.id"}, where: g.of(value+" IS NULL", "v.id > "+strings.Replace(value, figure, "COUNT(*)", 1), exists+" OR v.id = 1")}
	}
	return query{from: "v", columns: []string{"v.id"}, where: exists + g.of("", " AND "+g.condition(1), " AND "+impossible("v", g))}
}

// impossible is a condition on a table's key, if it has one, that no row meets.
func impossible(table string, g grammar) string {
	key := table + "." + map[bool]string{true: "k", false: "id"}[table == "w"]
	return strings.ReplaceAll(g.of("% = NULL", "NULL = %", "% < NULL", "% IN (NULL)", "% = 3 AND % = 4", "% BETWEEN 5 AND 2", "% = NULLIF(1, 1)", "1 = 0"), "%", key)
}

func (g grammar) nested() query {
	inner := g.scalar()
	inner.columns = append([]string{"v.id"}, inner.columns[:1]...)
	inner.tail = ""
	switch g.IntN(7) {
	case 6:
		return query{from: "v", columns: []string{"DISTINCT " + g.of(g.number(2), g.date(2), "("+g.condition(1)+")", "v.g") + g.of(" AS c0", "")}, tail: " ORDER BY 1" + g.of("", " DESC"), ordered: true}
	case 0:
		inner.columns[1] = g.of(g.number(2), g.date(2)) + " AS c0" // texts of functions are compared bytewise
		return query{from: "(" + inner.String() + ") q", columns: []string{g.of("COUNT(c0)", "MAX(c0)", "MIN(c0)", "COUNT(DISTINCT id)")}}
	case 1:
		return query{from: "v", columns: []string{"v.id", g.of("(SELECT COUNT(*) FROM w WHERE w.k = v.g)", "(SELECT SUM(w.x) FROM w WHERE w.n < v.i)", "(SELECT MAX(z) FROM w)", "EXISTS (SELECT 1 FROM w WHERE w.k = v.g)",
			"v.i IN (SELECT n FROM w)", "v.g NOT IN (SELECT k FROM w WHERE k IS NOT NULL)", "v.d > (SELECT AVG(x) FROM w)")}, where: g.condition(1)}
	case 2:
		return query{from: "v", columns: []string{"v.id"}, where: g.of("v.i IN (SELECT n FROM w)", "v.g IN (SELECT k FROM w WHERE x > 1)", "EXISTS (SELECT 1 FROM w WHERE w.k = v.g AND w.x > v.d)",
			"NOT EXISTS (SELECT 1 FROM w WHERE w.k = v.g)", "v.i > (SELECT MIN(n) FROM w)", "v.s IN (SELECT y FROM w)", "v.dt = (SELECT MAX(z) FROM w)") + " AND " + g.of("1 = 1", g.condition(1))}
	case 3:
		return query{from: "v", columns: []string{"v.id", "v.i"}, tail: " ORDER BY " + g.of("v.i, v.id", "v.i DESC, v.id", "v.d, v.id", "v.s, v.id", "v.dt DESC, v.id", "v.i IS NULL, v.i, v.id", "v.id % 3, v.id") + g.of(" LIMIT 3", " LIMIT 2 OFFSET 4", ""), ordered: true}
	case 4:
		return query{from: "(SELECT g, " + g.aggregate(1) + " AS a FROM v GROUP BY g) q", columns: []string{"g", g.of("a", "COALESCE(a, 'none')", "a IS NULL")}}
	}
	return query{from: "(" + inner.String() + ") q", columns: []string{"id", "c0"}, where: g.of("c0 IS NOT NULL", "id > 3", "c0 IS NULL")}
}
