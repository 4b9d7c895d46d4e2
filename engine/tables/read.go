package tables

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/homes"
)

// reportedEvery is the number of rows between two reports of progress.
const reportedEvery = 1 << 14

func (h *Home) limit() int {
	if h.Limit > 0 {
		return h.Limit
	}
	return DefaultLimit
}

// Microdata implements source.Table by one SELECT of the columns; it refuses a table with more rows than the limit. It sorts rows by their values, since the
// engine has no order, so that a seed repeats a release. Memory: four bytes per row and column, twelve more per row, and the distinct values.
func (t *Table) Microdata(ctx *sql.Context, names []string, progress func(done, total int)) (*anonymize.Microdata, error) {
	columns, err := t.pick(names)
	if err != nil {
		return nil, err
	}
	for _, c := range t.columns {
		if names == nil && c.Refused() != "" {
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: mysql.ERUnknownError,
				Message: fmt.Sprintf("column %s of %s is left out: %s", c.Name(), t, c.Refused())})
		}
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	total, err := t.Rows(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.withinLimit(total); err != nil {
		return nil, err
	}
	r := newReading(columns)
	err = t.home.Asker.Query(ctx, "SELECT "+asked(columns)+" FROM "+t.Path(), func(v []any) error {
		if err := r.add(v); err != nil {
			return err
		}
		if r.rows%reportedEvery == 0 {
			progress(r.rows, max(total, r.rows))
		}
		return t.withinLimit(r.rows) // it may have grown
	})
	if err != nil {
		return nil, err
	}
	progress(r.rows, r.rows)
	found, err := r.finish(ctx)
	if err != nil {
		return nil, err
	}
	sortRows(found, r.rows)
	return anonymize.NewMicrodata(found...)
}

// sortRows sorts rows by the first column's codes, then by the second's, and so on. It takes time
// linear in rows and values: a stable counting sort per column, from the last to the first.
func sortRows(columns []*anonymize.Column, rows int) {
	order, next := anonymize.Indices(rows), make([]uint32, rows)
	for _, c := range slices.Backward(columns) {
		place := make([]uint32, len(c.Dictionary)+1)
		for _, code := range c.Codes {
			place[code+1]++
		}
		for code := range c.Dictionary {
			place[code+1] += place[code]
		}
		for _, row := range order {
			code := c.Codes[row]
			next[place[code]] = row
			place[code]++
		}
		order, next = next, order
	}
	for _, c := range columns {
		for at, row := range order {
			next[at] = c.Codes[row]
		}
		copy(c.Codes, next)
	}
}

// Rows returns the number of rows.
func (t *Table) Rows(ctx context.Context) (int, error) {
	n := int64(-1)
	err := t.home.Asker.Query(ctx, "SELECT count(*) FROM "+t.Path(), func(v []any) error {
		if len(v) == 1 {
			n, _ = v[0].(int64) // a failed read of 0 must not count as a number of rows
		}
		return nil
	})
	if err == nil && n < 0 {
		err = fmt.Errorf("the engine does not say how many rows %s has", t)
	}
	return int(n), err
}

func (t *Table) withinLimit(rows int) error {
	if most := t.home.limit(); rows > most {
		return &anonymize.DataError{
			Reason: fmt.Sprintf(
				"table %s has %d rows, and of a table in the engine at most %d are read (--engine-rows): raise that, or publish it with store=engine, or a view of fewer rows",
				t,
				rows,
				most,
			),
		}
	}
	return nil
}

// pick returns the named columns, all readable ones for nil.
func (t *Table) pick(names []string) ([]*column, error) {
	return homes.Pick(t, t.columns, names)
}

func asked(columns []*column) string {
	return joined(columns, func(c *column) string { return c.ask })
}

func joined(columns []*column, part func(*column) string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = part(c)
	}
	return strings.Join(list, ", ")
}

// A reading collects columns while they are read: the engine's values, numbered in order of appearance.
type reading struct {
	columns []*column
	rows    int
	codes   [][]uint32
	code    []map[any]uint32
	values  [][]any
}

func newReading(columns []*column) *reading {
	r := &reading{columns: columns, codes: make([][]uint32, len(columns)), code: make([]map[any]uint32, len(columns)), values: make([][]any, len(columns))}
	for i := range columns {
		r.code[i] = make(map[any]uint32)
	}
	return r
}

// add adds a row, which may have more values after those of the columns.
func (r *reading) add(row []any) error {
	if len(row) < len(r.columns) {
		return fmt.Errorf("a row of the engine has %d values, must have %d", len(row), len(r.columns))
	}
	for i, c := range r.columns {
		v := row[i]
		if _, ok := v.([]byte); ok {
			return c.wrong(v, fmt.Errorf("it is bytes"))
		}
		if x, ok := v.(float64); ok && math.IsNaN(x) { // NaN is no map key
			return c.wrong(v, fmt.Errorf("it is no number"))
		}
		code, known := r.code[i][v]
		if !known {
			code = uint32(len(r.values[i]))
			r.code[i][v] = code
			r.values[i] = append(r.values[i], v)
		}
		r.codes[i] = append(r.codes[i], code)
	}
	r.rows++
	return nil
}

// finish converts the distinct values and sorts the dictionaries.
func (r *reading) finish(ctx *sql.Context) ([]*anonymize.Column, error) {
	found := make([]*anonymize.Column, len(r.columns))
	for i, c := range r.columns {
		values := make([]anonymize.Value, len(r.values[i]))
		for code, v := range r.values[i] {
			var err error
			if values[code], err = c.Value(ctx, v); err != nil {
				return nil, err
			}
		}
		found[i] = &anonymize.Column{Name: c.name, Type: coding.TypeText(c.typ), Codes: r.codes[i]}
		coding.SortDictionary(found[i], values)
	}
	return found, nil
}

// Reads implements source.Readable.
func (t *Table) Reads(name string) bool { return homes.Reads(t.columns, name) }
