package delimited

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// A Field is one field of a record. Bytes belong to the reader and are valid
// until the next record.
type Field struct {
	Bytes    []byte
	Null     bool // \N, or the bare word NULL where the format says so
	Enclosed bool
}

// A Reader reads the records of a delimited text. It is not safe for concurrent use.
type Reader struct {
	format Format
	src    io.Reader
	scan   scanner

	buf   []byte // buf[pos:end] is read and not yet consumed
	pos   int
	end   int
	eof   bool
	began bool // whether the byte order mark was handled

	// Columns is the required number of fields of a record; 0 takes the first record's.
	Columns int
	// Names are the columns' names for errors; may be nil.
	Names []string
	// Binary marks columns whose bytes need not be UTF-8; may be nil.
	Binary []bool

	fields []Field
	spans  []span
	row    int64 // of the current record
	line   int64 // on which the current record begins
	next   int64 // line on which the next record begins
	bytes  int64 // consumed
}

const bufferSize = 256 << 10

// NewReader returns a reader of src. The error for an invalid format names the clause.
func NewReader(src io.Reader, format Format) (*Reader, error) {
	if err := format.check(); err != nil {
		return nil, err
	}
	r := &Reader{
		format: format,
		src:    src,
		scan:   newScanner(format),
		buf:    make([]byte, bufferSize),
		next:   1,
	}
	if format.IgnoreLines == 0 {
		return r, nil
	}
	return r, r.Skip(format.IgnoreLines)
}

// Row returns the number of the current record, from 1.
func (r *Reader) Row() int64 { return r.row }

// Line returns the line on which the current record begins, from 1.
func (r *Reader) Line() int64 { return r.line }

// Bytes returns the number of consumed bytes.
func (r *Reader) Bytes() int64 { return r.bytes }

// Read returns the next record, or io.EOF after the last. The fields are valid
// until the next call.
func (r *Reader) Read() ([]Field, error) {
	for {
		fields, err := r.record()
		if err != nil {
			return nil, err
		}
		if r.blank(fields) {
			continue
		}
		r.row++
		if err := r.check(fields); err != nil {
			return nil, err
		}
		return fields, nil
	}
}

// Header reads the first record as column names, without checking them. It does not count as a
// row.
func (r *Reader) Header() ([]string, error) {
	fields, err := r.record()
	if err == io.EOF {
		return nil, errors.New("the text is empty: there is no header")
	}
	if err != nil {
		return nil, err
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		if !utf8.Valid(f.Bytes) {
			return nil, r.fail(Encoding, i, "the name is not valid UTF-8")
		}
		names[i] = string(f.Bytes)
	}
	return names, nil
}

// Skip skips n lines. As in LOAD DATA's IGNORE n LINES a line ends at its terminator even
// inside an enclosed field. Fewer lines are no error.
func (r *Reader) Skip(n int64) error {
	if err := r.begin(); err != nil {
		return err
	}
	terminator := []byte(r.format.LinesTerminatedBy)
	for ; n > 0; n-- {
		for {
			i := bytes.Index(r.buf[r.pos:r.end], terminator)
			if i >= 0 {
				r.consume(i + len(terminator))
				break
			}
			if r.eof {
				r.consume(r.end - r.pos)
				return nil
			}
			// A terminator may straddle the end of the buffer.
			if keep := len(terminator) - 1; r.end-r.pos > keep {
				r.consume(r.end - r.pos - keep)
			}
			if err := r.fill(); err != nil {
				return err
			}
		}
	}
	return nil
}

