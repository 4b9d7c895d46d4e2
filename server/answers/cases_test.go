package answers

import (
	"strconv"
	"strings"
	"testing"
)

// CASE x WHEN computes x once for every row, whichever branch it ends with, wherever the CASE stands.
func TestCasesComputeTheirOperandOnce(t *testing.T) {
	a := newAsked(t, true, "CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2), (3), (4)")
	for _, want := range []answer{ // RAND(2) is .656, .122, .645 and .858
		{"SELECT CASE FLOOR(RAND(2) * 10) WHEN 8 THEN 'd' WHEN 1 THEN 'b' WHEN 6 THEN 'a' ELSE 'z' END AS v FROM t", "a; b; a; d"},
		{"SELECT CASE FLOOR(RAND(2) * 10) WHEN '8' THEN 'd' WHEN NULL THEN 'n' WHEN 6.0 THEN 'a' END AS v FROM t", "a; NULL; a; d"},
		{"SELECT id FROM t WHERE CASE FLOOR(RAND(2) * 10) WHEN 9 THEN 1 WHEN 8 THEN 1 WHEN 6 THEN 1 END", "1; 3; 4"},
		{"SELECT v, COUNT(*) FROM (SELECT CASE FLOOR(RAND(2) * 10) WHEN 8 THEN 'd' WHEN 6 THEN 'a' END AS v FROM t) x GROUP BY v ORDER BY v", "NULL | 1; a | 2; d | 1"},
		{"SELECT id FROM t ORDER BY CASE FLOOR(RAND(2) * 10) WHEN 8 THEN 0 WHEN 1 THEN 1 ELSE 2 END, id", "4; 2; 1; 3"},
	} {
		if got := a.ask(want.probe); !want.is(got) {
			t.Errorf("%s:\n got %s\nwant %s", want.probe, got, want.want)
		}
	}
	whens := make([]string, 8)
	for i := range whens {
		whens[i] = "WHEN " + strconv.Itoa(i) + " THEN 1"
	}
	// One of the branches always holds. With a number of its own each would miss a third of the rows.
	const digits = "(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7)"
	for _, operand := range []string{"FLOOR(RAND() * 8)", "FLOOR(RAND() * (SELECT COUNT(*) * 2 FROM t))"} {
		query := "SELECT COUNT(*), SUM(CASE " + operand + " " + strings.Join(whens, " ") + " ELSE 0 END) FROM " + digits + " a, " + digits + " b, " + digits + " c"
		if got := a.ask(query); got != "512 | 512" {
			t.Errorf("%s:\n got %s", query, got)
		}
	}
}
