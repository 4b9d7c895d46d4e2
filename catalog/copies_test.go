package catalog_test

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// Remembered publications of an older program are compared in its sketch format; unreadable ones are an error.
func TestSketchesOfOlderPrograms(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	var rows []string
	for i := range 300 {
		rows = append(rows, fmt.Sprintf("(%d, %d)", i*i%7919, i%7))
	}
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES "+strings.Join(rows, ", "), "CREATE TABLE copied AS SELECT s, q FROM t WHERE q < 4000")
	publish := func(table string) error {
		_, err := publishRecords(c, r, table, table, func(*catalog.Publication) {})
		return err
	}
	if err := publish("t"); err != nil {
		t.Fatal(err)
	}
	remember := func(data []byte) {
		err := b.Catalog.Update(t.Context(), func(tx *dbsql.Conn) error {
			_, err := tx.ExecContext(t.Context(), "UPDATE publications SET sketch = ?", data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
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
