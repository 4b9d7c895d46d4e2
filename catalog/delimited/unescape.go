package delimited

// unescape makes fields of the record's spans in place: unescaping never lengthens a field.
func (r *Reader) unescape(data []byte) []Field {
	r.fields = r.fields[:0]
	for _, s := range r.spans {
		f := Field{Bytes: data[s.start:s.end], Enclosed: s.enclosed}
		switch {
		case s.marked:
			f.Null = r.scan.isNull(f.Bytes)
			f.Bytes = r.scan.plain(f.Bytes, s.enclosed)
		case r.format.NullWord && !s.enclosed && string(f.Bytes) == "NULL":
			f.Null = true
		}
		if f.Null {
			f.Bytes = nil
		}
		r.fields = append(r.fields, f)
	}
	return r.fields
}

// isNull recognises a field that is exactly \N.
func (s *scanner) isNull(b []byte) bool {
	return len(b) == 2 && int(b[0]) == s.escape && b[1] == 'N'
}

// plain removes escapes and doubled enclosures from b, in place.
func (s *scanner) plain(b []byte, enclosed bool) []byte {
	to := 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case int(c) == s.escape && i+1 < len(b):
			i++
			c = unescaped(b[i])
		case enclosed && int(c) == s.enclosed && i+1 < len(b) && int(b[i+1]) == s.enclosed:
			i++
		}
		b[to] = c
		to++
	}
	return b[:to]
}

// unescaped returns the byte of an escape sequence, after the table in the manual of LOAD DATA.
// \N inside a longer field is an N.
func unescaped(c byte) byte {
	switch c {
	case '0':
		return 0
	case 'b':
		return '\b'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'Z':
		return 26
	}
	return c
}
