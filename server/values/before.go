package values

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// uncompressedSize is the length, in bytes, that COMPRESS wrote before its result,
// which is what UNCOMPRESS makes room for.
func uncompressedSize(values sql.Row) int64 {
	var head string
	switch v := values[0].(type) {
	case string:
		head = v[:min(4, len(v))]
	case []byte:
		head = string(v[:min(4, len(v))])
	}
	if len(head) < 4 {
		return 0
	}
	return int64(binary.LittleEndian.Uint32([]byte(head)))
}

// spread are the kinds whose result is as long as the document's depth times its
// elements, in the worst case, and how long it is, in bytes.
var spread = map[kind]func(v any, most int64) int64{pretty: prettySize, search: searchSize}

// prettySize is the length of what JSON_PRETTY makes, in bytes: two spaces for each
// level before each element. It is not counted to the end where it is longer than
// most.
func prettySize(v any, most int64) int64 {
	switch v := v.(type) {
	case string:
		return prettyTextSize(v, most)
	case []byte:
		return prettyTextSize(string(v), most)
	case sql.JSONWrapper:
		value, err := v.ToInterface()
		if err != nil {
			return 0
		}
		m := measure{left: most, indent: 2}
		m.add(value, 0)
		return most - m.left
	}
	return 0
}

// searchSize bounds the length of what JSON_SEARCH finds, in bytes: the path of every
// text, of some 8 bytes a level and the names.
func searchSize(v any, most int64) int64 {
	switch v := v.(type) {
	case string:
		return searchTextSize(v, most)
	case []byte:
		return searchTextSize(string(v), most)
	case sql.JSONWrapper:
		value, err := v.ToInterface()
		if err != nil {
			return 0
		}
		m := measure{left: most}
		m.paths(value, 1)
		return most - m.left
	}
	return 0
}

// paths counts the paths of the texts in a document, below one of so many bytes.
func (m *measure) paths(v any, above int64) {
	switch v := v.(type) {
	case string:
		m.left -= above + 4
	case []any:
		for _, element := range v {
			if m.left < 0 {
				return
			}
			m.paths(element, above+8)
		}
	case map[string]any:
		for key, element := range v {
			if m.left < 0 {
				return
			}
			m.paths(element, above+3+quotedSize(key))
		}
	}
}

// searchTextSize reads the text without making a document of it.
func searchTextSize(s string, most int64) int64 {
	var outer []int64 // the lengths of the paths to what is open
	size, above, last, name := int64(0), int64(1), int64(0), int64(0)
	for i := 0; i < len(s) && size <= most; i++ {
		switch s[i] {
		case '"':
			begin := i
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			last = int64(i - begin)
			size += above + last + 8
		case ':':
			name = last
		case '[', '{':
			outer = append(outer, above)
			above, name = above+name+8, 0
		case ']', '}':
			if n := len(outer); n > 0 {
				above, outer = outer[n-1], outer[:n-1]
			}
		}
	}
	return size
}

// prettyTextSize reads the text without making a document of it.
func prettyTextSize(s string, most int64) int64 {
	size, depth, quoted := int64(len(s)), int64(0), false
	for i := 0; i < len(s) && size <= most; i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			size += 1 + 2*depth
		case c == ',':
			size += 1 + 2*depth
		case c == ']' || c == '}':
			depth = max(depth-1, 0)
			size += 1 + 2*depth
		}
	}
	return size
}

// exactly tells of a function whose result may be larger than most whether it is.
func exactly(function string, values sql.Row, most int64) bool {
	text, ok := values[0].(string)
	if !ok && !strings.Contains(function, "_") {
		return true
	}
	size := int64(0)
	switch strings.ToLower(function) {
	case "quote":
		size = int64(len(text)) + 2
		for _, escaped := range []string{"'", "\\", "\x00", "\x1a"} {
			size += int64(strings.Count(text, escaped))
		}
	case "json_quote":
		size = quotedSize(text)
	case "hex":
		size = 2 * int64(len(text))
	case "to_base64": // with a line break behind every 76 characters
		size = (int64(len(text))+2)/3*4 + int64(math.Ceil(float64(len(text))/57)) - 1
	case "date_format", "time_format", "from_unixtime": // %r is of eleven
		for _, v := range values {
			if format, ok := v.(string); ok {
				size += int64(len(format)) + 9*int64(strings.Count(format, "%"))
			}
		}
	default:
		return true
	}
	return size > most
}
