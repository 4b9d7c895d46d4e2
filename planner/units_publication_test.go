package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/planner/plannertest"
)

// published is a session with 120 patients of up to three visits, published by a method.
func published(t *testing.T, method, arguments string, more ...string) *plannertest.Session {
	t.Helper()
	s := plannertest.New(t).Session("owner")
	var rows []string
	for patient := range 120 {
		for visit := range 1 + patient%3 {
			rows = append(rows, fmt.Sprintf("(%d, %d, %d, 'd%d')", patient, 1940+patient%60, (patient+visit)%4, (patient*7+visit*(patient%2))%10))
		}
	}
	for _, statement := range append([]string{
		"CREATE DATABASE h",
		"CREATE TABLE h.visits (patient INT, born INT, ward INT, illness VARCHAR(9))",
		"INSERT INTO h.visits VALUES " + strings.Join(rows, ", "),
		"CALL set_attributes('h.visits', 'unit=patient', 'qi=born,ward', 'sa=illness')",
		"CALL anonymize('h.visits', '" + method + "', '" + arguments + "', 'publish=visits')",
	}, more...) {
		if _, err := s.Query(statement); err != nil {
			t.Fatalf("%.60s: %v", statement, err)
		}
	}
	return s
}

// From set_attributes to answers: a release that is made by units has their number, and intervals around it.
func TestUnitsOfAPublication(t *testing.T) {
	s := published(t, "anatomy", "l=3", "CALL fit_release('visits')")
	const units = "COUNT(DISTINCT patient)"
	if got, want := rowsOf(t, s, "SELECT "+units+", ANON_INTERVAL_LOW("+units+"), ANON_INTERVAL_HIGH("+units+"), COUNT(*) FROM visits"), "120|120|120|240"; got != want {
		t.Errorf("all patients are %s, want %s", got, want)
	}
	const some = " FROM visits WHERE illness < 'd5' AND born < 1970"
	actual := rowsOf(t, s, "SELECT COUNT(DISTINCT patient)"+strings.Replace(some, "visits", "h.visits", 1))
	if got := rowsOf(t, s, "SELECT ANON_ACTUAL("+units+")"+some); got != actual {
		t.Errorf("actually %s patients, want %s", got, actual)
	}
	if got := rowsOf(t, s, "SELECT "+actual+" BETWEEN ANON_INTERVAL_LOW("+units+") AND ANON_INTERVAL_HIGH("+units+")"+some); got != "true" {
		t.Errorf("the interval does not hold %s", actual)
	}
}

// Without completed tables units are counted by generalized columns and across relations: the estimate is near the number of the table, between its
// bounds.
func TestUnitsWithoutCompletedTables(t *testing.T) {
	for method, arguments := range map[string]string{"mondrian": "k=3", "anatomy": "l=3"} {
		s := published(t, method, arguments+"', 'fit=false', 'calibrate=true")
		for _, condition := range []string{"born < 1970", "born < 1970 AND illness < 'd5'", "born < 1970 OR illness < 'd5'", "ward * 10 + born < 1980", "born % 7 = ward"} {
			actual := rowsOf(t, s, "SELECT COUNT(DISTINCT patient) FROM h.visits WHERE "+condition)
			const units = "COUNT(DISTINCT patient)"
			got := rowsOf(t, s, fmt.Sprintf("SELECT ANON_ACTUAL(%[1]s), %[2]s BETWEEN ANON_LOW(%[1]s) AND ANON_HIGH(%[1]s), ABS(%[1]s - %[2]s) < 20, "+
				"%[1]s BETWEEN ANON_INTERVAL_LOW(%[1]s) AND ANON_INTERVAL_HIGH(%[1]s) FROM visits WHERE %[3]s", units, actual, condition))
			if want := actual + "|true|true|true"; got != want {
				t.Errorf("%s, %s: %s, want %s", method, condition, got, want)
			}
		}
	}
}
