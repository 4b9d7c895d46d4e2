package delimited

import (
	"io"
	"unicode/utf8"
)

// Latin1 converts MySQL's latin1 to UTF-8.
func Latin1(r io.Reader) io.Reader { return &latin1{src: r, in: make([]byte, 16<<10)} }

// latin1 reads MySQL's latin1: Windows-1252, whose five undefined bytes are the control
// characters of the same number.
type latin1 struct {
	src io.Reader
	in  []byte
	out []byte // decoded, not yet read
	buf []byte
}

// Read implements io.Reader.
func (l *latin1) Read(p []byte) (int, error) {
	for len(l.out) == 0 {
		n, err := l.src.Read(l.in)
		l.buf = l.buf[:0]
		for _, b := range l.in[:n] {
			l.buf = utf8.AppendRune(l.buf, runeOf(b))
		}
		l.out = l.buf
		if n == 0 && err != nil {
			return 0, err
		}
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	return n, nil
}

func runeOf(b byte) rune {
	if b < 0x80 || b >= 0xA0 {
		return rune(b)
	}
	return windows1252[b-0x80]
}

// windows1252 maps the bytes 0x80 to 0x9F. Source: MySQL, sql/share/charsets/latin1.xml.
var windows1252 = [32]rune{
	0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
	0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
	0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
	0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
}
