package tabular

import "github.com/anonsql/anonsql/catalog/delimited"

// A cell is a value of a row: NULL, a text, or another value in SQL's notation.
type cell struct {
	value  string
	isNull bool
	isText bool
}

// A rowSource has rows of equally many cells. A row is valid until the next call; io.EOF follows the last.
type rowSource interface {
	next() ([]cell, error)
}

// rowFormat is the text format of rows: only texts are enclosed, and \N is NULL.
func rowFormat() delimited.Format {
	f := delimited.CSV()
	f.EscapedBy = '\\'
	return f
}

// A rowText is an io.Reader of a source's rows as text.
type rowText struct {
	rows    rowSource
	buffer  []byte
	pending []byte
	err     error
}

// Read implements io.Reader.
func (t *rowText) Read(p []byte) (int, error) {
	const block = 64 << 10
	if len(t.pending) == 0 && t.err == nil {
		t.buffer = t.buffer[:0]
		for len(t.buffer) < block && t.err == nil {
			var row []cell
			if row, t.err = t.rows.next(); t.err == nil {
				t.write(row)
			}
		}
		t.pending = t.buffer
	}
	if len(t.pending) == 0 {
		return 0, t.err
	}
	n := copy(p, t.pending)
	t.pending = t.pending[n:]
	return n, nil
}

func (t *rowText) write(row []cell) {
	for i, c := range row {
		if i > 0 {
			t.buffer = append(t.buffer, ',')
		}
		switch {
		case c.isNull:
			t.buffer = append(t.buffer, '\\', 'N')
		case !c.isText:
			t.buffer = append(t.buffer, c.value...)
		default:
			t.buffer = append(t.buffer, '"')
			for _, b := range []byte(c.value) {
				switch b {
				case '"', '\\':
					t.buffer = append(t.buffer, '\\')
				}
				t.buffer = append(t.buffer, b)
			}
			t.buffer = append(t.buffer, '"')
		}
	}
	t.buffer = append(t.buffer, '\n')
}
