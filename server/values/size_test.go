package values

import (
	"math"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// A document is as large as its text, but for a last comma, and its texts are memory.
func TestDocumentsAreAsLargeAsTheirTexts(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, c := range []struct {
		value any
		text  string
		least int64 // bytes of memory
	}{
		{int64(math.MinInt64), "-9223372036854775808", nodeMemory},
		{uint64(math.MaxUint64), "18446744073709551615", nodeMemory},
		{0.1234567890123, "0.1234567890123", nodeMemory},
		{decimal.RequireFromString("12345678901234567890.50"), "12345678901234567890.5", nodeMemory},
		{nil, "null", nodeMemory},
		{true, "true", nodeMemory},
		{long, `"` + long + `"`, 1000},
		{[]any{int64(100), int64(200), long}, `[100, 200, "` + long + `"]`, 1000 + 4*nodeMemory},
		{map[string]any{"a": int64(1), long: "b"}, `{"a": 1, "` + long + `": "b"}`, 1000 + 3*nodeMemory},
	} {
		size, memory := documentOf(types.JSONDocument{Val: c.value}, 1<<20)
		if length := int64(len(c.text)); size < length || size > length+2 {
			t.Errorf("%s: size %d, of %d bytes", c.text, size, length)
		}
		if memory < c.least {
			t.Errorf("%s: %d bytes of memory, want %d at least", c.text, memory, c.least)
		}
	}
}
