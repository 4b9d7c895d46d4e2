package syntax

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/gate"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// The queries that would be planned are counted: once wherever the name of a common table
// expression stands, its definition once more, twice for each expression that they are
// in, and once for each level of a rollup.
func TestPlannedQueries(t *testing.T) {
	for text, want := range map[string]float64{
		"SELECT 1": 1,
		"SELECT 1 UNION SELECT 2 UNION ALL SELECT 3":                            3,
		"SELECT * FROM (SELECT 1) d":                                            2,
		"SELECT * FROM (SELECT * FROM (SELECT 1) d) e":                          3,
		"SELECT (SELECT 1)":                                                     1 + 2,
		"SELECT (SELECT (SELECT 1))":                                            1 + 2 + 4,
		"SELECT (SELECT 1) + (SELECT 2)":                                        1 + 2 + 2,
		"SELECT (SELECT * FROM (SELECT 1) d)":                                   1 + 2*2,
		"SELECT 1 FROM t WHERE a IN (SELECT 1)":                                 1 + 2,
		"WITH c AS (SELECT 1) SELECT 2":                                         1 + 1,
		"WITH c AS (SELECT 1) SELECT * FROM c":                                  1 + 1 + 1,
		"WITH c AS (SELECT 1) SELECT * FROM C a JOIN c b":                       1 + 1 + 2,
		"WITH c AS (SELECT 1) SELECT * FROM d.c":                                1 + 1,
		"WITH c AS (SELECT 1), e AS (SELECT * FROM c JOIN c x) SELECT * FROM e": 1 + 1 + 1 + 3,
		"WITH c AS (SELECT 1) SELECT (SELECT 1 FROM c)":                         1 + 1 + 2*2,
		"SELECT (WITH c AS (SELECT 1) SELECT 1 FROM c), (WITH c AS (SELECT 1 FROM (SELECT 1) d) SELECT 1 FROM c)": 1 + (2 + 1 + 2) + (2 + 1 + 2*2),
		"SELECT a FROM t GROUP BY a, b, __anon_rollup()":                                                          3,
		"SELECT a FROM (SELECT a FROM t GROUP BY a, __anon_rollup()) d GROUP BY a":                                1 + 2,
		"SELECT a FROM (SELECT a FROM t GROUP BY a, __anon_rollup()) d GROUP BY a, __anon_rollup()":               2 + 2*2,
		"UPDATE t SET a = (SELECT 1)":        2,
		"DELETE FROM t WHERE a = (SELECT 1)": 2,
		"CREATE VIEW v AS SELECT (SELECT 1)": 3,
		"INSERT INTO t SELECT 1":             1,
		"SET @a = (SELECT 1)":                2,
	} {
		statement, err := sqlparser.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p := planned{most: math.Inf(1), named: map[string]float64{}}
		if p.walk(reflect.ValueOf(statement), 1); p.err != nil || p.total != want {
			t.Errorf("%s: %g queries, %v; want %g", text, p.total, p.err, want)
		}
	}
}

// A bound's value passes, and one more does not.
func TestBoundsOfTreesAreExact(t *testing.T) {
	setting(t, subqueriesVariable, 21)
	setting(t, definitionsVariable, 20)
	for _, c := range []struct {
		name                         string
		before, core, between, after string // before core between core ... after
		most, number                 int
	}{
		{"subqueries", "SELECT ", "(SELECT 1)", "+", "", 10, sqlerror.Syntax},
		{"queries of UNION", "", "SELECT 1", " UNION ALL ", "", 21, sqlerror.Syntax},
		{"tables", "SELECT 1 FROM ", "t", ", ", "", maxTables, sqlerror.TooManyTables},
		{"joins", "SELECT 1 FROM ", "t", " JOIN ", "", maxTables, sqlerror.TooManyTables},
		{"tables in parentheses", "SELECT 1 FROM (", "t", ", ", ")", maxTables, sqlerror.TooManyTables},
		{"joins of UPDATE", "UPDATE ", "t", " JOIN ", " SET a = 1", maxTables, sqlerror.TooManyTables},
		{"joins of DELETE", "DELETE x FROM ", "t", " JOIN ", "", maxTables, sqlerror.TooManyTables},
		{"columns", "SELECT ", "1", ",", "", maxColumns, sqlerror.TooManyColumns},
		{"columns of VALUES", "VALUES ROW(", "1", ",", ")", maxWidth, sqlerror.TooManyColumns},
		{"columns of JSON_TABLE", "SELECT * FROM JSON_TABLE('[]', '$' COLUMNS (", "a INT PATH '$'", ",", ")) t", maxWidth, sqlerror.TooManyColumns},
		{"clauses of ALTER TABLE", "ALTER TABLE t ", "ADD COLUMN # INT", ",", "", 20, sqlerror.Syntax},
		{"keys", "CREATE TABLE t (a INT, ", "KEY # (a)", ",", ")", 20, sqlerror.Syntax},
		{"checks", "CREATE TABLE t (a INT, ", "CHECK (a > 1)", ",", ")", 20, sqlerror.Syntax},
		{"unique columns", "CREATE TABLE t (", "# INT UNIQUE", ",", ")", 20, sqlerror.Syntax},
		{"references of columns", "CREATE TABLE t (", "# INT REFERENCES u (a)", ",", ")", 20, sqlerror.Syntax},
		{"clauses in a routine", "CREATE PROCEDURE p() BEGIN ALTER TABLE t ", "ADD COLUMN # INT", ",", "; END", 20, sqlerror.Syntax},
	} {
		text := func(n int) string {
			cores := make([]string, n)
			for i := range cores {
				cores[i] = strings.ReplaceAll(c.core, "#", fmt.Sprintf("x%d", i))
			}
			return c.before + strings.Join(cores, c.between) + c.after
		}
		if _, err := parse(t, text(c.most)); err != nil {
			t.Errorf("%d %s: %v", c.most, c.name, err)
		}
		if _, err := parse(t, text(c.most+1)); sqlerror.Number(err) != c.number {
			t.Errorf("%d %s: %.200v, want %d", c.most+1, c.name, err, c.number)
		}
	}
	if _, err := parse(t, "CREATE TABLE t (a0 INT"+strings.Repeat(", a INT", 100)+")"); err != nil {
		t.Errorf("columns are not definitions: %v", err)
	}
}

