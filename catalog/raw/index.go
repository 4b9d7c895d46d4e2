package raw

import (
	"database/sql/driver"
	"fmt"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// An index is the engine's view of a table's index. It promises no order: look-ups are by
// equality.
type index struct {
	table *TableVersion
	indexDefinition
}

var (
	_ sql.Index        = (*index)(nil)
	_ sql.OrderedIndex = (*index)(nil)
)

func (i *index) column(c indexColumn) *sql.Column {
	return i.table.schema.Schema[i.table.definition.ordinal(c.Column)]
}

// ID implements sql.Index.
func (i *index) ID() string { return i.Name }

// Database implements sql.Index.
func (i *index) Database() string { return i.table.database }

// Table implements sql.Index.
func (i *index) Table() string { return i.table.name }

// Expressions implements sql.Index.
func (i *index) Expressions() []string {
	expressions := make([]string, len(i.Columns))
	for n, c := range i.Columns {
		expressions[n] = i.table.name + "." + i.column(c).Name
	}
	return expressions
}

// ColumnExpressionTypes implements sql.Index.
func (i *index) ColumnExpressionTypes() []sql.ColumnExpressionType {
	columns := make([]sql.ColumnExpressionType, len(i.Columns))
	for n, expression := range i.Expressions() {
		columns[n] = sql.ColumnExpressionType{Expression: expression, Type: declared.Read(i.column(i.Columns[n]).Type)}
	}
	return columns
}

// PrefixLengths implements sql.Index.
func (i *index) PrefixLengths() []uint16 {
	lengths := make([]uint16, len(i.Columns))
	some := false
	for n, c := range i.Columns {
		lengths[n] = uint16(c.Length)
		some = some || c.Length > 0
	}
	if !some {
		return nil
	}
	return lengths
}

// IsUnique implements sql.Index.
func (i *index) IsUnique() bool { return i.Unique }

// IsSpatial implements sql.Index.
func (i *index) IsSpatial() bool { return false }

// IsFullText implements sql.Index.
func (i *index) IsFullText() bool { return false }

// IsVector implements sql.Index.
func (i *index) IsVector() bool { return false }

// IsGenerated implements sql.Index.
func (i *index) IsGenerated() bool { return false }

// Comment implements sql.Index.
func (i *index) Comment() string { return i.indexDefinition.Comment }

// IndexType implements sql.Index.
func (i *index) IndexType() string { return "BTREE" }

// CanSupport implements sql.Index. It supports ranges whose first column is one value; or all
// except NULL, which the engine asks about before it looks up single values (<=>); and empty
// ranges, which it asks about for = NULL.
func (i *index) CanSupport(_ *sql.Context, ranges ...sql.Range) bool {
	for _, r := range ranges {
		r, ok := r.(sql.MySQLRange)
		if !ok || len(r) == 0 {
			return false
		}
		if empty, err := r.IsEmpty(); err == nil && empty {
			continue
		}
		if !isPoint(r[0]) && !isNotNull(r[0]) {
			return false
		}
	}
	return true
}

// CanSupportOrderBy implements sql.Index.
func (i *index) CanSupportOrderBy(sql.Expression) bool { return false }

// Order implements sql.OrderedIndex. The engine assumes that an index without it is ordered.
func (i *index) Order() sql.IndexOrder { return sql.IndexOrderNone }

// Reversible implements sql.OrderedIndex.
func (i *index) Reversible() bool { return false }

func isNotNull(r sql.MySQLRangeColumnExpr) bool {
	_, low := r.LowerBound.(sql.AboveNull)
	_, high := r.UpperBound.(sql.AboveAll)
	return low && high
}

// equalsNull reports whether a range is that of = NULL: empty, unlike that of <=> NULL.
func equalsNull(r sql.MySQLRangeColumnExpr) bool {
	low, isLow := r.LowerBound.(sql.Below)
	high, isHigh := r.UpperBound.(sql.Above)
	return isLow && isHigh && low.Key == nil && high.Key == nil
}

// isPoint reports whether a range contains only one value, or only NULL.
func isPoint(r sql.MySQLRangeColumnExpr) bool {
	if _, ok := r.UpperBound.(sql.AboveNull); ok {
		_, ok = r.LowerBound.(sql.BelowNull)
		return ok
	}
	low, ok := r.LowerBound.(sql.Below)
	if !ok {
		return false
	}
	high, ok := r.UpperBound.(sql.Above)
	if !ok || low.Key == nil {
		return false
	}
	c, err := r.Typ.Compare(noCancel, low.Key, high.Key)
	return err == nil && c == 0
}

var (
	_ sql.IndexAddressableTable = (*Table)(nil)
	_ sql.IndexedTable          = (*indexedTable)(nil)
)

// GetIndexes implements sql.IndexAddressable.
func (t *Table) GetIndexes(*sql.Context) ([]sql.Index, error) {
	m := t.newestVersion()
	var indexes []sql.Index
	for _, d := range m.definition.keys() {
		indexes = append(indexes, &index{m, d})
	}
	return indexes, nil
}

// PreciseMatch implements sql.IndexAddressable. The engine filters the results of a look-up.
func (t *Table) PreciseMatch() bool { return false }

// IndexedAccess implements sql.IndexAddressable.
func (t *Table) IndexedAccess(_ *sql.Context, lookup sql.IndexLookup) sql.IndexedTable {
	return &indexedTable{t}
}

// An indexedTable is a table that is read through an index.
type indexedTable struct{ *Table }

// LookupPartitions implements sql.IndexedTable.
func (t *indexedTable) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	i, ok := lookup.Index.(*index)
	ranges, isRanges := lookup.Ranges.(sql.MySQLRangeCollection)
	if !ok || !isRanges {
		return sql.PartitionsToPartitionIter(scanPartition{}), nil
	}
	clock, err := coding.ClockOf(ctx)
	if err != nil {
		return nil, err
	}
	seen := &index{i.table.seenBy(clock), i.indexDefinition}
	p := &lookupPartition{index: i.indexDefinition}
	for _, r := range ranges {
		key, some, exact := seen.key(r)
		if !exact {
			return sql.PartitionsToPartitionIter(scanPartition{}), nil
		}
		if some {
			p.keys = append(p.keys, key)
		}
	}
	return sql.PartitionsToPartitionIter(p), nil
}

