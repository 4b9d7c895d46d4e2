package evaluation

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/delimited"
)

// adultColumns are the columns of UCI Adult, whose files have no header.
var adultColumns = strings.Fields("age workclass fnlwgt education education_num marital_status occupation relationship race sex " +
	"capital_gain capital_loss hours_per_week native_country income")

// A Source is a table that was read.
type Source struct {
	Table *anonymize.Microdata
	// Incomplete is the number of omitted records. As in the papers, these are records with a field that is empty, NULL
	// or a question mark.
	Incomplete int
}

// ReadTable reads a CSV with a header, or UCI Adult as it is distributed, without one. A column is numeric if all its
// complete records have numbers without leading zeros. It needs memory for the text of the distinct values and 4
// bytes per field.
func ReadTable(ctx context.Context, text io.Reader) (*Source, error) {
	format := delimited.CSV()
	format.TrimSpace = true
	r, err := delimited.NewReader(text, format)
	if err != nil {
		return nil, err
	}
	header, err := r.Header()
	if err != nil {
		return nil, err
	}
	s := &Source{}
	var columns []*textColumn
	headless := len(header) == len(adultColumns) && isNumber(header[0])
	names := adultColumns
	if !headless {
		if names, err = delimited.Identifiers(header); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		columns = append(columns, &textColumn{name: name, codes: make(map[string]uint32)})
	}
	r.Columns, r.Names = len(names), names
	if headless {
		s.add(columns, header)
	}
	if err := s.read(ctx, r, columns); err != nil {
		return nil, err
	}
	return s, s.finish(columns)
}

// lookEvery is the number of records between checks of the context.
const lookEvery = 8192

func (s *Source) read(ctx context.Context, r *delimited.Reader, columns []*textColumn) error {
	texts := make([]string, len(columns))
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, f := range fields {
			texts[i] = string(f.Bytes)
			if f.Null {
				texts[i] = ""
			}
		}
		s.add(columns, texts)
		if r.Row()%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// add adds a record if it is complete. adult.test ends its classes with a full stop, adult.data does not.
func (s *Source) add(columns []*textColumn, texts []string) {
	for _, text := range texts {
		if text == "" || text == "?" {
			s.Incomplete++
			return
		}
	}
	for i, c := range columns {
		text := texts[i]
		if strings.HasSuffix(text, "50K.") {
			text = strings.TrimSuffix(text, ".")
		}
		c.add(text)
	}
}

func (s *Source) finish(columns []*textColumn) error {
	encoded := make([]*anonymize.Column, len(columns))
	for i, c := range columns {
		encoded[i] = c.encode()
	}
	table, err := anonymize.NewMicrodata(encoded...)
	if err != nil {
		return err
	}
	if table.Rows == 0 {
		return fmt.Errorf("there is no complete record (%d with an empty field, NULL or '?')", s.Incomplete)
	}
	s.Table = table
	return nil
}

// A textColumn is a column while it is being read.
type textColumn struct {
	name   string
	codes  map[string]uint32
	values []string // by code
	rows   []uint32
}

func (c *textColumn) add(text string) {
	code, known := c.codes[text]
	if !known {
		code = uint32(len(c.values))
		c.codes[text] = code
		c.values = append(c.values, text)
	}
	c.rows = append(c.rows, code)
}

func (c *textColumn) encode() *anonymize.Column {
	kind := valueOf(c.values)
	values := make([]anonymize.Value, len(c.rows))
	for row, code := range c.rows {
		values[row] = kind(c.values[code])
	}
	return anonymize.NewColumn(c.name, "", values)
}

// valueOf returns a parser for the one kind that all texts have.
func valueOf(texts []string) func(string) anonymize.Value {
	whole := true
	for _, text := range texts {
		if len(text) > 1 && text[0] == '0' && text[1] != '.' || !isNumber(text) {
			return anonymize.TextValue
		}
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			whole = false
		}
	}
	if whole {
		return func(text string) anonymize.Value {
			n, _ := strconv.ParseInt(text, 10, 64) // all were parsed above
			return anonymize.IntegerValue(n)
		}
	}
	return func(text string) anonymize.Value {
		x, _ := strconv.ParseFloat(text, 64)
		return anonymize.RealValue(x)
	}
}

// isNumber reports whether a text is a finite number in decimal notation.
func isNumber(text string) bool {
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
