package functions

import (
	"slices"
	"strings"
	"testing"
)

// Sixty visits of twenty patients, each to different wards, are twenty persons in the table and in the population.
func TestPopulationOfVisits(t *testing.T) {
	b := newBench(t)
	b.run("root", `CREATE TABLE hospital.visits (patient INT, ward INT, disease INT);
		INSERT INTO hospital.visits WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) SELECT i DIV 3, i, i DIV 3 MOD 5 FROM n;
		CALL set_attributes('hospital.visits', 'qi=ward', 'sa=disease', 'unit=patient')`)
	const left = ": 20 units have 60 combinations of quasi-identifiers between them, and its models are of persons who have one each"
	r := b.run("root", "CALL anonymize('hospital.visits', 'anatomy', 'l=2', 'seed=1', 'population=hospital.visits')")
	if notes := strings.Join(r.notes, "\n"); !strings.Contains(notes, "population_uniques_estimated is left out"+left) {
		t.Errorf("notes %s", notes)
	}
	r = b.run("root", "SELECT guarantee, achieved FROM ANON_PRIVACY(visits) WHERE guarantee LIKE 'population_uniques%'")
	if got := r.lines(); !slices.Equal(got, []string{"population_uniques|1"}) {
		t.Errorf("all twenty are unique: %q", got)
	}
	r = b.run("root", "SELECT value, detail FROM ANON_RISK(hospital.visits, population_size = 30) WHERE measure = 'population_uniques_estimated'")
	if got := r.lines(); !slices.Equal(got, []string{"NULL|left out" + left}) {
		t.Errorf("ANON_RISK has %q", got)
	}
}

// A population's rows are persons if its own roles say so, and not because those of the released table are.
func TestPopulationHasItsOwnUnits(t *testing.T) {
	b := newBench(t)
	b.run("root", `CREATE TABLE hospital.visits (chart INT, ward INT, disease INT);
		INSERT INTO hospital.visits WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) SELECT i DIV 3, i MOD 10, i DIV 3 MOD 5 FROM n;
		CREATE TABLE hospital.persons (ward INT, disease INT);
		INSERT INTO hospital.persons SELECT ward, disease FROM hospital.visits WHERE chart < 10;
		CALL set_attributes('hospital.persons', 'qi=ward', 'sa=disease', 'unit=rows')`)
	const call = "CALL anonymize('hospital.persons', 'anatomy', 'l=2', 'seed=1', 'population=hospital.visits', 'private=true', 'replace=true')"
	for _, c := range []struct{ attributes, want string }{
		{"'ei=chart'", "column chart of population hospital.visits has 20 values in 60 rows: a person may have several rows. CALL set_attributes('hospital.visits', 'unit=chart')"},
		{"'unit=chart'", "20 persons"}, {"'unit=rows'", "60 persons"},
	} {
		b.run("root", "CALL set_attributes('hospital.visits', "+c.attributes+")")
		_, err := b.try("root", call)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(b.run("root", "SELECT detail FROM ANON_PRIVACY(persons) WHERE guarantee = 'k_map'").lines(), "")
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("after %s: %q, want %q", c.attributes, got, c.want)
		}
	}
	b.run("root", "CALL set_attributes('hospital.visits', 'ei=chart', 'qi=ward', 'sa=disease')")
	b.run("root", "CALL anonymize('hospital.visits', 'anatomy', 'l=2', 'unit=rows', 'population=hospital.visits', 'dry_run=true')")
}
