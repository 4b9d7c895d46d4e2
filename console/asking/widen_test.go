package asking

import (
	"fmt"
	"strings"
	"testing"
)

// Every figure gets its interval, and a single aggregate also hard bounds; unclear expressions stay unchanged.
func TestWiden(t *testing.T) {
	added := func(expression string, n int, bounded bool) string {
		text := fmt.Sprintf(", ANON_INTERVAL_LOW(%s) AS anon_low_%d, ANON_INTERVAL_HIGH(%[1]s) AS anon_high_%[2]d", expression, n)
		if bounded {
			text += fmt.Sprintf(", ANON_LOW(%s) AS anon_least_%d, ANON_HIGH(%[1]s) AS anon_most_%[2]d", expression, n)
		}
		return text
	}
	for statement, want := range map[string]string{
		"SELECT COUNT(*) FROM people":                                         "SELECT COUNT(*)" + added("COUNT(*)", 1, true) + " FROM people",
		"SELECT d, COUNT(*) n FROM p GROUP BY d":                              "SELECT d, COUNT(*) n" + added("COUNT(*)", 2, true) + " FROM p GROUP BY d",
		"select avg(age) as `from` from p":                                    "select avg(age) as `from`" + added("avg(age)", 1, true) + " from p",
		"SELECT ROUND(AVG(age), 1) FROM p":                                    "SELECT ROUND(AVG(age), 1)" + added("AVG(age)", 1, true) + " FROM p",
		"SELECT 100 * SUM(a = 'x, FROM') / COUNT(*) AS p FROM q -- FROM r":    "SELECT 100 * SUM(a = 'x, FROM') / COUNT(*) AS p" + added("100 * SUM(a = 'x, FROM') / COUNT(*)", 1, false) + " FROM q -- FROM r",
		"SELECT d /* FROM */, SUM(x) # sum\nFROM p":                           "SELECT d /* FROM */, SUM(x)" + added("SUM(x)", 2, true) + " # sum\nFROM p",
		"WITH x AS (SELECT COUNT(*) FROM p) SELECT SUM(n) FROM x":             "WITH x AS (SELECT COUNT(*) FROM p) SELECT SUM(n)" + added("SUM(n)", 1, true) + " FROM x",
		"SELECT COUNT(*) --\tall\nFROM p":                                     "SELECT COUNT(*)" + added("COUNT(*)", 1, true) + " --\tall\nFROM p",
		"SELECT COUNT(*) // it's all\nFROM p --":                              "SELECT COUNT(*)" + added("COUNT(*)", 1, true) + " // it's all\nFROM p --",
		"SELECT COUNT(*) /*/ , 1 */ FROM p":                                   "SELECT COUNT(*)" + added("COUNT(*)", 1, true) + " /*/ , 1 */ FROM p",
		"SELECT SUM(a --1) FROM p":                                            "SELECT SUM(a --1)" + added("SUM(a --1)", 1, true) + " FROM p",
		"SELECT COUNT(*) /*! , MAX(age) */ FROM p":                            "",
		"SELECT COUNT(*) /*!80000 , MAX(age) */ FROM p":                       "",
		"SELECT MAX(age), COUNT(DISTINCT a), (SELECT COUNT(*) FROM p) FROM p": "",
		"SELECT COUNT(*) FROM a UNION SELECT 1 FROM b":                        "",
		"SELECT SUM(COUNT(*)) OVER () FROM p":                                 "",
		"SELECT ANON_LOW(COUNT(*)) FROM p":                                    "",
		"SELECT DISTINCT COUNT(*) FROM p":                                     "",
		"SELECT *, COUNT(*) FROM p":                                           "",
		"SELECT COUNT(*) FROM p; DROP TABLE p":                                "",
		"DELETE FROM p":                                                       "", "": "", "SELECT": "", "SELECT 'COUNT(": "",
	} {
		ways := Widen(statement)
		if want == "" {
			want = statement
		}
		if got := ways[0].Statement; got != want {
			t.Errorf("%s\n got %s\nwant %s", statement, got, want)
		}
		if last := ways[len(ways)-1].Statement; last != statement {
			t.Errorf("%s: the last way is %s", statement, last)
		}
	}
}

