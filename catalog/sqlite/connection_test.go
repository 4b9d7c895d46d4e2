package sqlite

import (
	dbsql "database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// SQLite's temporary files contain rows: they are in the database's directory, and have no name there.
func TestTemporaryFilesAreBesideTheDatabase(t *testing.T) {
	dir := t.TempDir()
	db := dbsql.OpenDB(NewConnector(filepath.Join(dir, "test.db")))
	defer db.Close()
	if place := os.Getenv(temporaryPlace); place != dir {
		t.Fatalf("the first connection of this process chose %q, want %q", place, dir)
	}
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		"PRAGMA temp.cache_size = 1",
		"CREATE TEMP TABLE spilled AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i, randomblob(1000) AS x FROM n",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for _, file := range openFiles(t) {
		if name, _, _ := strings.Cut(filepath.Base(file), " "); strings.HasPrefix(name, "etilqs_") {
			found++
			if filepath.Dir(file) != dir {
				t.Errorf("SQLite writes into %s, want a file in %s", file, dir)
			}
		}
	}
	if named, err := filepath.Glob(filepath.Join(dir, "etilqs_*")); found == 0 || err != nil || len(named) > 0 {
		t.Errorf("%d temporary files are open, want some; %v have a name (%v)", found, named, err)
	}
}

// openFiles are the names of this process's files, as Linux tells them.
func openFiles(t *testing.T) (names []string) {
	t.Helper()
	const own = "/proc/self/fd"
	descriptors, err := os.ReadDir(own)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range descriptors {
		if name, err := os.Readlink(filepath.Join(own, d.Name())); err == nil {
			names = append(names, name)
		}
	}
	return names
}
