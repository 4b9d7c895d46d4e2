package raw

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// locate finds the rowid of a row that the engine wants to change. The engine passes the row's
// values, not its address. A unique key without NULL identifies it; without one a locator does.
// Rows of a table without a key that are equal in every column are the same to SQL, so any of
// them will do.
func (w *Work) locate(t *TableVersion, ch *change, row []driver.Value) (int64, error) {
	for _, index := range t.definition.keys() {
		if key := t.wholeKey(index, row); key != nil {
			rowid := int64(-1)
			err := sqlite.Query(w.conn, func(found []driver.Value) error {
				rowid = found[0].(int64)
				return nil
			}, t.matching("rowid", index, len(key))+" LIMIT 1", key...)
			if err == nil && rowid < 0 {
				err = rowGone{t.name}
			}
			return rowid, fault.Explained("read table "+t.name, err)
		}
	}
	if ch.locator == nil {
		l, err := w.newLocator(t)
		if err != nil {
			return 0, err
		}
		ch.locator = l
	}
	return ch.locator.find(w, t, row)
}

// rowGone is the error for a row to change that the table does not have.
type rowGone struct{ table string }

// Error implements error.
func (e rowGone) Error() string {
	return "a row of table " + e.table + " that was to be changed is not there any more"
}

// wholeKey returns the row's values in a unique index over whole columns; nil if the index does
// not identify exactly one row.
func (t *TableVersion) wholeKey(index indexDefinition, row []driver.Value) []driver.Value {
	if !index.Unique {
		return nil
	}
	key := make([]driver.Value, len(index.Columns))
	for i, c := range index.Columns {
		key[i] = row[t.definition.ordinal(c.Column)]
		if c.Length > 0 || key[i] == nil {
			return nil
		}
	}
	return key
}

// A locator finds rows of a table without a key by a hash of all their values. The first UPDATE
// or DELETE of a transaction builds it in one pass over the table; it takes about 50 bytes per
// row, and the editors keep it up to date.
type locator struct {
	seed maphash.Seed
	rows map[uint64][]int64
	buf  []byte
}

func (w *Work) newLocator(t *TableVersion) (*locator, error) {
	l := &locator{seed: maphash.MakeSeed(), rows: make(map[uint64][]int64, w.rows(t))}
	err := sqlite.Query(w.conn, func(row []driver.Value) error {
		l.add(row[1:], row[0].(int64))
		return nil
	}, fmt.Sprintf("SELECT rowid, %s FROM t%d ORDER BY rowid", t.definition.columnList(), t.storage))
	return l, fault.Cannot("read table "+t.name, err)
}

// hash distinguishes values of different kinds by a tag.
func (l *locator) hash(row []driver.Value) uint64 {
	b := l.buf[:0]
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, 0)
		case int64:
			b = binary.LittleEndian.AppendUint64(append(b, 1), uint64(v))
		case float64:
			b = binary.LittleEndian.AppendUint64(append(b, 2), math.Float64bits(v+0))
		case string:
			b = append(binary.LittleEndian.AppendUint64(append(b, 3), uint64(len(v))), v...)
		case []byte:
			b = append(binary.LittleEndian.AppendUint64(append(b, 4), uint64(len(v))), v...)
		}
	}
	l.buf = b
	return maphash.Bytes(l.seed, b)
}

func (l *locator) add(row []driver.Value, rowid int64) {
	h := l.hash(row)
	l.rows[h] = append(l.rows[h], rowid)
}

func (l *locator) remove(row []driver.Value, rowid int64) {
	h := l.hash(row)
	if at := slices.Index(l.rows[h], rowid); at >= 0 {
		l.rows[h] = slices.Delete(l.rows[h], at, at+1)
	}
	if len(l.rows[h]) == 0 {
		delete(l.rows, h)
	}
}

// find compares the rows with equal hash.
func (l *locator) find(w *Work, t *TableVersion, row []driver.Value) (int64, error) {
	statement := fmt.Sprintf("SELECT %s FROM t%d WHERE rowid = ?", t.definition.columnList(), t.storage)
	for _, rowid := range l.rows[l.hash(row)] {
		equal := false
		err := sqlite.Query(w.conn, func(found []driver.Value) error {
			equal = slices.EqualFunc(found, row, sameValue)
			return nil
		}, statement, rowid)
		if err != nil {
			return 0, fault.Cannot("read table "+t.name, err)
		}
		if equal {
			return rowid, nil
		}
	}
	return 0, rowGone{t.name}
}

func sameValue(a, b driver.Value) bool {
	if x, ok := a.([]byte); ok {
		y, ok := b.([]byte)
		return ok && bytes.Equal(x, y)
	}
	if _, ok := b.([]byte); ok {
		return false
	}
	return a == b
}

// duplicate returns the engine's error for a row that a unique index refused, with the existing
// row: ON DUPLICATE KEY UPDATE and REPLACE need it. self is the rowid of the updated row, 0 for
// a new one.
func (w *Work) duplicate(t *TableVersion, row []driver.Value, self int64) error {
	for _, index := range t.definition.keys() {
		if !index.Unique {
			continue
		}
		key := make([]driver.Value, len(index.Columns))
		for i, c := range index.Columns {
			key[i] = row[t.definition.ordinal(c.Column)]
		}
		if slices.ContainsFunc(key, func(v driver.Value) bool { return v == nil }) {
			continue
		}
		existing, err := w.fetch(t, t.matching("rowid, "+t.definition.columnList(), index, len(key)), key)
		if err != nil {
			return err
		}
		for _, found := range existing {
			if found.rowid != self {
				return sql.NewUniqueKeyErr(keyText(t, index, key), index.ID == primaryIndex, found.row)
			}
		}
	}
	return sql.NewUniqueKeyErr("", false, nil)
}

// keyText returns a key and its index for the engine's message, which the server parses:
// [1,abc] of key 'visit.PRIMARY'.
func keyText(t *TableVersion, index indexDefinition, key []driver.Value) string {
	var b bytes.Buffer
	for i, v := range key {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := t.codecs[t.definition.ordinal(index.Columns[i].Column)].Decode(v)
		if err != nil {
			value = v
		}
		fmt.Fprintf(&b, "%v", value)
	}
	name := index.Name
	if index.ID == primaryIndex {
		name = "PRIMARY"
	}
	return fmt.Sprintf("[%s] of key '%s.%s'", b.String(), t.name, name)
}

// A fetched is a row with its rowid.
type fetched struct {
	rowid int64
	row   sql.Row
}

// fetch runs a query for rowid and all columns.
func (w *Work) fetch(t *TableVersion, statement string, args []driver.Value) ([]fetched, error) {
	var found []fetched
	err := sqlite.Query(w.conn, func(stored []driver.Value) error {
		row := make(sql.Row, len(t.codecs))
		for i, c := range t.codecs {
			var err error
			if row[i], err = c.Decode(stored[i+1]); err != nil {
				return err
			}
		}
		found = append(found, fetched{stored[0].(int64), row})
		return nil
	}, statement, args...)
	return found, fault.Cannot("read table "+t.name, err)
}
