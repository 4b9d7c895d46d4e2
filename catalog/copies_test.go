package catalog

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"
)

// What an older program remembered of a publication is compared by a sketch of its
// form, and what cannot be read is an error.
func TestSketchesOfOlderPrograms(t *testing.T) {
	b := newBench(t)
	r, c, g := b.releases(), b.owner(), grouping(3)
	var rows []string
	for i := range 300 {
		rows = append(rows, fmt.Sprintf("(%d, %d)", i*i%7919, i%7))
	}
	c.run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES "+strings.Join(rows, ", "), "CREATE TABLE copied AS SELECT s, q FROM t WHERE q < 4000")
	publish := func(table string) error {
		data, err := c.table(table).Microdata(c.context(), []string{"q", "s"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.session.SessionEnd()
		p := &Publication{Release: g.release(g.start(data.Columns, make([]int64, data.Rows))), Records: data.Columns}
		p.Record = ReleaseRecord{Name: table, SourceTable: c.table(table).ID(), Database: "d", Table: table, Method: "test", Columns: []string{"q", "s"}}
		_, err = r.Publish(c.context(), p)
		return err
	}
	if err := publish("t"); err != nil {
		t.Fatal(err)
	}
	remember := func(data []byte) {
		err := b.catalog.Update(t.Context(), func(tx *dbsql.Conn) error {
			_, err := tx.ExecContext(t.Context(), "UPDATE publications SET sketch = ?", data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := c.table("t").Microdata(c.context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.session.SessionEnd()
	key, err := b.catalog.Setting("publications_key")
	if err != nil {
		t.Fatal(err)
	}
	older, err := newSketch(context.Background(), key, data.Columns)
	if err != nil {
		t.Fatal(err)
	}
	remember(older.encode())
	if err := publish("copied"); err == nil || !strings.Contains(err.Error(), "of the records of d.copied are records of table d.t") {
		t.Errorf("by a sketch of the older form: %v", err)
	}
	remember([]byte{0, 2, 9})
	if err := publish("copied"); err == nil || !strings.Contains(err.Error(), "compare with release t") {
		t.Errorf("by a damaged one: %v", err)
	}
	remember([]byte{})
	if err := publish("copied"); err != nil {
		t.Errorf("by none: %v", err)
	}
}
