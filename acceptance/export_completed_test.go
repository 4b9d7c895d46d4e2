package acceptance

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// A package implies the completed tables of its release: another server draws them again, the same to the byte, and
// gives the same answers. The tables have many records, so both servers draw them by themselves. The raw table had
// values that are no longer published.
func TestExportCompleted(t *testing.T) {
	t.Parallel()
	here, there, dir := exportPair(t)
	root := here.Open(t, servertest.Account{User: "root", MultiStatements: true})
	createPatients(t, root)
	without := testsize.Of(", 'misfit=false'", "")
	for _, most := range []int{240, 480, testsize.Of(80, 960)} {
		servertest.Exec(t, root, fmt.Sprintf("INSERT INTO hospital.patients SELECT id + (SELECT MAX(id) + 1 FROM hospital.patients), age + id %% 3, sex, zip, born, charge, disease FROM hospital.patients WHERE id < %d", most))
	}
	records := testsize.Of(1040.0, 1920)
	servertest.Exec(t, root, "INSERT INTO hospital.patients VALUES (99999, 1, 'F', '00001', '1900-01-01', -5.5, 'aaa')", "DELETE FROM hospital.patients WHERE id = 99999",
		"CALL set_attributes('hospital.patients', 'qi=age,sex,zip,born,charge', 'sa=disease', 'ei=id')",
		"CALL anonymize('hospital.patients', 'anatomy', 'l=3', 'publish=two', 'calibrate=false', 'attacks=false'"+without+")",
		"CALL anonymize('hospital.patients', 'slppa', 'beta=0.25', 'tables=2', 'publish=three', 'allow_composition=true', 'calibrate=false', 'attacks=false'"+without+")",
		"CALL export_release('two', 'completed=2'); CALL export_release('three', 'completed=12', 'format=parquet')")
	second := there.Open(t, servertest.Root)
	bi, biThere := analystOf(t, here), analystOf(t, there)
	for _, release := range []string{"two", "three"} {
		servertest.Exec(t, second, fmt.Sprintf("CALL import_release('%s')", release))
		questions := append([]string{"SELECT name, estimator, completed_tables FROM anonsql.releases WHERE name = '%[1]s'"}, exportQuestions...)
		sameAnswers(t, bi, biThere, release, questions) // published.two_imputed is among the relations
	}
	if n := fetchRows(t, second, "SELECT COUNT(*) FROM published.two_imputed")[0][0]; n != 12*records {
		t.Errorf("the imported release has %v rows in its completed tables", n)
	}
	for d, name := range []string{"completed/1.csv", "completed/2.csv"} {
		fileHasRows(t, here, filepath.Join(dir, "two", name), fmt.Sprintf("SELECT age, sex, zip, born, charge, disease FROM published.two_imputed WHERE draw = %d", d+1))
	}
	if files, err := filepath.Glob(filepath.Join(dir, "three", "completed", "*.parquet")); err != nil || len(files) != 12 {
		t.Errorf("%d Parquet files, %v", len(files), err)
	}
	sent, err := os.ReadFile(filepath.Join(dir, "two", "datapackage.json"))
	if err != nil || !strings.Contains(string(sent), `"path": "completed/2.csv"`) {
		t.Errorf("the descriptor has no completed table: %v", err)
	}
}

// fileHasRows expects the rows of a CSV file to equal those of a query, in order.
func fileHasRows(t *testing.T, s *servertest.Server, file, query string) {
	t.Helper()
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	lines, err := csv.NewReader(text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	conn := s.Connect(t, servertest.Root)
	rows, err := conn.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(lines[0], ",") != strings.Join(names, ",") {
		t.Fatalf("%s begins with %q, want %q", file, lines[0], names)
	}
	got, cells, pointers := 1, make([]*string, len(names)), make([]any, len(names))
	for i := range cells {
		pointers[i] = &cells[i]
	}
	for ; rows.Next(); got++ {
		if err := rows.Scan(pointers...); err != nil {
			t.Fatal(err)
		}
		for i, cell := range cells {
			want := ""
			if cell != nil {
				want = strings.TrimSuffix(*cell, " 00:00:00")
			}
			if got >= len(lines) || lines[got][i] != want {
				t.Fatalf("%s differs from the query in line %d, column %s: want %q", file, got+1, names[i], want)
			}
		}
	}
	if err := rows.Err(); err != nil || got != len(lines) {
		t.Errorf("%s has %d lines, the query gives %d, %v", file, len(lines), got, err)
	}
}
