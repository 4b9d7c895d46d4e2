package tabular_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/anonsql/anonsql/catalog/tabular"
)

// A float16 is a number of two bytes, which the library has no type for.
type float16 struct{ parquet.Type }

func (float16) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: &format.Float16Type{}}
}

// parquetOf is a file with a column before the one that a node describes, and a row.
func parquetOf(t *testing.T, node parquet.Node, value parquet.Value) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema("rows", parquet.Group{"a": parquet.Leaf(parquet.Int64Type), "b": node}))
	if _, err := w.WriteRows([]parquet.Row{{parquet.ValueOf(int64(7)).Level(0, 0, 0), value.Level(0, 0, 1)}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// julian is a moment of 1970-01-02 as Hive writes it.
func julian(nanoseconds int64) parquet.Value {
	return parquet.Int96Value(deprecated.Int96{uint32(nanoseconds), uint32(nanoseconds >> 32), 2440589})
}

// A wideDecimal is a DECIMAL of any digits, which the library makes of byte arrays.
func wideDecimal(scale, precision int) parquet.Node {
	return parquet.Decimal(scale, precision, parquet.ByteArrayType)
}

// TestParquetDecimals: digits and decimals that no DECIMAL has are refused before they are written out.
func TestParquetDecimals(t *testing.T) {
	small := parquet.ByteArrayValue([]byte{0xff, 0x85}) // -123
	for _, c := range []struct {
		node    parquet.Node
		value   parquet.Value
		want    string
		failure string
	}{
		{wideDecimal(0, 3), small, "7|-123", ""},
		{wideDecimal(2, 3), small, "7|-1.23", ""},
		{wideDecimal(3, 3), small, "7|-0.123", ""},
		{wideDecimal(65, 65), small, "7|-0." + strings.Repeat("0", 62) + "123", ""},
		{wideDecimal(4, 3), small, "", `column "b" of the Parquet file has type DECIMAL(3,4)`},
		{wideDecimal(-2, 3), small, "", "DECIMAL(3,-2)"},
		{wideDecimal(0, 66), small, "", "numbers of at most 65 digits"},
		{wideDecimal(1<<30, 1<<30), small, "", "numbers of at most 65 digits"},
		{wideDecimal(0, 65), parquet.ByteArrayValue(bytes.Repeat([]byte{0x7f}, 28)), "", `row 1, column "b" of the Parquet file: the number has more than 65 digits`},
	} {
		records, _, err := read(file(t, "a.parquet", parquetOf(t, c.node, c.value)), tabular.Options{})
		switch {
		case c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)):
			t.Errorf("%s: %v, want %q", c.node, err, c.failure)
		case c.failure == "" && (err != nil || records[len(records)-1] != c.want):
			t.Errorf("%s: %v: %q, want %q", c.node, err, records, c.want)
		}
	}
}

// TestParquetTypes: a type that is not read is refused by name, and a time is never cut.
func TestParquetTypes(t *testing.T) {
	const tooFine = `row 1, column "b" of the Parquet file: 10:00:00.000000001 has more than six digits of a second`
	tenOClock := int64(10 * time.Hour)
	for _, c := range []struct {
		node    parquet.Node
		value   parquet.Value
		want    string
		failure string
	}{
		{parquet.Leaf(float16{parquet.FixedLenByteArrayType(2)}), parquet.FixedLenByteArrayValue([]byte("<<")), "", `column "b" of the Parquet file has type FLOAT16, which is not read`},
		{parquet.IntervalNode(), parquet.FixedLenByteArrayValue([]byte("123456789012")), "", `column "b" of the Parquet file has type INTERVAL, which is not read`},
		{parquet.Time(parquet.Nanosecond), parquet.ValueOf(tenOClock + 1), "", tooFine},
		{parquet.Time(parquet.Nanosecond), parquet.ValueOf(tenOClock + 1000), "'a'|'b' 7|10:00:00.000001", ""},
		{parquet.Time(parquet.Millisecond), parquet.ValueOf(int32(tenOClock / 1_000_000)), "'a'|'b' 7|10:00:00", ""},
		{parquet.Timestamp(parquet.Nanosecond), parquet.ValueOf(tenOClock + 1), "", "1970-01-01 10:00:00.000000001 has more than six digits of a second"},
		{parquet.Leaf(parquet.Int96Type), julian(tenOClock + 1), "", "1970-01-02 10:00:00.000000001 has more than six digits of a second"},
		{parquet.Leaf(parquet.Int96Type), julian(tenOClock + 1000), "'a'|'b' 7|1970-01-02 10:00:00.000001", ""},
		{parquet.Leaf(parquet.FixedLenByteArrayType(2)), parquet.FixedLenByteArrayValue([]byte("<<")), "'a'|'b' 7|'<<'", ""},
	} {
		records, _, err := read(file(t, "a.parquet", parquetOf(t, c.node, c.value)), tabular.Options{})
		if got := strings.Join(records, " "); c.failure == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %v: %q, want %q", c.node, err, got, c.want)
		}
		if c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)) {
			t.Errorf("%s: %v, want %q", c.node, err, c.failure)
		}
	}
}
