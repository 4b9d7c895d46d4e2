package gate_test

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/gate"
)

var limits = gate.Limits{Nesting: 20, Terms: 50}

// A bounded text is SELECT, n times before, the core, n times after, and the tail. most is the largest accepted n,
// and bound the limit that refuses n + 1.
type boundedText struct {
	name                string
	before, core, after string
	tail                string
	most                int
	bound               gate.Bound
}

// boundedTexts are the shapes that nest, or grow, without end.
var boundedTexts = []boundedText{
	{"!", "!", "1", "", "", 20, gate.Nesting},
	{"NOT", "NOT ", "1", "", "", 20, gate.Nesting},
	{"NOT in comments", "/*!50000 nOt*/", "1", "", "", 20, gate.Nesting},
	{"minus", "- ", "1", "", "", 20, gate.Nesting},
	{"BINARY", "BINARY ", "1", "", "", 20, gate.Nesting},
	{"sums", "", "1", "+1", "", 20, gate.Nesting},
	{"COLLATE", "", "'a'", " COLLATE b", "", 20, gate.Nesting},
	{"introducers", "_latin1 ", "'a'", "", "", 20, gate.Nesting},
	{"->", "", "a", "->'$'", "", 20, gate.Nesting},
	{"CASE", "CASE WHEN 1 THEN ", "1", " END", "", 10, gate.Nesting},
	{"CASE with an END that is a name", "CASE WHEN end THEN ", "1", " END", "", 19, gate.Nesting},
	{"CASE behind CASE", "", "1", "+CASE WHEN 1 THEN 1 END", "", 9, gate.Nesting},
	{"parentheses", "(", "1", ")", "", 20, gate.Nesting},
	{"parentheses of sums", "(1+", "1", ")", "", 10, gate.Nesting},
	{"functions", "ABS(", "1", ")", "", 20, gate.Nesting},
	{"braces", "{d ", "1", "}", "", 20, gate.Nesting},
	{"subqueries", "(SELECT ", "1", ")", "", 20, gate.Nesting},
	{"AND", "", "1", " AND 1", "", 50, gate.Terms},
	{"OR of sums", "", "1", " || 1+1+1=3", "", 50, gate.Terms},
	{"XOR in CASE", "CASE WHEN 1", "", " XOR 1", " THEN 1 END", 50, gate.Terms},
	{"%", "", "1", "%1", "", 10, gate.Nesting},
	{"branches", "", "CASE 1", " WHEN 1 THEN 1", "", 50, gate.Terms},
	{"JOIN", "", "1 FROM a", " JOIN b", "", 50, gate.Terms},
	{"UNION", "", "1", " UNION SELECT 1", "", 50, gate.Terms},
	{"names of clauses behind a dot", "", "1", "+a.from", "", 20, gate.Nesting},
	{"names of clauses before a dot", "", "1", "+from . a", "", 20, gate.Nesting},
	{"VALUES", "", "1", "+VALUES(a)", "", 19, gate.Nesting},
	{"strings", "", "", "'a' ", "", 20, gate.Nesting},
	{"empty comments", "/*! */", "1", "", "", 20, gate.Nesting},
	{"FOR", "FOR ", "1", "", "", 20, gate.Nesting},
	{"@@ takes a quote", "", "@@a'", "+1", "", 20, gate.Nesting},
	{"a comment without a blank", "", "1", "--\n+1", "", 20, gate.Nesting},
	{"/*! ends in a string", "/*!1, '*/", "1", "+1", "", 20, gate.Nesting},
	{"a NUL behind a string", "", "'a'\x00 '\x00", "+1", "", 20, gate.Nesting},
	{"a statement behind another", "", "1; SELECT ", "!", "1", 20, gate.Nesting},
	{"a statement that follows a quote", "", `'\';'; SELECT `, "!", "1", 20, gate.Nesting},
}

