package server_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the client

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/server/servertest"
)

func TestMain(m *testing.M) {
	servertest.ServeIfChild(nil)
	os.Exit(m.Run())
}

func writePeople(t testing.TB, rows int) string {
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

func importTo(t testing.TB, address, file string) {
	t.Helper()
	_, err := importer.ToServer(context.Background(), importer.Options{File: file, Database: "census", Table: "people", Server: address, User: "root"})
	if err != nil {
		t.Fatal(err)
	}
}
