package frontier

import (
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

// An Attribute is a column of the table. Questions group numbers in bands of Width; 0 means single values.
type Attribute struct {
	Name  string
	Width float64
}

// ParseAttribute reads name or name:width.
func ParseAttribute(text string) (Attribute, error) {
	name, width, banded := strings.Cut(text, ":")
	if !banded {
		return Attribute{Name: name}, nil
	}
	w, err := strconv.ParseFloat(width, 64)
	if err != nil || !(w > 0) {
		return Attribute{}, fmt.Errorf("attribute '%s': the width of its bands must be a number above 0", text)
	}
	return Attribute{name, w}, nil
}

// expression is the attribute in SQL.
func (a Attribute) expression() string {
	if a.Width == 0 {
		return quoting.Name(a.Name)
	}
	return fmt.Sprintf("FLOOR(%s / %g)", quoting.Name(a.Name), a.Width)
}

// A Table has the records: quasi-identifiers, and the sensitive attribute last.
type Table struct {
	Attributes []Attribute
	Rows       int
	values     [][]string  // by attribute and record, as read
	keys       [][]string  // in bands
	numbers    [][]float64 // of attributes with bands, otherwise nil
}

func newTable(attributes []Attribute) *Table {
	n := len(attributes)
	return &Table{Attributes: attributes, values: make([][]string, n), keys: make([][]string, n), numbers: make([][]float64, n)}
}

// sensitive is the index of the sensitive attribute.
func (t *Table) sensitive() int { return len(t.Attributes) - 1 }

func (t *Table) add(record []string) error {
	for i, a := range t.Attributes {
		key := record[i]
		if a.Width > 0 {
			x, err := strconv.ParseFloat(record[i], 64)
			if err != nil {
				return fmt.Errorf("%s = '%s' is no number: only complete records are measured", a.Name, record[i])
			}
			key = strconv.Itoa(int(math.Floor(x / a.Width)))
			t.numbers[i] = append(t.numbers[i], x)
		}
		t.values[i], t.keys[i] = append(t.values[i], record[i]), append(t.keys[i], key)
	}
	t.Rows++
	return nil
}

// ReadTable reads the records of a server's table.
func ReadTable(ctx context.Context, server *sql.DB, name string, attributes []Attribute) (*Table, error) {
	var columns []string
	for _, a := range attributes {
		columns = append(columns, quoting.Name(a.Name))
	}
	rows, err := server.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	t, record, into := newTable(attributes), make([]string, len(attributes)), make([]any, len(attributes))
	for i := range record {
		into[i] = &record[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("%s: only complete records are measured: %w", name, err)
		}
		if err := t.add(record); err != nil {
			return nil, err
		}
	}
	return t, rows.Err()
}

// ReadCSV reads another tool's records. Their columns must include the attributes.
func ReadCSV(text io.Reader, attributes []Attribute) (*Table, error) {
	r := csv.NewReader(text)
	header, err := r.Read()
	if err != nil {
		return nil, err
	}
	place := make(map[string]int)
	for i, name := range header {
		place[name] = i
	}
	t, record := newTable(attributes), make([]string, len(attributes))
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		for i, a := range attributes {
			at, has := place[a.Name]
			if !has {
				return nil, fmt.Errorf("the file has no column %s", a.Name)
			}
			record[i] = fields[at]
		}
		if err := t.add(record); err != nil {
			return nil, err
		}
	}
}

// A cell has the number of its records, and the sum of an attribute over them.
type cell struct{ count, sum float64 }

// cells counts the records by columns, and sums an attribute, unless it is -1.
func (t *Table) cells(columns []int, summed int) map[string]cell {
	all, key := make(map[string]cell), make([]string, len(columns))
	for row := range t.Rows {
		for i, c := range columns {
			key[i] = t.keys[c][row]
		}
		k := join(key)
		c := all[k]
		c.count++
		if summed >= 0 {
			c.sum += t.numbers[summed][row]
		}
		all[k] = c
	}
	return all
}

func join(key []string) string { return strings.Join(key, "\x00") }