// of is the text with n repetitions.
func (b boundedText) of(n int) string {
	before := strings.Repeat(b.before, n)
	if b.before == "CASE WHEN 1" || b.name == "/*! ends in a string" { // before is not repeated
		before = b.before
	}
	return "SELECT " + before + b.core + strings.Repeat(b.after, n) + b.tail
}

// Texts with n of something pass, and with n + 1 do not. check returns a text's refusal, nil if it keeps the limits.
func check(text string, ansi bool, limits gate.Limits) *gate.Refusal {
	_, refused := gate.Read(text, ansi, false, limits)
	return refused
}

func TestBoundsAreExact(t *testing.T) {
	for _, b := range boundedTexts {
		t.Run(b.name, func(t *testing.T) {
			if refused := check(b.of(b.most), false, limits); refused != nil {
				t.Errorf("%d are refused: %v", b.most, refused)
			}
			refused := check(b.of(b.most+1), false, limits)
			if refused == nil || refused.Bound != b.bound {
				t.Errorf("%d give %v, want bound %d", b.most+1, refused, b.bound)
			}
		})
	}
}

// A million of each, which nothing that calls itself could read.
func TestAMillion(t *testing.T) {
	const n = 1_000_000
	for _, text := range []string{"!", "NOT ", "- ", "(", "CASE ", "1+", "1 AND ", "'a' ", "/*! */", "FOR ", "(SELECT ", "a JOIN ", "{", "BINARY ", "_utf8 ",
		"not/*a*/ ", "NOT--\n", "case when end then "} {
		if refused := check("SELECT "+strings.Repeat(text, n), false, gate.Limits{Nesting: 200, Terms: 5000}); refused == nil || refused.At > 200_000 {
			t.Errorf("%q: %v", text, refused)
		}
	}
}

// Flat statements of any length pass.
func TestFlatStatementsPass(t *testing.T) {
	const n = 100_000
	for name, text := range map[string]string{
		"rows":       "INSERT INTO t VALUES " + strings.Repeat("(1,'a',-1.5e-3,NULL,'2020-01-01'),", n) + "(1,'a',-1,NULL,'')",
		"IN":         "SELECT a FROM t WHERE a IN (" + strings.Repeat("-1,", n) + "1) AND b NOT IN (" + strings.Repeat("'a',", n) + "'b')",
		"columns":    "SELECT " + strings.Repeat("a+b AS c,", n) + "1",
		"CASE":       "SELECT CASE " + strings.Repeat("WHEN a = 1 THEN 'b' ", limits.Terms) + "ELSE 'c' END",
		"statements": strings.Repeat("UPDATE t SET a = a + 1 WHERE b = 2;", n),
		"text":       "SELECT '" + strings.Repeat("!(", n) + "'",
		"comment":    "SELECT /* " + strings.Repeat("!(", n) + "*/ 1 -- " + strings.Repeat("NOT ", n),
		"name":       "SELECT `" + strings.Repeat("!(", n) + "`",
		"conditions": "SELECT " + strings.Repeat("(a = 1 AND b = 2) OR ", limits.Terms-1) + "1",
		"routine":    "CREATE PROCEDURE p() BEGIN " + strings.Repeat("SET @a = @a + 1; ", n) + "END",
	} {
		if refused := check(text, false, limits); refused != nil {
			t.Errorf("%s: %v", name, refused)
		}
	}
}

// The body of a routine belongs to its statement, and its blocks are counted.
func TestBlocksOfRoutines(t *testing.T) {
	for _, block := range []string{"BEGIN ", "IF 1 THEN ", "LOOP ", "WHILE 1 DO ", "REPEAT ", "DECLARE CONTINUE HANDLER FOR NOT FOUND ", "SELECT 1; IF 1 THEN "} {
		for _, head := range []string{"CREATE PROCEDURE p() ", "CREATE DEFINER=`a`@`b` TRIGGER g BEFORE INSERT ON t FOR EACH ROW ", "ALTER EVENT e DO "} {
			refused := check(head+strings.Repeat(block, 60)+"SELECT 1", false, limits)
			if refused == nil {
				t.Errorf("%s%s x 60 passes", head, block)
			}
		}
	}
	sequence := "CREATE PROCEDURE p() BEGIN " + strings.Repeat("IF a THEN SET b = 1; END IF; CASE a WHEN 1 THEN SET b = 2; END CASE; ", 40) + "END"
	if refused := check(sequence, false, limits); refused != nil {
		t.Errorf("forty blocks in a row: %v", refused)
	}
}

