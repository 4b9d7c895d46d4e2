package planner_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/planner/plannertest"
)

// A refused question, with the view as {t}, and how its columns are combined: k for a
// key, c for what counts 0 where a table lacks the key, a for an average of what is
// known, w for one weighted by the second column, m for the lower median, v for a value of the first table that has the key.
type refusedQuestion struct{ kinds, query string }

var refusedOfPatients = []refusedQuestion{
	{"kc", "SELECT disease, COUNT(DISTINCT sex, age) FROM {t} WHERE age > 30 GROUP BY disease"},
	{"kccwam", "SELECT disease, COUNT(*), SUM(DISTINCT age), AVG(age), AVG(DISTINCT age), MAX(age) FROM {t} WHERE age <> 33 GROUP BY disease"},
	{"kcca", "SELECT disease, COUNT(DISTINCT sex, age), COUNT(DISTINCT sex, age) + 1, COUNT(DISTINCT sex, age) FROM {t} GROUP BY disease HAVING COUNT(DISTINCT sex, age) > 0"},
	{"kcv", "SELECT age DIV 10, COUNT(DISTINCT disease), GROUP_CONCAT(disease ORDER BY disease) FROM {t} GROUP BY age DIV 10"},
	{"kvv", "SELECT disease, BIT_OR(age), GROUP_CONCAT(age ORDER BY age) FROM {t} GROUP BY disease"},
	{"c", "SELECT COUNT(*) FROM {t} WHERE age IN (SELECT age FROM {t} WHERE disease = 'flu')"},
	{"kc", "SELECT sex, COUNT(*) FROM {t} p WHERE EXISTS (SELECT 1 FROM {t} q WHERE q.disease = p.disease AND q.age > p.age) GROUP BY sex"},
	{"kc", "SELECT sex, COUNT(*) FROM {t} p WHERE age > (SELECT AVG(q.age) FROM {t} q WHERE q.disease = p.disease) GROUP BY sex"},
	{"c", "SELECT COUNT(*) FROM {t} a JOIN {t} b ON a.disease = b.disease AND a.age < b.age"},
	{"kcwc", "SELECT c.code, COUNT(p.age), AVG(p.age), SUM(p.age) FROM hospital.codes c LEFT JOIN {t} p ON c.code = p.disease AND p.age > 40 GROUP BY c.code"},
	{"kc", "SELECT c.title, COUNT(DISTINCT p.age) FROM {t} p JOIN hospital.codes c ON c.code = p.disease WHERE p.age > 30 GROUP BY c.title"},
	{"a", "SELECT AVG(age) FROM (SELECT age, ROW_NUMBER() OVER (PARTITION BY disease ORDER BY age) AS r FROM {t}) t WHERE r = 1"},
	{"kc", "SELECT DISTINCT disease, SUM(age) OVER (PARTITION BY disease) FROM {t}"},
	{"ka", "SELECT DISTINCT disease, AVG(age) OVER (PARTITION BY disease) FROM {t} WHERE age > 32"},
	{"kkac", "SELECT DISTINCT age, disease, COUNT(*) OVER (PARTITION BY disease), COUNT(*) OVER (PARTITION BY disease, age) FROM {t} WHERE age > 32"},
	{"kkca", "SELECT DISTINCT age DIV 10, disease, SUM(age) OVER (PARTITION BY disease, age DIV 10), SUM(age) OVER (PARTITION BY age DIV 10) FROM {t}"},
	{"ka", "SELECT DISTINCT disease, COUNT(*) OVER (PARTITION BY disease) / COUNT(*) OVER () FROM {t}"},
	{"ka", "SELECT code, (SELECT AVG(age) FROM {t} p WHERE p.disease = c.code AND EXISTS (SELECT 1 FROM {t} q WHERE q.age > p.age)) FROM hospital.codes c"},
	{"kv", "SELECT c.code, (SELECT CONCAT(c.title, ': ', GROUP_CONCAT(p.sex ORDER BY p.sex)) FROM {t} p WHERE p.disease = c.code) FROM hospital.codes c"},
	{"ka", "SELECT sex, RANK() OVER (PARTITION BY disease ORDER BY age) FROM {t}"},
	{"aa", "SELECT COUNT(*) OVER (PARTITION BY disease, sex), COUNT(*) OVER (PARTITION BY disease, sex) + 1 FROM {t} WHERE age <> 33"},
	{"c", "SELECT COUNT(DISTINCT p.age, c.title) FROM {t} p, hospital.codes c WHERE p.disease = c.code AND p.age > 30"},
	{"ka", "SELECT c.code, l.a FROM hospital.codes c, LATERAL (SELECT AVG(DISTINCT p.age) AS a FROM {t} p WHERE p.disease = c.code) l"},
	{"ka", "SELECT disease, LOG(COUNT(DISTINCT sex, age)) FROM {t} p WHERE EXISTS (SELECT 1 FROM hospital.codes c WHERE c.code = p.disease) GROUP BY disease HAVING (SELECT COUNT(*) FROM {t} q WHERE q.disease = p.disease) > 0"},
	{"cc", "WITH RECURSIVE r AS (SELECT age AS n, disease AS d FROM {t} UNION ALL SELECT n + 1, d FROM r WHERE n < 40) SELECT COUNT(*), SUM(n) FROM r WHERE d = 'flu'"},
	{"kc", "SELECT disease, SUM(age) FROM (SELECT disease, age FROM {t} WHERE age > 32 LIMIT 9) t GROUP BY disease"},
	{"kc", "SELECT k, COUNT(*) FROM (SELECT disease AS k FROM {t} WHERE age > 40 UNION ALL SELECT sex FROM {t} WHERE disease = 'flu') t GROUP BY k"},
}

