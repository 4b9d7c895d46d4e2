package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
)

// TestWalk: an owner's statements on a table in the engine, its release, and what an analyst reads of it.
func TestWalk(t *testing.T) {
	c := enginetest.Need(t)
	f := serve(t, c.URL, 0)
	table := "trino." + schema(t, c, measured) + ".measured"
	if got := strings.Join(query(t, f.owner, "SELECT CONCAT(`column`, ' ', distinct_values) FROM ANON_DETECT('%s')", table), ","); !strings.HasPrefix(got, "id 2000,age ") || !strings.HasSuffix(got, "disease 7") {
		t.Errorf("detected are %s", got)
	}
	servertest.Exec(t, f.owner, fmt.Sprintf("CALL set_attributes('%s', 'ei=id', 'qi=age,cents,weight,height,smokes,town,day,seen', 'sa=disease')", table),
		fmt.Sprintf("CALL anonymize('%s', 'anatomy', 'l=3', 'fit=false', 'calibrate=false', 'attacks=false', 'publish=measured')", strings.ToUpper(table)),
		"CALL create_analyst('ana', 'correct horse battery 1')")
	analyst := f.Open(t, servertest.Account{User: "ana", Password: "correct horse battery 1", Database: "published"})
	before := f.asked.rows.Load()
	if got := query(t, analyst, "SELECT COUNT(*), SUM(town = 'York ') FROM measured"); got[0] != "2000|364" {
		t.Errorf("the analyst reads %q", got)
	}
	refused(t, analyst, 1142, "denied", "SELECT ANON_ACTUAL(COUNT(*)) FROM measured")
	if n := f.asked.rows.Load() - before; n > 0 {
		t.Errorf("the analyst's questions made the engine send %d rows", n)
	}
	if got := query(t, f.owner, "SELECT ANON_ACTUAL(COUNT(*)), ANON_RELATIVE_ERROR(COUNT(*)) FROM published.measured WHERE town = 'York '"); got[0] != "364|0" {
		t.Errorf("the owner reads %q", got)
	}
}

// TestLimit: a table of too many rows is refused by its number, and its aggregates are answered where it is.
func TestLimit(t *testing.T) {
	c := enginetest.Need(t)
	database := schema(t, c, measured)
	large := serve(t, c.URL, 1999)
	refused(t, large.owner, 30001, "has 2000 rows, and of a table in the engine at most 1999 are read", published, "trino."+database+".measured")

	f := serve(t, c.URL, 0)
	query(t, f.owner, published, "trino."+database+".measured")
	f.home.Limit = 1500
	if got := query(t, f.owner, "SELECT ANON_ACTUAL(SUM(cents)), ANON_ACTUAL(AVG(weight)) FROM published.measured WHERE age < 30"); got[0] != "151318|64.881683" {
		t.Errorf("the sum and the average are %q", got)
	}
	refused(t, f.owner, 30001, "at most 1500 are read", "SELECT ANON_ACTUAL(SUM(height)) FROM published.measured")
}

// TestChanges: an owner learns that the table has changed since its publication.
func TestChanges(t *testing.T) {
	c := enginetest.Need(t)
	f := serve(t, c.URL, 0)
	f.owner.SetMaxOpenConns(1)
	database := schema(t, c, measured)
	query(t, f.owner, published, "trino."+database+".measured")
	const ages = "SELECT ANON_ACTUAL(COUNT(*)) FROM published.measured WHERE age < 40"
	notes := func() string {
		query(t, f.owner, ages)
		return strings.Join(query(t, f.owner, "SHOW WARNINGS"), "; ")
	}
	if got := notes(); strings.Contains(got, "has changed") {
		t.Errorf("the notes are %q", got)
	}
	if _, err := c.Client.Exec(t.Context(), "INSERT INTO "+database+".measured (id, age) VALUES (2001, 39)"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := notes(); !strings.Contains(got, "in column age") {
			t.Errorf("after a change the notes are %q", got)
		}
	}
}

// TestHistogram counts one column and tuples. Too many values are refused, with their number.
func TestHistogram(t *testing.T) {
	c := enginetest.Need(t)
	f := serve(t, c.URL, 0)
	ctx := sql.NewEmptyContext()
	table, err := f.home.Open(ctx, "trino."+schema(t, c, measured), "measured")
	if err != nil {
		t.Fatal(err)
	}
	h, err := table.Histogram(ctx, 100, "smokes", "town")
	if err != nil {
		t.Fatal(err)
	}
	if h.Records() != 2000 {
		t.Errorf("there are %d records, want 2000", h.Records())
	}
	var got []string
	for i, n := range h.Counts[:4] {
		got = append(got, fmt.Sprintf("%v %v %d", h.Columns[0].Value(i), h.Columns[1].Value(i), n))
	}
	if want := "NULL NULL 13,NULL Ely 28,NULL Málaga 28,NULL York 28"; strings.Join(got, ",") != want {
		t.Errorf("the first tuples are %q, want %q", strings.Join(got, ","), want)
	}
	if _, err := table.Histogram(ctx, 5, "disease", "smokes"); err == nil || !strings.Contains(err.Error(), "disease, smokes of trino.testhistogram.measured have 21 combinations of values, must have at most 5") {
		t.Errorf("too many tuples: %v", err)
	}
}
