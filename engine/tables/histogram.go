package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// A Histogram counts records by their values.
type Histogram struct {
	// Columns have one row per occurring tuple of values, in ascending order.
	Columns []*anonymize.Column
	// Counts has the number of records of each tuple.
	Counts []int64
}

// Records returns the total number of records.
func (h *Histogram) Records() (n int64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Histogram counts records by the values of columns in the engine. More than most tuples are an error, which has their number.
func (t *Table) Histogram(ctx *sql.Context, most int, names ...string) (*Histogram, error) {
	columns, err := t.pick(names)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("a histogram of %s needs a column", t)
	}
	places := make([]string, len(columns))
	for i := range places {
		places[i] = fmt.Sprint(i + 1)
	}
	grouped := " FROM " + t.Path() + " GROUP BY " + strings.Join(places, ", ")
	h, r := &Histogram{}, newReading(columns)
	err = t.home.Asker.Query(ctx, fmt.Sprintf("SELECT %s, count(*)%s LIMIT %d", asked(columns), grouped, most+1), func(v []any) error {
		if len(v) != len(columns)+1 {
			return fmt.Errorf("a row of a histogram has %d values, must have %d", len(v), len(columns)+1)
		}
		n, ok := v[len(columns)].(int64)
		if !ok || n < 1 {
			return fmt.Errorf("a histogram of %s counts %v records", t, v[len(columns)])
		}
		h.Counts = append(h.Counts, n)
		return r.add(v)
	})
	if err != nil {
		return nil, err
	}
	if r.rows > most {
		return nil, t.tooMany(ctx, columns, grouped, most)
	}
	if h.Columns, err = r.finish(ctx); err != nil {
		return nil, err
	}
	h.sort()
	return h, nil
}

// tooMany returns an error with the number of tuples.
func (t *Table) tooMany(ctx *sql.Context, columns []*column, grouped string, most int) error {
	var n any
	query := fmt.Sprintf("SELECT count(*) FROM (SELECT %s%s) AS tuples", named(columns), grouped)
	if err := t.home.Asker.Query(ctx, query, func(v []any) error { n = v[0]; return nil }); err != nil {
		return err
	}
	return &anonymize.DataError{Reason: fmt.Sprintf("columns %s of %s have %v combinations of values, must have at most %d", columnNames(columns), t, n, most)}
}

// named lists the columns under names of a derived table.
func named(columns []*column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = fmt.Sprintf("%s AS v%d", c.ask, i)
	}
	return strings.Join(list, ", ")
}

func columnNames(columns []*column) string {
	return joined(columns, func(c *column) string { return c.name })
}

// sort sorts the tuples, because the engine returns them in no order.
func (h *Histogram) sort() {
	order := anonymize.Ints(len(h.Counts))
	slices.SortFunc(order, func(a, b int) int {
		for _, c := range h.Columns {
			if d := int(c.Codes[a]) - int(c.Codes[b]); d != 0 {
				return d
			}
		}
		return 0
	})
	counts := anonymize.Gather(h.Counts, order)
	h.Counts = counts
	for _, c := range h.Columns {
		codes := anonymize.Gather(c.Codes, order)
		c.Codes = codes
	}
}