// record finds the next record without checking it.
func (r *Reader) record() ([]Field, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	for {
		r.line = r.next
		n, state := r.scan.record(r.buf[r.pos:r.end], r.eof, max(r.Columns, maxFields), &r.spans)
		switch state {
		case scanned:
			fields := r.unescape(r.buf[r.pos : r.pos+n])
			r.consume(n)
			return fields, nil
		case skipped: // text before LINES STARTING BY
			r.consume(n)
			if n > 0 {
				continue
			}
		case ended:
			r.consume(r.end - r.pos)
			return nil, io.EOF
		case unclosed:
			r.row++
			return nil, r.fail(Unclosed, len(r.spans), "the enclosed field never ends")
		case strayText:
			r.row++
			return nil, r.fail(Quoting, len(r.spans), "there is text after the closing quote (a quote inside a quoted field is written twice)")
		case tooMany:
			r.row++
			return nil, r.ragged(len(r.spans), fmt.Sprintf("more than %d", len(r.spans)-1))
		}
		if err := r.tooLong(); err != nil {
			return nil, err
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

var fieldTooLong = fmt.Sprintf("the field is longer than %d bytes", MaxField)

// tooLong checks the unfinished record against the limits. The scanner has already found its
// finished fields.
func (r *Reader) tooLong() error {
	unread := r.end - r.pos
	start := 0
	if n := len(r.spans); n > 0 {
		start = r.spans[n-1].next
	}
	if unread-start > MaxField {
		r.row++
		return r.fail(TooLong, len(r.spans), fieldTooLong)
	}
	if unread >= maxRecord { // the buffer would double
		r.row++
		return r.fail(TooLong, -1, fmt.Sprintf("the record is longer than %d bytes", maxRecord-1))
	}
	return nil
}

// begin skips a byte order mark once.
func (r *Reader) begin() error {
	if r.began {
		return nil
	}
	for r.end-r.pos < 3 && !r.eof {
		if err := r.fill(); err != nil {
			return err
		}
	}
	r.began = true
	if bytes.HasPrefix(r.buf[r.pos:r.end], []byte("\xEF\xBB\xBF")) {
		r.consume(3)
	}
	return nil
}

// fill makes room behind buf[pos:end] and reads until the buffer is full. Otherwise a slow
// source would cause a scan of a long record for every few bytes.
func (r *Reader) fill() error {
	if r.eof {
		return nil
	}
	if r.pos > 0 {
		copy(r.buf, r.buf[r.pos:r.end])
		r.end -= r.pos
		r.pos = 0
	}
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := io.ReadFull(r.src, r.buf[r.end:])
	r.end += n
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		r.eof = true
		return nil
	}
	return err
}

func (r *Reader) consume(n int) {
	r.next += int64(bytes.Count(r.buf[r.pos:r.pos+n], []byte{'\n'}))
	r.pos += n
	r.bytes += int64(n)
}

// blank reports whether the record is an empty line, which is ignored where more than one field
// is expected.
func (r *Reader) blank(fields []Field) bool {
	return len(fields) == 1 && r.Columns != 1 &&
		len(fields[0].Bytes) == 0 && !fields[0].Enclosed && !fields[0].Null
}

// check verifies the number of fields and their encoding.
func (r *Reader) check(fields []Field) error {
	if r.Columns == 0 {
		r.Columns = len(fields)
	}
	if len(fields) != r.Columns {
		return r.ragged(len(fields), fmt.Sprint(len(fields)))
	}
	for i := range fields {
		if len(fields[i].Bytes) > MaxField {
			return r.fail(TooLong, i, fieldTooLong)
		}
		if !ascii(fields[i].Bytes) && !utf8.Valid(fields[i].Bytes) {
			if i < len(r.Binary) && r.Binary[i] {
				continue
			}
			return r.fail(Encoding, i, "not valid UTF-8: "+invalid(fields[i].Bytes))
		}
	}
	return nil
}

// ragged returns an error about the number of fields.
func (r *Reader) ragged(found int, shown string) error {
	expected := plural(r.Columns, "field")
	if r.Columns == 0 {
		expected = fmt.Sprintf("at most %d fields", maxFields)
	}
	text := fmt.Sprintf("expected %s, found %s", expected, shown)
	return &Error{Kind: Ragged, Row: r.row, Line: r.line, Text: text, Expected: r.Columns, Found: found}
}

// fail returns an error about field i, from 0; -1 for the whole record.
func (r *Reader) fail(kind Kind, i int, text string) error {
	e := &Error{Kind: kind, Row: r.row, Line: r.line, Column: i + 1, Text: text}
	if i >= 0 && i < len(r.Names) {
		e.Name = r.Names[i]
	}
	return e
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// invalid returns the first invalid byte and its position.
func invalid(b []byte) string {
	for i := 0; i < len(b); {
		c, size := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && size == 1 {
			return fmt.Sprintf("byte 0x%02X at position %d", b[i], i+1)
		}
		i += size
	}
	return ""
}

// ascii is a fast check that short fields are ASCII.
func ascii(b []byte) bool {
	var or byte
	for _, c := range b {
		or |= c
	}
	return or < 0x80
}
