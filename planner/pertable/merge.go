package pertable

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/answer"
)

// A merger matches the rows of completed tables and combines their figures. It adds in
// the order of the tables.
//
// Rows with the same key are matched by the order of their figures: the least of one
// table with the least of every other. The engine's order of rows is ignored.
type merger struct {
	query *Query
	rowOf map[string]*mergedRow
	list  []*mergedRow // in the order of the first table that has the row
	// current are the rows of the current table by key, keys these in their order.
	current map[string][]sql.Row
	keys    []string
	// directions are, by key with several rows and by column, 1 if figures rise with the first figure in all tables so far, -1 if they fall, otherwise 0.
	directions map[string][]int
	taken      int // rows of the current table
	table      int
	// matched: rows match so far; otherwise table 1 answers.
	matched bool
	// differ: by column, its values are not the same in all tables.
	differ []bool
	key    []byte
}

// A mergedRow is a row of the answer.
type mergedRow struct {
	first  int // the first table that has it
	tables int // how many have it
	place  int // among the rows of its key, from 0
	values sql.Row
	sums   []float64 // by column, of numbers
	known  []int     // how many were not NULL
	all    [][]any   // the values of Extreme columns that are not NULL
}

func newMerger(q *Query) *merger {
	return &merger{query: q, rowOf: make(map[string]*mergedRow), current: make(map[string][]sql.Row), matched: true,
		directions: make(map[string][]int), differ: make([]bool, len(q.Columns))}
}

// add takes a row of the current table.
func (m *merger) add(row sql.Row) error {
	if len(row) != len(m.query.Columns) {
		return fmt.Errorf("a row of completed table %d has %d columns, not %d", m.table+1, len(row), len(m.query.Columns))
	}
	if err := m.readKey(row); err != nil {
		return err
	}
	list, ok := m.current[string(m.key)]
	if !ok {
		m.keys = append(m.keys, string(m.key))
	}
	m.current[string(m.key)] = append(list, slices.Clone(row))
	m.taken++
	return nil
}

// endTable ends table d and matches its rows with those of earlier tables. If several
// rows share a key, every table must have the same number of them, in an order that
// agrees for every figure; a single row may be missing if the plan aggregates.
func (m *merger) endTable(ctx *sql.Context, d int) error {
	for i, key := range m.keys {
		if i%someRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		rows := m.current[key]
		if len(rows) > 1 {
			ordered, err := m.sort(ctx, key, rows)
			if err != nil {
				return err
			}
			m.matched = m.matched && ordered
		}
		for place, row := range rows {
			m.key = binary.AppendUvarint(append(m.key[:0], key...), uint64(place))
			if err := m.combine(ctx, m.mergedRow(place, row), row); err != nil {
				return err
			}
		}
	}
	clear(m.current)
	m.keys, m.taken, m.table = m.keys[:0], 0, d+1
	for _, row := range m.list {
		if row.tables <= d && (!m.query.Grouped || row.place > 0) {
			m.matched = false
		}
	}
	return nil
}

// mergedRow returns the row of the answer with m.key, made from row if it is the first.
func (m *merger) mergedRow(place int, row sql.Row) *mergedRow {
	merged, ok := m.rowOf[string(m.key)]
	if !ok {
		n := len(row)
		merged = &mergedRow{first: m.table, place: place, values: row, sums: make([]float64, n), known: make([]int, n)}
		m.rowOf[string(m.key)] = merged
		m.list = append(m.list, merged)
	}
	merged.tables++
	return merged
}

// sort sorts rows with one key by their figures, and reports whether every figure
// agrees with the order, ascending or descending as in the earlier tables.
func (m *merger) sort(ctx *sql.Context, key string, rows []sql.Row) (ordered bool, err error) {
	compare := func(i int, a, b sql.Row) int {
		order, failed := compareValues(ctx, m.query.Columns[i].of, a[i], b[i])
		if failed != nil {
			err = failed
		}
		return order
	}
	slices.SortStableFunc(rows, func(a, b sql.Row) int {
		for i, c := range m.query.Columns {
			if c.Kind == Key {
				continue
			}
			if order := compare(i, a, b); order != 0 {
				return order
			}
		}
		return 0
	})
	if m.directions[key] == nil {
		m.directions[key] = make([]int, len(m.query.Columns))
	}
	for i, c := range m.query.Columns {
		for j := 1; j < len(rows) && c.Kind != Key; j++ {
			rises := -compare(i, rows[j-1], rows[j])
			if rises*m.directions[key][i] < 0 {
				return false, err
			}
			m.directions[key][i] = cmp.Or(m.directions[key][i], rises)
		}
	}
	return true, err
}

// compareValues compares values of a type; NULL comes first.
func compareValues(ctx *sql.Context, typ sql.Type, a, b any) (int, error) {
	switch {
	case a == nil && b == nil:
		return 0, nil
	case a == nil:
		return -1, nil
	case b == nil:
		return 1, nil
	}
	return typ.Compare(ctx, a, b)
}

