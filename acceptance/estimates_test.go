package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// predicates are conditions on published views: any AND, OR, NOT of any comparisons over columns of any fragments.
var predicates = []string{
	"1 = 1",
	"1 = 0",
	"age > 40",
	"age >= 30 AND age < 50",
	"age BETWEEN 25 AND 45",
	"NOT age BETWEEN 25 AND 45",
	"age NOT BETWEEN 25 AND 45",
	"age IN (20, 25, 30, 35)",
	"age NOT IN (20, 25, 30, 35)",
	"age + 5 > 40",
	"age * 2 > charge",
	"sex = 'F'",
	"sex <> 'F'",
	"'F' = sex",
	"sex = 'F' AND age > 40",
	"sex = 'F' OR age > 40",
	"NOT (sex = 'F' OR age > 40)",
	"NOT (sex = 'F' AND age > 40)",
	"disease = 'flu'",
	"disease LIKE 'c%'",
	"disease NOT LIKE '%o%'",
	"disease IN ('flu', 'cold') AND sex = 'M'",
	"disease = 'flu' AND sex = 'M' AND age > 30",
	"disease = 'flu' OR sex = 'M' OR age > 60",
	"(disease = 'flu' AND sex = 'M') OR (disease = 'cold' AND age < 30)",
	"(disease = 'flu' OR sex = 'M') AND (disease = 'gout' OR age < 50)",
	"NOT (disease = 'flu' OR (sex = 'M' AND age > 30))",
	"zip IS NULL",
	"zip IS NOT NULL",
	"zip IS NULL AND disease = 'flu'",
	"zip IS NULL OR disease = 'flu'",
	"NOT zip = '11100'",
	"zip <> '11100' OR age > 30",
	"(zip = '11100') IS NULL",
	"zip = '11100' AND zip = '12200'",
	"zip LIKE '1%' AND age > 30",
	"disease IS NULL",
	"disease IS NOT NULL AND age > 20",
	"zip <=> NULL",
	"COALESCE(zip, 'none') = 'none'",
	"IF(sex = 'F', age, 100 - age) > 50",
	"CASE WHEN disease = 'flu' THEN age > 30 ELSE sex = 'M' END",
	"UPPER(disease) = 'FLU' AND LOWER(sex) = 'm'",
	"LENGTH(disease) > 3",
	"CONCAT(sex, disease) = 'Fflu'",
	"CONCAT(zip, sex) = '11100F'",
	"age > 30 XOR sex = 'F'",
	"age > charge",
	"charge > 40.5",
	"charge = 20.50 OR age = 33",
	"age DIV 10 = 3",
	"age % 2 = 0 AND disease <> 'gout'",
	"born < '1970-06-15'",
	"YEAR(born) = 1980 AND sex = 'F'",
	"born BETWEEN '1960-01-01' AND '1979-12-31' OR disease = 'asthma'",
	"sex > disease",
	"age",
	"NULL",
	"age > NULL",
	"age > (SELECT 40)",
	"disease IN (SELECT name FROM hospital.codes)",
	"age > (SELECT MIN(level) FROM hospital.codes) AND sex = 'M'",
	"EXISTS (SELECT 1 FROM hospital.codes WHERE level > 1000)",
	"NOT EXISTS (SELECT 1 FROM hospital.codes WHERE level > 1000) AND age > 40",
}

// The reference is the weighted join of the published relations, written in SQL; the engine computes it row by row.
const weightedJoin = `SELECT a.gid, %s, CAST(a.count * b.count * c.count * d.count AS DOUBLE) / CAST(g.size * g.size * g.size AS DOUBLE) AS w
 FROM published.p_qi1 a JOIN published.p_qi2 b ON a.gid = b.gid JOIN published.p_qi3 c ON a.gid = c.gid
 JOIN published.p_sa d ON a.gid = d.gid JOIN published.p_gid g ON a.gid = g.gid`

func same(a, b any) bool {
	x, xOK := a.(float64)
	y, yOK := b.(float64)
	if !xOK || !yOK {
		return a == nil && b == nil
	}
	return math.Abs(x-y) <= 1e-6*math.Max(1, math.Abs(y))
}

// fetchRows returns all rows, with numbers and texts of numbers as float64.
func fetchRows(t *testing.T, db *dbsql.DB, query string) (all [][]any) {
	t.Helper()
	for _, texts := range rowsAsText(t, db, query) {
		row := make([]any, len(texts))
		for i, text := range texts {
			if !text.Valid {
				continue
			}
			var number float64
			if _, err := fmt.Sscanf(text.String+"|", "%g|", &number); err == nil {
				row[i] = number
			} else {
				row[i] = text.String
			}
		}
		all = append(all, row)
	}
	return all
}

// publishPatients serves a table of random patients and its release p.
func publishPatients(t *testing.T, rows int) *dbsql.DB {
	t.Helper()
	db := servertest.Start(t, server.Config{Extend: server.Product}).Open(t, servertest.Account{User: "root", MultiStatements: true, Variables: servertest.ListsRelations})
	run(t, db, "CREATE DATABASE hospital")
	run(t, db, `CREATE TABLE hospital.patients (id INT PRIMARY KEY, age INT, sex CHAR(1), zip VARCHAR(5), born DATE, charge DECIMAL(8,2), disease VARCHAR(20))`)
	run(t, db, `CREATE TABLE hospital.codes (name VARCHAR(20), level INT)`)
	run(t, db, `INSERT INTO hospital.codes VALUES ('flu', 35), ('gout', 60)`)
	random := rand.New(rand.NewPCG(1, 2))
	diseases := []string{"'flu'", "'cold'", "'gout'", "'asthma'", "'cancer'", "NULL"}
	zips := []string{"'11100'", "'12200'", "'25300'", "NULL"}
	var values []string
	for i := range rows {
		values = append(values, fmt.Sprintf("(%d, %d, '%c', %s, '%d-0%d-15', %d.5, %s)", i, 20+5*random.IntN(12), "FM"[random.IntN(2)],
			zips[random.IntN(4)], 1950+random.IntN(6)*10, 1+random.IntN(9), 10*random.IntN(8), diseases[random.IntN(6)]))
	}
	run(t, db, "INSERT INTO hospital.patients VALUES "+strings.Join(values, ", "))
	run(t, db, "CALL anonymize('hospital.patients', 'slppa', 'qi=age,sex,zip,born,charge', 'sa=disease', 'beta=0.25', 'tables=3', 'publish=p', 'seed=3')")
	return db
}

// createReference stores the weighted join as an ordinary table.
func createReference(t *testing.T, db *dbsql.DB) string {
	t.Helper()
	var columns []string
	for _, row := range fetchRows(t, db, "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'published' AND (table_name LIKE 'p\\_qi%' OR table_name = 'p_sa') AND column_name NOT IN ('gid', 'count')") {
		alias := map[string]string{"p_qi1": "a", "p_qi2": "b", "p_qi3": "c", "p_sa": "d"}[row[0].(string)]
		columns = append(columns, alias+"."+row[1].(string))
	}
	run(t, db, "CREATE TABLE hospital.reference AS "+fmt.Sprintf(weightedJoin, strings.Join(columns, ", ")))
	return "hospital.reference"
}

var run = servertest.Exec
