package anontest

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// Adult returns the 48,842 records of UCI Adult (adult.data, then adult.test),
// with '?' as a value of its own. See AdultPath for the file.
func Adult(t testing.TB) *anonymize.Microdata {
	t.Helper()
	return adult(t, func(int, []string) bool { return true })
}

// AdultComplete returns the 45,222 records of Adult without a '?'.
func AdultComplete(t testing.TB) *anonymize.Microdata {
	t.Helper()
	return adult(t, func(_ int, record []string) bool { return !slices.Contains(record, "?") })
}

// AdultTraining returns the 30,162 complete records of adult.data alone, the
// first 32,561: those whose distinct values Table 5 of Yao et al. 2021 counts.
func AdultTraining(t testing.TB) *anonymize.Microdata {
	t.Helper()
	return adult(t, func(row int, record []string) bool { return row < 32561 && !slices.Contains(record, "?") })
}

// AdultOfZhu returns the first n of the 30,718 records of adult.data with an
// occupation, the table of Zhu et al.
func AdultOfZhu(t testing.TB) func(n int, qi string) *anonymize.Input {
	t.Helper()
	table := Adult(t)
	occupation := table.Column("occupation")
	var rows []int
	for row := range 32561 {
		if occupation.Value(row).Text != "?" {
			rows = append(rows, row)
		}
	}
	if len(rows) != 30718 {
		t.Fatalf("%d records have an occupation", len(rows))
	}
	return func(n int, qi string) *anonymize.Input {
		kept := &anonymize.Microdata{Rows: n}
		for _, c := range table.Columns {
			column := &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary}
			for _, row := range rows[:n] {
				column.Codes = append(column.Codes, c.Codes[row])
			}
			kept.Columns = append(kept.Columns, column)
		}
		return NewInput(t, kept, qi, "occupation", nil)
	}
}

func adult(t testing.TB, keep func(row int, record []string) bool) *anonymize.Microdata {
	t.Helper()
	file, err := os.Open(AdultPath(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	names, err := reader.Read()
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]anonymize.Value, len(names))
	for row := 0; ; row++ {
		record, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !keep(row, record) {
			continue
		}
		for i, field := range record {
			values[i] = append(values[i], Value(field))
		}
	}
	columns := make([]*anonymize.Column, len(names))
	for i, name := range names {
		columns[i] = anonymize.NewColumn(name, "", values[i])
	}
	table, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// AdultPath returns the CSV of UCI Adult: the file named by ANONSQL_ADULT, or the module's testdata/adult.csv. If
// there is none, it calls [testsize.Missing].
func AdultPath(t testing.TB) string {
	t.Helper()
	path := os.Getenv("ANONSQL_ADULT")
	if path == "" {
		path = filepath.Join(module(t), "testdata", "adult.csv")
	}
	if _, err := os.Stat(path); err != nil {
		testsize.Missing(t, "UCI Adult is needed: set ANONSQL_ADULT to adult.csv: %v", err)
	}
	return path
}

// module walks up from the working directory to the folder with go.mod.
func module(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for folder != filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folder
}
