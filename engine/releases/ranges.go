package releases

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/publication"
)

// hasRanges reports whether a relation has ranges; then all its columns have.
func hasRanges(f source.Fragment) bool {
	return slices.ContainsFunc(f.Columns, func(c source.FragmentColumn) bool { return c.Ranges })
}

// A spanned is a range as an engine returns it: low, high, null.
type spanned [3]any

// addRanges adds a row: gid, three values per column, count.
func (t *reading) addRanges(row []any) error {
	if len(row) != 3*len(t.codes)+2 {
		return fmt.Errorf("a row of a relation of ranges has %d values, must have %d", len(row), 3*len(t.codes)+2)
	}
	together := append(t.scratch[:0], row[0])
	for i := range t.codes {
		s := spanned(row[1+3*i:])
		for _, v := range s {
			if _, ok := v.([]byte); ok {
				return fmt.Errorf("a row of a relation has bytes")
			}
		}
		together = append(together, s)
	}
	t.scratch = append(together, row[len(row)-1])
	return t.add(t.scratch)
}

// domains has the values of columns of ranges in the raw table, as far as they were read.
type domains map[int][]anonymize.Value

// rangesColumn makes cells of a column's ranges over the values in the raw table.
func (r *Reader) rangesColumn(
	ctx context.Context,
	p source.Place,
	f source.Fragment,
	column int,
	t *reading,
	known domains,
) (_ *anonymize.FragmentColumn, err error) {
	c, domain := f.Columns[column], known[column]
	if domain == nil {
		if domain, err = r.domain(ctx, p, f, column); err != nil {
			return nil, err
		}
		known[column] = domain
	}
	typ, err := coding.ParseType(c.Type)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", c.Name, err)
	}
	spans := make([]publication.Span, len(t.values[column]))
	for i, v := range t.values[column] {
		s := v.(spanned)
		if spans[i].Low, err = keptValue(ctx, c.Name, typ, s[0]); err != nil {
			return nil, err
		}
		if spans[i].High, err = keptValue(ctx, c.Name, typ, s[1]); err != nil {
			return nil, err
		}
		spans[i].Null, _ = s[2].(bool)
	}
	cells, place, err := publication.CellsOf(domain, spans)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", c.Name, err)
	}
	codes := anonymize.Gather(place, t.codes[column])
	return &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: domain, Cells: cells, Codes: codes}, nil
}

// domain reads the values of a column of ranges, ascending.
func (r *Reader) domain(ctx context.Context, p source.Place, f source.Fragment, column int) ([]anonymize.Value, error) {
	relation, err := r.relation(p, publication.DomainName(f.Name, column))
	if err != nil {
		return nil, err
	}
	var returned []any
	if err := r.asker.Query(ctx, "SELECT "+r.dialect.Name(publication.ValueColumn)+" FROM "+relation, func(row []any) error {
		returned = append(returned, row[0])
		return nil
	}); err != nil {
		return nil, err
	}
	kept, err := keptColumn(ctx, f.Columns[column], nil, returned)
	if err != nil {
		return nil, err
	}
	return kept.Dictionary, nil
}
