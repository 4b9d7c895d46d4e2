package importer

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/anonsql/anonsql/catalog/delimited"
	"github.com/anonsql/anonsql/catalog/tabular"
)

// An encoder writes a CSV's records in LOAD DATA's default format: NULL tokens as \N, true and
// false as 1 and 0. Records keep their numbers.
type encoder struct {
	ctx      context.Context
	r        *delimited.Reader
	file     string
	nulls    delimited.Nulls
	columns  []delimited.Column
	kinds    []kind // of the columns of a table that is there, texts in a new one
	progress func(bytes int64)
	out      []byte // encoded, not yet read
	buf      []byte
	err      error // io.EOF at the end
}

const encoderBuffer = 64 << 10

func newEncoder(ctx context.Context, file *tabular.File, i *importing, existing []column, progress func(int64)) (*encoder, error) {
	r, err := delimited.NewReader(file, file.Format)
	if err != nil {
		return nil, err
	}
	if !file.NoHeader {
		headers, err := r.Header()
		if err != nil {
			return nil, err
		}
		if !i.sameHeaders(headers) {
			return nil, errChanged(i.File)
		}
	}
	e := &encoder{ctx: ctx, r: r, file: i.File, nulls: delimited.NewNulls(i.NullTokens...), progress: progress}
	if !file.NoHeader {
		// Without a header, the first record sets the number of columns, as in type inference:
		// until then the reader skips empty lines, which are records in a file known to have
		// one column.
		r.Columns = len(i.inference.Columns)
	}
	for _, c := range i.inference.Columns {
		r.Names = append(r.Names, c.Name)
		column, isThere := find(existing, c.Name)
		if !isThere {
			column.kind = texts
		}
		e.columns, e.kinds = append(e.columns, c), append(e.kinds, column.kind)
	}
	return e, nil
}

// sameHeaders compares the header with that of type inference, except for names given by the user.
func (i *importing) sameHeaders(headers []string) bool {
	if len(headers) != len(i.inference.Columns) {
		return false
	}
	for k, c := range i.inference.Columns {
		named := i.Names != nil || i.NameEmpty && !delimited.IsName(headers[k])
		if !named && headers[k] != c.Header {
			return false
		}
	}
	return true
}

// Read implements io.Reader.
func (e *encoder) Read(p []byte) (int, error) {
	if len(e.out) == 0 && e.err == nil {
		e.fill()
	}
	if len(e.out) == 0 {
		return 0, e.err
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

func (e *encoder) fill() {
	e.buf = e.buf[:0]
	if e.err = e.ctx.Err(); e.err != nil {
		return
	}
	for len(e.buf) < encoderBuffer {
		fields, err := e.r.Read()
		if err != nil {
			e.err = err
			break
		}
		if len(fields) != len(e.columns) {
			e.err = errChanged(e.file)
			break
		}
		for k, f := range fields {
			if k > 0 {
				e.buf = append(e.buf, '\t')
			}
			e.field(k, f)
		}
		e.buf = append(e.buf, '\n')
		if e.err != nil {
			break
		}
	}
	e.out = e.buf
	e.progress(e.r.Bytes())
}

func (e *encoder) field(k int, f delimited.Field) {
	c, trimmed := &e.columns[k], delimited.Trim(f.Bytes)
	switch {
	case e.nulls.Is(f), c.EmptyNull && len(trimmed) == 0:
		e.buf = append(e.buf, '\\', 'N')
		return
	case e.kinds[k] == bits:
		f.Bytes = e.bits(c.Name, trimmed)
	case c.Boolean:
		if value, ok := delimited.Boolean(trimmed); ok {
			digit := byte('0')
			if value {
				digit = '1'
			}
			e.buf = append(e.buf, digit)
			return
		}
	case c.Notation != delimited.AsSQL:
		e.buf = c.Notation.Rewrite(e.buf, trimmed)
		return
	case e.kinds[k] == typed && delimited.HasZone(trimmed):
		e.err = fmt.Errorf("row %d: %.80q has a zone, and column %s of the table has none: write the times of one zone, without it", e.r.Row(), trimmed, c.Name)
	}
	if len(e.buf) == 0 && bytes.HasPrefix(f.Bytes, []byte("\xEF\xBB\xBF")) {
		e.buf = append(e.buf, '\\') // else LOAD DATA would skip a byte order mark
	}
	for _, c := range f.Bytes {
		switch c {
		case '\t', '\n', '\\':
			e.buf = append(e.buf, '\\', c)
		case '\r': // bare, it would count as part of the line's end
			e.buf = append(e.buf, '\\', 'r')
		default:
			e.buf = append(e.buf, c)
		}
	}
}

// bits returns the bytes of a BIT.
func (e *encoder) bits(name string, text []byte) []byte {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if is, ok := delimited.Boolean(text); ok {
		n, err = 0, nil
		if is {
			n = 1
		}
	}
	if err != nil {
		e.err = fmt.Errorf("row %d: %.80q is no whole number, and column %s of the table is BIT: write 5 for b'101'", e.r.Row(), text, name)
	}
	return bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, n), "\x00")
}

func errChanged(file string) error {
	return fmt.Errorf("%s changed while it was imported", file)
}
