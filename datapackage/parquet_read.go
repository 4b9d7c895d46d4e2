package datapackage

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/anonsql/anonsql/anonymize"
)

// readParquet reads a file of at most maxRows rows. It checks the file's claimed sizes before
// the library allocates them. A broken file, even one on which the library panics, is an error.
func readParquet(ctx context.Context, data []byte, t *readTable, maxRows int) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = errBadPackage("it is no Parquet that can be read: %v", fmt.Sprint(cause))
		}
	}()
	if t.rows >= 0 {
		maxRows = t.rows
	}
	if err := checkParquet(data, t, maxRows); err != nil {
		return err
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return errBadPackage("it is no Parquet that can be read: %v", err)
	}
	leaves := file.Root().Columns()
	for i, c := range t.columns {
		if i >= len(leaves) || leaves[i].Name() != c.name || !leaves[i].Leaf() || leaves[i].Repeated() {
			return errBadPackage("it has not the column %s where its schema has it", c.name)
		}
		add, err := c.adder(leaves[i])
		if err != nil {
			return err
		}
		for _, group := range file.RowGroups() {
			if err := readChunk(ctx, group.ColumnChunks()[i], add); err != nil {
				return err
			}
		}
		if len(c.codes) != len(t.columns[0].codes) {
			return errBadPackage("column %s has %d rows, column %s has %d", c.name, len(c.codes), t.columns[0].name, len(t.columns[0].codes))
		}
	}
	return nil
}

// readChunk calls add with all values of a column chunk.
func readChunk(ctx context.Context, chunk parquet.ColumnChunk, add func(parquet.Value) error) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	buffer := make([]parquet.Value, 1024)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errBadPackage("a page cannot be read: %v", err)
		}
		values := page.Values()
		for {
			n, err := values.ReadValues(buffer)
			for _, v := range buffer[:n] {
				if err := add(v); err != nil {
					return err
				}
			}
			if err == nil && n > 0 {
				continue
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return errBadPackage("a page cannot be read: %v", err)
			}
			break
		}
		parquet.Release(page)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// adder returns a function that adds values of a column, by its expected kind and its type in
// the file.
func (c *readColumn) adder(leaf *parquet.Column) (func(parquet.Value) error, error) {
	physical := leaf.Type().Kind()
	wrong := func() (func(parquet.Value) error, error) {
		return nil, errBadPackage("column %s has the type %s, which holds no values of the kind %s", c.name, leaf.Type(), c.kind)
	}
	if c.number {
		if physical != parquet.Int64 {
			return wrong()
		}
		return func(v parquet.Value) error {
			n := v.Int64()
			if v.IsNull() || n < 0 || !c.addNumber(uint64(n)) {
				return errBadPackage("%s is %s, must be a whole number", c.name, v.String())
			}
			return nil
		}, nil
	}
	switch {
	case physical == parquet.ByteArray && c.kind == binaryKind:
		return c.adding(func(v parquet.Value) { c.addText([]byte(base64.StdEncoding.EncodeToString(v.ByteArray()))) }), nil
	case physical == parquet.ByteArray && (c.kind == textKind || c.kind == integerKind || c.kind == decimalKind):
		return c.adding(func(v parquet.Value) { c.addText(v.ByteArray()) }), nil
	case physical == parquet.Double && c.kind == realKind:
		return c.numbers(func(v parquet.Value) int64 { return int64(math.Float64bits(v.Double())) },
			func(n int64) string { return anonymize.RealValue(math.Float64frombits(uint64(n))).String() }), nil
	case physical == parquet.Int64 && c.kind == integerKind:
		return c.numbers(parquet.Value.Int64, func(n int64) string { return strconv.FormatInt(n, 10) }), nil
	case physical == parquet.Int64 && c.kind == decimalKind:
		if c.scale < 0 {
			return wrong()
		}
		return c.numbers(parquet.Value.Int64, func(n int64) string { return scaledText(n, c.scale) }), nil
	case physical == parquet.Int64 && (c.kind == instantKind || c.kind == fractionKind):
		return c.numbers(parquet.Value.Int64, func(n int64) string { return c.kind.text(anonymize.InstantValue(n)) }), nil
	case physical == parquet.Int32 && c.kind == dateKind:
		return c.numbers(func(v parquet.Value) int64 { return int64(v.Int32()) },
			func(n int64) string { return c.kind.text(anonymize.InstantValue(n * microsADay)) }), nil
	}
	return wrong()
}

// adding handles missing values and passes on the others.
func (c *readColumn) adding(add func(parquet.Value)) func(parquet.Value) error {
	return func(v parquet.Value) error {
		if v.IsNull() {
			c.addMissing()
		} else {
			add(v)
		}
		return nil
	}
}

// numbers converts every distinct number to text once.
func (c *readColumn) numbers(number func(parquet.Value) int64, text func(int64) string) func(parquet.Value) error {
	return c.adding(func(v parquet.Value) {
		n := number(v)
		if code, ok := c.byNumber[n]; ok {
			c.codes = append(c.codes, code)
			return
		}
		c.byNumber[n] = c.addText([]byte(text(n)))
	})
}
