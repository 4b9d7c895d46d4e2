package values

import (
	"math"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// A document's size equals its text's length, except for a last comma.
func TestDocumentsAreAsLargeAsTheirTexts(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, c := range []struct {
		value any
		text  string
	}{
		{int64(math.MinInt64), "-9223372036854775808"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{0.1234567890123, "0.1234567890123"},
		{decimal.RequireFromString("12345678901234567890.50"), "12345678901234567890.5"},
		{nil, "null"},
		{true, "true"},
		{long, `"` + long + `"`},
		{[]any{int64(100), int64(200), long}, `[100, 200, "` + long + `"]`},
		{map[string]any{"a": int64(1), long: "b"}, `{"a": 1, "` + long + `": "b"}`},
	} {
		size := textSize(types.JSONDocument{Val: c.value}, 1<<20)
		if length := int64(len(c.text)); size < length || size > length+2 {
			t.Errorf("%s: size %d, of %d bytes", c.text, size, length)
		}
	}
}
