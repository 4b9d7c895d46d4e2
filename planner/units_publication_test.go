package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/planner/plannertest"
)

// From set_attributes to answers: a release that is made by units has their number, and intervals around it.
func TestUnitsOfAPublication(t *testing.T) {
	s := plannertest.New(t).Session("owner")
	var rows []string
	for patient := range 120 {
		for visit := range 1 + patient%3 {
			rows = append(rows, fmt.Sprintf("(%d, %d, %d, 'd%d')", patient, 1940+patient%60, (patient+visit)%4, (patient*7+visit*(patient%2))%10))
		}
	}
	for _, statement := range []string{
		"CREATE DATABASE h",
		"CREATE TABLE h.visits (patient INT, born INT, ward INT, illness VARCHAR(9))",
		"INSERT INTO h.visits VALUES " + strings.Join(rows, ", "),
		"CALL set_attributes('h.visits', 'unit=patient', 'qi=born,ward', 'sa=illness')",
		"CALL anonymize('h.visits', 'anatomy', 'l=3', 'publish=visits')",
		"CALL fit_release('visits')",
	} {
		if _, err := s.Query(statement); err != nil {
			t.Fatalf("%.60s: %v", statement, err)
		}
	}
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
