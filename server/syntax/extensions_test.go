package syntax

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// What the grammar parses instead of clauses that it lacks; it refuses the original text.
func TestExtensions(t *testing.T) {
	setUp()
	for text, want := range map[string]string{
		"SELECT a FROM t GROUP BY a WITH ROLLUP":                                                   "SELECT a FROM t GROUP BY a , __anon_rollup()",
		"select a from t group\nby a, f(b, c)\twith /* all */ rollup having 1":                     "select a from t group\nby a, f(b, c)\t, /* all */ __anon_rollup() having 1",
		"SELECT * FROM (SELECT a FROM t GROUP BY a WITH ROLLUP) d GROUP BY b WITH ROLLUP LIMIT 1":  "SELECT * FROM (SELECT a FROM t GROUP BY a , __anon_rollup()) d GROUP BY b , __anon_rollup() LIMIT 1",
		"SELECT 1 GROUP BY (SELECT 1 ORDER BY 1) WITH ROLLUP":                                      "SELECT 1 GROUP BY (SELECT 1 ORDER BY 1) , __anon_rollup()",
		"SELECT a FROM t /*!40100 GROUP BY a WITH */ ROLLUP":                                       "SELECT a FROM t /*!40100 GROUP BY a , */ __anon_rollup()",
		"SELECT Median(a+1) OVER w FROM t WINDOW w AS ()":                                          "SELECT MAX(__anon_median(a+1)) OVER w FROM t WINDOW w AS ()",
		"SELECT PERCENTILE_CONT(.5) WITHIN GROUP (ORDER BY a) FROM t":                              "SELECT MAX(__anon_percentile_cont(.5,    a)) FROM t",
		"SELECT percentile_disc ( ? ) within group ( order by f(a, b) desc ) over (order by b), 1": "SELECT MAX(__anon_percentile_disc ( ? ,     f(a, b) , 'desc' )) over (order by b), 1",
		"SELECT PERCENTILE_CONT(0) WITHIN GROUP (ORDER BY t.a ASC)":                                "SELECT MAX(__anon_percentile_cont(0,    t.a ))",
		"SELECT PERCENTILE_CONT(0) WITHIN GROUP (ORDER BY t.desc)":                                 "SELECT MAX(__anon_percentile_cont(0,    t.desc))",
		"SELECT MEDIAN((SELECT MEDIAN(b) OVER () LIMIT 1)) OVER ()":                                "SELECT MAX(__anon_median((SELECT MAX(__anon_median(b)) OVER () LIMIT 1))) OVER ()",
	} {
		x, refused := read(text, false, false, TextLimits())
		if refused != nil || strings.Join(strings.Fields(x.grammar), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s\nis read as %v, %v\nwant       %s", text, x, refused, want)
			continue
		}
		if _, err := sqlparser.Parse(text); err == nil {
			t.Errorf("the grammar reads %s by itself", text)
		}
		if _, err := parse(t, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if again, refused := read(x.grammar, false, false, TextLimits()); refused != nil || again.grammar != x.grammar {
			t.Errorf("%s is read as %s in turn", x.grammar, again.grammar)
		}
	}
}

// Similar texts stay unchanged.
func TestNoExtensions(t *testing.T) {
	setUp()
	for _, text := range []string{
		"WITH rollup AS (SELECT 1 AS x) SELECT * FROM rollup", "WITH median (a) AS (SELECT 1) SELECT a FROM median", "SELECT 1 AS `WITH`, 2 AS `ROLLUP`",
		"SELECT 'GROUP BY a WITH ROLLUP', \"MEDIAN(x) OVER ()\"", "SELECT a FROM t /* GROUP BY a WITH ROLLUP */", "SELECT a FROM t -- GROUP BY a WITH ROLLUP\n",
		"SELECT `GROUP` , `BY`, t.with, t.rollup FROM t", "INSERT INTO median (a, b) VALUES (1, 2)", "CREATE TABLE median (percentile_cont INT)",
		"SELECT MEDIAN(a), median, rollup FROM t", "SELECT a AS rollup FROM t GROUP BY a", "SELECT d.median(a) FROM t", "CREATE VIEW median (rollup) AS SELECT 1",
		"SELECT a FROM t GROUP BY a; WITH rollup AS (SELECT 1) SELECT 1", "SELECT 1 FROM t GROUP BY a UNION SELECT 1",
	} {
		if x, refused := read(text, false, false, TextLimits()); refused != nil || x.grammar != text || len(x.edits) > 0 {
			t.Errorf("%s is read as %v, %v", text, x, refused)
		}
	}
	const quoted = `SELECT a FROM t GROUP BY "a WITH ROLLUP", b WITH ROLLUP`
	for ansi, want := range map[bool]string{false: `"a WITH ROLLUP", b , __anon_rollup()`, true: `"a WITH ROLLUP", b , __anon_rollup()`} {
		if got, refused := AsGrammar(quoted, ansi); refused != nil || !strings.HasSuffix(got, want) {
			t.Errorf("ANSI_QUOTES %t: %s, %v", ansi, got, refused)
		}
	}
	const escaped = `SELECT a FROM t GROUP BY "\", b WITH ROLLUP -- "`
	for ansi, extends := range map[bool]bool{false: false, true: true} {
		if got, refused := AsGrammar(escaped, ansi); refused != nil || (got != escaped) != extends {
			t.Errorf("ANSI_QUOTES %t: %s, %v", ansi, got, refused)
		}
	}
}

// The tree shows the original text.
func TestWhatWasWrittenIsSeen(t *testing.T) {
	setUp()
	ctx := sql.NewContext(t.Context())
	const view = "CREATE VIEW v AS SELECT MEDIAN(a) OVER () AS m FROM t GROUP BY a WITH ROLLUP"
	statement, _, _, err := newParser().Parse(ctx, view, false)
	if err != nil {
		t.Fatal(err)
	}
	ddl := statement.(*sqlparser.DDL)
	if got := view[ddl.SubStatementPositionStart:ddl.SubStatementPositionEnd]; strings.TrimSpace(got) != strings.TrimPrefix(view, "CREATE VIEW v AS ") {
		t.Errorf("the view is %q", got)
	}
	const columns = "SELECT  MEDIAN(a) OVER (), a+1,PERCENTILE_CONT(.5) WITHIN GROUP (ORDER BY a DESC), COUNT( * ) FROM t GROUP BY a WITH ROLLUP"
	statement, parsed, rest, err := newParser().Parse(ctx, " "+columns+" ;; SELECT 2", true)
	if err != nil || parsed != columns || strings.Trim(rest, " ;") != "SELECT 2" {
		t.Fatalf("it read %q, and leaves %q, %v", parsed, rest, err)
	}
	for i, want := range []string{"MEDIAN(a) OVER ()", "a+1", "PERCENTILE_CONT(.5) WITHIN GROUP (ORDER BY a DESC)", "COUNT( * )"} {
		column := statement.(*sqlparser.Select).SelectExprs[i].(*sqlparser.AliasedExpr) // of a derived table, under the text as its name
		if column.InputExpression != want && column.As.String() != want {
			t.Errorf("column %d is %q and called %q, want %q", i, column.InputExpression, column.As.String(), want)
		}
	}
	_, next, err := newParser().ParseOneWithOptions(ctx, columns+"; SELECT 2", sqlparser.ParserOptions{})
	if err != nil || next != len(columns)+1 {
		t.Errorf("the next statement is at %d of %d, %v", next, len(columns), err)
	}
}

// Too many extensions are refused, and so are texts that they make too deep.
func TestExtensionsAreBounded(t *testing.T) {
	setUp()
	for n, passes := range map[int]bool{maxExtensions: true, maxExtensions + 1: false} {
		text := "SELECT " + strings.Repeat("MEDIAN(a) OVER (),", n) + "1"
		if _, refused := AsGrammar(text, false); (refused == nil) != passes || refused != nil && refused.Num != sqlerror.Syntax {
			t.Errorf("%d: %v", n, refused)
		}
	}
	for n, passes := range map[int]bool{60: true, 70: false} { // each is three of the gate's 200 levels
		text := "SELECT " + strings.Repeat("MEDIAN(", n) + "1" + strings.Repeat(") OVER ()", n)
		if _, refused := AsGrammar(text, false); (refused == nil) != passes {
			t.Errorf("%d levels: %v", n, refused)
		}
	}
}

// In texts of all pieces that change how the rest is read, the rewritten text differs only in the rewritten tokens,
// and positions map back.
func TestExtensionsOfAnything(t *testing.T) {
	setUp()
	pieces := []string{" WITH ROLLUP ", "MEDIAN(a) OVER ()", "PERCENTILE_DISC(0) WITHIN GROUP (ORDER BY a DESC)", "GROUP ", "BY ", "WITH ", "ROLLUP ", "a", ",", "MEDIAN", "(", "(", ")", ")", " OVER ", "()", "PERCENTILE_CONT", " WITHIN ", "GROUP (ORDER BY ", "DESC", "ASC",
		"'", "\"", "`", "/*", "/*!", "*/", "--", "\n", ";", ".", "SELECT ", "\\", "HAVING ", "x"}
	random := rand.New(rand.NewPCG(3, 4))
	extended := 0
	for range 200_000 {
		var b strings.Builder
		b.WriteString("SELECT a GROUP BY a ")
		for range 1 + random.IntN(16) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		x, refused := read(b.String(), random.IntN(2) == 0, random.IntN(2) == 0, TextLimits())
		if refused != nil || len(x.edits) == 0 {
			continue
		}
		extended++
		last, restored := 0, strings.Builder{}
		for i, e := range x.edits {
			if e.from < last || e.to <= e.from || x.grammar[e.at:e.at+len(e.with)] != e.with || x.place(e.at) != e.from && (i == 0 || x.edits[i-1].at < e.at) {
				t.Fatalf("%q: edit %d, %+v", x.text, i, e)
			}
			restored.WriteString(x.text[last:e.from] + e.with)
			last = e.to
		}
		if got := restored.String() + x.text[last:]; got != x.grammar || x.place(len(x.grammar)) != len(x.text) {
			t.Fatalf("%q is read as %q, and ends at %d", x.text, x.grammar, x.place(len(x.grammar)))
		}
	}
	if extended < 1000 {
		t.Errorf("only %d texts were rewritten", extended)
	}
}

// As in MySQL, a column of a created table is named after the text of its expression.
func TestCreatedColumnsHaveTheirTexts(t *testing.T) {
	setUp()
	const created = "CREATE TABLE x AS SELECT SUM(a) OVER (), id, 'x', 'a' = 'b', MEDIAN( a ) OVER (), a+1 AS n, 1+1 FROM (SELECT COUNT( *) FROM t) q"
	statement, _, _, err := newParser().Parse(sql.NewContext(t.Context()), created, false)
	if err != nil {
		t.Fatal(err)
	}
	query := statement.(*sqlparser.DDL).OptSelect.Select.(*sqlparser.Select)
	for i, want := range []string{"SUM(a) OVER ()", "id", "x", "'a' = 'b'", "MEDIAN( a ) OVER ()", "n", "1+1"} {
		column := query.SelectExprs[i].(*sqlparser.AliasedExpr)
		name := column.As.String()
		if name == "" {
			name = column.InputExpression
		}
		if name == "" {
			name = sqlparser.String(column.Expr)
		}
		if name != want {
			t.Errorf("column %d is called %q, want %q", i, name, want)
		}
	}
	inner := query.From[0].(*sqlparser.AliasedTableExpr).Expr.(*sqlparser.Subquery).Select.(*sqlparser.Select)
	if name := inner.SelectExprs[0].(*sqlparser.AliasedExpr).InputExpression; name != "COUNT( *)" {
		t.Errorf("the derived table's column is called %q", name)
	}
}
