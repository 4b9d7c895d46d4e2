package clients

import (
	dbsql "database/sql"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// studentsT is the .975 quantile of Student's t with 11 degrees of freedom, one less than
// the completed tables.
const studentsT = 2.200985160082949

// misfit is r of docs/estimates.md where it is not measured.
const misfit = 0.1

// The figures of expected.txt follow from the published relations by the formulas of
// docs/estimates.md, and the exact ones from the people.
func TestExpectedFigures(t *testing.T) {
	expected := readLines(t, readFile(t, "testdata/expected.txt"))
	db := publish(t, server.Config{Extend: server.Product}).Open(t, servertest.Root)
	for _, disease := range []string{"Asthma", "Cancer", "HIV"} {
		wantLine(t, expected, "estimate "+disease, imputed(t, db, disease))
	}
	wantLine(t, expected, "prepared estimate", strings.SplitN(imputed(t, db, "HIV"), " | ", 2)[0])
	count, years := make(map[string]int), make(map[string]int)
	for person := range sample.Generate(records, 1) {
		count[person.Sex]++
		years[person.Sex] += person.Age
	}
	for sex := range count {
		wantLine(t, expected, "exact "+sex, fmt.Sprintf("%d | %d", count[sex], years[sex]))
	}
}

func wantLine(t *testing.T, expected map[string]string, key, value string) {
	t.Helper()
	if expected[key] != value {
		t.Errorf("expected.txt has %s: %s\ncomputed %s", key, expected[key], value)
	}
}

// imputed returns count, mean age and interval of people of 60 or more with a disease, from the rows of the completed
// tables.
func imputed(t *testing.T, db *dbsql.DB, disease string) string {
	t.Helper()
	counts, years := make([]float64, 12), 0
	scan(t, db, "SELECT draw, 1, age, disease FROM published.people_imputed", func(draw, _, age int, of string) {
		if age >= 60 && of == disease {
			counts[draw-1]++
			years += age
		}
	})
	total := 0.0
	for _, n := range counts {
		total += n
	}
	tables := float64(len(counts))
	mean, spread := total/tables, 0.0
	for _, n := range counts {
		spread += (n - mean) * (n - mean) / (tables - 1)
	}
	half := studentsT * math.Hypot(math.Sqrt((1+1/tables)*spread), misfit*mean/2)
	least, most := bounds(t, db, disease)
	return fmt.Sprintf("%.4f | %.4f | %.4f | %.4f", mean, float64(years)/total, max(mean-half, least), min(mean+half, most))
}

// bounds are the least and the most people of 60 or more with a disease that groups of these
// fragments can have.
func bounds(t *testing.T, db *dbsql.DB, disease string) (least, most float64) {
	t.Helper()
	size, old, ill := make(map[int]int), make(map[int]int), make(map[int]int)
	scan(t, db, "SELECT gid, count, age, sex FROM published.people_qi1", func(gid, tuples, age int, _ string) {
		size[gid] += tuples
		if age >= 60 {
			old[gid] += tuples
		}
	})
	scan(t, db, "SELECT gid, count, 0, disease FROM published.people_sa", func(gid, tuples, _ int, of string) {
		if of == disease {
			ill[gid] += tuples
		}
	})
	for gid, n := range size {
		least += float64(max(0, old[gid]+ill[gid]-n))
		most += float64(min(old[gid], ill[gid]))
	}
	return least, most
}

func scan(t *testing.T, db *dbsql.DB, query string, row func(a, b, c int, d string)) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var a, b, c int
		var d string
		if err := rows.Scan(&a, &b, &c, &d); err != nil {
			t.Fatal(err)
		}
		row(a, b, c, d)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
