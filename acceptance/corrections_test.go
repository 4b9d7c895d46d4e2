package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// A visitor is a row of the table that TestAnswersEqualBruteForce asks: nil is NULL,
// city ignores case.
type visitor struct {
	id      int
	city    *string
	n       *int
	amount  *float64 // DECIMAL(6,2), halves
	measure *float64 // DOUBLE, halves
}

func randomVisitors(r *rand.Rand, rows int) []visitor {
	cities := []string{"Rome", "rome", "ROME", "Oslo", "oslo", "a,b", "a", "10", "10.0", "07", "7", ""}
	all := make([]visitor, rows)
	for i := range all {
		all[i].id = i
		if r.IntN(7) > 0 {
			all[i].city = &cities[r.IntN(len(cities))]
		}
		if r.IntN(7) > 0 {
			n := r.IntN(9) - 1
			all[i].n = &n
		}
		for _, x := range []**float64{&all[i].amount, &all[i].measure} {
			if r.IntN(7) > 0 {
				half := float64(r.IntN(16)-1) / 2
				*x = &half
			}
		}
	}
	return all
}

func cell[T any](x *T) string {
	if x == nil {
		return "NULL"
	}
	if text, ok := any(*x).(string); ok {
		return "'" + text + "'"
	}
	return fmt.Sprint(*x)
}

// The truth of a comparison; a comparison with NULL is unknown.
type truth int

const (
	no truth = iota
	unknown
	yes
)

func when(condition bool) truth {
	if condition {
		return yes
	}
	return no
}

func and(a, b truth) truth { return min(a, b) }

func sameText(a, b *string) truth {
	if a == nil || b == nil {
		return unknown
	}
	return when(strings.EqualFold(*a, *b))
}

func sameNumber[A, B int | float64](a *A, b *B) truth {
	if a == nil || b == nil {
		return unknown
	}
	return when(float64(*a) == float64(*b))
}

// asNumber is what a text is as a number: its numeric beginning, or 0.
func asNumber(s *string) *float64 {
	if s == nil {
		return nil
	}
	x, _ := strconv.ParseFloat(*s, 64)
	return &x
}

// in is x IN (SELECT ...), with same for each row.
func in(of []visitor, same func(visitor) truth) truth {
	found := no
	for _, v := range of {
		found = max(found, same(v))
	}
	return found
}

func lower(s *string) string {
	if s == nil {
		return "NULL"
	}
	return strings.ToLower(*s)
}

func pairs(a, b []visitor, on func(a, b visitor) truth) (inner, left int) {
	for _, x := range a {
		found := 0
		for _, y := range b {
			if on(x, y) == yes {
				found++
			}
		}
		inner, left = inner+found, left+max(found, 1)
	}
	return inner, left
}

func countOf(of []visitor, where func(visitor) bool) string {
	n := 0
	for _, v := range of {
		if where(v) {
			n++
		}
	}
	return fmt.Sprint(n)
}

