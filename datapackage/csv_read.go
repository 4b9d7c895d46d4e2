package datapackage

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// longestField bounds one field of a file.
const longestField = 64 << 20

// A csvReader reads RFC 4180 exactly: it keeps quoted content as it is, including carriage
// returns before line feeds, which encoding/csv does not promise.
type csvReader struct {
	in    *bufio.Reader
	line  int
	field []byte
}

// next reads a field into c.field and returns what ends it: a comma, a line feed, or 0 for the
// end of the file.
func (c *csvReader) next() (end byte, err error) {
	c.field = c.field[:0]
	b, err := c.in.ReadByte()
	if errors.Is(err, io.EOF) {
		return 0, nil
	}
	if err == nil && b == '"' {
		return c.quoted()
	}
	for ; err == nil; b, err = c.in.ReadByte() {
		switch b {
		case ',':
			return b, nil
		case '\n':
			if n := len(c.field); n > 0 && c.field[n-1] == '\r' {
				c.field = c.field[:n-1]
			}
			return b, nil
		case '"':
			return 0, errBadPackage("line %d has a quote inside a field", c.line)
		}
		if c.field = append(c.field, b); len(c.field) > longestField {
			return 0, errBadPackage("line %d has a field of more than %d bytes", c.line, longestField)
		}
	}
	if errors.Is(err, io.EOF) {
		return 0, nil
	}
	return 0, err
}

// quoted continues after the opening quote.
func (c *csvReader) quoted() (end byte, err error) {
	for {
		b, err := c.in.ReadByte()
		if err != nil {
			return 0, c.unfinished(err)
		}
		if b != '"' {
			if c.field = append(c.field, b); len(c.field) > longestField {
				return 0, errBadPackage("line %d has a field of more than %d bytes", c.line, longestField)
			}
			continue
		}
		b, err = c.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, err
		case b == '"':
			c.field = append(c.field, b)
			continue
		case b == '\r':
			if b, err = c.in.ReadByte(); err != nil {
				return 0, c.unfinished(err)
			}
		}
		if b != ',' && b != '\n' {
			return 0, errBadPackage("line %d has a field that goes on behind its quotes", c.line)
		}
		return b, nil
	}
}

func (c *csvReader) unfinished(err error) error {
	if errors.Is(err, io.EOF) {
		return errBadPackage("line %d has a quote that does not end", c.line)
	}
	return err
}

// readCSV reads a header, which must match the columns, and the rows.
func readCSV(ctx context.Context, source io.Reader, t *readTable, missing string, hasMissing bool) error {
	c := &csvReader{in: bufio.NewReaderSize(source, 1<<16), line: 1}
	for i, column := range t.columns {
		end, err := c.next()
		if err != nil {
			return err
		}
		if string(c.field) != column.name || (end == ',') != (i < len(t.columns)-1) {
			return errBadPackage("its header is not that of its schema: column %d is %.80q", i+1, c.field)
		}
	}
	for rows := 0; ; rows++ {
		if rows%checkedRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := c.in.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		if c.line++; t.rows >= 0 && rows == t.rows {
			return errBadPackage("it has more than the %d rows that it should have", t.rows)
		}
		for i, column := range t.columns {
			end, err := c.next()
			if err != nil {
				return err
			}
			if last := i == len(t.columns)-1; (end == ',') == last {
				return errBadPackage("line %d has not %d fields", c.line, len(t.columns))
			}
			if err := column.addField(c.field, missing, hasMissing); err != nil {
				return wrapPlace("line "+strconv.Itoa(c.line), err)
			}
		}
	}
}

func (c *readColumn) addField(field []byte, missing string, hasMissing bool) error {
	switch {
	case c.number:
		n, ok := parseNumber(field)
		if !ok || !c.addNumber(n) {
			return errBadPackage("%s is %.80q, must be a whole number", c.name, field)
		}
	case hasMissing && string(field) == missing:
		c.addMissing()
	case !utf8.Valid(field):
		return errBadPackage("%s is not UTF-8", c.name)
	default:
		c.addText(field)
	}
	return nil
}

// parseNumber parses a number of at most ten digits without leading zeros.
func parseNumber(field []byte) (n uint64, ok bool) {
	if len(field) == 0 || len(field) > 10 || field[0] == '0' && len(field) > 1 {
		return 0, false
	}
	for _, b := range field {
		if b < '0' || b > '9' {
			return 0, false
		}
		n = 10*n + uint64(b-'0')
	}
	return n, true
}
