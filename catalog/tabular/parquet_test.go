package tabular_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
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

// A page is refused before the library allocates what it claims, and what it unpacks to: here it unpacks to more than it says.
func TestParquetPagesAreBounded(t *testing.T) {
	text := parquet.ValueOf(strings.Repeat("x", 10_000))
	for _, codec := range []compress.Codec{&parquet.Zstd, &parquet.Gzip, &parquet.Snappy, &parquet.Lz4Raw} {
		data := parquetOf(t, parquet.Compressed(parquet.Leaf(parquet.ByteArrayType), codec), text)
		if records, _, err := read(file(t, "a.parquet", data), tabular.Options{}); err != nil || len(records) != 2 {
			t.Errorf("%v: %v", codec, err)
		}
		if _, _, err := read(file(t, "a.parquet", data), tabular.Options{Memory: 1 << 15}); err == nil || !strings.Contains(err.Error(), "write it anew with smaller pages") {
			t.Errorf("%v: a page that is too large: %v", codec, err)
		}
		opened, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		page := bytes.Clone(data)
		header := page[opened.Metadata().RowGroups[0].Columns[1].MetaData.DataPageOffset:]
		size, width := binary.Varint(header[3:]) // behind the type and the field's own byte
		if size < 10_000 || binary.PutVarint(header[3:], 9_000) != width {
			t.Fatalf("the page says %d", size)
		}
		if _, _, err := read(file(t, "a.parquet", page), tabular.Options{}); err == nil || !strings.Contains(err.Error(), "a page unpacks to more than the ") {
			t.Errorf("%v: a page that says less: %v", codec, err)
		}
	}
}

// A damaged block of LZ4 is found: the library would take more and more memory for it.
func TestDamagedLZ4(t *testing.T) {
	text := parquet.ValueOf(strings.Repeat("x", 10_000))
	data := parquetOf(t, parquet.Compressed(parquet.Leaf(parquet.ByteArrayType), &parquet.Lz4Raw), text)
	at := bytes.Index(data, []byte("x\x01\x00")) + 1 // behind the first letter: repeat what is one byte before
	data[at], data[at+1] = 0xff, 0xff
	if _, _, err := read(file(t, "a.parquet", data), tabular.Options{}); err == nil || !strings.Contains(err.Error(), "a page unpacks to more than the ") {
		t.Error(err)
	}
}