// Depths add up only along a path; the number of siblings has its own bound.
func TestDepthsAreOfPaths(t *testing.T) {
	limits := gate.Limits{Nesting: 100, Terms: 5000}
	deep := "(" + strings.Repeat("1+", 10) + "1)"
	if refused := check("SELECT "+strings.Repeat(deep+",", 1000)+"1", false, limits); refused != nil {
		t.Errorf("columns add up: %v", refused)
	}
	if refused := check("SELECT "+strings.Repeat(deep+" = 1 AND ", 40)+"1", false, limits); refused != nil {
		t.Errorf("conditions add up: %v", refused)
	}
	deeper := "(" + strings.Repeat("1+", 60) + "1)"
	if refused := check("SELECT "+strings.Repeat(deeper+",", 1000)+"1", false, limits); refused == nil || refused.Bound != gate.Operators {
		t.Errorf("a thousand deep columns: %v", refused)
	}
	if refused := check("SELECT "+strings.Repeat("1+", 50)+"("+strings.Repeat("1+", 50)+"1)", false, limits); refused == nil {
		t.Error("depths do not add up along a path")
	}
}

func TestPlaceholders(t *testing.T) {
	if refused := check("SELECT "+strings.Repeat("?,", gate.MaxPlaceholders-1)+"?", false, limits); refused != nil {
		t.Errorf("%d: %v", gate.MaxPlaceholders, refused)
	}
	if refused := check("SELECT "+strings.Repeat("?,", gate.MaxPlaceholders)+"?", false, limits); refused == nil || refused.Bound != gate.Placeholders {
		t.Errorf("one more: %v", refused)
	}
}

func TestAnsiQuotes(t *testing.T) {
	const hidden = `SELECT "\", !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!1 AS "b"`
	if check(hidden, true, limits) == nil {
		t.Error("a backslash hides operators in ANSI_QUOTES")
	}
	if refused := check(hidden, false, limits); refused != nil {
		t.Errorf("a string is not read as one: %v", refused)
	}
}

// statement has 300 bytes.
const statement = "SELECT `occupation`, COUNT(*) AS n, AVG(age) FROM published.people WHERE (disease = 'flu' OR disease IN ('cold', 'asthma')) " +
	"AND age BETWEEN 20 AND 60 AND CASE WHEN sex = 'male' THEN hours * 1.5 + 2 ELSE hours END > 30 AND NOT (city LIKE 'B%') -- q\n" +
	"GROUP BY occupation HAVING COUNT(*) > 10 ORDER BY n DESC LIMIT 100"

func TestCheckAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { check(statement, false, limits) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A number is as long as it may be; hexadecimal and bit values are texts.
func TestDigits(t *testing.T) {
	ones := strings.Repeat("1", gate.MaxDigits)
	for text, passes := range map[string]bool{
		"SELECT " + ones:                   true,
		"SELECT 1" + ones:                  false,
		"SELECT ." + ones:                  false,
		"SELECT -1/*c*/1e" + ones:          false,
		"SELECT 0x1" + ones:                true,
		"SELECT x'11" + ones + "'":         true,
		"SELECT b'11" + ones + "'":         true,
		"SELECT '1" + ones + "'":           true,
		"SELECT 1; SELECT 1, 1" + ones:     false,
		"/*!50000 SELECT 1" + ones + " */": false,
	} {
		refused := check(text, false, limits)
		if (refused == nil) != passes || refused != nil && (refused.Bound != gate.Digits || refused.Limit != gate.MaxDigits) {
			t.Errorf("%.30s: %v", text, refused)
		}
	}
}
