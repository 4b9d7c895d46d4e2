package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// generalizable is a server with a table that has scales and taxonomies.
func generalizable(t *testing.T) *servertest.Server {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	owner := s.Open(t, servertest.Root)
	servertest.Exec(t, owner, "CREATE DATABASE d", "CREATE TABLE d.people (age INT, region VARCHAR(2), grade INT, disease VARCHAR(10))")
	var rows []string
	for i := range 60 {
		rows = append(rows, fmt.Sprintf("(%d, '%s', %d, '%s')", 20+i%30, []string{"a1", "a2", "b1"}[i%3], i%3, []string{"flu", "cold", "gout", "asthma"}[i/3%4]))
	}
	servertest.Exec(t, owner, "INSERT INTO d.people VALUES "+strings.Join(rows, ", "),
		"CALL set_attributes('d.people', 'qi=age,region,grade', 'sa=disease', 'numeric=age,grade')",
		"CALL set_taxonomy('d.people', 'region', 'hierarchy=a1;A;*\na2;A;*\nb1;B;*')",
		"CALL set_taxonomy('d.people', 'age', 'intervals=5,10')")
	return s
}

const generalize = "CALL anonymize('d.people', 'mondrian', 'k=3', 'l=2', 'seed=1', 'dry_run=true')"

// A declaration that no longer fits its column is a clear error, and disappears with the column.
func TestTaxonomiesUnderAlteration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change []string
		want   string // a part of the error; "" for none
	}{
		{"nothing", nil, ""},
		{"a numeric column becomes text", []string{"ALTER TABLE d.people MODIFY COLUMN grade VARCHAR(10)"}, "column grade is declared numeric, but it is varchar(10)"},
		{"a column with intervals becomes text", []string{"ALTER TABLE d.people MODIFY COLUMN age VARCHAR(10)", "CALL set_attributes('d.people', 'numeric=grade')"}, ""},
		{"a column with a tree becomes a number", []string{"UPDATE d.people SET region = '1'", "ALTER TABLE d.people MODIFY COLUMN region INT"}, "region"},
		{"a value without a leaf", []string{"INSERT INTO d.people VALUES (30, 'c1', 1, 'flu')"}, "c1"},
		{"NULL", []string{"INSERT INTO d.people VALUES (NULL, NULL, NULL, 'flu')"}, ""},
		{"a dropped column", []string{"ALTER TABLE d.people DROP COLUMN region"}, ""},
		{"a dropped column, and one of its name", []string{"ALTER TABLE d.people DROP COLUMN grade", "ALTER TABLE d.people ADD COLUMN grade VARCHAR(9) DEFAULT 'x'"}, ""},
		{"renamed columns", []string{"ALTER TABLE d.people RENAME COLUMN region TO tmp, RENAME COLUMN age TO years"}, ""},
		{"an emptied table", []string{"TRUNCATE TABLE d.people"}, "is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := ownerOf(t, generalizable(t))
			servertest.Exec(t, conn, c.change...)
			shown, number := try(conn, generalize)
			if (number == 0) != (c.want == "") || !strings.Contains(shown, c.want) || strings.Contains(shown, "panic") {
				t.Errorf("%d %s, want an error with %q", number, shown, c.want)
			}
		})
	}
}

func ownerOf(t *testing.T, s *servertest.Server) *dbsql.Conn {
	return s.Connect(t, servertest.Account{User: "root", MultiStatements: true})
}

// DROP TABLE also drops the table's declarations. A new table with the same name has none.
func TestTaxonomiesGoWithTheTable(t *testing.T) {
	t.Parallel()
	conn := ownerOf(t, generalizable(t))
	servertest.Exec(t, conn, "DROP TABLE d.people", "CREATE TABLE d.people (age INT, region VARCHAR(2))")
	for _, of := range []string{"taxonomies", "attributes"} {
		if shown, number := try(conn, "SELECT * FROM anonsql."+of); number != 0 || strings.Count(shown, "\n") != 1 {
			t.Errorf("anonsql.%s has %d %s", of, number, shown)
		}
	}
}

// A concurrent change of a taxonomy never mixes trees: anonymize uses one whole tree, and every reader sees one whole
// declaration.
func TestSetTaxonomyWhileAnonymizing(t *testing.T) {
	t.Parallel()
	s := generalizable(t)
	setter, looker, runner := ownerOf(t, s), ownerOf(t, s), ownerOf(t, s)
	done := make(chan string, 2)
	go func() {
		for i := range 15 {
			statement := []string{"CALL set_taxonomy('d.people', 'age', 'intervals=5,10')", "CALL set_taxonomy('d.people', 'age', 'intervals=3')",
				"CALL set_attributes('d.people', 'qi=age,region', 'sa=disease', 'numeric=age')"}[i%3]
			if shown, number := try(setter, statement); number != 0 {
				done <- statement + ": " + shown
				return
			}
		}
		done <- ""
	}()
	go func() {
		for range 15 {
			shown, number := try(looker, "SELECT `column`, kind, source, height FROM anonsql.taxonomies WHERE `column` = 'age'")
			if number != 0 || !strings.Contains(shown, "{5,10 true} {3 true}") && !strings.Contains(shown, "{3 true} {2 true}") {
				done <- shown
				return
			}
		}
		done <- ""
	}()
	for range 15 {
		if shown, number := try(runner, generalize); number != 0 {
			t.Errorf("%d %s", number, shown)
		}
	}
	for range 2 {
		if failure := <-done; failure != "" {
			t.Error(failure)
		}
	}
}
