package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A parameterized query is prepared once and then executed with every list of arguments.
type parameterized struct {
	query      string
	executions [][]any
	ordered    bool
}

var parameterizedQueries = []parameterized{
	// in the SELECT list
	{query: "SELECT COUNT(*) * ?, SUM(age) + ? FROM published.p WHERE sex = 'F' AND disease = 'flu'", executions: [][]any{{2, 1}, {0.5, -3.25}, {"3", "1.5"}, {nil, 1}}},
	{query: "SELECT ? AS label, COUNT(*) FROM published.p WHERE disease = 'flu'", executions: [][]any{{"a"}, {"it's"}, {7}, {nil}}},
	{query: "SELECT SUM(age * ?), AVG(age + ?), COUNT(IF(age > ?, 1, NULL)) FROM published.p WHERE disease <> 'flu'", executions: [][]any{{2, 1, 40}, {0.25, 0.5, 40.5}, {1, 1, nil}}},
	{query: "SELECT SUM(CASE WHEN age < ? THEN 1 WHEN age < ? THEN 2 ELSE ? END) FROM published.p WHERE sex = 'M' AND zip = '11100'", executions: [][]any{{30, 50, 3}, {30.5, 50, 0.25}, {nil, 50, nil}}},
	{query: "SELECT COALESCE(SUM(charge), ?) FROM published.p WHERE disease = ?", executions: [][]any{{-1, "nothing"}, {-1.5, "flu"}, {nil, "nothing"}}},
	{query: "SELECT ROUND(COUNT(*), ?), CAST(COUNT(*) AS SIGNED) + ? FROM published.p WHERE sex = 'F' AND disease = 'cold'", executions: [][]any{{1, 1}, {0, -1}}},
	// in conditions
	{query: "SELECT COUNT(*), MIN(age), MAX(charge) FROM published.p WHERE age > ? AND disease = ?", executions: [][]any{{40, "flu"}, {40.5, "cold"}, {"40", "FLU"}, {nil, "flu"}, {40, nil}, {int64(-1) << 62, "gout"}, {true, "flu"}}},
	{query: "SELECT COUNT(*) FROM published.p WHERE disease IN (?, ?, ?) AND sex = ?", executions: [][]any{{"flu", "cold", "gout", "F"}, {"flu", nil, "x", "M"}, {1, 2.5, "flu", "F"}}},
	{query: "SELECT COUNT(*) FROM published.p WHERE age NOT IN (?, ?) AND disease = 'flu'", executions: [][]any{{20, 25}, {20, nil}, {20.0, "25"}, {20.5, 25}}},
	{query: "SELECT COUNT(*) FROM published.p WHERE charge BETWEEN ? AND ? AND disease = 'flu'", executions: [][]any{{10.5, 40.5}, {10, 40}, {"10.5", "40.5"}, {nil, 40}}},
	{query: "SELECT COUNT(*) FROM published.p WHERE disease LIKE ? OR zip <=> ?", executions: [][]any{{"c%", "11100"}, {"%o%", nil}, {"", 11100}}},
	{query: "SELECT COUNT(*), AVG(charge) FROM published.p WHERE born < ? AND sex = 'F' AND disease = 'flu'", executions: [][]any{{"1980-01-01"}, {time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}, {"1980-01-01 00:00:01"}, {nil}}},
	{query: "SELECT COUNT(*) FROM published.p WHERE (age > ?) = ? AND disease = 'gout'", executions: [][]any{{40, true}, {40, 0}, {40, nil}}},
	{query: "SELECT COUNT(*) FROM published.p WHERE ? AND disease = 'flu' AND sex = 'F'", executions: [][]any{{true}, {0}, {nil}, {1.5}}},
	{query: "SELECT COUNT(*) FROM published.p WHERE age % ? = ? AND disease = 'flu'", executions: [][]any{{10, 0}, {7, 3}, {0, 0}}},
	{query: "SELECT COUNT(*) FROM (SELECT * FROM published.p WHERE age > ?) t WHERE disease = ?", executions: [][]any{{30, "flu"}, {50.5, "cold"}}},
	// in keys
	{query: "SELECT age DIV ? AS band, COUNT(*) FROM published.p WHERE disease = 'flu' GROUP BY band", executions: [][]any{{10}, {20}, {0}}},
	{query: "SELECT IF(age < ?, 'young', 'old') AS band, COUNT(*), SUM(charge) FROM published.p WHERE disease = 'flu' GROUP BY 1", executions: [][]any{{40}, {40.5}, {nil}}},
	{query: "SELECT CASE WHEN age < ? THEN ? WHEN age < ? THEN ? ELSE ? END AS band, COUNT(*) FROM published.p WHERE disease = 'flu' GROUP BY band", executions: [][]any{{30, "a", 50, "b", "c"}, {30, 1, 50, 2, 3}, {30, "a", 50, nil, "c"}}},
	{query: "SELECT LEFT(disease, ?) AS initial, COUNT(*) FROM published.p WHERE age > 30 GROUP BY initial", executions: [][]any{{1}, {2}}},
	{query: "SELECT sex, COUNT(*) FROM published.p WHERE disease = 'flu' GROUP BY sex, age > ?", executions: [][]any{{40}, {1000}}},
	{query: "SELECT DISTINCT CONCAT(sex, ?) FROM published.p", executions: [][]any{{"-"}, {1}, {nil}}},
	{query: "SELECT age DIV ? AS band, sex, COUNT(*) FROM published.p WHERE disease = ? GROUP BY band, sex WITH ROLLUP", executions: [][]any{{10, "flu"}, {20, "cold"}, {0, "flu"}}, ordered: true},
	// after the aggregation
	{query: "SELECT sex, GROUPING(sex), COUNT(*) + ? AS n FROM published.p WHERE disease = 'flu' GROUP BY sex WITH ROLLUP HAVING n > ? LIMIT ?", executions: [][]any{{1, 0, 9}, {0, 10.5, 2}}, ordered: true},
	{query: "SELECT disease, COUNT(*) AS n FROM published.p WHERE sex = 'F' GROUP BY disease HAVING n > ?", executions: [][]any{{7}, {8.25}, {"9"}, {nil}}},
	{query: "SELECT disease, COUNT(*) FROM published.p WHERE sex = 'F' GROUP BY disease HAVING SUM(age) > ? OR COUNT(*) < ?", executions: [][]any{{300, 5}, {1e9, 0.5}, {0, 0}}},
	{query: "SELECT disease, COUNT(*) AS n FROM published.p WHERE sex = 'F' GROUP BY disease ORDER BY n DESC, disease LIMIT ?", executions: [][]any{{1}, {3}, {0}}, ordered: true},
	{query: "SELECT disease, COUNT(*) AS n FROM published.p WHERE sex = 'F' GROUP BY disease ORDER BY n DESC, disease LIMIT ? OFFSET ?", executions: [][]any{{2, 1}, {5, 3}}, ordered: true},
	{query: "SELECT q.disease, q.n / ? FROM (SELECT disease, COUNT(*) AS n FROM published.p WHERE age > ? GROUP BY disease) q WHERE q.n > ?", executions: [][]any{{2, 30, 3}, {0.5, 30.5, 3.75}}},
	{query: "WITH c AS (SELECT sex, COUNT(*) AS n FROM published.p WHERE disease = ? GROUP BY sex) SELECT sex, n + ? FROM c", executions: [][]any{{"flu", 1}, {"cold", 0.5}}},
	{query: "SELECT COUNT(*) FROM published.p WHERE disease = ? UNION ALL SELECT SUM(age) FROM published.p WHERE disease = ?", executions: [][]any{{"flu", "cold"}, {"cold", nil}}, ordered: true},
	{query: "SELECT sex, disease FROM published.p ORDER BY age LIMIT ?", executions: [][]any{{0}, {2}}, ordered: true},
	// in the functions around aggregates
	{query: "SELECT ANON_INTERVAL_LOW(COUNT(*), ?), ANON_INTERVAL_HIGH(COUNT(*), ?) FROM published.p WHERE age > 40 AND disease = 'flu'", executions: [][]any{{0.95, 0.95}, {0.8, 0.99}, {"0.9", 0.5}, {nil, 0.9}, {1.5, 0.9}}},
	{query: "SELECT ANON_STDERR(SUM(age * ?)), ANON_LOW(COUNT(*)), ANON_HIGH(SUM(age)) FROM published.p WHERE disease = ? AND sex = 'F'", executions: [][]any{{1, "flu"}, {2.5, "cold"}}},
	{query: "SELECT disease, COUNT(*) FROM published.p WHERE sex = 'F' GROUP BY disease HAVING ANON_STDERR(COUNT(*)) > ? ORDER BY ANON_LOW(COUNT(*)) + ?, disease", executions: [][]any{{0.5, 1}, {1.25, 0}}, ordered: true},
	{query: "SELECT COUNT(*) FROM published.p p JOIN hospital.codes c ON c.name = p.disease WHERE c.level > ? AND p.sex = ?", executions: [][]any{{40, "F"}, {10.5, "M"}}},
}