var refusedOfMore = []refusedQuestion{
	{"kcm", "SELECT city, COUNT(DISTINCT disease, sex), MIN(seen) FROM {t} WHERE weight > 50 GROUP BY city"},
	{"kkca", "SELECT disease, sex, COUNT(DISTINCT city, job), AVG(DISTINCT charge) FROM {t} GROUP BY disease, sex"},
	{"kca", "SELECT UPPER(disease), SUM(DISTINCT charge), AVG(DISTINCT charge) FROM {t} WHERE age > 25 GROUP BY UPPER(disease)"},
	{"kc", "SELECT disease, COUNT(*) FROM {t} p WHERE weight >= (SELECT MAX(q.weight) FROM {t} q WHERE q.disease = p.disease) GROUP BY disease"},
	{"cm", "SELECT COUNT(*), MAX(a.born) FROM {t} a LEFT JOIN {t} b ON a.disease = b.disease AND a.age < b.age WHERE b.age IS NULL"},
	{"kcc", "SELECT disease, COUNT(DISTINCT age, sex), SUM(weight) FROM {t} WHERE sex = 'F' GROUP BY disease"},
}

// What is refused without completed tables has the answer of the same question on each
// of them, as ordinary tables.
func TestRefusedQuestionsAgainstBruteForce(t *testing.T) {
	s := plannertest.Hospital(t)
	agreesWithTables(t, s, "patients", refusedOfPatients)
	agreesWithTables(t, plannertest.SetUp(t, "wide"), "p", refusedOfMore)
}

// drawnTables is the number of completed tables that fit_release draws.
const drawnTables = 12

