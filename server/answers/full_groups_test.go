package answers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Under ONLY_FULL_GROUP_BY, a grouped query may select only values that are unique in a group, by MySQL 8's rules. An error has
// MySQL's number, and names place and column as MySQL does.
func TestFullGroups(t *testing.T) {
	a := newAsked(t, true, append(slices.Clone(tables), "CREATE VIEW ids AS SELECT id, s FROM t", "CREATE TABLE q (a INT NOT NULL, b INT, c INT, UNIQUE KEY (a))",
		"INSERT INTO q VALUES (1, 2, 3), (2, 2, 4)")...)
	a.ask("SET sql_mode = 'ONLY_FULL_GROUP_BY'")
	const list, order = "SELECT list", "ORDER BY clause"
	refused := func(place int, clause, column string) string {
		return fmt.Sprintf("error: Expression #%d of %s is not in GROUP BY clause and contains nonaggregated column 'd.%s'", place, clause, column)
	}
	mixed := func(place int, column string) string {
		return fmt.Sprintf("error: In aggregated query without GROUP BY, expression #%d of SELECT list contains nonaggregated column 'd.%s'", place, column)
	}
	for _, c := range []answer{
		{"SELECT b, a, COUNT(*) FROM t GROUP BY b", refused(2, list, "t.a")},
		{"SELECT b, a FROM t GROUP BY b", refused(2, list, "t.a")},
		{"SELECT x.a FROM (SELECT b, a, COUNT(*) FROM t GROUP BY b) x", refused(2, list, "t.a")},
		{"SELECT (SELECT a FROM t GROUP BY b LIMIT 1)", refused(1, list, "t.a")},
		{"SELECT b, COUNT(*) FROM t GROUP BY b ORDER BY a", refused(1, order, "t.a")},
		{"SELECT b + 1, COUNT(*) FROM t GROUP BY b % 2", refused(1, list, "t.b")},
		{"SELECT b, IF(COUNT(*) > 1, b, s) FROM t GROUP BY b", refused(2, list, "t.s")},
		{"SELECT b, (SELECT MAX(u.a) FROM u WHERE u.a = t.id) FROM t GROUP BY b", refused(2, list, "t.id")},
		{"SELECT b, SUM(a) OVER () FROM t GROUP BY b", refused(2, list, "t.a")},
		{"SELECT u.a, t.id, COUNT(*) FROM u LEFT JOIN t ON t.id = u.a GROUP BY t.id", refused(1, list, "u.a")},
		{"SELECT q.b, COUNT(*) FROM q GROUP BY q.c", refused(1, list, "q.b")},
		{"SELECT a, COUNT(*) FROM t", mixed(1, "t.a")},
		{"SELECT COUNT(*), MAX(a) + id FROM t", mixed(2, "t.id")},

		{"SELECT id, s, COUNT(*) FROM t GROUP BY id", "1 | Rome | 1; 2 | rome | 1; 3 | Oslo | 1"},
		{"SELECT id, s FROM t GROUP BY id", "1 | Rome; 2 | rome; 3 | Oslo"},
		{"SELECT a, b, c FROM q GROUP BY a", "1 | 2 | 3; 2 | 2 | 4"},
		{"SELECT x.id, x.s, COUNT(*) FROM (SELECT id, s FROM t) x GROUP BY x.id", "1 | Rome | 1; 2 | rome | 1; 3 | Oslo | 1"},
		{"SELECT id, s, COUNT(*) FROM ids GROUP BY id", "1 | Rome | 1; 2 | rome | 1; 3 | Oslo | 1"},
		{"SELECT x.b, x.n, COUNT(*) FROM (SELECT b, COUNT(*) AS n FROM t GROUP BY b) x GROUP BY x.b ORDER BY x.b", "NULL | 1 | 1; 1 | 1 | 1; 2 | 1 | 1"},
		{"SELECT u.a, t.s FROM u JOIN t ON t.id = u.a GROUP BY u.a", "1 | Rome; 2 | rome"},
		{"SELECT u.a, t.s FROM u LEFT JOIN t ON t.id = u.a GROUP BY u.a", "1 | Rome; 2 | rome; 4 | NULL"},
		{"SELECT b, a, COUNT(*) FROM t WHERE a = 1 GROUP BY b", "2 | 1 | 1"},
		{"SELECT a, COUNT(*) FROM t WHERE a = 1", "1 | 1"},
		{"SELECT b % 2 + 1, COUNT(*) FROM t GROUP BY b % 2 ORDER BY b % 2", "NULL | 1; 1 | 1; 2 | 1"},
		{"SELECT b % 2 AS n, COUNT(*) FROM t GROUP BY n ORDER BY 1", "NULL | 1; 0 | 1; 1 | 1"},
		{"SELECT b AS n FROM t GROUP BY n HAVING n > 1 AND MAX(id) > 0", "2"},
		{"SELECT b, ANY_VALUE(a) FROM t WHERE b = 2 GROUP BY b", "2 | 1"},
		{"SELECT b, SUM(SUM(id)) OVER (ORDER BY b) FROM t GROUP BY b ORDER BY b", "NULL | 2; 1 | 5; 2 | 6"},
		{"SELECT COUNT(*) FROM t ORDER BY a", "3"}, // one row
		{"SET sql_mode = ''; SELECT a, COUNT(*) FROM t", "1 | 3"},
	} {
		if got := a.askAll(c.probe); !c.is(strings.TrimSpace(got)) {
			t.Errorf("%s\n got %s\nwant %s", c.probe, got, c.want)
		}
	}
}

// The functional dependencies of a derived table survive many levels.
func TestFullGroupsOfNestedTables(t *testing.T) {
	a := newAsked(t, true, tables...)
	a.ask("SET sql_mode = 'ONLY_FULL_GROUP_BY'")
	query := "SELECT id, s, COUNT(*) AS n FROM t GROUP BY id"
	for range 14 {
		query = "SELECT id, s, SUM(n) AS n FROM (" + query + ") x GROUP BY id"
	}
	if got := a.ask(query + " ORDER BY id LIMIT 1"); got != "1 | Rome | 1" {
		t.Errorf("got %s", got)
	}
}
