package delimited

import "bytes"

// A span is a field of a record: data[start:end] is its content without enclosures, still
// escaped; the following text begins at next.
type span struct {
	start, end, next int
	enclosed         bool
	marked           bool // holds escapes or doubled enclosures
}

// The results of a scan.
type state uint8

const (
	scanned   state = iota // a record
	skipped                // text without LINES STARTING BY: consume, read more
	needsMore              // the record is incomplete, read more
	ended                  // no more records
	unclosed               // end of text inside an enclosed field
	strayText              // text after a closing quote (strict)
	tooMany                // more fields than the most
)

// A scanner cuts records into spans. It never changes the data, so it can scan an incomplete
// record again after more input: once per buffer, and buffers double, which keeps the total
// cost linear.
type scanner struct {
	field, line, prefix string
	enclosed, escape    int // byte, or -1
	strict, newline     bool
	blanks              [256]bool // bytes trimmed around bare fields
	trims               bool
	stops               [256]bool // bytes that may end or escape a bare field
}

func newScanner(f Format) scanner {
	s := scanner{
		field:    f.FieldsTerminatedBy,
		line:     f.LinesTerminatedBy,
		prefix:   f.LinesStartingBy,
		enclosed: -1,
		escape:   -1,
		strict:   f.StrictQuotes,
		newline:  f.LinesTerminatedBy == "\n",
	}
	if f.TrimSpace {
		s.trims = true
		s.blanks[' '] = true
		s.blanks['\t'] = s.field[0] != '\t' && s.line[0] != '\t'
	}
	s.stops[s.field[0]] = true
	s.stops[s.line[0]] = true
	if f.EnclosedBy != 0 {
		s.enclosed = int(f.EnclosedBy)
	}
	if f.EscapedBy != 0 && f.EscapedBy != f.EnclosedBy {
		s.escape = int(f.EscapedBy)
		s.stops[f.EscapedBy] = true
	}
	return s
}

// record scans one record at the start of data; eof says that nothing follows data. It returns
// the record's length with its terminator, and its spans in *spans. For an incomplete record,
// *spans has the complete fields. A record with more than most fields ends the scan.
func (s *scanner) record(data []byte, eof bool, most int, spans *[]span) (int, state) {
	*spans = (*spans)[:0]
	i := 0
	if s.prefix != "" {
		start, st := s.start(data, eof)
		if st != scanned {
			return start, st
		}
		i = start
	} else if len(data) == 0 {
		if eof {
			return 0, ended
		}
		return 0, needsMore
	}
	for {
		f, last, st := s.next(data, i, eof)
		if st != scanned {
			return 0, st
		}
		*spans = append(*spans, f)
		if len(*spans) > most {
			return 0, tooMany
		}
		if last {
			return f.next, scanned
		}
		i = f.next
	}
}

// start finds the end of LINES STARTING BY.
func (s *scanner) start(data []byte, eof bool) (int, state) {
	if i := bytes.Index(data, []byte(s.prefix)); i >= 0 {
		return i + len(s.prefix), scanned
	}
	if eof {
		return 0, ended
	}
	return max(0, len(data)-len(s.prefix)+1), skipped
}

// next scans the field at data[i:] and reports whether it ends the record.
func (s *scanner) next(data []byte, i int, eof bool) (span, bool, state) {
	if s.trims {
		for i < len(data) && s.blanks[data[i]] {
			i++
		}
	}
	if i < len(data) && int(data[i]) == s.enclosed {
		return s.nextEnclosed(data, i, eof)
	}
	if i == len(data) && !eof {
		return span{}, false, needsMore
	}
	return s.nextBare(data, i, eof)
}

func (s *scanner) nextBare(data []byte, i int, eof bool) (span, bool, state) {
	f := span{start: i}
	escaped := -1 // position of the last escaped byte
	for j := i; ; {
		for j < len(data) && !s.stops[data[j]] {
			j++
		}
		if j >= len(data) {
			if !eof {
				return f, false, needsMore
			}
			f.end, f.next = s.trim(data, i, len(data), escaped), len(data)
			return f, true, scanned
		}
		if int(data[j]) == s.escape {
			if j+1 >= len(data) && !eof {
				return f, false, needsMore
			}
			if j+1 < len(data) {
				f.marked = true
				escaped = j + 1
				j++
			}
			j++
			continue
		}
		n, last, st := s.terminator(data, j, eof)
		if st != scanned {
			return f, false, st
		}
		if n > 0 {
			f.next = j + n
			if last {
				f.end = s.trim(data, i, j, escaped)
			} else {
				f.end = s.trimBlanks(data, i, j, escaped)
			}
			return f, last, scanned
		}
		j++
	}
}

// trim drops the \r of \r\n from a bare last field data[i:j], then blanks.
func (s *scanner) trim(data []byte, i, j, escaped int) int {
	if s.newline && j > i && data[j-1] == '\r' && escaped != j-1 {
		j--
	}
	return s.trimBlanks(data, i, j, escaped)
}

// trimBlanks drops blanks behind a bare field data[i:j]; an escaped blank stays.
func (s *scanner) trimBlanks(data []byte, i, j, escaped int) int {
	for s.trims && j > i && s.blanks[data[j-1]] && escaped != j-1 {
		j--
	}
	return j
}

// terminator recognises a line or field terminator at data[j:]. It returns its length, 0 for
// none, and whether it ends the line. Like LOAD DATA it tries the end of the line first.
func (s *scanner) terminator(data []byte, j int, eof bool) (int, bool, state) {
	partial := false
	for k, t := range [2]string{s.line, s.field} {
		rest := data[j:]
		if len(rest) >= len(t) {
			if string(rest[:len(t)]) == t {
				return len(t), k == 0, scanned
			}
		} else if !eof && t[:len(rest)] == string(rest) {
			partial = true
		}
	}
	if partial {
		return 0, false, needsMore
	}
	return 0, false, scanned
}

func (s *scanner) nextEnclosed(data []byte, i int, eof bool) (span, bool, state) {
	f := span{start: i + 1, enclosed: true}
	for j := i + 1; ; j++ {
		for j < len(data) && int(data[j]) != s.enclosed && int(data[j]) != s.escape {
			j++
		}
		if j >= len(data) {
			return f, false, s.stateAtEnd(eof)
		}
		if int(data[j]) == s.escape {
			f.marked = true
			j++
			continue
		}
		if j+1 < len(data) && int(data[j+1]) == s.enclosed {
			f.marked = true
			j++
			continue
		}
		n, last, st := s.closing(data, j+1, eof)
		if st != scanned {
			return f, false, st
		}
		if n >= 0 {
			f.end, f.next = j, j+1+n
			return f, last, scanned
		}
		if s.strict {
			return f, false, strayText
		}
	}
}

// closing recognises what may follow a closing enclosure at data[j:]. It returns the length of
// the terminator; -1 if the enclosure does not close.
func (s *scanner) closing(data []byte, j int, eof bool) (int, bool, state) {
	rest := data[j:]
	if len(rest) == 0 {
		if eof {
			return 0, true, scanned
		}
		return 0, false, needsMore
	}
	if s.newline && rest[0] == '\r' {
		switch {
		case len(rest) > 1 && rest[1] == '\n':
			return 2, true, scanned
		case len(rest) == 1 && !eof:
			return 0, false, needsMore
		case len(rest) == 1:
			return 1, true, scanned
		}
	}
	n, last, st := s.terminator(data, j, eof)
	if st == scanned && n == 0 {
		n = -1
	}
	return n, last, st
}

func (s *scanner) stateAtEnd(eof bool) state {
	if eof {
		return unclosed
	}
	return needsMore
}
