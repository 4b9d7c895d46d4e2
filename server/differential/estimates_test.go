package differential

import (
	dbsql "database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// stays creates people whose disease depends on their age and sex, and small tables with the names of some regions and diseases.
func stays() []string {
	random := rand.New(rand.NewPCG(7, 7))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	var rows []string
	for i := range 300 {
		age := 18 + random.IntN(14)*3
		disease := pick("'flu'", "'flu'", "'cold'", "'asthma'", "'ulcer'", "NULL")
		if random.IntN(90) < age {
			disease = "'gout'"
		}
		rows = append(rows, fmt.Sprintf("(%d, %d, '%s', %s, %s, %s, %s, %s)", i, age, pick("M", "F"), pick("'north'", "'north'", "'south'", "'east'", "'west'", "NULL"),
			pick("NULL", fmt.Sprintf("'202%d-%02d-01'", 3+random.IntN(2), 1+random.IntN(12))), pick("NULL", fmt.Sprintf("%d.50", 250+random.IntN(20)*100), "1000"),
			pick("NULL", "0", "1", "2", "3"), disease))
	}
	return []string{
		"CREATE TABLE stays (id INT PRIMARY KEY, age INT, sex CHAR(1), region VARCHAR(10), admitted DATE, income DECIMAL(9,2), kids INT, disease VARCHAR(12))",
		"INSERT INTO stays VALUES " + strings.Join(rows, ", "),
		"CREATE TABLE regions (region VARCHAR(10), title VARCHAR(20), weight DECIMAL(5,2))",
		"INSERT INTO regions VALUES ('north', 'North', 1.50), ('south', 'South', 2.00), ('south', 'Sud', 0.25), ('west', 'West', NULL), ('nowhere', 'Atlantis', 9), (NULL, 'Null', 3)",
		"CREATE TABLE diseases (disease VARCHAR(12), price DECIMAL(6,2), chronic INT)",
		"INSERT INTO diseases VALUES ('flu', 10, 0), ('cold', 5, 0), ('gout', 99.50, 1), ('gout', 1.50, NULL), ('plague', 1000, 1), (NULL, 7, 0)",
		"CALL set_attributes('d.stays', 'qi=age,sex,region,admitted,income,kids', 'sa=disease', 'ei=id')",
		"CALL anonymize('d.stays', 'anatomy', 'l=2', 'publish=stays', 'fit=true', 'calibrate=false', 'attacks=false')",
	}
}

const columnsOfStays = "age, sex, region, admitted, income, kids, disease"

// estimated starts a server with a release of stays, and each completed table as a table (draw1, draw2 ...); it returns their number.
func estimated(t *testing.T) (*dbsql.DB, int) {
	t.Helper()
	db := connect(t, "tcp", servertest.Start(t, server.Config{Extend: server.Product}).Addr, "root")
	servertest.Exec(t, db, "SET sql_mode = 'STRICT_TRANS_TABLES'", "SET anon_estimator = 'imputed'")
	servertest.Exec(t, db, stays()...)
	draws := ask(t, db, "SELECT MAX(draw) FROM published.stays_imputed")
	if draws.err != nil {
		t.Fatal(draws.err)
	}
	n, err := strconv.Atoi(draws.rows[0][0])
	if err != nil || n < 8 {
		t.Fatalf("%d completed tables, %v", n, err)
	}
	for i := range n {
		servertest.Exec(t, db, fmt.Sprintf("CREATE TABLE draw%d AS SELECT %s FROM published.stays_imputed WHERE draw = %d", i+1, columnsOfStays, i+1))
	}
	return db, n
}

// A source is the FROM of a question, with $ for the release or a completed table, and its additional columns.
type source struct{ from, keys, figures, conditions string }

var estimateSources = []source{
	{"$ p", "", "", ""},
	{"$ p JOIN regions r ON p.region = r.region", "r.title|r.weight", "SUM(r.weight)|COUNT(r.title)", "r.weight > 1|r.title <> 'Sud'"},
	{"$ p LEFT JOIN regions r ON p.region = r.region AND p.kids > 1", "r.title|COALESCE(r.title, p.sex)", "SUM(r.weight * p.kids)|COUNT(r.title)", "r.region IS NULL|COALESCE(r.weight, 0) < p.kids"},
	{"regions r LEFT JOIN $ p ON p.region = r.region AND p.disease = 'flu'", "r.title", "COUNT(p.age)|SUM(r.weight)", "r.weight > 1"},
	{"$ p JOIN diseases d ON p.disease = d.disease", "d.chronic|d.price > 5|IF(d.chronic = 1, p.sex, 'x')", "SUM(d.price)|SUM(d.price * p.kids)", "d.chronic = 1|d.price * 3 > p.age"},
	{"$ p LEFT JOIN diseases d ON p.disease = d.disease AND d.price > 3", "d.chronic", "SUM(d.price)|COUNT(d.price)", "d.disease IS NULL"},
	{"diseases d LEFT JOIN $ p ON p.disease = d.disease", "d.disease|d.chronic", "COUNT(p.sex)|SUM(d.price)", "d.price > 5"},
	{"$ p JOIN diseases d USING (disease) JOIN regions r USING (region)", "r.title|d.chronic", "SUM(d.price * r.weight)", "d.chronic = 0|r.weight > 1"},
	{"$ p JOIN $ q ON p.age = q.age AND p.disease = q.disease", "q.sex", "SUM(q.kids)", "q.sex = 'F'|q.kids > p.kids"},
	{"$ p CROSS JOIN (SELECT AVG(age) AS m, COUNT(*) AS c FROM $ z WHERE disease = 'flu') t", "t.c > 20", "SUM(t.c)", "p.age > t.m / 2|t.c > 10"},
	{"$ p JOIN (SELECT region, AVG(income) AS m, COUNT(*) AS c FROM $ z WHERE disease = 'gout' GROUP BY region) t ON t.region = p.region", "t.c > 9", "SUM(t.c)", "p.income > t.m|t.c > 10"},
	{"(SELECT * FROM $ WHERE kids > 0) p", "", "", ""},
	{"(SELECT * FROM $ WHERE kids = 1 UNION ALL SELECT * FROM $ WHERE disease = 'gout') p", "", "", ""},
}

const (
	keysOfStays    = "p.sex|p.region|p.disease|p.kids|YEAR(p.admitted)|p.disease = 'flu'|COALESCE(p.disease, 'none')|p.age DIV 10"
	figuresOfStays = "COUNT(*)|SUM(p.kids)|COUNT(p.disease)|SUM(p.disease = 'flu')|SUM(p.income)|SUM(IF(p.disease = 'cold', p.kids, 0))|COUNT(DISTINCT p.region)|COUNT(CASE WHEN p.disease IN ('cold', 'flu') THEN 1 END)|" +
		"SUM(p.admitted + INTERVAL 3 MONTH > '2024-02-01')|SUM(p.kids > 1 AND p.age < 40)|SUM(p.kids * 2 + 1)|COUNT(NULLIF(p.kids, 2))"
	conditionsOfStays = "p.disease = 'flu'|p.age > 30|p.sex = 'F'|p.kids IS NOT NULL|p.region IN (SELECT region FROM regions WHERE weight > 1)|p.age > (SELECT AVG(age) FROM $ z)|" +
		"p.region NOT IN (SELECT region FROM regions WHERE weight > 1 AND region IS NOT NULL)|EXISTS (SELECT 1 FROM diseases x WHERE x.disease = p.disease AND x.chronic = 1)|" +
		"NOT EXISTS (SELECT 1 FROM diseases x WHERE x.disease = p.disease)|p.age > (SELECT AVG(age) FROM $ z WHERE z.disease = 'flu')|p.income > (SELECT AVG(income) FROM $ z WHERE z.region = p.region)|" +
		"p.disease IN (SELECT disease FROM $ z WHERE z.age > 50)|(p.kids > 1) IN (SELECT chronic FROM diseases)|p.disease = ANY (SELECT disease FROM diseases WHERE price > 9)|" +
		"COALESCE(p.disease, 'none') <> 'cold'|p.admitted BETWEEN '2023-06-01' AND '2024-06-01'|CASE WHEN p.kids > 2 THEN p.disease = 'flu' ELSE p.sex = 'M' END|(p.sex, p.kids) IN (SELECT 'F', chronic FROM diseases)|p.admitted - INTERVAL 2 QUARTER < '2023-09-01'"
)

// some are n different ones of choices that a bar divides.
func (g grammar) some(n int, choices ...string) []string {
	all := strings.FieldsFunc(strings.Join(choices, "|"), func(r rune) bool { return r == '|' })
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// An estimate is a question whose figures are means over completed tables.
type estimate struct {
	keys, figures []string
	rest          string
}

func (g grammar) estimate() estimate {
	s := estimateSources[g.IntN(len(estimateSources))]
	e := estimate{keys: g.some(g.IntN(3), keysOfStays, s.keys, s.keys), figures: g.some(2, figuresOfStays, s.figures, s.figures, s.figures), rest: " FROM " + s.from}
	e.figures = append(e.figures, g.twin(e.figures[0]))
	if terms := g.some(g.IntN(3), conditionsOfStays, s.conditions, s.conditions, s.conditions); len(terms) > 0 {
		e.rest += " WHERE " + strings.Join(terms, " AND ")
	}
	if len(e.keys) > 0 {
		e.rest += " GROUP BY " + strings.Join(e.keys, ", ")
	}
	return e
}

func (e estimate) over(table string) string {
	return "SELECT " + strings.Join(slices.Concat(e.keys, e.figures), ", ") + strings.ReplaceAll(e.rest, "$", table)
}

// meanOver is the mean of the figures over completed tables: a table without a group counts it as 0, and a figure is NULL where every table has NULL.
func (e estimate) meanOver(t *testing.T, db *dbsql.DB, draws int) (mean result) {
	sums, known := map[string][]float64{}, map[string][]bool{}
	for i := range draws {
		r := ask(t, db, e.over(fmt.Sprintf("d.draw%d", i+1)))
		if r.err != nil {
			return r
		}
		for _, row := range r.rows {
			key := strings.Join(row[:len(e.keys)], "\x00")
			if sums[key] == nil {
				sums[key], known[key] = make([]float64, len(e.figures)), make([]bool, len(e.figures))
			}
			for j, cell := range row[len(e.keys):] {
				if v, err := strconv.ParseFloat(cell, 64); err == nil {
					sums[key][j] += v / float64(draws)
					known[key][j] = true
				}
			}
		}
	}
	for key, figures := range sums {
		var row []string
		if len(e.keys) > 0 {
			row = strings.Split(key, "\x00")
		}
		for j, v := range figures {
			if known[key][j] {
				row = append(row, strconv.FormatFloat(v, 'g', 17, 64))
			} else {
				row = append(row, "NULL")
			}
		}
		mean.rows = append(mean.rows, row)
	}
	return mean
}

// near compares rows by their keys, and their figures to the digits that an estimate has.
func (e estimate) near(a, b result) bool {
	if len(a.rows) != len(b.rows) {
		return false
	}
	figures := map[string][]string{}
	for _, row := range a.rows {
		figures[strings.Join(row[:len(e.keys)], "\x00")] = row[len(e.keys):]
	}
	for _, row := range b.rows {
		own, ok := figures[strings.Join(row[:len(e.keys)], "\x00")]
		if !ok {
			return false
		}
		for j, cell := range row[len(e.keys):] {
			x, errX := strconv.ParseFloat(own[j], 64)
			y, errY := strconv.ParseFloat(cell, 64)
			if (errX == nil) != (errY == nil) || math.Abs(x-y) > 1e-9*max(1, math.Abs(y)) {
				return false
			}
		}
	}
	return true
}

// The answer to a random question about a release is the mean of the answers over its completed tables, with any joins and comparisons.
func TestEstimatesAreMeans(t *testing.T) {
	db, draws := estimated(t)
	questions, refusals := queriesOr(150, 20_000), 0
	for at := range questions {
		e := grammar{Rand: rand.New(rand.NewPCG(*seed, at))}.estimate()
		own := ask(t, db, e.over("published.stays"))
		notes := ask(t, db, "SHOW WARNINGS").rows
		if own.err != nil {
			refusals++
			if n := servertest.Number(own.err); n != 1235 {
				t.Errorf("question %d: %s\n  %v", at, e.over("published.stays"), own.err)
			}
			t.Logf("question %d: %s\n  %v", at, e.over("published.stays"), own.err)
			continue
		}
		mean := e.meanOver(t, db, draws)
		if mean.err != nil || !e.near(own, mean) {
			t.Errorf("question %d: %s\n  own  %v\n  mean %v %v\n %v", at, e.over("published.stays"), own.rows, mean.rows, mean.err, notes)
		}
	}
	if refusals > int(questions/10) {
		t.Errorf("%d of %d questions are refused", refusals, questions)
	}
}