// Every execution of a prepared statement answers like the text query with the arguments as literals: the same
// columns, kinds of types and values. What cannot be prepared is refused with 1235, and what fails as text fails with
// the same number.
func TestBinaryProtocol(t *testing.T) {
	t.Parallel()
	db := publishPatients(t, 120)
	run(t, db, "CALL anonymize('hospital.patients', 'slppa', 'qi=age,sex,zip,born,charge', 'sa=disease', 'beta=0.25', 'tables=3', 'publish=p', 'seed=3', 'replace=true', 'calibrate=true')")
	for _, p := range parameterizedQueries {
		statement, err := db.PrepareContext(context.Background(), p.query)
		if servertest.Number(err) == 1235 {
			t.Logf("refused at PREPARE: %s: %v", p.query, err)
			continue
		}
		if err != nil {
			t.Errorf("PREPARE %s: %v", p.query, err)
			continue
		}
		for _, arguments := range p.executions {
			compareExecution(t, db, statement, p, arguments)
		}
		statement.Close()
	}
}

func compareExecution(t *testing.T, db *dbsql.DB, statement *dbsql.Stmt, p parameterized, arguments []any) {
	t.Helper()
	text := written(p.query, arguments)
	wantTypes, want, wantErr := collectRows(db.QueryContext(context.Background(), text))
	gotTypes, got, gotErr := collectRows(statement.QueryContext(context.Background(), arguments...))
	switch {
	case servertest.Number(gotErr) == 1235:
		t.Logf("refused at EXECUTE with %v: %s: %v", arguments, p.query, gotErr)
		return
	case gotErr != nil || wantErr != nil:
		if servertest.Number(gotErr) != servertest.Number(wantErr) || gotErr == nil || wantErr == nil {
			t.Errorf("%s\nwith %v: %v\nas text: %v", p.query, arguments, gotErr, wantErr)
		}
		return
	}
	if gotTypes != wantTypes {
		t.Errorf("%s\nwith %v: columns %s\nas text: %s", p.query, arguments, gotTypes, wantTypes)
	}
	if !p.ordered {
		sortRows(got)
		sortRows(want)
	}
	if !sameRows(got, want) {
		t.Errorf("%s\nwith %v: %v\nas text: %v", p.query, arguments, got, want)
	}
}

