package texts

import (
	"math"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

func guarantee(name string, achieved float64, required anonymize.Ratio) anonymize.Guarantee {
	return anonymize.Guarantee{Name: name, Achieved: achieved, Required: &required, Holds: true}
}

// Promises fit into the space that other columns leave, and count the ones left out.
func TestPromisesFit(t *testing.T) {
	schema := sql.Schema{{Name: "release"}, {Name: "guarantees"}, {Name: "seconds"}}
	all := []anonymize.Guarantee{
		guarantee("alpha", 0.8, anonymize.Ratio{Num: 1, Den: 1}), // promises nothing
		guarantee("beta", 1.0/6, anonymize.Ratio{Num: 1, Den: 5}),
		{Name: "learned", Achieved: 0.2}, // reported, not promised
		guarantee("k", 6, anonymize.Ratio{Num: 5, Den: 1}), guarantee("recursive", 1, anonymize.Ratio{Num: 3, Den: 1}),
		guarantee("k_map", 14, anonymize.Ratio{Num: 14, Den: 1}), guarantee("delta_presence_max", 0.5, anonymize.Ratio{Num: 1, Den: 2}),
	}
	for release, want := range map[string]string{
		"people":                "beta 0.1667 <= 0.2, k 6 >= 5, recursive 1 < 3, k_map 14 >= 14, delta_presence_max 0.5 <= 0.5",
		strings.Repeat("p", 56): "beta 0.1667 <= 0.2, k 6 >= 5, 3 more",
		strings.Repeat("p", 99): "beta 0.1667 <= 0.2, 4 more",
	} {
		row := WithPromises(schema, sql.Row{release, nil, 12.345}, 1, all)
		if row[1] != want {
			t.Errorf("beside %q: %q, want %q", release, row[1], want)
		}
		if width := 1 + 9 + len(release) + len(want) + len("seconds"); len(release) < 60 && width > Terminal {
			t.Errorf("the row is %d columns wide", width)
		}
	}
	if row := WithPromises(schema, sql.Row{"p", nil, 1.0}, 1, all[:1]); row[1] != "" {
		t.Errorf("a share of at most 1 is a promise: %q", row[1])
	}
	if got, want := Guarantees(all[1:3]), "beta 0.1667 (required 0.2); learned 0.2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinesAndListsFit(t *testing.T) {
	if got := strings.Join(Lines("records of a group are alike: who stands out", 12), "|"); got != "records of a|  group are|  alike: who|  stands out" {
		t.Errorf("lines: %q", got)
	}
	if got := strings.Join(Lines("Kraftfahrzeughaftpflicht is one word", 8), "|"); got != "Kraftfahrzeughaftpflicht|  is one|  word" {
		t.Errorf("a long word: %q", got)
	}
	names := []string{"age", "sex", "education"}
	for width, want := range map[int]string{40: "qi1: age, sex, education", 20: "qi1: age, 2 more", 3: "qi1: age, 2 more"} {
		if got := List("qi1: ", names, width); got != want {
			t.Errorf("in %d columns: %q, want %q", width, got, want)
		}
	}
	if Detail != 74 {
		t.Errorf("details have %d columns", Detail)
	}
}

func TestFactsAndWarnings(t *testing.T) {
	facts := []anonymize.Fact{{Name: "groups", Value: "4"}, {Name: "warning", Value: "records are alike"}, {Name: "jitter", Value: "0 places"}}
	if got := Facts(facts); got != "groups 4; jitter 0 places" {
		t.Errorf("facts: %q", got)
	}
	if got := Warnings(facts); len(got) != 1 || got[0] != "records are alike" {
		t.Errorf("warnings: %q", got)
	}
}

func TestRounded(t *testing.T) {
	if got := Thousandths(5011.359999999995); got != 5011.36 {
		t.Errorf("got %v", got)
	}
	if got := Millionths(1.0 / 3); got != 0.333333 {
		t.Errorf("got %v", got)
	}
	if got := Millionths(math.Inf(1)); !math.IsInf(got, 1) {
		t.Errorf("got %v", got)
	}
}

// visible are the names that the statements of TestWaysOut may have meant.
var visible = Names{Current: "census",
	Procedures: []string{"anonymize", "drop_release", "set_attributes", "tune"}, Relations: []string{"anon_detect", "slppa"}, Functions: []string{"anon_actual", "anon_interval_high", "anon_interval_low", "anon_low"}, Variables: []string{"anon_estimator", "anon_weight"}, Published: "published",
	Databases: func() []string { return []string{"census", "published"} },
	Tables: func(database string) []string {
		return map[string][]string{"": {"people", "towns"}, "census": {"people", "towns"}, "published": {"people", "visits"}}[database]
	},
	Columns: func(database, table string) []string {
		return map[string][]string{".people": {"age", "disease"}, "published.visits": {"ward"}}[database+"."+table]
	},
}

// Typical mistakes get a suggestion; other errors get none.
func TestWaysOut(t *testing.T) {
	for _, c := range []struct {
		statement string
		number    int
		message   string
		want      string
	}{
		{"CALL anonymise('census.people', 'anatomy')", 1305, `stored procedure "anonymise" does not exist`, `; did you mean "anonymize"?`},
		{"call set_atributes('t')", 1305, "", `; did you mean "set_attributes"?`},
		{"CALL mine()", 1305, "", ""},
		{"CALL anonymize(census.people, 'anatomy')", 1146, "table not found: census", "; arguments of CALL are texts in quotes: CALL anonymize('database.table', 'name=value')"},
		{"CALL anonymize('census.people', 'slppa', beta=0.2)", 1054, `column "beta" could not be found in any table in scope`, "; arguments of CALL are texts in quotes: CALL anonymize('database.table', 'name=value')"},
		{"CALL anonymize('census.people', 'anatomy')", 1146, "table not found: census.people", ""},
		{"CALL mine(x)", 1054, `column "x" could not be found in any table in scope`, ""},
		{"SELECT * FROM ANON_DETEKT(census.people)", 1146, "table not found: census", `; there is no table function ANON_DETEKT; did you mean "anon_detect"?`},
		{"SELECT * FROM SLPPA(census.peple, 0.5)", 1146, `table not found: census.peple; did you mean "people"?`, ""},
		{"SELECT 'FROM ANON_DETEKT(x)' FROM nothing", 1146, "table not found: nothing", ""},
		{"SELECT * FROM nothing", 1146, "table not found: nothing", ""},
		{"CALL drop_release(people)", 1054, `column "people" could not be found in any table in scope`, "; arguments of CALL are texts in quotes: CALL drop_release('release', 'name=value')"},
		{"SELECT COUNT(*) FROM peple", 1146, "table not found: peple", `; did you mean "people"?`},
		{"SELECT COUNT(*) FROM published.vists", 1146, "table not found: vists", `; did you mean "visits"?`},
		{"SELECT COUNT(*) FROM visits", 1146, "table not found: visits", "; there is published.visits"},
		{"SELECT COUNT(*) FROM a_view", 1146, "table not found: peple", ""},
		{"SELECT * FROM ANON_DETECT", 1146, "table not found: anon_detect", "; anon_detect is a table function: FROM anon_detect(name)"},
		{"SELECT * FROM anonymize('census.people')", 1146, "table not found: anonymize", "; a procedure is called: CALL anonymize('database.table', 'name=value')"},
		{"SELECT 1 FROM censu.people", 1049, "database not found: censu", `; did you mean "census"?`},
		{"USE publishd", 1044, "Access denied for user 'bi'@'%' to database 'publishd'", `; did you mean "published"?`},
		{"USE secret", 1044, "Access denied for user 'bi'@'%' to database 'secret'", ""},
		{"CREATE TABLE x (n INT)", 1044, "Access denied for user 'bi'@'%' to database 'published'", ""},
		{"SELECT 1 FROM clinic.people", 1142, "SELECT command denied to user 'bi'@'%' for table 'people'", "; a release of this name is published.people"},
		{"SELECT 1 FROM clinic.staff", 1142, "SELECT command denied to user 'bi'@'%' for table 'staff'", ""},
		{"SELECT COUNT(*) FROM people WHERE aeg > 3", 1054, `column "aeg" could not be found in any table in scope`, `; did you mean "age"?`},
		{"SELECT p.desease FROM people p", 1054, `table "p" does not have column "desease"`, `; did you mean "disease"?`},
		{"SELECT 1 FROM people JOIN published.visits WHERE wrad = 1", 1054, `column "wrad" could not be found in any table in scope`, `; did you mean "ward"?`},
		{"SELECT 1 FROM people WHERE disease = Asthma", 1054, `column "Asthma" could not be found in any table in scope`, "; texts are written in quotes: 'Asthma'"},
		{"SELECT * FROM ANON_DETECKT(people)", 1054, `column "people" could not be found in any table in scope`, `; there is no table function ANON_DETECKT; did you mean "anon_detect"?`},
		{"SET anon_estimatr = 'independent'", 1054, `column "anon_estimatr" could not be found in any table in scope`, `; there is no variable anon_estimatr; did you mean "anon_estimator"?`},
		{"SELECT COUNT(*) FROM people HAVING disease > 'x'", 1054, `column "disease" could not be found in any table in scope`, ""},
		{"SELECT 1 FROM people WHERE 'Asthma' = zip", 1054, `column "Asthma" could not be found in any table in scope`, ""},
		{"SELECT anonymize('census.people')", 1305, "function: 'anonymize' not found", "; a procedure is called: CALL anonymize('database.table', 'name=value')"},
		{"SELECT ANON_DETECT(census.people)", 1305, "function: 'anon_detect' not found", "; it is a table function: SELECT * FROM ANON_DETECT(name)"},
		{"anonymize('census.people', 'anatomy')", 1064, "syntax error at position 10 near 'anonymize'", "; a procedure is called: CALL anonymize('database.table', 'name=value')"},
		{"EXEC anonymize 'census.people'", 1064, "syntax error at position 5 near 'EXEC'", "; a procedure is called: CALL anonymize('database.table', 'name=value')"},
		{"CALL drop_release 'people'", 1064, "syntax error at position 27 near 'people'", "; a procedure is called: CALL drop_release('release', 'name=value')"},
		{"SELECT COUNT(* FROM people", 1064, "syntax error at position 20 near 'FROM'", ""},
	} {
		if got := WayOut(c.statement, c.number, c.message, visible); got != c.want {
			t.Errorf("%s: %q, want %q", c.statement, got, c.want)
		}
	}
}

// Suggestions for functions, for their arguments, and for columns that a release lacks.
func TestWaysOutOfExpressions(t *testing.T) {
	const alias = " does not exist in scope, but there is an alias defined in this projection with that name. Aliases cannot be used in the same projection they're defined in"
	for _, c := range []struct {
		statement string
		number    int
		message   string
		want      string
	}{
		{"SELECT SUM(age) AS c, anon_low(c) FROM people", 1054, `column "c"` + alias, "; write ANON_LOW(SUM(age))"},
		{"SELECT COUNT(*) c, ANON_INTERVAL_LOW(`c`, .9) FROM people", 1054, `column "c"` + alias, "; write ANON_INTERVAL_LOW(COUNT(*))"},
		{"SELECT age AS c, c + 1 FROM people", 1054, `column "c"` + alias, ""},
		{"SELECT 1 FROM people WHERE `Birth_Date` = '1970'", 1292, "Incorrect datetime value: '1970'", " for Birth_Date; a date is '1970-12-31', its year YEAR(Birth_Date)"},
		{"SELECT 1 FROM people p WHERE p.born BETWEEN '70/1/1' AND '2000-01-01'", 1292, "Incorrect datetime value: '70/1/1'", " for born; a date is '1970-12-31'"},
		{"SELECT 1 FROM people WHERE a_view > 3", 1292, "Incorrect datetime value: '1970'", ""},
		{"INSERT INTO t VALUES ('x')", 1292, "Incorrect date value: 'x' for column 'born'", ""},
		{"SELECT income FROM published.visits", 1054, `column "income" could not be found in any table in scope`, "; published.visits has ward: columns without a role are not published"},
		{"SELECT income FROM people", 1054, `column "income" could not be found in any table in scope`, ""},
		{"SELECT ANON_LOWW(COUNT(*)) FROM people", 1305, "function: 'anon_loww' not found", `; did you mean "anon_low"?`},
		{"SELECT cuont(*) FROM people", 1305, "function: 'cuont' not found", `; did you mean "count"?`},
		{"SELECT ANON_INTERVAL(COUNT(*)) FROM people", 1305, "function: 'anon_interval' not found", "; there are ANON_INTERVAL_HIGH and ANON_INTERVAL_LOW"},
		{"SELECT own_rate(1)", 1305, "function: 'own_rate' not found", ""},
	} {
		if got := WayOut(c.statement, c.number, c.message, visible); got != c.want {
			t.Errorf("%s: %q, want %q", c.statement, got, c.want)
		}
	}
}
