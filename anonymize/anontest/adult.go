package anontest

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Adult returns the 48,842 records of UCI Adult (adult.data, then adult.test),
// with '?' as a value of its own. The file is the one that ANONSQL_ADULT names,
// else ../shared/data/adult.csv beside the module. Without it the test is
// skipped, or fails if ANONSQL_FORBID_SKIP is 1.
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
// first 32,561: those whose distinct values Table 5 of the SLPPA paper counts.
func AdultTraining(t testing.TB) *anonymize.Microdata {
	t.Helper()
	return adult(t, func(row int, record []string) bool { return row < 32561 && !slices.Contains(record, "?") })
}

func adult(t testing.TB, keep func(row int, record []string) bool) *anonymize.Microdata {
	t.Helper()
	path := adultPath()
	file, err := os.Open(path)
	if err != nil {
		missing(t, "Adult is needed: set ANONSQL_ADULT to adult.csv: "+err.Error())
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

func missing(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("ANONSQL_FORBID_SKIP") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// adultPath walks up from the working directory to the folder with go.mod.
func adultPath() string {
	if path := os.Getenv("ANONSQL_ADULT"); path != "" {
		return path
	}
	folder, err := os.Getwd()
	for err == nil && folder != filepath.Dir(folder) {
		if _, missing := os.Stat(filepath.Join(folder, "go.mod")); missing == nil {
			break
		}
		folder = filepath.Dir(folder)
	}
	return filepath.Join(folder, "..", "shared", "data", "adult.csv")
}
