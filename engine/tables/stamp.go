package tables

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
)

var _ source.Tallied = (*Table)(nil)

// Stamp implements source.Answering: the snapshot number of an Iceberg table, "" for others.
func (t *Table) Stamp(ctx *sql.Context) (stamp string, err error) {
	query := "SELECT snapshot_id FROM " + t.home.path(t.schema, t.Name()+"$refs") + " WHERE name = 'main'"
	err = t.home.Asker.Query(ctx, query, func(v []any) error {
		stamp = fmt.Sprint(v...)
		return nil
	})
	if isEngineError(err) {
		return "", nil // a view, or a table of another kind
	}
	return stamp, err
}

// Digest implements source.Tallied by a histogram, which may have at most as many values as rows may be read.
func (t *Table) Digest(ctx *sql.Context, name string) (string, error) {
	h, err := t.Histogram(ctx, t.home.limit(), name)
	if err != nil {
		return "", err
	}
	return source.DigestOf(&anonymize.Column{Type: h.Columns[0].Type, Dictionary: h.Columns[0].Dictionary}, h.ofDictionary()), nil
}

// ofDictionary returns the counts of a histogram of one column, by code.
func (h *Histogram) ofDictionary() []int {
	counts := make([]int, len(h.Columns[0].Dictionary))
	for row, code := range h.Columns[0].Codes {
		counts[code] += int(h.Counts[row])
	}
	return counts
}
