package raw

import (
	dbsql "database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"strings"

	"github.com/anonsql/anonsql/catalog/cache"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// chunkRows is the number of rowids of a chunk. A chunk's codes fit in 16 bits, because it has
// at most that many rows.
const chunkRows = 1 << 16

// maxChunks limits the rows that a table can ever have to 6.9 * 10^10. Row numbers are
// consecutive; a damaged one must not cause an endless loop.
const maxChunks = 1 << 20

// A chunkColumn is one dictionary-encoded column of a chunk's rows, in rowid order: row i has
// the value dictionary[codes[i]]. It is immutable. The dictionary is in order of appearance and
// has the engine's values, boxed once.
type chunkColumn struct {
	version    int64
	codes      []uint16
	dictionary []any
	bytes      int64
}

// lastRowID returns the highest rowid, 0 for an empty table. O(log n).
func lastRowID(conn *dbsql.Conn, t *TableVersion) (int64, error) {
	var last int64
	err := sqlite.Query(conn, func(row []driver.Value) error {
		last, _ = row[0].(int64)
		return nil
	}, fmt.Sprintf("SELECT max(rowid) FROM t%d", t.storage))
	return last, fault.Cannot("read table "+t.name, err)
}

// chunkCount returns the number of chunks of a scan.
func (w *Work) chunkCount(t *TableVersion) (int64, error) {
	last, err := lastRowID(w.conn, t)
	if err != nil || last == 0 {
		return 0, err
	}
	if last < 0 || last/chunkRows >= maxChunks {
		return 0, fault.Cannot("read table "+t.name, fmt.Errorf("%w: a row has the number %d", fault.ErrDamaged, last))
	}
	return last/chunkRows + 1, nil
}

// shared reports whether a chunk is in its committed state, so that the cache may serve and
// keep it.
func (w *Work) shared(t *TableVersion, chunk int64) bool {
	ch := w.changes[t.id]
	if ch == nil {
		return true
	}
	_, changed := ch.chunks[chunk]
	return !ch.all && !changed
}

// columns returns the given columns of a chunk, from the cache where possible, else from SQLite
// in one pass.
func (w *Work) columns(t *TableVersion, chunk int64, ordinals []int) ([]*chunkColumn, error) {
	found := make([]*chunkColumn, len(ordinals))
	shared, version := w.shared(t, chunk), t.chunkVersion(chunk)
	var missing []int
	for i, ordinal := range ordinals {
		key := cache.Key{Storage: t.storage, Column: t.definition.Columns[ordinal].ID, Chunk: chunk}
		if shared {
			if c, ok := w.store.cache.Get(key, version).(*chunkColumn); ok {
				found[i] = c
				continue
			}
		}
		missing = append(missing, i)
	}
	if len(missing) == 0 {
		return found, nil
	}
	wanted := make([]int, len(missing))
	for i, m := range missing {
		wanted[i] = ordinals[m]
	}
	built, err := w.buildColumns(t, chunk, wanted)
	if err != nil {
		return nil, fault.Cannot("read table "+t.name, err)
	}
	for i, m := range missing {
		found[m] = built[i]
		built[i].version = version
		if shared {
			key := cache.Key{Storage: t.storage, Column: t.definition.Columns[wanted[i]].ID, Chunk: chunk}
			w.store.cache.Put(key, version, built[i], built[i].bytes)
		}
	}
	return found, nil
}

func (w *Work) buildColumns(t *TableVersion, chunk int64, ordinals []int) ([]*chunkColumn, error) {
	names := make([]string, len(ordinals))
	builders := make([]chunkBuilder, len(ordinals))
	for i, ordinal := range ordinals {
		names[i] = fmt.Sprintf("c%d", t.definition.Columns[ordinal].ID)
		builders[i].codec = t.codecs[ordinal]
	}
	statement := fmt.Sprintf("SELECT %s FROM t%d WHERE rowid BETWEEN ? AND ? ORDER BY rowid", strings.Join(names, ", "), t.storage)
	err := sqlite.Query(w.conn, func(row []driver.Value) error {
		for i := range builders {
			if err := builders[i].add(row[i]); err != nil {
				return err
			}
		}
		return nil
	}, statement, chunk*chunkRows, chunk*chunkRows+chunkRows-1)
	columns := make([]*chunkColumn, len(builders))
	for i := range builders {
		columns[i] = builders[i].finish()
	}
	return columns, err
}

// A chunkBuilder encodes one column of a chunk.
type chunkBuilder struct {
	codec    coding.Codec
	column   chunkColumn
	integers map[int64]uint16
	texts    map[string]uint16
	null     int // code of NULL + 1
}

func (b *chunkBuilder) add(v driver.Value) error {
	var code uint16
	var known bool
	switch v := v.(type) {
	case nil:
		code, known = uint16(b.null-1), b.null > 0
	case int64:
		code, known = b.integers[v]
	case float64:
		code, known = b.integers[int64(math.Float64bits(v))]
	case string:
		code, known = b.texts[v]
	case []byte:
		code, known = b.texts[string(v)]
	}
	if !known {
		var err error
		if code, err = b.enter(v); err != nil {
			return err
		}
	}
	b.column.codes = append(b.column.codes, code)
	return nil
}

// enter assigns the next code to a new value.
func (b *chunkBuilder) enter(stored driver.Value) (uint16, error) {
	value, err := b.codec.Decode(stored)
	if err != nil {
		return 0, err
	}
	code := uint16(len(b.column.dictionary))
	b.column.dictionary = append(b.column.dictionary, value)
	b.column.bytes += 40 // the interface and a small box
	if b.integers == nil {
		b.integers, b.texts = make(map[int64]uint16), make(map[string]uint16)
	}
	switch v := stored.(type) {
	case nil:
		b.null = int(code) + 1
	case int64:
		b.integers[v] = code
	case float64:
		b.integers[int64(math.Float64bits(v))] = code
	case string:
		b.texts[v] = code
		b.column.bytes += int64(len(v))
	case []byte:
		b.texts[string(v)] = code
		b.column.bytes += int64(len(v))
	}
	return code, nil
}

func (b *chunkBuilder) finish() *chunkColumn {
	b.column.bytes += int64(2 * len(b.column.codes))
	return &b.column
}
