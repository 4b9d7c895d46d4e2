package tabular

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// An encoding is a character encoding of a text.
type encoding string

const (
	utf8Encoding   encoding = "utf8"
	utf16LE        encoding = "utf16le"
	utf16BE        encoding = "utf16be"
	latin1Encoding encoding = "latin1"
)

// encodingNamed returns the encoding of --charset; utf16 has the order of the recognised text, or its network order.
func encodingNamed(name string, recognised encoding) (encoding, error) {
	switch strings.ToLower(strings.ReplaceAll(name, "-", "")) {
	case "utf8", "utf8mb4", "ascii":
		return utf8Encoding, nil
	case "utf16":
		if recognised == utf16LE {
			return utf16LE, nil
		}
		return utf16BE, nil
	case "utf16le":
		return utf16LE, nil
	case "utf16be":
		return utf16BE, nil
	case "latin1", "iso88591", "windows1252", "cp1252":
		return latin1Encoding, nil
	}
	return "", fmt.Errorf("character set %q is unknown, must be utf8, utf16, utf16le or latin1", name)
}

// encodingOf looks for a byte order mark, or for the zero bytes of Latin letters in UTF-16.
func encodingOf(data []byte) encoding {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return utf16LE
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return utf16BE
	}
	zeros := [2]int{}
	for i, b := range data[:min(len(data), 1000)] {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch half := min(len(data), 1000) / 2; {
	case half > 0 && zeros[0] == 0 && zeros[1]*10 > half*7:
		return utf16LE
	case half > 0 && zeros[1] == 0 && zeros[0]*10 > half*7:
		return utf16BE
	}
	return utf8Encoding
}

// decoded returns the text in UTF-8. It passes UTF-8 through; the reader of the records reports invalid bytes.
func decoded(r io.Reader, e encoding) io.Reader {
	switch e {
	case utf16LE:
		return &decoder{src: r, decode: fromUTF16(binary.LittleEndian)}
	case utf16BE:
		return &decoder{src: r, decode: fromUTF16(binary.BigEndian)}
	case latin1Encoding:
		return delimited.Latin1(r)
	}
	return r
}

// A decoder decodes a text block by block.
type decoder struct {
	src io.Reader
	// decode appends the characters of in to out and returns the number of bytes of in that it used; last says that nothing follows.
	decode  func(out, in []byte, last bool) ([]byte, int, error)
	in, out []byte
	pending []byte // of out, not yet read
	at      int64  // bytes decoded
	err     error
}

// Read implements io.Reader.
func (d *decoder) Read(p []byte) (int, error) {
	for len(d.pending) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.fill()
	}
	n := copy(p, d.pending)
	d.pending = d.pending[n:]
	return n, nil
}

func (d *decoder) fill() {
	const block = 32 << 10
	kept := len(d.in)
	d.in = append(d.in, make([]byte, block)...)
	n, err := d.src.Read(d.in[kept:])
	d.in, d.err = d.in[:kept+n], err
	out, used, wrong := d.decode(d.out[:0], d.in, err != nil)
	d.out, d.pending = out, out
	if wrong != nil && (err == nil || err == io.EOF) {
		d.err = fmt.Errorf("byte %d of the text: %w", d.at+int64(used)+1, wrong)
	}
	d.at += int64(used)
	d.in = d.in[:copy(d.in, d.in[used:])]
}

// fromUTF16 refuses unpaired surrogates and an incomplete last character.
func fromUTF16(order binary.ByteOrder) func(out, in []byte, last bool) ([]byte, int, error) {
	return func(out, in []byte, last bool) ([]byte, int, error) {
		used := 0
		for len(in)-used >= 2 {
			c := rune(order.Uint16(in[used:]))
			width := 2
			if utf16.IsSurrogate(c) {
				if len(in)-used < 4 && !last {
					break
				}
				width = 4
				if len(in)-used >= 4 {
					c = utf16.DecodeRune(c, rune(order.Uint16(in[used+2:])))
				}
				if len(in)-used < 4 || c == utf8.RuneError {
					return out, used, fmt.Errorf("not valid UTF-16: half of a surrogate pair")
				}
			}
			out = utf8.AppendRune(out, c)
			used += width
		}
		if last && used < len(in) {
			return out, used, fmt.Errorf("the text ends in the middle of a character of UTF-16")
		}
		return out, used, nil
	}
}
