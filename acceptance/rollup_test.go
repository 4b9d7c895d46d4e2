package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Each level of a rollup over a view, intervals included, answers like GROUP BY of its keys: with the mean over the
// completed tables.
func TestRollupsOfAView(t *testing.T) {
	t.Parallel()
	db := startPeople(t, server.Config{}).Open(t, servertest.Root)
	const figures = "COUNT(*), SUM(age), AVG(age), ANON_INTERVAL_LOW(COUNT(*)), ANON_HIGH(SUM(age))"
	const selected = "SELECT %s, %s FROM published.people WHERE age > 25"
	rolled := fetchRows(t, db, fmt.Sprintf(selected, "sex, disease", figures)+" GROUP BY sex, disease WITH ROLLUP")
	audited := fetchRows(t, db, "SELECT DISTINCT statement FROM anonsql.audit WHERE kind = 'estimate'")
	if len(audited) != 1 || !strings.HasSuffix(audited[0][0].(string), "GROUP BY sex, disease WITH ROLLUP") {
		t.Errorf("the audit has %v", audited)
	}
	var levels [][]any
	for _, sex := range []string{"F", "M"} {
		of := fmt.Sprintf(" AND sex = '%s' GROUP BY ", sex)
		levels = append(levels, fetchRows(t, db, fmt.Sprintf(selected, "sex, disease", figures)+of+"sex, disease ORDER BY disease")...)
		levels = append(levels, fetchRows(t, db, fmt.Sprintf(selected, "sex, NULL", figures)+of+"sex")...)
	}
	levels = append(levels, fetchRows(t, db, fmt.Sprintf(selected, "NULL, NULL", figures))...)
	if len(rolled) != 13 || !slices.EqualFunc(rolled, levels, func(a, b []any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("the rollup is\n%v\nits levels are\n%v", rolled, levels)
	}
	for _, row := range rolled {
		where := "age > 25"
		for i, column := range []string{"sex", "disease"} {
			if row[i] != nil {
				where += fmt.Sprintf(" AND %s = '%v'", column, row[i])
			}
		}
		counted := fetchRows(t, db, "SELECT COUNT(*) / 12, SUM(age) / 12, SUM(age) / COUNT(*) FROM published.people_imputed WHERE "+where)[0]
		for i, want := range counted {
			if got := row[2+i].(float64); math.Abs(got-want.(float64)) > 1e-4*math.Abs(got) { // an exact AVG has four decimals
				t.Errorf("%v: figure %d is %v, and %v by hand", row[:2], i, got, want)
			}
		}
	}
}

// Aggregates without an estimator, also percentiles, run on each completed table at every level.
func TestPercentilesOfAView(t *testing.T) {
	t.Parallel()
	db := startPeople(t, server.Config{}).Open(t, servertest.Root)
	ages := map[string]map[float64][]float64{} // by disease, "" for all, and table
	for _, row := range fetchRows(t, db, "SELECT disease, draw, age FROM published.people_imputed WHERE sex = 'F' ORDER BY age") {
		for _, disease := range []string{"", row[0].(string)} {
			if ages[disease] == nil {
				ages[disease] = map[float64][]float64{}
			}
			ages[disease][row[1].(float64)] = append(ages[disease][row[1].(float64)], row[2].(float64))
		}
	}
	rows := fetchRows(t, db, `SELECT disease, MEDIAN(age), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age DESC), PERCENTILE_DISC(.9) WITHIN GROUP (ORDER BY age)
		FROM published.people WHERE sex = 'F' GROUP BY disease WITH ROLLUP`)
	for _, row := range rows {
		disease, _ := row[0].(string)
		median, nineties := 0.0, []float64{}
		for _, of := range ages[disease] {
			median += (of[(len(of)-1)/2] + of[len(of)/2]) / 2 / float64(len(ages[disease]))
			nineties = append(nineties, of[int(math.Ceil(.9*float64(len(of))))-1])
		}
		slices.Sort(nineties)
		want := []any{median, median, nineties[(len(nineties)-1)/2]}
		for i, figure := range want {
			if math.Abs(row[1+i].(float64)-figure.(float64)) > 1e-9 {
				t.Errorf("%q: %v, want %v", disease, row[1:], want)
			}
		}
	}
	if len(rows) != len(ages) {
		t.Errorf("%d groups of %d", len(rows), len(ages))
	}
	run(t, db, "SET anon_estimator = 'independent'")
	if _, err := db.Query("SELECT MEDIAN(age) FROM published.people"); servertest.Number(err) != 1235 {
		t.Errorf("fragments answer: %v", err)
	}
	over := fetchRows(t, db, "SELECT DISTINCT MEDIAN(age) OVER () FROM (SELECT age, COUNT(*) AS n FROM published.people GROUP BY age) d")
	if len(over) != 1 || over[0][0] != 44.5 {
		t.Errorf("over a derived table that aggregates: %v", over)
	}
}

// rollupServer has a table t with three rows.
func rollupServer(t *testing.T) *dbsql.DB {
	t.Helper()
	db := servertest.Start(t, server.Config{Extend: server.Product}).Open(t, servertest.Account{User: "root", MultiStatements: true})
	db.SetMaxOpenConns(1)
	run(t, db, "CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(5) NOT NULL, n INT); INSERT INTO t VALUES (1, 'x', 1), (2, 'x', 2), (3, 'y', 6)")
	return db
}

// The protocol layer parses a statement before the server does. In the binary protocol, parameters work in all
// clauses, and the columns have their names.
func TestPreparedRollups(t *testing.T) {
	t.Parallel()
	db := rollupServer(t)
	statement, err := db.Prepare(`SELECT a, SUM(n + ?) AS s, PERCENTILE_CONT(?) WITHIN GROUP (ORDER BY n), GROUPING(a) FROM t WHERE n > ? GROUP BY a WITH ROLLUP HAVING s > ? LIMIT ?`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		parameters []any
		want       string
	}{
		{[]any{0, .5, 0, 0, 9}, "[x 3 1.5 0] [y 6 6 0] [<nil> 9 2 1]"},
		{[]any{10, 1, 1, 12, 2}, "[y 16 6 0] [<nil> 28 6 1]"},
	} {
		rows, err := statement.Query(c.parameters...)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if want := "a s PERCENTILE_CONT(?) WITHIN GROUP (ORDER BY n) GROUPING(a)"; err != nil || strings.Join(columns, " ") != want {
			t.Errorf("the columns are %v, %v", columns, err)
		}
		var got []string
		for rows.Next() {
			row := make([]any, 4)
			if err := rows.Scan(&row[0], &row[1], &row[2], &row[3]); err != nil {
				t.Fatal(err)
			}
			for i, value := range row {
				if text, ok := value.([]byte); ok {
					row[i] = string(text)
				}
			}
			got = append(got, fmt.Sprint(row))
		}
		if err := rows.Err(); err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v, %v, want %s", c.parameters, got, err, c.want)
		}
		rows.Close()
	}
	run(t, db, "PREPARE p FROM 'SELECT a, COUNT(*) FROM t WHERE n > ? GROUP BY a WITH ROLLUP'; SET @n = 1")
	if got := fetchRows(t, db, "EXECUTE p USING @n"); fmt.Sprint(got) != "[[x 1] [y 1] [<nil> 2]]" {
		t.Errorf("PREPARE in SQL: %v", got)
	}
	if _, err := db.Prepare("SELECT a FROM t GROUP BY a WITH ROLLUP WITH ROLLUP"); servertest.Number(err) != 1064 {
		t.Errorf("what is no statement is prepared: %v", err)
	}
}

