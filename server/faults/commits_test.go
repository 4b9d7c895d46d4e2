package faults_test

import (
	"path/filepath"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// Rows that were acknowledged after a statement that commits by itself survive
// kill -9, like those before it.
func TestImplicitCommitIsDurable(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{"CREATE USER u", "CREATE TABLE d.o (n INT)", "DROP TABLE d.missing"} {
		t.Run(statement, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			child := servertest.StartChild(t, dir)
			child.DB.SetMaxOpenConns(1)
			servertest.Exec(t, child.DB, "CREATE DATABASE d", "CREATE TABLE d.t (n INT)", "START TRANSACTION", "INSERT INTO d.t VALUES (1)")
			if _, err := child.DB.Exec(statement); err != nil && servertest.Number(err) != 1051 {
				t.Fatal(err)
			}
			servertest.Exec(t, child.DB, "INSERT INTO d.t VALUES (2)")
			child.Kill()
			var rows string
			if err := servertest.StartChild(t, dir).DB.QueryRow("SELECT GROUP_CONCAT(n ORDER BY n) FROM d.t").Scan(&rows); err != nil || rows != "1,2" {
				t.Errorf("after kill -9 the table has %q, %v, must have 1,2", rows, err)
			}
		})
	}
}
