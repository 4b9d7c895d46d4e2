package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/planner/plannertest"
)

// visits is a session with the release visits of [anontest.Visits], whose unit has some columns, with two completed tables or none.
func visits(t *testing.T, completed bool, unit ...string) *plannertest.Session {
	t.Helper()
	s := plannertest.New(t).Session("owner")
	for _, statement := range []string{
		"CREATE DATABASE h",
		"CREATE TABLE h.visits (patient INT, house INT, sex VARCHAR(9), ward INT, illness VARCHAR(9))",
		"INSERT INTO h.visits VALUES (1,1,'f',1,'asthma'), (1,1,'f',1,'asthma'), (2,1,'m',2,'cold'), (2,1,'m',1,'flu'), (3,2,'m',2,'asthma'), (3,2,'m',2,'cold')," +
			" (4,2,'f',3,'flu'), (4,2,'f',3,'flu'), (4,2,'f',1,'cold')",
	} {
		if _, err := s.Query(statement); err != nil {
			t.Fatal(err)
		}
	}
	r := anontest.Visits(t)
	p := &catalog.Publication{Release: r, Record: catalog.ReleaseRecord{Name: "visits", Method: "units", Columns: []string{"sex", "ward", "illness"}, Unit: unit,
		QuasiIdentifiers: []string{"sex", "ward"}, Sensitive: []string{"illness"}}}
	if completed {
		places := [][][]uint16{{{0, 1, 2, 3, 4, 5, 0, 1, 2}}, {{3, 0, 1, 2, 5, 4, 2, 1, 0}}}
		p.Completion, p.Record.Completion = anonymize.NewCompletion(r, places), &catalog.CompletionRecord{Tables: 2, Estimator: catalog.Imputed}
	}
	s.Publish(t, "h.visits", p)
	return s
}

// rowsOf are the rows of a statement as text.
func rowsOf(t *testing.T, s *plannertest.Session, query string) string {
	t.Helper()
	result, err := s.Query(query)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return ""
	}
	var rows []string
	for _, row := range result.Rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, fmt.Sprint(v))
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	return strings.Join(rows, " ")
}

// Units are counted over the view: the right numbers are those of the table, which is in the comments of its statement.
func TestUnitsAreCounted(t *testing.T) {
	for name, completed := range map[string]bool{"completed tables": true, "fragments": false} {
		t.Run(name, func(t *testing.T) {
			s := visits(t, completed, "patient")
			for query, want := range map[string]string{
				"SELECT COUNT(DISTINCT patient), COUNT(*) FROM visits":                                                                                                                "4|9",
				"SELECT COUNT(DISTINCT patient) AS n FROM visits WHERE 1 = 0":                                                                                                         "0",
				"SELECT COUNT(DISTINCT v.patient) AS n FROM (SELECT * FROM visits) v":                                                                                                 "4",
				"SELECT COUNT(DISTINCT patient) FROM visits WHERE illness = 'none'":                                                                                                   "0",
				"SELECT illness, COUNT(DISTINCT patient) AS n FROM visits GROUP BY illness HAVING n > 1 ORDER BY n, illness":                                                          "asthma|2 flu|2 cold|3",
				"SELECT illness, ANON_LOW(COUNT(DISTINCT patient)), ANON_HIGH(COUNT(DISTINCT patient)), ANON_ACTUAL(COUNT(DISTINCT patient)) FROM visits GROUP BY illness ORDER BY 1": "asthma|2|2|2 cold|3|3|3 flu|2|2|2",
				"SELECT COUNT(DISTINCT patient) FROM visits WHERE illness IN ('asthma', 'cold')":                                                                                      "4",
			} {
				if got := rowsOf(t, s, query); got != want {
					t.Errorf("%s: %s, want %s", query, got, want)
				}
			}
		})
	}
}

// What is constant in units stays together: the sex of the two men of the first group, who have three tuples. So does the estimate without completed
// tables.
func TestUnitsKeepWhatIsConstant(t *testing.T) {
	const query = "SELECT sex, COUNT(DISTINCT patient) AS n, COUNT(*) FROM visits GROUP BY sex ORDER BY sex"
	for name, completed := range map[string]bool{"completed tables": true, "fragments": false} {
		if got, want := rowsOf(t, visits(t, completed, "patient"), query), "f|2|5 m|2|4"; got != want {
			t.Errorf("from %s %s, want %s", name, got, want)
		}
	}
}

