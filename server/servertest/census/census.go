// Package census has the sample people on servers of tests, as census.people: what the pages, the demonstration and many tests publish.
//
// It imports the importer and the sample. Only tests import it.
package census

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
)

// Write writes that many people, and returns the file, a CSV with a header.
func Write(t testing.TB, rows int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := sample.WriteCSV(f, rows, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Import has a server at an address import a file, as root.
func Import(t testing.TB, address, file string) {
	t.Helper()
	_, err := importer.ToServer(context.Background(), importer.Options{File: file, Database: "census", Table: "people", Server: address, User: "root"})
	if err != nil {
		t.Fatal(err)
	}
}