// A DOUBLE arrives as a DOUBLE with its digits. Clients of the C library read 0.5625 as a text, or as 0 or 1, if the
// column claims to have no decimals.
func TestPreparedDouble(t *testing.T) {
	t.Parallel()
	db := publishPatients(t, 120)
	statement, err := db.PrepareContext(context.Background(), "SELECT COUNT(*) / COUNT(*) * ? AS share, AVG(age) * 0 + ? FROM published.p WHERE disease = ? AND sex = 'F'")
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	for range 2 {
		rows, err := statement.QueryContext(context.Background(), 0.5625, 0.5625, "flu")
		if err != nil {
			t.Fatal(err)
		}
		declared, err := rows.ColumnTypes()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range declared {
			if _, decimals, _ := c.DecimalSize(); c.DatabaseTypeName() != "DOUBLE" || decimals != math.MaxInt64 {
				t.Errorf("column %s is a %s of %d decimals", c.Name(), c.DatabaseTypeName(), decimals)
			}
		}
		var share, shifted any
		for rows.Next() {
			if err := rows.Scan(&share, &shifted); err != nil {
				t.Fatal(err)
			}
		}
		if rows.Err() != nil || share != 0.5625 || shifted != 0.5625 {
			t.Errorf("%v (%T), %v (%T), error %v, want 0.5625 twice", share, share, shifted, shifted, rows.Err())
		}
	}
}

