package completion

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/estimates"
	"github.com/anonsql/anonsql/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// schema creates an empty schema for the test.
func schema(t *testing.T, c *enginetest.Cluster) string {
	t.Helper()
	name := fmt.Sprintf("%s%d", strings.ToLower(strings.ReplaceAll(t.Name(), "/", "_")), os.Getpid())
	run(t, c, "CREATE SCHEMA "+name)
	t.Cleanup(func() { run(t, c, "DROP SCHEMA "+name+" CASCADE") })
	return name
}

func run(t *testing.T, c *enginetest.Cluster, text string) {
	t.Helper()
	if _, err := c.Client.Exec(context.Background(), text); err != nil {
		t.Fatalf("%.300s: %v", text, err)
	}
}

// rows returns the rows of a query as text.
func rows(t *testing.T, c *enginetest.Cluster, text string) (list []string) {
	t.Helper()
	if err := c.Client.Query(t.Context(), text, func(row []any) error {
		list = append(list, strings.Trim(fmt.Sprint(row), "[]"))
		return nil
	}); err != nil {
		t.Fatalf("%.300s: %v", text, err)
	}
	return list
}

// requestOf completes relations f0, f1, ... of a schema, each of one column x of whole numbers from 0, into its table result.
func requestOf(c *enginetest.Cluster, schema string, largest int, values []int, theta [][]float32) Request {
	f := &impute.Fitted{Sample: &anonymize.Release{}, Theta: theta}
	r := Request{Conn: c.Client, Dialect: dialect.Trino, Largest: uint32(largest), Fitted: f, Seed: "seed",
		Result: dialect.Trino.Name("iceberg", schema, "result"),
		Table:  func(name string) string { return dialect.Trino.Name("iceberg", schema, "way_"+name) }}
	for i, n := range values {
		column, category := &anonymize.FragmentColumn{Name: "x"}, make([]uint16, n)
		for v := range n {
			column.Dictionary, category[v] = append(column.Dictionary, anonymize.IntegerValue(int64(v))), uint16(f.Categories+v)
		}
		f.Categories += n
		f.Category = append(f.Category, [][]uint16{category})
		f.Sample.Fragments = append(f.Sample.Fragments, &anonymize.Fragment{Columns: []*anonymize.FragmentColumn{column}})
		r.Relations = append(r.Relations, estimates.Relation{Path: []string{"iceberg", schema, fmt.Sprintf("f%d", i)}, Columns: []estimates.Column{{Name: "x", Type: "integer"}}})
	}
	return r
}