func agreesWithTables(t *testing.T, s *plannertest.Session, view string, questions []refusedQuestion) {
	for _, q := range questions {
		if _, err := s.Query(strings.ReplaceAll(q.query, "{t}", view)); err == nil || !strings.Contains(err.Error(), "published view: ") {
			t.Errorf("without completed tables %s: %v", q.query, err)
		}
	}
	mustRun(t, s, fmt.Sprintf("CALL fit_release('%s')", view))
	columns := mustRun(t, s, "SELECT * FROM "+view+" LIMIT 0").Schema
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	for d := range drawnTables {
		mustRun(t, s, fmt.Sprintf("CREATE TABLE hospital.draw%d AS SELECT %s FROM %s_imputed WHERE draw = %d", d, strings.Join(names, ", "), view, d+1))
	}
	for _, q := range questions {
		answered := mustRun(t, s, strings.ReplaceAll(q.query, "{t}", view))
		if !strings.Contains(strings.Join(answered.Notes, "\n"), "ran on each of 12 completed tables") {
			t.Errorf("%s has the notes %q", q.query, answered.Notes)
		}
		var tables [][]sql.Row
		for d := range drawnTables {
			tables = append(tables, mustRun(t, s, strings.ReplaceAll(q.query, "{t}", fmt.Sprintf("hospital.draw%d", d))).Rows)
		}
		want, got := combined(q.kinds, tables), combined(strings.Repeat("k", len(q.kinds)), [][]sql.Row{answered.Rows})
		if !sameLines(got, want) {
			t.Errorf("%s answers\n%s\nand of the tables, combined,\n%s", q.query, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func mustRun(t *testing.T, s *plannertest.Session, query string) *plannertest.Result {
	t.Helper()
	result, err := s.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return result
}

// combined are the rows of tables, combined by hand, as sorted lines. Several rows of one
// key are matched by their order.
func combined(kinds string, tables [][]sql.Row) []string {
	seen := make(map[string][]sql.Row)
	for _, rows := range tables {
		ofKey := make(map[string][]sql.Row)
		for _, row := range rows {
			key := strings.ToLower(cellsText(kinds, row, true))
			ofKey[key] = append(ofKey[key], row)
		}
		for key, same := range ofKey {
			slices.SortFunc(same, func(a, b sql.Row) int { return strings.Compare(cellsText(kinds, a, false), cellsText(kinds, b, false)) })
			for place, row := range same {
				at := fmt.Sprintf("%s\x00%d", key, place)
				seen[at] = append(seen[at], row)
			}
		}
	}
	var lines []string
	for at, rows := range seen {
		line, _, _ := strings.Cut(at, "\x00")
		for i, kind := range kinds {
			if kind != 'k' {
				line += combinedCell(kind, rows, i, len(tables)) + "|"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// cellsText is the text of the keys of a row, or of its figures.
func cellsText(kinds string, row sql.Row, keys bool) string {
	text := ""
	for i, kind := range kinds {
		if (kind == 'k') == keys {
			text += cellText(row[i]) + "|"
		}
	}
	return text
}

func combinedCell(kind rune, rows []sql.Row, i, tables int) string {
	var known []any
	number := func(v any) float64 {
		converted, _, _ := types.Float64.Convert(sql.NewEmptyContext(), v)
		return converted.(float64)
	}
	sum, records := 0.0, 0.0
	for _, row := range rows {
		if row[i] != nil {
			known = append(known, row[i])
			switch kind {
			case 'c', 'a':
				sum += number(row[i])
			case 'w':
				sum, records = sum+number(row[i])*number(row[1]), records+number(row[1])
			}
		}
	}
	switch {
	case len(known) == 0:
		return "NULL"
	case kind == 'c':
		return cellText(sum / float64(tables))
	case kind == 'a':
		return cellText(sum / float64(len(known)))
	case kind == 'w':
		return cellText(sum / records)
	case kind == 'm':
		slices.SortFunc(known, func(a, b any) int { return strings.Compare(cellText(a), cellText(b)) })
		return cellText(known[(len(known)-1)/2])
	}
	return cellText(rows[0][i])
}

// cellText rounds numbers to 9 digits, which are padded so that they sort.
func cellText(v any) string {
	if v == nil {
		return "NULL"
	}
	if number, _, err := types.Float64.Convert(sql.NewEmptyContext(), v); err == nil {
		if x, ok := number.(float64); ok && !math.IsNaN(x) {
			if _, isText := v.(string); !isText {
				return fmt.Sprintf("%015.6f", x)
			}
		}
	}
	return fmt.Sprint(v)
}

// sameLines compares sorted lines; those of the answer have figures behind the keys too.
func sameLines(got, want []string) bool {
	slices.Sort(got)
	slices.Sort(want)
	return slices.EqualFunc(got, want, strings.EqualFold)
}

// Views of one release have the rows of one table, those of another release of its own
// table of the same number.
func TestQuestionOfTwoReleases(t *testing.T) {
	s := plannertest.Hospital(t)
	mustRun(t, s, "CALL anonymize('hospital.patients', 'slppa', 'beta=0.5', 'tables=2', 'seed=9', 'publish=other', 'allow_composition=true')")
	const question = "SELECT a.sex, COUNT(*) FROM %s a JOIN %s b ON a.disease = b.disease AND a.age < b.age JOIN %s c ON c.disease = b.disease AND c.age = a.age GROUP BY a.sex"
	asked := fmt.Sprintf(question, "patients", "other", "patients")
	mustRun(t, s, "CALL fit_release('patients')")
	if _, err := s.Query(asked); err == nil || !strings.Contains(err.Error(), "a join of views") {
		t.Errorf("with completed tables of one of two: %v", err)
	}
	mustRun(t, s, "CALL fit_release('other')")
	var tables [][]sql.Row
	for d := 1; d <= drawnTables; d++ {
		for _, view := range []string{"patients", "other"} {
			mustRun(t, s, fmt.Sprintf("CREATE TABLE hospital.%s_%d AS SELECT age, sex, disease FROM %s_imputed WHERE draw = %d", view, d, view, d))
		}
		first, second := fmt.Sprintf("hospital.patients_%d", d), fmt.Sprintf("hospital.other_%d", d)
		tables = append(tables, mustRun(t, s, fmt.Sprintf(question, first, second, first)).Rows)
	}
	answered := mustRun(t, s, asked)
	if got, want := combined("kk", [][]sql.Row{answered.Rows}), combined("kc", tables); !sameLines(got, want) {
		t.Errorf("answers %q, and of the tables, combined, %q", got, want)
	}
	if note := "from releases patients version 1, other version 1"; !strings.Contains(strings.Join(answered.Notes, "\n"), note) {
		t.Errorf("the notes are %q", answered.Notes)
	}
}

// A published view has the rows of any of its completed tables, and those of none where
// it has none.
func TestViewWithTheRowsOfATable(t *testing.T) {
	s := plannertest.Hospital(t)
	rows := func(d int, columns ...string) ([]sql.Row, error) {
		ctx, bound, err := s.Bind("SELECT * FROM patients")
		if err != nil {
			t.Fatal(err)
		}
		table := pertable.Views(bound)[0].OfTable(d)
		iter, err := table.WithProjections(columns).(*catalog.CompletedTable).PartitionRows(ctx, nil)
		if err != nil {
			return nil, err
		}
		return sql.RowIterToRows(ctx, iter)
	}
	if _, err := rows(0, "age"); err == nil || !strings.Contains(err.Error(), "has no completed tables") {
		t.Errorf("without completed tables: %v", err)
	}
	mustRun(t, s, "CALL fit_release('patients')")
	for d := range drawnTables + 2 {
		got, err := rows(d, "disease", "age")
		if err != nil {
			t.Fatal(err)
		}
		want := mustRun(t, s, fmt.Sprintf("SELECT disease, age FROM patients_imputed WHERE draw = %d", d%drawnTables+1)).Rows
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("table %d has %v, not %v", d, got, want)
		}
	}
}

// An extreme over a join is that of the median table, as without the join.
func TestExtremesOverJoins(t *testing.T) {
	s := plannertest.Hospital(t)
	mustRun(t, s, "CALL fit_release('patients')")
	figures := "MIN(p.age), MAX(p.age), MAX(p.sex)"
	want := rowsOf(t, s, "SELECT p.disease, "+figures+" FROM patients p WHERE p.disease IN ('flu', 'gout', 'cold') GROUP BY p.disease ORDER BY 1")
	if got := rowsOf(t, s, "SELECT c.code, "+figures+" FROM patients p JOIN hospital.codes c ON c.code = p.disease GROUP BY c.code ORDER BY 1"); got != want {
		t.Errorf("over a join\n%s\nwithout one\n%s", got, want)
	}
	if got := rowsOf(t, s, "SELECT MAX(p.age) FROM patients p JOIN hospital.codes c ON c.price < p.age WHERE p.age < 40"); got != "33" {
		t.Errorf("of one fragment %s", got)
	}
}

// HAVING is not decided table by table: rows would contradict it.
func TestHavingBesideSubqueries(t *testing.T) {
	s := plannertest.Hospital(t)
	mustRun(t, s, "CALL fit_release('patients')")
	kinds := "(SELECT COUNT(DISTINCT q.age, q.sex) FROM patients q WHERE q.disease = p.disease)"
	of := "FROM patients p WHERE p.sex = 'M' GROUP BY p.disease"
	for _, refused := range []string{
		"SELECT p.disease, COUNT(*) AS n " + of + " HAVING 2 * COUNT(*) > " + kinds,
		"SELECT p.disease, COUNT(*) AS n, " + kinds + " AS m " + of + " HAVING COUNT(*) > 1",
	} {
		if _, err := s.Query(refused); err == nil || !strings.Contains(err.Error(), "derived table") {
			t.Errorf("%s: %v", refused, err)
		}
	}
	rows := strings.Fields(rowsOf(t, s, "SELECT disease, n, m FROM (SELECT p.disease, COUNT(*) AS n, "+kinds+" AS m "+of+") t WHERE 2 * n > m"))
	if len(rows) == 0 {
		t.Error("a derived table has no rows")
	}
	for _, row := range rows {
		var n, m float64
		if _, err := fmt.Sscanf(row[strings.IndexByte(row, '|'):], "|%g|%g", &n, &m); err != nil || 2*n <= m {
			t.Errorf("%s: %v", row, err)
		}
	}
}

// Of a row that some tables lack, what is calculated from COUNT or SUM is unknown there.
func TestCalculatedOfMissingRows(t *testing.T) {
	s := plannertest.Hospital(t)
	mustRun(t, s, "CALL fit_release('patients')")
	kinds := "(SELECT COUNT(DISTINCT q.age, q.sex) FROM patients q WHERE q.disease = p.disease)"
	for _, refused := range []string{
		"SELECT DISTINCT age, disease, 100 * COUNT(*) OVER (PARTITION BY age, disease) / COUNT(*) OVER (PARTITION BY disease) FROM patients",
		"SELECT age, disease, 100 * COUNT(*) AS h, (SELECT GROUP_CONCAT(q.sex) FROM patients q WHERE q.disease = p.disease) FROM patients p GROUP BY age, disease",
		"SELECT age, disease, COUNT(*), " + kinds + " AS h FROM patients p GROUP BY age, disease",
		"SELECT DISTINCT p.age, t.h FROM patients p JOIN (SELECT disease, COUNT(*) AS h FROM patients WHERE age > 40 GROUP BY disease) t ON t.disease = p.disease",
	} {
		if _, err := s.Query(refused); err == nil || !strings.Contains(err.Error(), "calculated from COUNT or SUM") {
			t.Errorf("%s: %v", refused, err)
		}
	}
	want := rowsOf(t, s, "SELECT age, disease, 100 * COUNT(*) FROM patients GROUP BY age, disease ORDER BY 1, 2")
	if got := rowsOf(t, s, "SELECT age, disease, 100 * n FROM (SELECT DISTINCT age, disease, COUNT(*) OVER (PARTITION BY age, disease) AS n FROM patients) t ORDER BY 1, 2"); got != want {
		t.Errorf("above a derived table\n%s\nestimated\n%s", got, want)
	}
	const total = "SELECT DISTINCT age, disease, COUNT(*) OVER (PARTITION BY disease), (SELECT COUNT(*) FROM patients) FROM patients WHERE age > 40"
	if got := rowsOf(t, s, total); !strings.Contains(got, "|8") {
		t.Errorf("a subquery that is alike in all tables: %s", got)
	}
}

// What is calculated from a sum is calculated from it once, however often its name stands in nested derived tables.
func TestNestedSumsOfThemselves(t *testing.T) {
	s := plannertest.Hospital(t)
	mustRun(t, s, "CALL fit_release('patients')")
	from := "(SELECT disease, COUNT(*) AS x FROM patients GROUP BY disease) t0"
	for level := range 40 {
		from = fmt.Sprintf("(SELECT disease, x + x - x AS x FROM %s) t%d", from, level+1)
	}
	mustRun(t, s, "SELECT x, (SELECT GROUP_CONCAT(q.sex) FROM patients q WHERE q.disease = t40.disease) FROM "+from)
}

// AVG and variances are those of all tables together, as if they were estimated.
func TestAveragesOnTables(t *testing.T) {
	s := plannertest.Hospital(t)
	mustRun(t, s, "CALL fit_release('patients')")
	const of = " FROM patients WHERE age <> 33 AND sex = 'M' GROUP BY disease ORDER BY disease"
	figures := "AVG(age), VAR_POP(age), VAR_SAMP(age), STDDEV(age), STDDEV_SAMP(age), COUNT(*), AVG(age) + 1, 2 * AVG(age + 0.5)"
	want := mustRun(t, s, "SELECT disease, "+figures+of)
	got := mustRun(t, s, "SELECT disease, "+figures+", GROUP_CONCAT(age)"+of)
	if len(got.Rows) == 0 || !strings.Contains(strings.Join(got.Notes, "\n"), "ran on each") {
		t.Fatalf("%d rows, notes %q", len(got.Rows), got.Notes)
	}
	for i, row := range got.Rows {
		for j, v := range want.Rows[i] {
			if cellText(v) != cellText(row[j]) {
				t.Errorf("row %d, column %d: %v beside GROUP_CONCAT, %v alone", i+1, j+1, row[j], v)
			}
		}
	}
}