// WithProjections implements sql.ProjectedTable.
func (t *indexedTable) WithProjections(columns []string) sql.Table {
	return &indexedTable{t.Table.WithProjections(columns).(*Table)}
}

// key returns the stored values of the leading columns of a range that are points. exact is
// false if there are none, or if the column's type cannot represent a value. some is false if
// no row can be in the range.
func (i *index) key(r sql.MySQLRange) (key []driver.Value, some, exact bool) {
	if empty, err := r.IsEmpty(); err == nil && empty {
		return nil, false, true
	}
	for n, column := range r {
		if equalsNull(column) {
			return nil, false, true
		}
		if n >= len(i.Columns) || !isPoint(column) {
			break
		}
		ordinal := i.table.definition.ordinal(i.Columns[n].Column)
		var value any
		if low, ok := column.LowerBound.(sql.Below); ok {
			value = low.Key
		}
		stored, err := i.table.codecs[ordinal].Encode(value)
		if err != nil {
			break
		}
		key = append(key, stored)
	}
	return key, true, len(key) > 0
}

// A lookupPartition is the rows of an index under some keys.
type lookupPartition struct {
	index indexDefinition
	keys  [][]driver.Value // leading values
}

// Key implements sql.Partition.
func (p *lookupPartition) Key() []byte { return fmt.Appendf(nil, "%d:%v", p.index.ID, p.keys) }

// rows reads the rows of all keys together, each row once, since keys may overlap.
func (p *lookupPartition) rows(ctx *sql.Context, t *Table) (sql.RowIter, error) {
	w, m, done, err := t.reading(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	clock, err := coding.ClockOf(ctx)
	if err != nil {
		return nil, err
	}
	m = m.seenBy(clock)
	ordinals := t.ordinals(m)
	names := make([]string, len(ordinals))
	for i, ordinal := range ordinals {
		names[i] = fmt.Sprintf(", c%d", m.definition.Columns[ordinal].ID)
	}
	columns := "rowid" + strings.Join(names, "")
	found := &foundRows{}
	seen := make(map[int64]bool)
	for _, key := range p.keys {
		err := sqlite.Query(w.conn, func(stored []driver.Value) error {
			rowid := stored[0].(int64)
			if seen[rowid] {
				return nil
			}
			seen[rowid] = true
			row := make(sql.Row, len(ordinals))
			for i, ordinal := range ordinals {
				var err error
				if row[i], err = m.codecs[ordinal].Decode(stored[i+1]); err != nil {
					return err
				}
			}
			found.rows = append(found.rows, row)
			return nil
		}, m.matching(columns, p.index, len(key)), key...)
		if err != nil {
			return nil, fault.Cannot("read table "+m.name, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

type foundRows struct{ rows []sql.Row }

func (f *foundRows) Next(*sql.Context) (sql.Row, error) {
	if len(f.rows) == 0 {
		return nil, io.EOF
	}
	row := f.rows[0]
	f.rows = f.rows[1:]
	return row, nil
}

func (f *foundRows) Close(*sql.Context) error { f.rows = nil; return nil }