// A unit of several columns is counted by all of them, in any order.
func TestUnitsOfSeveralColumns(t *testing.T) {
	s := visits(t, true, "patient", "house")
	for _, query := range []string{"SELECT COUNT(DISTINCT patient, house) FROM visits", "SELECT COUNT(DISTINCT house, patient) FROM visits"} {
		if got := rowsOf(t, s, query); got != "4" {
			t.Errorf("%s: %s", query, got)
		}
	}
	if _, err := s.Query("SELECT COUNT(DISTINCT house) FROM visits"); err == nil || !strings.Contains(err.Error(), "COUNT(DISTINCT patient, house)") {
		t.Errorf("a part of a unit is counted: %v", err)
	}
}

// Nothing but their number is asked of units; rows of the view have none, those of completed tables numbers.
func TestUnitsAreOpaque(t *testing.T) {
	s := visits(t, true, "patient")
	for _, query := range []string{
		"SELECT patient FROM visits",
		"SELECT DISTINCT patient FROM visits",
		"SELECT DISTINCT * FROM visits",
		"SELECT COUNT(*) FROM visits WHERE patient = 1",
		"SELECT COUNT(*) FROM visits WHERE patient IS NULL",
		"SELECT patient, COUNT(*) FROM visits GROUP BY patient",
		"SELECT COUNT(patient) FROM visits",
		"SELECT MIN(patient) FROM visits",
		"SELECT SUM(DISTINCT patient) FROM visits",
		"SELECT COUNT(DISTINCT patient, sex) FROM visits",
		"SELECT COUNT(DISTINCT patient + 1) FROM visits",
		"SELECT sex FROM visits ORDER BY patient",
		"SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient = b.patient",
		"SELECT COUNT(*) FROM visits a JOIN visits b USING (patient)",
		"SELECT p, COUNT(*) FROM (SELECT patient AS p FROM visits) q GROUP BY p",
		"SELECT COUNT(*) FROM (SELECT * FROM visits) q WHERE q.patient > 1",
		"SELECT COUNT(*) FROM h.visits WHERE patient IN (SELECT patient FROM published.visits)",
		"SELECT COUNT(DISTINCT patient) OVER () FROM visits",
	} {
		if _, err := s.Query(query); err == nil || !strings.Contains(err.Error(), "column patient says whose a row is") {
			t.Errorf("%s: %v", query, err)
		}
	}
	if got, want := rowsOf(t, s, "SELECT * FROM visits LIMIT 1"), "f|1|asthma|<nil>"; got != want {
		t.Errorf("a row is %s, want %s", got, want)
	}
	if got, want := rowsOf(t, s, "SELECT draw, COUNT(DISTINCT patient), MIN(patient), COUNT(*) FROM visits_imputed GROUP BY draw ORDER BY draw"), "1|4|1|9 2|4|1|9"; got != want {
		t.Errorf("completed tables have %s, want %s", got, want)
	}
	if got, want := rowsOf(t, s, "SELECT DISTINCT rows_a_unit FROM (SELECT COUNT(*) AS rows_a_unit FROM visits_imputed GROUP BY draw, patient) q ORDER BY 1"), "2 3"; got != want {
		t.Errorf("units of completed tables have %s rows, want %s", got, want)
	}
}

// What the planner does not estimate runs on completed tables, which have units.
func TestUnitsRunOnCompletedTables(t *testing.T) {
	s := visits(t, true, "patient")
	if _, err := s.Query("CREATE TABLE h.wards (id INT, name VARCHAR(9))"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Query("INSERT INTO h.wards VALUES (1, 'north'), (2, 'south'), (3, 'west')"); err != nil {
		t.Fatal(err)
	}
	if got, want := rowsOf(t, s, "SELECT COUNT(DISTINCT patient) AS n FROM visits JOIN h.wards w ON w.id = ward WHERE w.name <> 'none'"), "4"; got != want {
		t.Errorf("over a join %s, want %s", got, want)
	}
}

// What would take units for records is refused: the interval of a quotient, and plain SQL over the relations.
func TestUnitsAreNoRecords(t *testing.T) {
	s := visits(t, true, "patient")
	for query, part := range map[string]string{
		"SELECT ANON_INTERVAL_LOW(COUNT(*) / COUNT(DISTINCT patient)) FROM visits WHERE illness = 'flu'":   "takes one aggregate",
		"CALL explain_sql('SELECT COUNT(DISTINCT patient) FROM published.visits WHERE illness = ''flu''')": "shared out to its units",
	} {
		if _, err := s.Query(query); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", query, err)
		}
	}
	if got, want := rowsOf(t, s, "SELECT COUNT(*) / COUNT(DISTINCT patient) AS rows_a_unit FROM visits WHERE illness = 'flu'"), "1.5"; !strings.HasPrefix(got, want) {
		t.Errorf("rows a unit are %s, want %s", got, want)
	}
}
