package raw

import (
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/coding"
)

// A scanPartition is the whole table, whose chunks are read in order.
type scanPartition struct{}

// Key implements sql.Partition.
func (scanPartition) Key() []byte { return []byte("all") }

// Partitions implements sql.Table.
func (t *Table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(scanPartition{}), nil
}

// PartitionRows implements sql.Table. Rows come in rowid order, that is insertion order.
//
// A scan delivers the table as of its beginning, even if the same statement changes it (UPDATE,
// INSERT ... SELECT from itself): chunks are copies, and a table that the statement writes is
// first copied completely.
func (t *Table) PartitionRows(ctx *sql.Context, partition sql.Partition) (sql.RowIter, error) {
	if p, ok := partition.(*lookupPartition); ok {
		return p.rows(ctx, t)
	}
	w, m, done, err := t.reading(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	clock, err := coding.ClockOf(ctx)
	if err != nil {
		return nil, err
	}
	s := &scan{table: t, ordinals: t.ordinals(m), clock: clock}
	if len(s.ordinals) == 0 {
		return &emptyRows{left: w.rows(m)}, nil
	}
	if s.chunks, err = w.chunkCount(m); err != nil {
		return nil, err
	}
	if w.editing[m.id] {
		for chunk := range s.chunks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			columns, err := w.columns(m, chunk, s.ordinals)
			if err != nil {
				return nil, err
			}
			s.copies = append(s.copies, m.shownColumns(clock, s.ordinals, columns))
		}
	}
	return s, nil
}

// A scan iterates over the chunks of a table.
type scan struct {
	table    *Table
	ordinals []int
	clock    coding.Clock
	chunks   int64
	copies   [][]*chunkColumn // all chunks, if the statement writes the table
	chunk    int64            // the next
	columns  []*chunkColumn   // of the current
	row      int
	slab     []any
}

func (s *scan) Next(ctx *sql.Context) (sql.Row, error) {
	for len(s.columns) == 0 || s.row >= len(s.columns[0].codes) {
		if s.chunk >= s.chunks {
			return nil, io.EOF
		}
		if err := s.load(ctx); err != nil {
			return nil, err
		}
	}
	n := len(s.columns)
	// Rows are cut from a slab: one allocation for many rows. Their capacity is limited,
	// because the engine appends to rows.
	if len(s.slab) < n {
		s.slab = make([]any, n*256)
	}
	row := s.slab[:n:n]
	s.slab = s.slab[n:]
	for i, c := range s.columns {
		row[i] = c.dictionary[c.codes[s.row]]
	}
	s.row++
	return row, nil
}

func (s *scan) load(ctx *sql.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.row = 0
	if s.copies != nil {
		s.columns, s.copies[s.chunk] = s.copies[s.chunk], nil
		s.chunk++
		return nil
	}
	w, m, done, err := s.table.reading(ctx)
	if err != nil {
		return err
	}
	defer done()
	columns, err := w.columns(m, s.chunk, s.ordinals)
	s.columns = m.shownColumns(s.clock, s.ordinals, columns)
	s.chunk++
	return err
}

// shownColumns returns columns of a chunk as a clock shows their values. It copies what it changes, since chunks are shared.
func (t *TableVersion) shownColumns(clock coding.Clock, ordinals []int, columns []*chunkColumn) []*chunkColumn {
	shown := columns
	for i, c := range columns {
		if seen := clock.ShownValues(t.codecs[ordinals[i]].Type, c.dictionary); len(seen) > 0 && &seen[0] != &c.dictionary[0] {
			if &shown[0] == &columns[0] {
				shown = slices.Clone(columns)
			}
			shown[i] = &chunkColumn{dictionary: seen, codes: c.codes}
		}
	}
	return shown
}

func (s *scan) Close(*sql.Context) error {
	s.columns, s.copies, s.slab = nil, nil, nil
	s.chunk = s.chunks
	return nil
}

// emptyRows are the rows of a scan without columns, as for COUNT(*).
type emptyRows struct{ left int64 }

func (r *emptyRows) Next(*sql.Context) (sql.Row, error) {
	if r.left == 0 {
		return nil, io.EOF
	}
	r.left--
	return sql.Row{}, nil
}

func (r *emptyRows) Close(*sql.Context) error { return nil }
