package estimates

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/publication"
	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/testsize"
)

// people creates a raw table of n records with columns of many types, NULLs, and values that need quotes. The disease depends on the age.
func people(t testing.TB, e *publication.Engine, schema string, n int) *publication.Table {
	t.Helper()
	exec(t, e, fmt.Sprintf(`CREATE TABLE iceberg.%s.people AS
WITH numbers AS (SELECT a * 1000 + b AS id FROM UNNEST(sequence(0, %d)) AS x(a) CROSS JOIN UNNEST(sequence(0, 999)) AS y(b)),
hashed AS (SELECT id, from_big_endian_64(concat(X'00', substr(md5(to_big_endian_64(id)), 1, 7))) AS h FROM numbers WHERE id < %d)
SELECT id, CAST(17 + mod(h, 64) AS integer) AS age, if(mod(h / 64, 50) = 0, NULL, concat('it''s "', CAST(mod(h / 64, 50) AS varchar), '"')) AS "the place",
  CAST(mod(h / 4096, 100) AS decimal(10,2)) / 4 AS pay, mod(h / 8192, 2) = 0 AS married, date_add('day', CAST(mod(h / 65536, 365) AS integer), DATE '2020-01-01') AS since,
  concat('d', CAST(mod(mod(h, 64) / 6 + mod(h / 128, 5), 14) AS varchar)) AS disease FROM hashed`, schema, (n+999)/1000-1, n))
	return &publication.Table{Schema: schema, Name: "people", Columns: []publication.Column{{Name: "id", Type: "bigint"}, {Name: "age", Type: "integer"},
		{Name: "the place", Type: "varchar"}, {Name: "pay", Type: "decimal(13,2)"}, {Name: "married", Type: "boolean"}, {Name: "since", Type: "date"}, {Name: "disease", Type: "varchar"}}}
}

func exec(t testing.TB, e *publication.Engine, text string) {
	t.Helper()
	if _, err := e.Conn.Exec(context.WithoutCancel(t.Context()), text); err != nil {
		t.Fatalf("%.300s: %v", text, err)
	}
}

// cluster has three schemas of the test's own.
func cluster(t testing.TB) (e *publication.Engine, raw string) {
	t.Helper()
	c := enginetest.Need(t)
	name := fmt.Sprintf("estimates%d", rand.Int32())
	e = &publication.Engine{Conn: c.Client, Dialect: dialect.Trino, Catalog: "iceberg", Private: name + "_private", Published: name + "_published"}
	for _, schema := range []string{name + "_raw", e.Private, e.Published} {
		exec(t, e, "CREATE SCHEMA iceberg."+schema)
		t.Cleanup(func() { exec(t, e, "DROP SCHEMA iceberg."+schema+" CASCADE") })
	}
	return e, name + "_raw"
}

// publish makes a release in the engine. It returns a store that queries it there, and the release, pulled completely.
func publish(t testing.TB, e *publication.Engine, name string, r publication.Request) (there *estimate.Prepared, whole *anonymize.Release) {
	t.Helper()
	plan, err := e.NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.Assign(t.Context(), plan, name, nil)
	if err == nil {
		err = a.Publish(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if whole, err = a.Sample(t.Context(), int(a.Groups)); err != nil {
		t.Fatal(err)
	}
	var relations []Relation
	for _, f := range a.Fragments {
		relation := Relation{Path: []string{e.Catalog, e.Published, f.Name}}
		for _, c := range f.Columns {
			relation.Columns = append(relation.Columns, Column(c))
		}
		relations = append(relations, relation)
	}
	shape, sizes := shapeOf(whole)
	store := &Store{Query: e.Conn.Query, Dialect: e.Dialect, Relations: relations, Sizes: sizes}
	if there, err = estimate.PrepareElsewhere(shape, sizes, store); err != nil {
		t.Fatal(err)
	}
	return there, whole
}

// requests are releases of people: groups of five diseases, and relations of associated attributes.
func requests(table *publication.Table) map[string]publication.Request {
	quasi := strings.Split("age,the place,pay,married,since", ",")
	return map[string]publication.Request{
		publication.Anatomy: {Table: table, QuasiIdentifiers: quasi, Sensitive: "disease", Identifiers: []string{"id"}, L: 5, Block: 200},
		publication.Slppa: {Table: table, Method: publication.Slppa, QuasiIdentifiers: quasi, Sensitive: "disease", Identifiers: []string{"id"},
			Beta: anonymize.NewRatio(1, 3), Fragments: 2},
	}
}

// Releases that the engine has made give the same answers there as pulled completely.
func TestPublishedReleasesAnswerAsPulledOnes(t *testing.T) {
	e, raw := cluster(t)
	table := people(t, e, raw, 20_003)
	for method, r := range requests(table) {
		t.Run(method, func(t *testing.T) {
			there, whole := publish(t, e, method, r)
			here, random := estimate.Prepare(whole), rand.New(rand.NewPCG(97, 98))
			ways, spreads := map[estimate.Path]int{}, map[int]int{}
			for i := range questions() {
				q := randomQuestion(random, whole)
				ways[compare(t, here, there, q)]++
				if i%10 == 0 {
					spreads[compareSpreads(t, here, there, q, 4)]++
				}
			}
			t.Logf("%d records in %d groups; questions by the way that the pulled release takes: %v; with spreads of none, of COUNTs and of all aggregates %v",
				whole.Rows, whole.Groups(), ways, spreads)
			if ways[estimate.KernelPath] < questions()/10 {
				t.Errorf("questions by the way that the pulled release takes: %v", ways)
			}
		})
	}
}

// questions is the number of queries for a release.
func questions() int { return testsize.Levels(8, 20, 100) }