// different is the different values, sorted.
func different(of []visitor, value func(visitor) string) []string {
	var all []string
	for _, v := range of {
		all = append(all, value(v))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func cityOf(v visitor) string { return lower(v.city) }

// textGroups are the rows by the value of a city, NULL included.
func textGroups(of []visitor) map[string][]visitor {
	groups := map[string][]visitor{}
	for _, v := range of {
		groups[lower(v.city)] = append(groups[lower(v.city)], v)
	}
	return groups
}

// fetchTexts is the rows of a query, as texts in small letters with | between.
func fetchTexts(t *testing.T, db *dbsql.DB, query string) (texts []string) {
	t.Helper()
	for _, values := range rowsAsText(t, db, query) {
		cells := make([]string, len(values))
		for i, value := range values {
			cells[i] = "NULL"
			if value.Valid {
				cells[i] = strings.ToLower(value.String)
			}
		}
		texts = append(texts, strings.Join(cells, "|"))
	}
	return texts
}

// A bruteForce asks queries of two tables, and compares with what its own loops find.
type bruteForce struct {
	db   *dbsql.DB
	a, b []visitor
}

// Queries over ordinary tables answer what brute force answers where the engine
// alone does not: it hashes bytes, rounds keys, takes NOT EXISTS for NOT IN, ...
func TestAnswersEqualBruteForce(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	run(t, db, "CREATE DATABASE d")
	for seed := range testsize.Of[uint64](2, 6) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := &bruteForce{db, randomVisitors(r, 5+r.IntN(40)), randomVisitors(r, r.IntN(30))}
		c.store(t)
		for name, part := range map[string]func(*testing.T){
			"joins": c.joins, "memberships": c.memberships, "set operations": c.setOperations, "groups": c.groups, "listed groups": c.listedGroups,
			"windows": c.windows, "frames": c.frames, "changes": c.changes, "constants": c.constants,
		} {
			t.Run(fmt.Sprint(name, " ", seed), part)
		}
	}
}

// store makes the tables.
func (c *bruteForce) store(t *testing.T) {
	for name, rows := range map[string][]visitor{"a": c.a, "b": c.b} {
		run(t, c.db, "DROP TABLE IF EXISTS d."+name)
		run(t, c.db, "CREATE TABLE d."+name+" (id INT PRIMARY KEY, city VARCHAR(10), n INT, amount DECIMAL(6,2), measure DOUBLE)")
		for _, v := range rows {
			run(t, c.db, fmt.Sprintf("INSERT INTO d.%s VALUES (%d, %s, %s, %s, %s)", name, v.id, cell(v.city), cell(v.n), cell(v.amount), cell(v.measure)))
		}
	}
}

// check compares the rows of a query, in any order but where a UNION has one.
func (c *bruteForce) check(t *testing.T, query string, want ...string) {
	t.Helper()
	got := fetchTexts(t, c.db, query)
	if !strings.Contains(query, " UNION ") || !strings.Contains(query, "ORDER BY 1") {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", query, got, want)
	}
}

// joins are of columns of all types, and EXISTS over them.
func (c *bruteForce) joins(t *testing.T) {
	a, b := c.a, c.b
	for on, same := range map[string]func(a, b visitor) truth{
		"a.city = b.city":             func(a, b visitor) truth { return sameText(a.city, b.city) },
		"a.n = b.id":                  func(a, b visitor) truth { return sameNumber(a.n, &b.id) },
		"a.amount = b.id":             func(a, b visitor) truth { return sameNumber(a.amount, &b.id) },
		"a.measure = b.id":            func(a, b visitor) truth { return sameNumber(a.measure, &b.id) },
		"a.amount = b.amount":         func(a, b visitor) truth { return sameNumber(a.amount, b.amount) },
		"a.measure = b.amount":        func(a, b visitor) truth { return sameNumber(a.measure, b.amount) },
		"a.measure = b.n":             func(a, b visitor) truth { return sameNumber(a.measure, b.n) },
		"a.n = b.city":                func(a, b visitor) truth { return sameNumber(a.n, asNumber(b.city)) },
		"a.city = b.id":               func(a, b visitor) truth { return sameNumber(asNumber(a.city), &b.id) },
		"a.n <=> b.id":                func(a, b visitor) truth { return when(sameNumber(a.n, &b.id) == yes) },
		"a.measure <=> b.id":          func(a, b visitor) truth { return when(sameNumber(a.measure, &b.id) == yes) },
		"a.city = b.city AND b.n = 3": func(a, b visitor) truth { three := 3; return and(sameText(a.city, b.city), sameNumber(b.n, &three)) },
	} {
		inner, left := pairs(a, b, same)
		c.check(t, "SELECT COUNT(*) FROM d.a JOIN d.b ON "+on, fmt.Sprint(inner))
		c.check(t, "SELECT COUNT(*) FROM d.a LEFT JOIN d.b ON "+on, fmt.Sprint(left))
		if strings.Contains(on, "n = b.city") {
			continue // the engine looks for different texts, which may be one number
		}
		exists := func(x visitor) bool { return in(b, func(y visitor) truth { return same(x, y) }) == yes }
		c.check(t, "SELECT COUNT(*) FROM d.a WHERE EXISTS (SELECT 1 FROM d.b WHERE "+on+")", countOf(a, exists))
		c.check(t, "SELECT COUNT(*) FROM d.a WHERE NOT EXISTS (SELECT 1 FROM d.b WHERE "+on+")", countOf(a, func(v visitor) bool { return !exists(v) }))
	}
}

// memberships are IN and NOT IN, of one column and of rows.
func (c *bruteForce) memberships(t *testing.T) {
	a, b := c.a, c.b
	for left, same := range map[string]func(a, b visitor) truth{
		"city:city":             func(a, b visitor) truth { return sameText(a.city, b.city) },
		"n:n":                   func(a, b visitor) truth { return sameNumber(a.n, b.n) },
		"measure:n":             func(a, b visitor) truth { return sameNumber(a.measure, b.n) },
		"(city, n):city, n":     func(a, b visitor) truth { return and(sameText(a.city, b.city), sameNumber(a.n, b.n)) },
		"(n, amount):n, amount": func(a, b visitor) truth { return and(sameNumber(a.n, b.n), sameNumber(a.amount, b.amount)) },
	} {
		looked, columns, _ := strings.Cut(left, ":")
		found := func(x visitor) truth { return in(b, func(y visitor) truth { return same(x, y) }) }
		isIn, notIn := countOf(a, func(v visitor) bool { return found(v) == yes }), countOf(a, func(v visitor) bool { return found(v) == no })
		c.check(t, "SELECT COUNT(*) FROM d.a WHERE "+looked+" IN (SELECT "+columns+" FROM d.b)", isIn)
		c.check(t, "SELECT COUNT(*) FROM d.a WHERE "+looked+" NOT IN (SELECT "+columns+" FROM d.b)", notIn)
		c.check(t, "SELECT COUNT(*) FROM d.a WHERE NOT ("+looked+" IN (SELECT "+columns+" FROM d.b))", notIn)
		c.check(t, "SELECT COUNT(*) FROM d.a WHERE ("+looked+" IN (SELECT "+columns+" FROM d.b)) IS NULL", countOf(a, func(v visitor) bool { return found(v) == unknown }))
		c.check(t, "SELECT COUNT(*) FROM (SELECT x.n FROM d.a x WHERE "+looked+" IN (SELECT "+columns+" FROM d.b)) t", isIn)
		c.check(t, "WITH t AS (SELECT x.amount FROM d.a x WHERE "+looked+" NOT IN (SELECT "+columns+" FROM d.b)) SELECT COUNT(*) FROM t", notIn)
	}
}

// setOperations are DISTINCT, UNION, INTERSECT and EXCEPT.
func (c *bruteForce) setOperations(t *testing.T) {
	a, b := c.a, c.b
	cities, others := different(a, cityOf), different(b, cityOf)
	both := append(slices.Clone(cities), others...)
	slices.Sort(both)
	both = slices.Compact(both)
	c.check(t, "SELECT DISTINCT city FROM d.a", cities...)
	c.check(t, "SELECT city FROM d.a UNION SELECT city FROM d.b", both...)
	c.check(t, "SELECT city FROM d.a INTERSECT SELECT city FROM d.b", slices.DeleteFunc(slices.Clone(cities), func(s string) bool { return !slices.Contains(others, s) })...)
	c.check(t, "SELECT city FROM d.a EXCEPT SELECT city FROM d.b", slices.DeleteFunc(slices.Clone(cities), func(s string) bool { return slices.Contains(others, s) })...)
	c.check(t, "SELECT city, n FROM d.a UNION SELECT city, n FROM d.a", different(a, func(v visitor) string { return cityOf(v) + "|" + strings.Trim(cell(v.n), "'") })...)

	ids := func(of []visitor, from, to int) (texts []string) {
		for i := range of {
			if i >= from && i < to {
				texts = append(texts, fmt.Sprint(i))
			}
		}
		return texts
	}
	c.check(t, "SELECT id FROM d.a UNION SELECT id FROM d.a ORDER BY 1 LIMIT 3 OFFSET 2", ids(a, 2, 5)...)
	c.check(t, "SELECT id + 0 FROM d.a UNION ALL SELECT id FROM d.a WHERE FALSE ORDER BY 1 LIMIT 2, 2", ids(a, 2, 4)...)
	c.check(t, "SELECT DISTINCT id + 0 FROM d.a UNION SELECT id FROM d.a UNION SELECT id FROM d.a ORDER BY 1", ids(a, 0, len(a))...)
	c.check(t, "SELECT COUNT(*) FROM (SELECT COALESCE(city, 'x'), CONCAT(city, '') FROM d.a UNION ALL SELECT city, city FROM d.a UNION ALL SELECT n, n FROM d.a) t", fmt.Sprint(3*len(a)))
}

// groups are counted, and their different values.
func (c *bruteForce) groups(t *testing.T) {
	a := c.a
	cities := different(a, cityOf)
	known := slices.DeleteFunc(slices.Clone(cities), func(s string) bool { return s == "NULL" })
	c.check(t, "SELECT COUNT(DISTINCT city), COUNT(DISTINCT city, n) FROM d.a", fmt.Sprintf("%d|%d", len(known), len(different(slices.DeleteFunc(slices.Clone(a), func(v visitor) bool {
		return v.city == nil || v.n == nil
	}), func(v visitor) string { return lower(v.city) + "\n" + fmt.Sprint(*v.n) }))))
	var groups, shown []string
	for city, rows := range textGroups(a) {
		seen, least := map[string]bool{}, ""
		for _, v := range rows {
			if v.n != nil {
				seen[fmt.Sprint(*v.n)] = true
			}
		}
		groups = append(groups, fmt.Sprintf("%s|%d|%d", city, len(rows), len(seen)))
		if city != "NULL" {
			least = "x"
		}
		shown = append(shown, fmt.Sprintf("%s|%d", map[bool]string{true: city + least, false: "NULL"}[city != "NULL"], len(rows)))
	}
	c.check(t, "SELECT city, COUNT(*), COUNT(DISTINCT n) FROM d.a GROUP BY city", groups...)
	c.check(t, "SELECT CONCAT(LOWER(city), 'x'), COUNT(*) FROM d.a GROUP BY CONCAT(LOWER(city), 'x')", shown...)
}

// listedGroups are GROUP_CONCAT.
func (c *bruteForce) listedGroups(t *testing.T) {
	a := c.a
	var listed []string
	for city, rows := range textGroups(a) {
		seen := different(rows, func(v visitor) string { return fmt.Sprintf("%03d", v.id) })
		for i := range seen {
			seen[i] = strings.TrimLeft(seen[i][:2], "0") + seen[i][2:]
		}
		name := city
		listed = append(listed, fmt.Sprintf("%s|%s|%s", name, strings.Join(seen, "+"), name))
	}
	c.check(t, "SELECT city, GROUP_CONCAT(DISTINCT x.id ORDER BY 1 SEPARATOR '+'), GROUP_CONCAT(DISTINCT city) FROM d.a x LEFT JOIN (SELECT 1 AS one) y ON TRUE GROUP BY city", listed...)
}

// windows see what is before a row, and its peers.
func (c *bruteForce) windows(t *testing.T) {
	a := c.a
	var running, ranks, totals []string
	for _, v := range a {
		greatest, rank, total, counted := -1.0, 1, 0, 0
		for _, w := range a {
			if w.id <= v.id && w.amount != nil {
				greatest = max(greatest, *w.amount)
			}
			if v.amount != nil && (w.amount == nil || *w.amount < *v.amount) {
				rank++
			}
			before := v.city != nil && (w.city == nil || lower(w.city) < lower(v.city))
			if w.n != nil && (before || lower(w.city) == lower(v.city)) {
				total, counted = total+*w.n, counted+1
			}
		}
		running = append(running, fmt.Sprintf("%d|%.2f", v.id, greatest))
		ranks = append(ranks, fmt.Sprintf("%d|%d", v.id, rank))
		sum := "NULL"
		if counted > 0 {
			sum = fmt.Sprint(total)
		}
		totals = append(totals, fmt.Sprintf("%d|%s|%d", v.id, sum, counted))
	}
	c.check(t, "SELECT MAX(n) OVER (ORDER BY n RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM d.a WHERE id < 0")
	c.check(t, "SELECT id, CAST(COALESCE(MAX(amount) OVER (ORDER BY id), -1) AS DECIMAL(6,2)) FROM d.a", running...)
	c.check(t, "SELECT id, RANK() OVER (ORDER BY amount) FROM d.a", ranks...)
	c.check(t, "SELECT id, SUM(n) OVER (ORDER BY city), COUNT(n) OVER (ORDER BY city) FROM d.a", totals...)
}

// frames are ranges of values.
func (c *bruteForce) frames(t *testing.T) {
	a := c.a
	for frame, inside := range map[string]func(v, w visitor) bool{ // of rows with n
		"ORDER BY n RANGE BETWEEN 1 PRECEDING AND CURRENT ROW":                   func(v, w visitor) bool { return *w.n >= *v.n-1 && *w.n <= *v.n },
		"ORDER BY n DESC RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING":              func(v, w visitor) bool { return *w.n <= *v.n+2 && *w.n >= *v.n-1 },
		"PARTITION BY city ORDER BY n RANGE BETWEEN 1 FOLLOWING AND 2 FOLLOWING": func(v, w visitor) bool { return cityOf(v) == cityOf(w) && *w.n >= *v.n+1 && *w.n <= *v.n+2 },
	} {
		var counts []string
		for _, v := range a {
			in := 0
			for _, w := range a {
				both := v.n != nil && w.n != nil && inside(v, w)
				neither := v.n == nil && w.n == nil && (!strings.Contains(frame, "PARTITION") || cityOf(v) == cityOf(w))
				if both || neither {
					in++
				}
			}
			counts = append(counts, fmt.Sprintf("%d|%d", v.id, in))
		}
		c.check(t, "SELECT id, COUNT(*) OVER ("+frame+") FROM d.a", counts...)
	}
}

// changes are UPDATE and DELETE with subqueries.
func (c *bruteForce) changes(t *testing.T) {
	a, b := c.a, c.b
	others := different(b, cityOf)
	lonely := func(v visitor) bool {
		return in(b, func(w visitor) truth { return and(sameNumber(&v.id, &w.id), sameText(v.city, w.city)) }) != yes
	}
	run(t, c.db, "DROP TABLE IF EXISTS d.c")
	run(t, c.db, "CREATE TABLE d.c AS SELECT id, city, n FROM d.a")
	run(t, c.db, "UPDATE d.c SET n = 1000 WHERE NOT EXISTS (SELECT 1 FROM d.b WHERE b.id = c.id AND b.city = c.city)")
	c.check(t, "SELECT COUNT(*) FROM d.c WHERE n = 1000", countOf(a, lonely))
	run(t, c.db, "DELETE FROM d.c WHERE EXISTS (SELECT * FROM d.b WHERE b.id = c.id AND b.city = c.city)")
	c.check(t, "SELECT COUNT(*) FROM d.c", countOf(a, lonely))
	run(t, c.db, "DELETE FROM d.c WHERE city NOT IN (SELECT city FROM d.b WHERE city IS NOT NULL)")
	c.check(t, "SELECT COUNT(*) FROM d.c", countOf(a, func(v visitor) bool {
		return lonely(v) && (v.city == nil && len(b) > 0 && slices.ContainsFunc(b, func(w visitor) bool { return w.city != nil }) || slices.Contains(others, cityOf(v)) && v.city != nil)
	}))
}

// constants are keys, and arguments of IFNULL.
func (c *bruteForce) constants(t *testing.T) {
	a, b := c.a, c.b
	others := different(b, cityOf)
	c.check(t, "SELECT COUNT(*) FROM d.a WHERE n IN (SELECT n FROM d.b WHERE 1 = 0)", "0")
	var either []string
	for _, v := range a {
		switch {
		case v.n != nil:
			either = append(either, fmt.Sprint(*v.n))
		case v.measure != nil:
			either = append(either, fmt.Sprint(*v.measure))
		default:
			either = append(either, "NULL")
		}
	}
	c.check(t, "SELECT IFNULL(n, measure) FROM d.a", either...)
	c.check(t, "SELECT 'x', COUNT(*) FROM d.a GROUP BY 'x'", fmt.Sprintf("x|%d", len(a)))
	c.check(t, "SELECT DATE '2024-01-10', n, COUNT(*) FROM d.a WHERE FALSE GROUP BY DATE '2024-01-10', n")
	c.check(t, "SELECT COUNT(*) FROM d.a WHERE LOWER(city) IN (SELECT LOWER(city) FROM d.b)", countOf(a, func(v visitor) bool { return v.city != nil && slices.Contains(others, cityOf(v)) }))
}

// What the engine finishes apart from the statement, the body of a routine and the
// query of CREATE TABLE, is corrected too.
func TestCorrectionsWithinStatements(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.a (city VARCHAR(10), n INT)", "INSERT INTO d.a VALUES ('Rome', 1), ('rome', 2), ('Oslo', NULL)",
		"CREATE PROCEDURE d.different() SELECT DISTINCT city FROM d.a",
		"CREATE PROCEDURE d.counted(least INT) BEGIN IF least > 0 THEN SELECT COUNT(DISTINCT city), GROUP_CONCAT(DISTINCT city) FROM d.a WHERE n >= least; END IF; END",
		"CREATE PROCEDURE d.copied() CREATE TABLE d.c AS SELECT DISTINCT city FROM d.a", "CREATE TABLE d.b AS SELECT DISTINCT city FROM d.a", "CALL d.copied()",
		"CREATE TABLE d.i (city VARCHAR(10))", "INSERT INTO d.i SELECT city FROM d.a UNION SELECT city FROM d.a")
	for query, want := range map[string]string{
		"CALL d.different()": "[rome oslo]", "CALL d.counted(1)": "[1|rome]", "SELECT city FROM d.b": "[rome oslo]", "SELECT city FROM d.c": "[rome oslo]",
		"SELECT city FROM d.i": "[rome oslo]",
	} {
		if got := fmt.Sprint(fetchTexts(t, db, query)); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// A statement reads the table that it writes as it was before: MySQL materializes what it reads. Two branches of a UNION, a join, and
// subqueries begin to read at different moments.
func TestStatementsReadBeforeTheyWrite(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE d")
	for statement, want := range map[string]string{
		"INSERT INTO d.t SELECT 10 * i, j FROM d.t UNION SELECT 20 * i, j FROM d.t":                                      "[1|1 2|2 3|3 10|1 20|1 20|2 30|3 40|2 60|3]",
		"INSERT INTO d.t SELECT i + 10, (SELECT COUNT(*) FROM d.t y WHERE y.j <= x.j) FROM d.t x":                        "[1|1 2|2 3|3 11|1 12|2 13|3]",
		"INSERT INTO d.t WITH q AS (SELECT i + 10 AS i, j FROM d.t) SELECT * FROM q UNION ALL SELECT i + 20, j FROM d.t": "[1|1 2|2 3|3 11|1 12|2 13|3 21|1 22|2 23|3]",
		"INSERT INTO d.t VALUES ((SELECT COUNT(*) FROM d.t x), 7), ((SELECT COUNT(*) FROM d.t x), 8)":                    "[1|1 2|2 3|3 3|7 3|8]",
		"UPDATE d.t SET j = (SELECT SUM(x.j) FROM (SELECT * FROM d.t LIMIT 10) x WHERE x.i <= t.i)":                      "[1|1 2|3 3|6]",
		"DELETE FROM d.t WHERE (SELECT COUNT(*) FROM (SELECT * FROM d.t LIMIT 10) x WHERE x.i <> t.i) > 1":               "[]",
	} {
		servertest.Exec(t, db, "DROP TABLE IF EXISTS d.t", "CREATE TABLE d.t (i INT, j INT)", "INSERT INTO d.t VALUES (1, 1), (2, 2), (3, 3)", statement)
		if got := fmt.Sprint(fetchTexts(t, db, "SELECT * FROM d.t ORDER BY i, j")); got != want {
			t.Errorf("%s: %s, want %s", statement, got, want)
		}
	}
	servertest.Exec(t, db, "CREATE TABLE d.k (i INT PRIMARY KEY, j INT)", "INSERT INTO d.k VALUES (1, 0), (2, 0)",
		"REPLACE INTO d.k SELECT b.i, a.j + 1 FROM d.k a JOIN d.k b ON a.i <= b.i", "INSERT INTO d.k SELECT b.i, 0 FROM d.k a JOIN d.k b ON TRUE ON DUPLICATE KEY UPDATE j = k.j + 10")
	if got, want := fmt.Sprint(fetchTexts(t, db, "SELECT * FROM d.k ORDER BY i")), "[1|21 2|21]"; got != want {
		t.Errorf("joined with itself: %s, want %s", got, want)
	}
}
