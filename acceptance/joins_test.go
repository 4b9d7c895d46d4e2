package acceptance

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// A join that needs too many combinations of the view's columns is refused; with
// fewer columns it is answered.
func TestJoinOfTooManyCombinations(t *testing.T) {
	t.Parallel()
	db := publishPatients(t, 60)
	run(t, db, "CREATE TABLE hospital.wide (a INT, b INT, s INT)")
	var values []string
	for i := range 140 {
		values = append(values, fmt.Sprintf("(%d, %d, %d)", i, 1000+i, 2000+i))
	}
	run(t, db, "INSERT INTO hospital.wide VALUES "+strings.Join(values, ", "))
	run(t, db, "CALL anonymize('hospital.wide', 'slppa', 'qi=a,b', 'sa=s', 'beta=0.0143', 'tables=2', 'publish=wide')")
	_, err := db.ExecContext(context.Background(), "SELECT COUNT(*) FROM published.wide w JOIN hospital.codes c ON w.a + w.b + w.s > c.level")
	if err == nil || !strings.Contains(err.Error(), "1235") || !strings.Contains(err.Error(), "more than 200000 combinations") {
		t.Errorf("a join of 70^3 combinations a group: %v", err)
	}
	if got := fetchRows(t, db, "SELECT COUNT(*) FROM published.wide w JOIN hospital.codes c ON w.a > c.level")[0][0]; got != 183.0 {
		t.Errorf("COUNT(*) is %v, not the 104 and 79 records above 35 and 60", got)
	}
}

// The types at PREPARE are those of the rows, and a rounding cast rounds.
func TestPreparedTypesOfEstimates(t *testing.T) {
	t.Parallel()
	db := publishPatients(t, 60)
	query := "SELECT STDDEV(age), MIN(born), MAX(charge), COUNT(DISTINCT zip), CAST(COUNT(*) AS SIGNED), COUNT(*) FROM published.p WHERE disease = ? AND age > ?"
	statement, err := db.PrepareContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	rows, err := statement.QueryContext(context.Background(), "flu", 30)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.DatabaseTypeName())
	}
	if got, want := strings.Join(names, " "), "DOUBLE DATE DECIMAL DOUBLE BIGINT DOUBLE"; got != want {
		t.Errorf("types %s, want %s", got, want)
	}
	text := fetchRows(t, db, "SELECT STDDEV(age), COUNT(DISTINCT zip), COUNT(*), CAST(COUNT(*) AS SIGNED) FROM published.p WHERE disease = 'flu' AND age > 30")[0]
	var deviation, values, count float64
	var born, charge string
	var rounded int64
	if !rows.Next() {
		t.Fatal("no row")
	}
	if err := rows.Scan(&deviation, &born, &charge, &values, &rounded, &count); err != nil {
		t.Fatal(err)
	}
	if !same(deviation, text[0]) || !same(values, text[1]) || !same(count, text[2]) || !same(float64(rounded), text[3]) {
		t.Errorf("prepared %v %v %v %v, text %v", deviation, values, count, rounded, text)
	}
	if deviation == float64(int64(deviation)) || count == float64(rounded) {
		t.Errorf("deviation %v and count %v have no fraction to lose", deviation, count)
	}
}