// The positions of additions refer to the answer's columns.
func TestWidenPlaces(t *testing.T) {
	way := Widen("SELECT d, SUM(a) / SUM(b), COUNT(*), MAX(c) FROM p GROUP BY d")[0]
	want := []Item{{}, {Figure: true, Interval: [2]int{4, 5}}, {Figure: true, Interval: [2]int{6, 7}, Bounds: [2]int{8, 9}}, {Figure: true}}
	if way.Columns != 10 {
		t.Errorf("the answer has %d columns, want 10", way.Columns)
	}
	for i, item := range way.Items {
		if item != want[i] {
			t.Errorf("item %d is %v, want %v", i, item, want[i])
		}
	}
	if second := Widen("SELECT SUM(a) / SUM(b), COUNT(*) FROM p")[1]; second.Items[0].Interval[1] != 0 || second.Items[1].Bounds[1] != 5 {
		t.Errorf("the second way has %v", second.Items)
	}
}

// A statement longer than its field is sent unchanged, without analysis.
func TestLongStatements(t *testing.T) {
	list := strings.Repeat("COUNT(*), ", 9990) + "COUNT(*) FROM p"
	if ways := Widen("SELECT " + list); len(ways) != 2 {
		t.Errorf("%d bytes have %d ways, want 2", len(list), len(ways))
	}
	if ways := Widen("SELECT 1, " + strings.Repeat("COUNT(*), ", 9990) + list); len(ways) != 1 || ways[0].Items != nil {
		t.Errorf("%d bytes have %d ways, want 1", 2*len(list), len(ways))
	}
}

// Whatever is written, additions stand before FROM and nothing else changes.
func FuzzWiden(f *testing.F) {
	for _, text := range []string{"SELECT a, COUNT(*) FROM p", "SELECT ((COUNT(*) FROM", "WITH SELECT , FROM", "SELECT `FROM", ")))(SELECT SUM(x) FROM y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, statement string) {
		for _, way := range Widen(statement) {
			if len(way.Statement) < len(statement) {
				t.Fatalf("%q became %q", statement, way.Statement)
			}
			for end := range len(statement) + 1 {
				if strings.HasPrefix(way.Statement, statement[:end]) && strings.HasSuffix(way.Statement, statement[end:]) {
					return
				}
			}
			t.Fatalf("%q became %q", statement, way.Statement)
		}
	})
}

func TestChoice(t *testing.T) {
	columns := []Column{{Name: "age", Kind: Number}, {Name: "seen", Kind: Date}, {Name: "group", Kind: Text}, {Name: "o'clock", Kind: Text}}
	for want, choice := range map[string]Choice{
		"SELECT COUNT(*) AS records\nFROM people": {Release: "people", By: []string{"", "gone"}, Where: []Condition{{"gone", "=", "1"}, {"age", "=", ""}, {"age", "OR 1 = 1 --", "1"}}},
		"SELECT `group`, AVG(age) AS average_age\nFROM people\nWHERE age >= 60\n  AND `o'clock` IN ('a', 'b''c')\nGROUP BY `group`\nORDER BY average_age DESC": {
			Release: "people", Measure: "avg", Of: "age", By: []string{"group"}, Where: []Condition{{"age", ">=", " 60 "}, {"o'clock", "IN", "a, b'c"}}},
		"SELECT DATE_FORMAT(seen, '%Y-%m') AS seen_month, FLOOR(age / 10) * 10 AS age_from, COUNT(*) AS records\nFROM people\nWHERE age = '1 OR 1'\nGROUP BY seen_month, age_from\nORDER BY seen_month, age_from": {
			Release: "people", By: []string{"seen:month", "age:10"}, Where: []Condition{{"age", "=", "1 OR 1"}}},
		"SELECT SUM(age) AS sum_age\nFROM `my table`\nWHERE `group` LIKE '%50\\\\%%'": {Release: "my table", Measure: "sum", Of: "age", Where: []Condition{{"group", "LIKE", "50%"}}},
	} {
		if got := choice.Statement(columns); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// The form's aliases differ from all columns: GROUP BY and ORDER BY would mean the column.
func TestNamesOfTheForm(t *testing.T) {
	columns := []Column{{Name: "seen", Kind: Date}, {Name: "seen_year", Kind: Number}, {Name: "Seen_Year_", Kind: Number}, {Name: "records", Kind: Text},
		{Name: "sum_seen_year", Kind: Number}}
	for want, choice := range map[string]Choice{
		"SELECT YEAR(seen) AS seen_year__, seen_year, COUNT(*) AS records_\nFROM p\nGROUP BY seen_year__, seen_year\nORDER BY seen_year__, seen_year": {
			Release: "p", By: []string{"seen:year", "seen_year"}},
		"SELECT records, SUM(seen_year) AS sum_seen_year_\nFROM p\nGROUP BY records\nORDER BY sum_seen_year_ DESC": {
			Release: "p", Measure: "sum", Of: "seen_year", By: []string{"records"}},
	} {
		if got := choice.Statement(columns); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
