package raw

import (
	"database/sql/driver"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/cache"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Microdata returns columns of the table as the session sees them; nil means all. Rows are in
// insertion order, dictionaries are sorted. Texts that are equal under the column's collation
// have one code ([coding.UnifySpellings]).
//
// A column is assembled from its chunks once per version of the table: the first call reads
// SQLite, the next ones return the same columns, so the caller must not change them. The
// session's own changes are always read anew. progress, if not nil, receives the number of
// finished chunks.
func (t *Table) Microdata(ctx *sql.Context, columns []string, progress func(done, total int)) (*anonymize.Microdata, error) {
	w, m, done, err := t.reading(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return w.microdata(ctx, m, columns, progress)
}

// MicrodataWithKeys is Microdata with the permanent number of every record's row, in the same
// order and snapshot. The numbers survive every change of a row and of the table's definition,
// and are not reused while a release follows the table. They are read anew each time.
func (t *Table) MicrodataWithKeys(ctx *sql.Context, columns []string, progress func(done, total int)) (*anonymize.Microdata, []int64, error) {
	w, m, done, err := t.reading(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	data, err := w.microdata(ctx, m, columns, progress)
	if err != nil {
		return nil, nil, err
	}
	keys := make([]int64, 0, data.Rows)
	err = sqlite.Query(w.conn, func(row []driver.Value) error {
		keys = append(keys, row[0].(int64))
		if len(keys)%chunkRows == 0 {
			return ctx.Err()
		}
		return nil
	}, fmt.Sprintf("SELECT rowid FROM t%d ORDER BY rowid", m.storage))
	if err == nil && len(keys) != data.Rows {
		err = fmt.Errorf("%d rows have %d numbers", data.Rows, len(keys))
	}
	return data, keys, fault.Cannot("read table "+m.name, err)
}

func (w *Work) microdata(ctx *sql.Context, m *TableVersion, columns []string, progress func(done, total int)) (*anonymize.Microdata, error) {
	ordinals, err := m.pick(columns)
	if err != nil {
		return nil, err
	}
	found := make([]*anonymize.Column, len(ordinals))
	var missing []int
	for i, ordinal := range ordinals {
		if w.changes[m.id] == nil {
			key := cache.Key{Storage: m.storage, Column: m.definition.Columns[ordinal].ID, Chunk: cache.WholeColumn}
			if c, ok := w.store.cache.Get(key, m.version).(*anonymize.Column); ok {
				found[i] = renamed(c, m.definition.Columns[ordinal].Name)
				continue
			}
		}
		missing = append(missing, i)
	}
	if err := w.mergeColumns(ctx, m, ordinals, missing, found, progress); err != nil {
		return nil, err
	}
	return anonymize.NewMicrodata(found...)
}

// renamed gives a cached column its current name.
func renamed(c *anonymize.Column, name string) *anonymize.Column {
	if c.Name == name {
		return c
	}
	copied := *c
	copied.Name = name
	return &copied
}

// pick returns the ordinals of the named columns; of all columns for nil.
func (t *TableVersion) pick(columns []string) ([]int, error) {
	if columns == nil {
		for _, c := range t.definition.Columns {
			columns = append(columns, c.Name)
		}
	}
	ordinals := make([]int, len(columns))
	for i, name := range columns {
		if ordinals[i] = t.definition.column(name); ordinals[i] < 0 {
			return nil, sql.ErrTableColumnNotFound.New(t.name, name)
		}
	}
	return ordinals, nil
}

// mergeColumns fills found[i] for every i of missing.
func (w *Work) mergeColumns(ctx *sql.Context, t *TableVersion, ordinals, missing []int, found []*anonymize.Column, progress func(done, total int)) error {
	if len(missing) == 0 {
		return nil
	}
	chunks, err := w.chunkCount(t)
	if err != nil {
		return err
	}
	wanted := make([]int, len(missing))
	merges := make([]*columnMerge, len(missing))
	for i, at := range missing {
		wanted[i] = ordinals[at]
		merges[i] = newColumnMerge(t, wanted[i], w.rows(t))
	}
	for chunk := range chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		columns, err := w.columns(t, chunk, wanted)
		if err != nil {
			return err
		}
		for i, c := range columns {
			if err := merges[i].add(c); err != nil {
				return err
			}
		}
		if progress != nil {
			progress(int(chunk)+1, int(chunks))
		}
	}
	for i, at := range missing {
		found[at] = merges[i].finish()
		if w.changes[t.id] == nil {
			key := cache.Key{Storage: t.storage, Column: t.definition.Columns[wanted[i]].ID, Chunk: cache.WholeColumn}
			w.store.cache.Put(key, t.version, found[at], merges[i].bytes)
		}
	}
	return nil
}

// A columnMerge assembles a column. Chunks have separate dictionaries, so each dictionary entry
// costs a look-up per chunk, and each row an array access.
type columnMerge struct {
	codec    coding.Codec
	column   *anonymize.Column
	integers map[int64]uint32 // codes of values that are stored as integers
	others   map[anonymize.Value]uint32
	bytes    int64
}

func newColumnMerge(t *TableVersion, ordinal int, rows int64) *columnMerge {
	d := t.definition.Columns[ordinal]
	return &columnMerge{
		codec:    t.codecs[ordinal],
		column:   &anonymize.Column{Name: d.Name, Type: d.Type, Codes: make([]uint32, 0, rows)},
		integers: make(map[int64]uint32),
		others:   make(map[anonymize.Value]uint32),
		bytes:    4 * rows,
	}
}

func (m *columnMerge) add(c *chunkColumn) error {
	codes := make([]uint32, len(c.dictionary))
	for i, v := range c.dictionary {
		stored, err := m.codec.Encode(v)
		if err != nil {
			return err
		}
		if codes[i], err = m.code(stored); err != nil {
			return err
		}
	}
	for _, code := range c.codes {
		m.column.Codes = append(m.column.Codes, codes[code])
	}
	return nil
}

// code returns the number of a value in order of appearance.
func (m *columnMerge) code(stored driver.Value) (uint32, error) {
	integer, isInteger := stored.(int64)
	if isInteger {
		if code, ok := m.integers[integer]; ok {
			return code, nil
		}
	}
	value, err := m.codec.Value(stored)
	if err != nil {
		return 0, err
	}
	code := uint32(len(m.column.Dictionary))
	if isInteger {
		m.integers[integer] = code
	} else if known, ok := m.others[value]; ok {
		return known, nil
	} else {
		m.others[value] = code
	}
	m.column.Dictionary = append(m.column.Dictionary, value)
	m.bytes += 40 + int64(len(value.Text))
	return code, nil
}

// finish sorts the dictionary, renumbers the rows, and unifies texts that are equal in the
// column.
func (m *columnMerge) finish() *anonymize.Column {
	seen := m.column.Dictionary
	m.column.Dictionary = make([]anonymize.Value, 0, len(seen))
	coding.SortDictionary(m.column, seen)
	if collation, ok := coding.Spellings(m.column.Type); ok {
		coding.UnifySpellings(m.column, collation)
	}
	return m.column
}
