package loaddata

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
)

func typeOf(t testing.TB, text string) sql.Type {
	t.Helper()
	typ, err := planbuilder.ParseColumnTypeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// show prints a value with its Go type, as the engine will see it.
func show(v any) string {
	if at, ok := v.(time.Time); ok {
		return at.Format("2006-01-02T15:04:05.999999")
	}
	return fmt.Sprintf("%T %v", v, v)
}

// A fieldCase is a field's text and its value in a column of the type: a Go value with its type, or the number of the
// error.
type fieldCase struct{ typ, text, want string }

func TestConvertIntegers(t *testing.T) {
	convertsAs(t, []fieldCase{
		{"INT", "12", "int32 12"},
		{"INT", " -2147483648 ", "int32 -2147483648"},
		{"INT", "2147483648", "1264"},
		{"INT", "12.0", "int32 12"},
		{"INT", "1.2e1", "int32 12"},
		{"INT", "12.5", "1265"},
		{"INT", "12abc", "1366"},
		{"INT", "", "1366"},
		{"INT", "-", "1366"},
		{"INT", "1e999999999", "1264"},
		{"TINYINT", "-128", "int8 -128"},
		{"TINYINT", "128", "1264"},
		{"TINYINT UNSIGNED", "255", "uint8 255"},
		{"TINYINT UNSIGNED", "-1", "1264"},
		{"TINYINT UNSIGNED", "-0", "uint8 0"},
		{"SMALLINT", "32767", "int16 32767"},
		{"MEDIUMINT", "8388608", "1264"},
		{"MEDIUMINT UNSIGNED", "16777215", "uint32 16777215"},
		{"BIGINT", "-9223372036854775808", "int64 -9223372036854775808"},
		{"BIGINT", "9223372036854775808", "1264"},
		{"BIGINT UNSIGNED", "18446744073709551615", "uint64 18446744073709551615"},
		{"BIGINT UNSIGNED", "18446744073709551616", "1264"},
		{"BIGINT", "99999999999999999999x", "1366"},
	})
}

func TestConvertFractions(t *testing.T) {
	convertsAs(t, []fieldCase{
		{"DOUBLE", "1.5e3", "float64 1500"},
		{"DOUBLE", "inf", "1366"},
		{"DOUBLE", "0x10", "1366"},
		{"DOUBLE", "1e999", "1264"},
		{"FLOAT", "1.5", "float32 1.5"},
		{"FLOAT", "1e39", "1264"},
		{"DECIMAL(5,2)", "-123.45", "decimal.Decimal -123.45"},
		{"DECIMAL(5,2)", "1.500", "decimal.Decimal 1.5"},
		{"DECIMAL(5,2)", "1.505", "1265"},
		{"DECIMAL(5,2)", "1000", "1264"},
		{"DECIMAL(5,2)", "1e999999999", "1264"},
		{"DECIMAL(5,2)", "1e-999999999", "1265"},
		{"DECIMAL(5,2)", "1" + strings.Repeat("0", maxNumeral), "1366"},
		{"DECIMAL(5,2)", strings.Repeat("0", maxNumeral-1) + "1", "decimal.Decimal 1"},
		{"INT", "0." + strings.Repeat("1", maxNumeral), "1366"},
		{"DECIMAL(5,2)", "x", "1366"},
		{"DECIMAL(65,30)", "12345678901234567890123456789012345.123456789012345678901234567891",
			"decimal.Decimal 12345678901234567890123456789012345.123456789012345678901234567891"},
	})
}

func TestConvertTexts(t *testing.T) {
	convertsAs(t, []fieldCase{
		{"VARCHAR(3)", "äöü", "string äöü"},
		{"VARCHAR(3)", "abcd", "1406"},
		{"CHAR(3)", "ab", "string ab"},
		{"TINYTEXT", strings.Repeat("x", 256), "1406"},
		{"TEXT", "", "string "},
		{"VARBINARY(2)", "\xff\x00", "[]uint8 [255 0]"},
		{"VARBINARY(2)", "abc", "1406"},
		{"BLOB", "\xff", "[]uint8 [255]"},
	})
}

func TestConvertTimes(t *testing.T) {
	convertsAs(t, []fieldCase{
		{"DATE", "2024-02-29", "2024-02-29T00:00:00"},
		{"DATE", "2023-02-29", "1292"},
		{"DATE", "0000-00-00", "1292"},
		{"DATE", "2024-02-29 00:00:00", "2024-02-29T00:00:00"},
		{"DATE", "2024-02-29 12:00:00", "1265"},
		{"DATE", "yesterday", "1292"},
		{"DATETIME", "2024-02-29 23:59:59", "2024-02-29T23:59:59"},
		{"DATETIME", "2024-02-29T23:59:59", "2024-02-29T23:59:59"},
		{"DATETIME", "2024-02-29 24:00:00", "1292"},
		{"DATETIME", "2024-02-29 23:59:59.5", "1265"},
		{"DATETIME(6)", "2024-02-29 23:59:59.123456", "2024-02-29T23:59:59.123456"},
		{"DATETIME", "2024-02-29T23:59:59+02:00", "1292"},
		{"DATETIME(6)", "2024-02-29T23:59:59.5Z", "1292"},
		{"TIMESTAMP", "2024-02-29T23:59:59Z", "1292"},
		{"TIMESTAMP", "1969-01-01 00:00:00", "1264"},
		{"TIME", "12:30:00", "types.Timespan 12:30:00"},
		{"TIME", "noon", "1292"},
		{"TIME", "", "1292"},
		{"TIME", "-", "1292"},
		{"TIME", ".", "1292"},
		{"TIME", ":", "1292"},
		{"TIME", "900:00:00", "1292"},
		{"TIME", "10:11:12.1230000", "types.Timespan 10:11:12.123000"},
		{"TIME", "10:11:12.1230001", "1292"},
		{"TIME", "838:59:59.1", "1292"},
		{"TIME", "-838:59:59.0", "types.Timespan -838:59:59"},
		{"TIME", "8390000", "1292"},
		{"TIME", "10123456", "1292"},
		{"TIME", "20240101123456", "1292"},
		{"TIME", "10:-5:00", "1292"},
		{"TIME", "10:05.5", "types.Timespan 10:05:00.500000"},
		{"TIME", "10:5", "types.Timespan 10:05:00"},
		{"TIME", "101234.5", "types.Timespan 10:12:34.500000"},
		{"TIME", "59", "types.Timespan 00:00:59"},
		{"YEAR", "2024", "int16 2024"},
		{"YEAR", "2024.7", "1366"},
		{"YEAR", "2.024e3", "1366"},
		{"YEAR", "", "1366"},
	})
}

func TestConvertSetsAndDocuments(t *testing.T) {
	convertsAs(t, []fieldCase{
		{"ENUM('a','b')", "b", "uint16 2"},
		{"ENUM('a','b')", "c", "1265"},
		{"SET('a','b')", "a,b", "uint64 3"},
		{"SET('a','b')", "c", "1265"},
		{"JSON", "{\"a\": 1}", `{"a": 1}`},
		{"JSON", "[9007199254740993]", "[9007199254740993]"},
		{"JSON", "{", "3140"},
	})
}

// A small exponent is refused before anything computes its digits, however many others there are.
func TestSmallExponentsAreRefused(t *testing.T) {
	if d, p := parseDecimal([]byte(strings.Repeat("1", 99)+"e-200000"), wrongDecimal); p != truncated {
		t.Errorf("a number with exponent %d is read", d.Exponent())
	}
}

// convertsAs converts every text twice: the second time the converter remembers it.
func convertsAs(t *testing.T, list []fieldCase) {
	t.Helper()
	for _, c := range list {
		t.Run(fmt.Sprintf("%s %.40q", c.typ, c.text), func(t *testing.T) {
			convert := newConverter(typeOf(t, c.typ))
			for range 2 {
				v, p := convert.value(context.Background(), []byte(c.text))
				got := show(v)
				if p != nil {
					got = fmt.Sprint(p.number)
				} else if c.typ == "JSON" {
					text, _ := v.(fmt.Stringer)
					got = text.String()
				}
				if got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			}
		})
	}
}

// TestConvertAgrees: an accepted value equals the engine's value of the same string.
func TestConvertAgrees(t *testing.T) {
	ctx := sql.NewEmptyContext()
	for _, c := range []struct{ typ, text string }{
		{"INT", "-7"}, {"BIGINT UNSIGNED", "18446744073709551615"}, {"DOUBLE", "0.1"}, {"DECIMAL(10,4)", "12.5"},
		{"DATE", "1999-12-31"}, {"DATETIME", "1999-12-31 23:59:59"}, {"TIMESTAMP", "1999-12-31 23:59:59"},
		{"VARCHAR(9)", "abc"}, {"CHAR(9)", "abc"}, {"TEXT", "abc"}, {"BINARY(3)", "ab"}, {"MEDIUMINT", "5"},
	} {
		typ := typeOf(t, c.typ)
		converter := newConverter(typ)
		got, p := converter.value(ctx, []byte(c.text))
		want, _, err := typ.Convert(ctx, c.text)
		if p != nil || err != nil || show(got) != show(want) {
			t.Errorf("%s %q: got %s (%v), the engine %s (%v)", c.typ, c.text, show(got), p, show(want), err)
		}
	}
}

// TestConverterForgets: the converter stops caching a column without repetitions, and its cache is bounded.
func TestConverterForgets(t *testing.T) {
	c := newConverter(typeOf(t, "INT"))
	for i := range 3 * rememberValues {
		if v, p := c.value(context.Background(), fmt.Append(nil, i)); p != nil || v != int32(i) {
			t.Fatal(i, v, p)
		}
	}
	if c.remembered != nil {
		t.Error("still remembers")
	}
}

// FuzzConvert: no text makes a conversion panic, and an accepted integer equals math/big's.
func FuzzConvert(f *testing.F) {
	for _, s := range []string{"12", "-0", "1e3", "1e-400", "18446744073709551616", "2024-02-30", "12:00", "{}", "\xff", "0.5e1"} {
		f.Add(s)
	}
	names := []string{
		"TINYINT", "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED", "FLOAT", "DECIMAL(20,5)", "VARCHAR(5)", "BINARY(3)", "TEXT",
		"DATE", "DATETIME(3)", "TIMESTAMP", "TIME", "YEAR", "ENUM('a','b')", "SET('a','b')", "BIT(5)", "JSON", "POINT",
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range names {
			typ := typeOf(t, name)
			c := newConverter(typ)
			v, p := c.value(context.Background(), []byte(text))
			if p != nil {
				_ = p.errorAt("c", []byte(text), position{1, 1})
				continue
			}
			if integers[typ.Type()] == nil || strings.ContainsAny(text, "eE") { // math/big would compute 1e999999999
				continue
			}
			want, ok := new(big.Rat).SetString(strings.Trim(text, " \t"))
			got, _ := new(big.Rat).SetString(fmt.Sprint(v))
			if !ok || want.Cmp(got) != 0 {
				t.Errorf("%s %q: got %v, want %v", name, text, v, want)
			}
		}
	})
}