// Stored statements keep their written form.
func TestStoredRollups(t *testing.T) {
	t.Parallel()
	db := rollupServer(t)
	const query = "SELECT a, COUNT(*) AS n, MEDIAN(n) AS m FROM t GROUP BY a WITH ROLLUP"
	const want = "[[x 2 1.5] [y 1 6] [<nil> 3 2]]"
	run(t, db, "CREATE VIEW v AS "+query)
	if shown := fetchRows(t, db, "SHOW CREATE VIEW v")[0][1].(string); !strings.HasSuffix(shown, query) {
		t.Errorf("the view is %s", shown)
	}
	run(t, db, "CREATE PROCEDURE p() BEGIN SET @x = 1; "+query+"; END")
	if shown := fetchRows(t, db, "SHOW CREATE PROCEDURE p")[0][2].(string); !strings.Contains(shown, query+"; END") {
		t.Errorf("the procedure is %s", shown)
	}
	run(t, db, "CREATE TABLE made AS "+query+"; INSERT INTO made "+query)
	for asked, rows := range map[string]string{
		"SELECT * FROM v": want, "CALL p()": want,
		"SELECT * FROM made ORDER BY a IS NULL, a LIMIT 2":                                       "[[x 2 1.5] [x 2 1.5]]",
		"SELECT MAX(info) FROM information_schema.processlist GROUP BY user WITH ROLLUP LIMIT 1": "[[SELECT MAX(info) FROM information_schema.processlist GROUP BY user WITH ROLLUP LIMIT 1]]",
	} {
		if got := fmt.Sprint(fetchRows(t, db, asked)); got != rows {
			t.Errorf("%s: %s, want %s", asked, got, rows)
		}
	}
	fetchRows(t, db, query)
	text := one[string](t, db, "SELECT view_definition FROM information_schema.views WHERE table_name = 'v'")
	if !strings.Contains(text, "WITH ROLLUP") || strings.Contains(text, "__anon") {
		t.Errorf("information_schema has %s", text)
	}
}
