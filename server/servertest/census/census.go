// Package census imports sample people as census.people, and sample visits as clinic.visits, into servers of tests. The documentation, the
// demonstration and many tests publish these tables.
//
// Only tests import it.
package census

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
)

// Write writes this many people, and returns the file, a CSV with a header.
func Write(t testing.TB, rows int) string {
	t.Helper()
	return write(t, rows, sample.WriteCSV)
}

func write(t testing.TB, rows int, sampled func(w io.Writer, rows int, seed uint64) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := sampled(f, rows, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Import makes the server at an address import a file as census.people.
func Import(t testing.TB, address, file string) {
	t.Helper()
	load(t, importer.Options{File: file, Database: "census", Table: "people", Server: address})
}

// ImportVisits makes the server at an address import this many visits as clinic.visits.
func ImportVisits(t testing.TB, address string, rows int) {
	t.Helper()
	load(t, importer.Options{File: write(t, rows, sample.WriteVisitsCSV), Database: "clinic", Table: "visits", Server: address})
}

// load imports as root.
func load(t testing.TB, o importer.Options) {
	t.Helper()
	o.User = "root"
	if _, err := importer.ToServer(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}