// Nested operands that the engine evaluates twice are bounded. Operands side by side, and those that it evaluates
// once, are not.
func TestDoublings(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"(", " BETWEEN 0 AND 9)"}, {"(", " NOT BETWEEN 0 AND 9)"}, {"NULLIF(", ",7)"}, {"nullif(0 + ", ",7)"}, {"-(", ")"}, {"-", ""},
	} {
		text := func(n int) string {
			return "SELECT " + strings.Repeat(c.before+" ", n) + "a" + strings.Repeat(c.after, n) + " FROM t"
		}
		if _, err := parse(t, text(maxDoublings)); err != nil {
			t.Errorf("%s: %v", text(maxDoublings), err)
		}
		if _, err := parse(t, text(maxDoublings+1)); sqlerror.Number(err) != sqlerror.Syntax || !strings.Contains(err.Error(), "10 levels of BETWEEN") {
			t.Errorf("%s: %v", text(maxDoublings+1), err)
		}
	}
	for _, text := range []string{
		"SELECT " + strings.Repeat("NULLIF(a, 7) + ", 50) + "1 FROM t",
		"SELECT " + strings.Repeat("NULLIF(7, ", 20) + "8" + strings.Repeat(")", 20),
		"SELECT NULLIF(a), NULLIF(a, b, c) FROM t", // which the engine refuses
		"SELECT " + strings.Repeat("~ ", 20) + "1",
	} {
		if _, err := parse(t, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The variables have their own bounds, and the gate uses their current values.
func TestBoundVariables(t *testing.T) {
	setUp()
	if got := TextLimits(); got != (gate.Limits{Nesting: 200, Terms: 4000}) {
		t.Errorf("at the start %+v", got)
	}
	setting(t, nestingVariable, 33)
	setting(t, termsVariable, 444)
	if got := TextLimits(); got != (gate.Limits{Nesting: 33, Terms: 444}) {
		t.Errorf("when they are set %+v", got)
	}
	for _, v := range BoundVariables() {
		for value, passes := range map[int64]bool{0: false, 500: true, 1 << 40: false} {
			if _, _, err := v.GetType().Convert(t.Context(), value); (err == nil) != passes {
				t.Errorf("%s = %d: %v", v.GetName(), value, err)
			}
		}
	}
}

// The gate's refusal has a number, the bound, the position, and a way out.
func TestRefusedText(t *testing.T) {
	for bound, c := range map[gate.Bound]struct {
		number int
		want   string
	}{
		gate.Placeholders: {sqlerror.TooManyPlaceholders, "at most 7, insert fewer rows at once"},
		gate.Digits:       {sqlerror.IllegalValue, "more than 7 digits before byte 99"},
		gate.Terms:        {sqlerror.Syntax, "more than 7 conditions, branches, queries or blocks (anon_max_terms) before byte 99"},
		gate.Operators:    {sqlerror.Syntax, "for a limit of 7 levels (anon_max_nesting), before byte 99"},
		gate.Nesting:      {sqlerror.Syntax, "deeper than 7 levels (anon_max_nesting) at byte 99"},
	} {
		err := refusedText(&gate.Refusal{Bound: bound, Limit: 7, At: 99})
		if err.Num != c.number || !strings.Contains(err.Message, c.want) {
			t.Errorf("%v: %v, want %d, %q", bound, err, c.number, c.want)
		}
	}
	if _, err := read("SELECT 1", false, false, TextLimits()); err != nil {
		t.Errorf("what passes: %v", err)
	}
}
