package publication

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
)

// An Engine has the tables: its connection and its dialect.
type Engine struct {
	Conn    engine.Conn
	Dialect *dialect.Dialect
	// Catalog has the schemas Private, for what links records to groups and for relations that are not public, and Published, for those that are.
	Catalog, Private, Published string
}

// A Table is a raw table.
type Table struct {
	Schema, Name string
	Columns      []Column
}

// A Column of a table. Type is the engine's, in lower case, such as varchar, decimal(10,2) or date.
type Column struct{ Name, Type string }

// column finds a column by name.
func (t *Table) column(name string) (Column, error) {
	for _, c := range t.Columns {
		if c.Name == name {
			return c, nil
		}
	}
	return Column{}, &anonymize.DataError{Reason: fmt.Sprintf("table %s.%s has no column %q", t.Schema, t.Name, name)}
}

// isFloat reports whether the column has floating-point numbers.
func (c Column) isFloat() bool { return c.Type == "double" || c.Type == "real" || c.Type == "float" }

// digested returns an expression of a value of the column to make digests of. -0.0 and 0.0 are one value to the engine, and two texts.
func (c Column) digested(d *dialect.Dialect, name string) string {
	if c.isFloat() {
		return name + " + " + c.literal(d, anonymize.RealValue(0))
	}
	return name
}

// value converts an engine's value of the column. It refuses NaN, infinity, and texts that may be no UTF-8.
func (c Column) value(v any) (anonymize.Value, error) {
	if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return anonymize.Value{}, &anonymize.DataError{Reason: fmt.Sprintf("column %s has the value '%v', which cannot be read: it is no number", c.Name, v)}
	}
	if text, ok := v.(string); ok && strings.Contains(text, dialect.Replaced) {
		return anonymize.Value{}, NoText(c.Name, text)
	}
	if value, ok := dialect.ReadValue(c.Type, v); ok {
		return value, nil
	}
	return anonymize.Value{}, &anonymize.DataError{Reason: fmt.Sprintf("column %q has type %s: its values cannot be released", c.Name, c.Type)}
}

// literal writes a value of the column in SQL.
func (c Column) literal(d *dialect.Dialect, v anonymize.Value) string {
	if text, ok := d.Value(c.Type, v); ok {
		return text
	}
	return d.Null()
}

// counts reads a column's values with their numbers of records, at most MaxValues; more are a DataError.
func (e *Engine) counts(ctx context.Context, t *Table, c Column) ([]Count, error) {
	var counts []Count
	name := e.Dialect.Name(c.Name)
	err := e.Conn.Query(ctx, fmt.Sprintf("SELECT %s, count(*) FROM %s GROUP BY %s LIMIT %d", name, e.raw(t), name, MaxValues+1), func(row []any) error {
		v, err := c.value(row[0])
		if err != nil {
			return err
		}
		n, err := readCount(row[1])
		counts = append(counts, Count{v, n})
		return err
	})
	if err == nil && len(counts) > MaxValues {
		return nil, TooManyValues(c.Name)
	}
	return counts, err
}

// emptied returns the error for a table that has no records any more.
func emptied(t *Table) error {
	return &anonymize.DataError{
		Reason: fmt.Sprintf("table %s.%s has changed meanwhile, its records are gone: publish again when nobody writes to it", t.Schema, t.Name),
	}
}

// limitValues refuses an uncounted released column of more than MaxValues values, or one that has NaN or infinity, because the
// values of every column are read after writing. The engine stops counting at the limit.
func (e *Engine) limitValues(ctx context.Context, p *Plan, sensitive []Count) error {
	for _, c := range p.released() {
		if _, counted := p.values[c.Name]; counted || c.Name == p.Sensitive && sensitive != nil {
			continue
		}
		name, told := e.Dialect.Name(c.Name), "count(*)"
		if c.isFloat() {
			told += fmt.Sprintf(", max(CASE WHEN %s - %[1]s <> 0 THEN %[1]s END)", name) // the difference of NaN, and of infinity, is NaN
		}
		text := fmt.Sprintf("SELECT %s FROM (SELECT DISTINCT %s FROM %s LIMIT %d) AS told", told, name, e.raw(p.Table), MaxValues+1)
		if err := e.Conn.Query(ctx, text, func(row []any) error {
			n, err := readCount(row[0])
			if err == nil && n > MaxValues {
				err = TooManyValues(c.Name)
			}
			if err == nil && c.isFloat() {
				_, err = c.value(row[1])
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// TooManyValues returns the error for a column of more than MaxValues values.
func TooManyValues(column string) error {
	return &anonymize.DataError{
		Reason: fmt.Sprintf("column %s has more than %d values, too many to publish it in the engine: make a view that rounds or shortens them", column, MaxValues),
	}
}

// NoText returns the error for a text with bytes that are no UTF-8, as the engine returns it.
func NoText(column, text string) error {
	return &anonymize.DataError{Reason: fmt.Sprintf("column %s has the value '%.40s', which cannot be published in the engine: U+FFFD in it may stand for bytes that are no UTF-8. "+
		"Replace them in a view: replace(from_utf8(to_utf8(%[1]s)), U&'\\FFFD', '?')", column, text)}
}

// raw returns the qualified name of a raw table.
func (e *Engine) raw(t *Table) string { return e.Dialect.Name(e.Catalog, t.Schema, t.Name) }

// readCount converts a number of records.
func readCount(v any) (int64, error) {
	n, ok := v.(int64)
	if !ok {
		return 0, fmt.Errorf("the engine returned %v (%T) for a number of records", v, v)
	}
	return n, nil
}