// readKey writes a unique text of the row's key to m.key; texts that are equal under
// their collation have the same.
func (m *merger) readKey(row sql.Row) error {
	m.key = m.key[:0]
	for i, c := range m.query.Columns {
		if c.Kind != Key {
			continue
		}
		if row[i] == nil {
			m.key = append(m.key, 0)
			continue
		}
		value := fmt.Sprint(row[i])
		if text, ok := c.of.(sql.StringType); ok {
			weights, err := weightsOf(text.Collation(), row[i])
			if err != nil {
				return err
			}
			value = weights
		}
		m.key = binary.AppendUvarint(append(m.key, 1), uint64(len(value)))
		m.key = append(m.key, value...)
	}
	return nil
}

// weightsOf returns the weight string of a text under a collation.
func weightsOf(collation sql.CollationID, value any) (string, error) {
	var weights weightBuffer
	err := collation.WriteWeightString(&weights, fmt.Sprintf("%s", value))
	return string(weights), err
}

type weightBuffer []byte

// Write implements io.Writer.
func (b *weightBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// combine adds the figures of a row to those of earlier tables.
func (m *merger) combine(ctx *sql.Context, merged *mergedRow, row sql.Row) error {
	for i, c := range m.query.Columns {
		switch value := row[i]; {
		case c.Kind == Key:
		case c.Kind == Value:
			if err := m.compare(ctx, merged, i, value); err != nil {
				return err
			}
		case value == nil:
		case c.Kind == Extreme:
			if err := m.compare(ctx, merged, i, value); err != nil {
				return err
			}
			if merged.all == nil {
				merged.all = make([][]any, len(row))
			}
			merged.all[i] = append(merged.all[i], value)
		case c.Kind == Variance:
			squares, err := merged.squares(ctx, row, i, c)
			if err != nil {
				return err
			}
			merged.sums[i] += squares
		default:
			number, err := numberOf(ctx, value)
			if err != nil {
				return err
			}
			merged.sums[i] += number
			merged.known[i]++
			if c.Kind == Place {
				if err := m.compare(ctx, merged, i, value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// compare notes whether a value of column i differs from that of the first table that has the row.
func (m *merger) compare(ctx *sql.Context, merged *mergedRow, i int, value any) error {
	order, err := compareValues(ctx, m.query.Columns[i].of, merged.values[i], value)
	m.differ[i] = m.differ[i] || order != 0
	return err
}

func numberOf(ctx *sql.Context, value any) (float64, error) {
	converted, _, err := types.Float64.Convert(ctx, value)
	if err != nil {
		return 0, err
	}
	return converted.(float64), nil
}

// rows makes the rows of the answer.
func (m *merger) rows(ctx *sql.Context) ([]sql.Row, error) {
	list := make([]sql.Row, 0, len(m.list))
	for i, merged := range m.list {
		if i%someRows == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if !m.matched && merged.first > 0 {
			continue
		}
		row := make(sql.Row, len(m.query.Columns))
		for j := range m.query.Columns {
			var err error
			if row[j], err = m.value(ctx, merged, j); err != nil {
				return nil, err
			}
		}
		list = append(list, row)
	}
	return list, nil
}

// value returns column j of a row of the answer.
func (m *merger) value(ctx *sql.Context, merged *mergedRow, j int) (any, error) {
	c := &m.query.Columns[j]
	number, known := 0.0, true
	switch {
	case !c.Kind.numeric() && (!m.matched || c.Kind != Extreme):
		return merged.values[j], nil
	case c.Kind == Extreme:
		return median(ctx, c.of, merged, j)
	case !m.matched:
		if merged.values[j] == nil {
			return nil, nil
		}
		var err error
		if number, err = numberOf(ctx, merged.values[j]); err != nil {
			return nil, err
		}
		if c.Counts > 0 {
			count, err := numberOf(ctx, merged.values[c.Counts])
			if err != nil {
				return nil, err
			}
			if c.Kind == Variance {
				number *= count
			}
			number, known = c.pooled(number, count)
		}
	case c.Everywhere && merged.tables < m.query.Tables:
		return nil, answer.Refuse("%s is calculated from COUNT or SUM, and some of the %d completed tables lack its row: "+
			"name each COUNT and SUM in a derived table, SELECT ... FROM (SELECT ...) t, and calculate or join above it", c.label(), m.query.Tables)
	case c.Kind == Count:
		number = merged.sums[j] / float64(m.query.Tables)
	case c.Kind == Sum:
		number, known = merged.sums[j]/float64(m.query.Tables), merged.known[j] > 0
	case c.Counts > 0:
		tables := float64(m.query.Tables)
		number, known = c.pooled(merged.sums[j]/tables, merged.sums[c.Counts]/tables)
	default:
		number, known = merged.sums[j]/float64(merged.known[j]), merged.known[j] > 0
	}
	switch {
	case !known:
		return nil, nil
	case c.Rounded:
		return int64(math.Round(number)), nil
	}
	return number, nil
}

// median is the median over the tables, the lower one of two.
func median(ctx *sql.Context, typ sql.Type, merged *mergedRow, j int) (any, error) {
	if merged.all == nil || len(merged.all[j]) == 0 {
		return nil, nil
	}
	values, failure := merged.all[j], error(nil)
	slices.SortStableFunc(values, func(a, b any) int {
		order, err := typ.Compare(ctx, a, b)
		if err != nil {
			failure = err
		}
		return order
	})
	return values[(len(values)-1)/2], failure
}
