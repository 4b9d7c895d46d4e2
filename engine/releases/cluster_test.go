package releases_test

import (
	dbsql "database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
)

const ana = "correct horse battery 1"

// analyst makes an account that reads what is published, and connects as it.
func (f *front) analyst(t *testing.T) *dbsql.DB {
	t.Helper()
	servertest.Exec(t, f.owner, "CALL create_analyst('ana', '"+ana+"')")
	return f.Open(t, servertest.Account{User: "ana", Password: ana})
}

// publish is CALL anonymize in the engine, of a table of a schema.
const publish = "CALL anonymize('trino.%s.people', 'anatomy', 'l=5', 'qi=age,town,pay,married,since', 'sa=disease', 'store=engine'%s)"

// TestPublishInTheEngine is the life of a release: published, asked about by an analyst, compared by its owner, replaced, dropped.
func TestPublishInTheEngine(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 6003)
	f := serve(t, c.URL, schema, 0)
	row := strings.Split(query(t, f.owner, publish, schema, "")[0], "|")
	if row[0] != "people" || row[3] != "public" || row[4] != "6003" || row[5] != "1200" || !strings.Contains(row[6], "l 5") {
		t.Errorf("the statement returns %q", row)
	}
	published := left(t, c, schema)
	if len(published) != 2 {
		t.Errorf("in the engine are %v, want two relations and nothing that leads to them", published)
	}
	reader := f.analyst(t)
	f.gate.heard()
	exact := query(t, reader, "SELECT COUNT(*) FROM published.people WHERE age < 30")
	truth := one(t, c, "SELECT count(*) FROM "+schema+".people WHERE age < 30")
	if exact[0] != truth {
		t.Errorf("%v people are younger than 30, counted %s", exact, truth)
	}
	// Of two relations the answer is an estimate; of groups at random it is near the truth.
	estimated, _ := strconv.ParseFloat(query(t, reader, "SELECT COUNT(*) FROM published.people WHERE age < 30 AND disease = 'd3'")[0], 64)
	actual, _ := strconv.ParseFloat(one(t, c, "SELECT count(*) FROM "+schema+".people WHERE age < 30 AND disease = 'd3'"), 64)
	if estimated < actual/2 || estimated > 2*actual {
		t.Errorf("an estimate of %v for %v", estimated, actual)
	}
	for _, text := range f.gate.heard() {
		if !strings.HasPrefix(text, `SELECT gid, `) || !strings.Contains(text, ` FROM "iceberg"."`+schema+`_published"."anonsql_`) {
			t.Errorf("the engine was told %s for an analyst", text)
		}
	}
	compared := query(t, f.owner, "SELECT married, ANON_ACTUAL(COUNT(*)), COUNT(*) FROM published.people GROUP BY married ORDER BY married")
	if len(compared) != 2 || strings.Split(compared[0], "|")[1] != strings.Split(compared[0], "|")[2] {
		t.Errorf("actual and published numbers are %q", compared)
	}
	query(t, f.owner, publish, schema, ", 'replace=true', 'homogeneous=true'")
	if again := left(t, c, schema); len(again) != 2 || again[0] == published[0] {
		t.Errorf("after a publication in its place the engine has %v, had %v", again, published)
	}
	query(t, f.owner, "CALL drop_release('people')")
	if again := left(t, c, schema); len(again) != 0 {
		t.Errorf("left are %v", again)
	}
}

// one is the first value that the cluster answers.
func one(t *testing.T, c *enginetest.Cluster, text string) (value string) {
	t.Helper()
	if err := c.Client.Query(t.Context(), text, func(row []any) error {
		value = fmt.Sprint(row[0])
		return nil
	}); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}
