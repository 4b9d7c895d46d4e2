package recognition

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	bundled "github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/testsize"
)

var testKey = []byte("0123456789abcdef")

// A dataset is a raw table with its published columns.
type dataset struct {
	name     string
	columns  []*anonymize.Column
	quasi    []string
	protects string
}

func (d *dataset) rows() int { return len(d.columns[0].Codes) }

func (d *dataset) released() []string { return append(slices.Clone(d.quasi), d.protects) }

func textColumns(header []string, rows [][]string) []*anonymize.Column {
	columns := make([]*anonymize.Column, len(header))
	for i, name := range header {
		values, numbers := make([]anonymize.Value, len(rows)), true
		for _, row := range rows {
			_, err := strconv.Atoi(row[i])
			numbers = numbers && err == nil && (row[i] == "0" || row[i][0] != '0')
		}
		for at, row := range rows {
			values[at] = anonymize.TextValue(row[i])
			if numbers {
				n, _ := strconv.Atoi(row[i])
				values[at] = anonymize.IntegerValue(int64(n))
			}
		}
		columns[i] = anonymize.NewColumn(name, "text", values)
	}
	return columns
}

// adult is UCI Adult, 48,842 persons.
func adult(t testing.TB) *dataset {
	t.Helper()
	path := os.Getenv("ANONSQL_ADULT")
	if path == "" {
		testsize.Missing(t, "ANONSQL_ADULT names no file")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return &dataset{name: "Adult", columns: textColumns(rows[0], rows[1:]), protects: "occupation",
		quasi: []string{"age", "workclass", "education", "marital_status", "relationship", "race", "sex", "hours_per_week", "native_country"}}
}

// people is the bundled sample; another seed is other people.
func people(rows int, seed uint64) *dataset {
	var header []string
	for _, c := range bundled.Columns() {
		header = append(header, c.Name)
	}
	var list [][]string
	for p := range bundled.Generate(rows, seed) {
		list = append(list, p.Fields())
	}
	return &dataset{name: "the sample", columns: textColumns(header, list), protects: "disease",
		quasi: []string{"age", "sex", "education", "marital_status", "workclass", "occupation", "region", "hours_per_week"}}
}

func (d *dataset) with(columns []*anonymize.Column) *dataset {
	copied := *d
	copied.columns = columns
	return &copied
}

// pick selects rows, in that order and as often as they are named.
func (d *dataset) pick(rows []int) *dataset {
	var columns []*anonymize.Column
	for _, c := range d.columns {
		codes := anonymize.Gather(c.Codes, rows)
		columns = append(columns, &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: codes})
	}
	return d.with(columns)
}

// keep selects columns.
func (d *dataset) keep(names ...string) *dataset {
	var columns []*anonymize.Column
	for _, c := range d.columns {
		if slices.Contains(names, c.Name) {
			columns = append(columns, c)
		}
	}
	return d.with(columns)
}

// renamed gives columns other names, another order, and texts for values.
func (d *dataset) renamed() *dataset {
	var columns []*anonymize.Column
	for i, c := range slices.Backward(d.columns) {
		values := make([]anonymize.Value, len(c.Codes))
		for row := range values {
			values[row] = anonymize.TextValue(" " + c.Value(row).String())
		}
		columns = append(columns, anonymize.NewColumn(fmt.Sprint("x", i), "text", values))
	}
	made := d.with(columns)
	made.quasi = nil
	for i, c := range d.columns {
		if c.Name == d.protects {
			made.protects = fmt.Sprint("x", i)
		} else if slices.Contains(d.quasi, c.Name) {
			made.quasi = append(made.quasi, fmt.Sprint("x", i))
		}
	}
	return made
}

// changed replaces the values of this many quasi-identifiers of every row by values of other rows.
func (d *dataset) changed(random *rand.Rand, cells int) *dataset {
	made := d.pick(span(0, d.rows()))
	var quasi []*anonymize.Column
	for _, c := range made.columns {
		if slices.Contains(d.quasi, c.Name) {
			quasi = append(quasi, c)
		}
	}
	for row := range d.rows() {
		for _, i := range random.Perm(len(quasi))[:cells] {
			c := quasi[i]
			for before, tries := c.Codes[row], 0; c.Codes[row] == before && tries < 50; tries++ {
				c.Codes[row] = uint32(random.IntN(len(c.Dictionary)))
			}
		}
	}
	return made
}

// recoded maps the values of each quasi-identifier to codes, in random order; 0 means one code for each value.
func (d *dataset) recoded(random *rand.Rand, codes func(c *anonymize.Column) []int) *dataset {
	var columns []*anonymize.Column
	for _, c := range d.columns {
		if c.Name == d.protects || !slices.Contains(d.quasi, c.Name) {
			columns = append(columns, c)
			continue
		}
		mapped, names := codes(c), random.Perm(len(c.Dictionary))
		values := make([]anonymize.Value, len(c.Codes))
		for row, code := range c.Codes {
			values[row] = anonymize.TextValue(fmt.Sprintf("%s code %d", c.Name, names[mapped[code]]))
		}
		columns = append(columns, anonymize.NewColumn(c.Name+"_code", "text", values))
	}
	return d.with(columns)
}

func oneToOne(c *anonymize.Column) []int { return span(0, len(c.Dictionary)) }

// banded joins neighbours: bands of about ten values, or of three where there are
// few.
func banded(c *anonymize.Column) []int {
	width := 10
	if len(c.Dictionary) < 30 {
		width = 3
	}
	mapped := make([]int, len(c.Dictionary))
	for i := range mapped {
		mapped[i] = i / width
	}
	return mapped
}

// stacked puts another table's rows below, of the same columns.
func (d *dataset) stacked(other *dataset) *dataset {
	var columns []*anonymize.Column
	for i, c := range d.columns {
		var values []anonymize.Value
		for row := range c.Codes {
			values = append(values, c.Value(row))
		}
		for row := range other.columns[i].Codes {
			values = append(values, other.columns[i].Value(row))
		}
		columns = append(columns, anonymize.NewColumn(c.Name, c.Type, values))
	}
	return d.with(columns)
}

func span(first, end int) []int {
	var rows []int
	for i := first; i < end; i++ {
		rows = append(rows, i)
	}
	return rows
}

func tableOf(t testing.TB, d *dataset) *Table {
	t.Helper()
	made, err := NewTable(t.Context(), testKey, d.columns, d.quasi, []string{d.protects})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func sketchOf(t testing.TB, d *dataset) *Sketch {
	t.Helper()
	s, err := tableOf(t, d).Sketch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err = Decode(s.Encode())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func compared(t testing.TB, s *Sketch, d *dataset) Likeness {
	t.Helper()
	l, err := tableOf(t, d).Compare(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