// written writes the arguments into the query as literals.
func written(query string, arguments []any) string {
	for _, argument := range arguments {
		literal := fmt.Sprint(argument)
		switch a := argument.(type) {
		case nil:
			literal = "NULL"
		case string:
			literal = "'" + strings.ReplaceAll(a, "'", "''") + "'"
		case time.Time:
			literal = "'" + a.Format("2006-01-02 15:04:05") + "'"
		case float64:
			literal = strconv.FormatFloat(a, 'e', -1, 64) // a DOUBLE, as 0.5 is not
		}
		query = strings.Replace(query, "?", literal, 1)
	}
	return query
}

// collectRows returns the columns' types as one text, and the rows with numbers as float64: a DOUBLE arrives as bytes
// in one protocol and as a number in the other.
func collectRows(rows *dbsql.Rows, err error) (columns string, all [][]any, failure error) {
	if err != nil {
		return "", nil, err
	}
	defer rows.Close()
	declared, err := rows.ColumnTypes()
	if err != nil {
		return "", nil, err
	}
	for _, c := range declared {
		_, decimals, _ := c.DecimalSize()
		columns += fmt.Sprintf("%s(%d) ", c.DatabaseTypeName(), decimals)
	}
	for rows.Next() {
		row, targets := make([]any, len(declared)), make([]any, len(declared))
		texts := make([]dbsql.NullString, len(declared))
		for i := range texts {
			targets[i] = &texts[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return "", nil, err
		}
		for i, text := range texts {
			var number float64
			if !text.Valid {
				continue
			}
			row[i] = text.String
			if _, err := fmt.Sscanf(text.String+"|", "%g|", &number); err == nil {
				row[i] = number
			}
		}
		all = append(all, row)
	}
	return columns, all, rows.Err()
}

func sameRows(a, b [][]any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		for j := range a[i] {
			x, xOK := a[i][j].(float64)
			y, yOK := b[i][j].(float64)
			if xOK && yOK && math.Abs(x-y) <= 1e-12*math.Max(1, math.Abs(y)) {
				continue
			}
			if a[i][j] != b[i][j] {
				return false
			}
		}
	}
	return true
}

// Infinity and NaN are no SQL numbers. As parameters they are refused with the same error number as such literals,
// and the statement can be executed again.
func TestParametersAreNumbers(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	statement, err := db.Prepare("SELECT ? + 1e0")
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	for _, wrong := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		var v float64
		err := statement.QueryRow(wrong).Scan(&v)
		number(t, err, 1367)
		if err := statement.QueryRow(0.5).Scan(&v); err != nil || v != 1.5 {
			t.Errorf("after %v: %v, %v", wrong, v, err)
		}
	}
}
