package values

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

const (
	numberSize = 24 // bytes of a number's text, at most, of those that can be many
	// nodeMemory is what an element of a JSON document takes: an interface in a slice
	// that has grown, and what it points to.
	nodeMemory = 64
)

// sizeOf is about how long a value's text is, in bytes; of more than most it need
// not be exact.
func sizeOf(v any, most int64) int64 {
	switch v := v.(type) {
	case nil:
		return 0
	case string:
		return int64(len(v))
	case []byte:
		return int64(len(v))
	case types.GeometryValue:
		return int64(len(v.Serialize()))
	case sql.JSONWrapper:
		size, _ := documentOf(v, most)
		return size
	case []any:
		return elements(v, most)
	}
	return numberSize
}

func elements(list []any, most int64) (size int64) {
	for _, element := range list {
		if size += sizeOf(element, most-size) + 2; size > most {
			break
		}
	}
	return size
}

// documentOf is about how long the text of a document is, and what its elements
// take in memory, in bytes. Where the text is longer than most, neither is counted
// to the end.
func documentOf(doc sql.JSONWrapper, most int64) (size, memory int64) {
	if lazy, ok := doc.(types.JSONBytes); ok {
		if raw, err := lazy.GetBytes(); err == nil {
			return int64(len(raw)), parsedBytes(raw)
		}
	}
	value, err := doc.ToInterface()
	if err != nil {
		return 0, 0
	}
	m := measure{left: most}
	m.add(value, 0)
	return most - m.left, m.memory
}

// Memory is about what a document takes, in bytes.
func Memory(doc sql.JSONWrapper) int64 {
	const most = 1 << 30
	_, memory := documentOf(doc, most)
	return memory
}

// A measure counts down what is left of a bound while it walks a document. indent is
// what JSON_PRETTY puts before an element, for a level.
type measure struct {
	left, memory int64
	indent       int64
	digits       [numberSize]byte
}

func (m *measure) add(v any, depth int64) {
	m.memory += nodeMemory
	switch v := v.(type) {
	case string:
		m.left -= quotedSize(v)
		m.memory += int64(len(v))
	case []any:
		m.left -= 2
		for _, element := range v {
			if m.left < 0 {
				return
			}
			m.left -= 2 + m.indent*(depth+1)
			m.add(element, depth+1)
		}
		m.left -= m.indent * depth
	case map[string]any:
		m.left -= 2
		for key, element := range v {
			if m.left < 0 {
				return
			}
			m.left -= 4 + quotedSize(key) + m.indent*(depth+1)
			m.memory += int64(len(key))
			m.add(element, depth+1)
		}
		m.left -= m.indent * depth
	case nil, bool:
		m.left -= 4
	case sql.JSONWrapper:
		inner, err := v.ToInterface()
		if err == nil {
			m.add(inner, depth)
		}
	case int64:
		m.left -= int64(len(strconv.AppendInt(m.digits[:0], v, 10)))
	case uint64:
		m.left -= int64(len(strconv.AppendUint(m.digits[:0], v, 10)))
	case float64:
		m.left -= int64(len(strconv.AppendFloat(m.digits[:0], v, 'g', -1, 64)))
	case fmt.Stringer: // a DECIMAL
		m.left -= int64(len(v.String()))
	default: // at least a digit
		m.left--
	}
}

// quotedSize is the length of a text in quotes, with escapes.
func quotedSize(s string) int64 {
	size := int64(len(s)) + 2
	for i := range len(s) {
		if c := s[i]; c < ' ' {
			size += 5
		} else if c == '"' || c == '\\' {
			size++
		}
	}
	return size
}

// parsedMemory is what the document in a text takes when it is read, in bytes.
func parsedMemory(s string) int64 {
	nodes := strings.Count(s, ",") + strings.Count(s, "[") + 2*strings.Count(s, "{")
	return int64(len(s)) + nodeMemory*int64(nodes)
}

func parsedBytes(b []byte) int64 {
	nodes := bytes.Count(b, []byte{','}) + bytes.Count(b, []byte{'['}) + 2*bytes.Count(b, []byte{'{'})
	return int64(len(b)) + nodeMemory*int64(nodes)
}
