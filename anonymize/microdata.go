package anonymize

import (
	"fmt"
	"slices"
	"strings"
)

// A Column is one dictionary-encoded attribute of a table.
type Column struct {
	Name string
	// Type is the SQL type as text. This package does not interpret it.
	Type string
	// Dictionary has the distinct values in ascending order (Compare). It may have entries that
	// no row uses.
	Dictionary []Value
	// Codes has one entry per row: an index into Dictionary.
	Codes []uint32
}

// NewColumn encodes values, one per row.
func NewColumn(name, sqlType string, values []Value) *Column {
	seen := make(map[Value]uint32)
	for _, v := range values {
		seen[v] = 0
	}
	dictionary := make([]Value, 0, len(seen))
	for v := range seen {
		dictionary = append(dictionary, v)
	}
	slices.SortFunc(dictionary, Compare)
	for code, v := range dictionary {
		seen[v] = uint32(code)
	}
	codes := make([]uint32, len(values))
	for row, v := range values {
		codes[row] = seen[v]
	}
	return &Column{Name: name, Type: sqlType, Dictionary: dictionary, Codes: codes}
}

// mapped returns the column with each value v replaced by to(v).
func (c *Column) mapped(to func(Value) Value) *Column {
	values := make([]Value, len(c.Dictionary))
	for code, v := range c.Dictionary {
		values[code] = to(v)
	}
	dictionary := sorted(slices.Clone(values))
	codes := make([]uint32, len(values))
	for code, v := range values {
		at, _ := slices.BinarySearchFunc(dictionary, v, Compare)
		codes[code] = uint32(at)
	}
	return &Column{Name: c.Name, Type: c.Type, Dictionary: dictionary, Codes: Gather(codes, c.Codes)}
}

// Translate returns the code in one dictionary of every value of another; absent for a value that it lacks.
func Translate(from, to []Value, absent uint32) []uint32 {
	codeOf := make(map[Value]uint32, len(to))
	for code, v := range to {
		codeOf[v] = uint32(code)
	}
	codes := make([]uint32, len(from))
	for code, v := range from {
		codes[code] = absent
		if known, ok := codeOf[v]; ok {
			codes[code] = known
		}
	}
	return codes
}

// Rows returns the number of rows.
func (c *Column) Rows() int { return len(c.Codes) }

// Value returns the value of a row.
func (c *Column) Value(row int) Value { return c.Dictionary[c.Codes[row]] }

// Histogram returns the number of rows of every dictionary entry, in one pass.
func (c *Column) Histogram() []int {
	counts := make([]int, len(c.Dictionary))
	for _, code := range c.Codes {
		counts[code]++
	}
	return counts
}

// Distinct returns the number of dictionary entries that occur.
func (c *Column) Distinct() int {
	distinct := 0
	for _, n := range c.Histogram() {
		if n > 0 {
			distinct++
		}
	}
	return distinct
}

// IsNumeric reports whether every value but NULL has a place on the number
// line.
func (c *Column) IsNumeric() bool {
	numeric := false
	for _, v := range c.Dictionary {
		if v.IsNull() {
			continue
		}
		if _, ok := v.Number(); !ok {
			return false
		}
		numeric = true
	}
	return numeric
}

// Microdata is a table of records by columns.
type Microdata struct {
	Columns []*Column
	Rows    int
}

// NewMicrodata returns the table of the given columns. They must have equal lengths and
// different names (case-insensitive, as in SQL).
func NewMicrodata(columns ...*Column) (*Microdata, error) {
	m := &Microdata{Columns: columns}
	names := make(map[string]bool, len(columns))
	for i, c := range columns {
		if i == 0 {
			m.Rows = c.Rows()
		}
		if c.Rows() != m.Rows {
			return nil, fmt.Errorf("column %q has %d rows, column %q has %d", c.Name, c.Rows(), columns[0].Name, m.Rows)
		}
		lower := strings.ToLower(c.Name)
		if names[lower] {
			return nil, fmt.Errorf("column %q occurs twice", c.Name)
		}
		names[lower] = true
	}
	return m, nil
}

// Column returns the column of that name (case-insensitive), or nil.
func (m *Microdata) Column(name string) *Column {
	for _, c := range m.Columns {
		if strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return nil
}

// Select returns the named columns, in that order. The error names a column that the table
// lacks.
func (m *Microdata) Select(names ...string) ([]*Column, error) {
	columns := make([]*Column, len(names))
	for i, name := range names {
		if columns[i] = m.Column(name); columns[i] == nil {
			return nil, fmt.Errorf("there is no column %q", name)
		}
	}
	return columns, nil
}
