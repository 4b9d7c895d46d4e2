package values

import (
	"fmt"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// numberSize is the greatest length of a number's text, for the types of which there may be many.
const numberSize = 24

// SizeOf returns about the length of a value's text, in bytes. Beyond most it need not be exact.
func SizeOf(v any, most int64) int64 {
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
		return textSize(v, most)
	case []any:
		return elements(v, most)
	}
	return numberSize
}

func elements(list []any, most int64) (size int64) {
	for _, element := range list {
		if size += SizeOf(element, most-size) + 2; size > most {
			break
		}
	}
	return size
}

// textSize returns about the length of a document's text, in bytes. It stops counting beyond most.
func textSize(doc sql.JSONWrapper, most int64) int64 {
	if lazy, ok := doc.(types.JSONBytes); ok {
		if raw, err := lazy.GetBytes(); err == nil {
			return int64(len(raw))
		}
	}
	value, err := doc.ToInterface()
	if err != nil {
		return 0
	}
	m := measure{left: most}
	m.add(value)
	return most - m.left
}

// A measure walks a document and subtracts sizes from a bound.
type measure struct {
	left   int64
	digits [numberSize]byte
}

func (m *measure) add(v any) {
	switch v := v.(type) {
	case string:
		m.left -= quotedSize(v)
	case []any:
		m.left -= 2
		for _, element := range v {
			if m.left < 0 {
				return
			}
			m.left -= 2
			m.add(element)
		}
	case map[string]any:
		m.left -= 2
		for key, element := range v {
			if m.left < 0 {
				return
			}
			m.left -= 4 + quotedSize(key)
			m.add(element)
		}
	case nil, bool:
		m.left -= 4
	case sql.JSONWrapper:
		inner, err := v.ToInterface()
		if err == nil {
			m.add(inner)
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

// quotedSize returns the length of a text with quotes and escapes.
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
