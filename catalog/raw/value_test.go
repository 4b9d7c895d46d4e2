package raw_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/coding"
)

func date(year int, month time.Month, day, hour, minute, second, micro int) time.Time {
	return time.Date(year, month, day, hour, minute, second, micro*1000, time.UTC)
}

func number(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// typedValues has every supported type with its extreme and awkward values, as
// the engine hands them over.
func typedValues() map[string][]any {
	long := strings.Repeat("é", 300)
	return map[string][]any{
		"tinyint":                                {int8(-128), int8(0), int8(127)},
		"tinyint(1)":                             {int8(0), int8(1)},
		"tinyint unsigned":                       {uint8(0), uint8(255)},
		"smallint":                               {int16(-32768), int16(32767)},
		"smallint unsigned":                      {uint16(65535)},
		"mediumint":                              {int32(-8388608), int32(8388607)},
		"mediumint unsigned":                     {uint32(16777215)},
		"int":                                    {int32(math.MinInt32), int32(0), int32(math.MaxInt32)},
		"int unsigned":                           {uint32(math.MaxUint32)},
		"bigint":                                 {int64(math.MinInt64), int64(-1), int64(math.MaxInt64)},
		"bigint unsigned":                        {uint64(0), uint64(math.MaxInt64), uint64(math.MaxInt64) + 1, uint64(math.MaxUint64)},
		"float":                                  {float32(0), float32(-1.5), float32(math.MaxFloat32), float32(0.1)},
		"double":                                 {0.0, 0.1, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e300},
		"decimal(10,2)":                          {number("0.00"), number("-12345678.90"), number("0.01")},
		"decimal(65,30)":                         {number("12345678901234567890123456789012345.123456789012345678901234567891")},
		"decimal(5,0)":                           {number("-99999")},
		"char(10)":                               {"", "abc", "ÄÖ"},
		"varchar(300)":                           {"", "it's", "a\x00b", `back\slash`, long, "NULL"},
		"varchar(20) COLLATE utf8mb4_0900_ai_ci": {"Doctor", "doctor", "dóctor"},
		"varchar(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci": {"x"},
		"text":                       {long, "line\nbreak"},
		"tinytext":                   {"t"},
		"mediumtext":                 {"m"},
		"longtext":                   {"l"},
		"binary(4)":                  {[]byte{0, 1, 2, 255}},
		"varbinary(9)":               {[]byte{}, []byte{0}, []byte("abc"), []byte{255, 254}},
		"blob":                       {[]byte{0, 0}, []byte("b")},
		"longblob":                   {[]byte("l")},
		"date":                       {date(2020, 2, 29, 0, 0, 0, 0), date(1000, 1, 1, 0, 0, 0, 0), date(9999, 12, 31, 0, 0, 0, 0), date(0, 1, 1, 0, 0, 0, 0)},
		"datetime":                   {date(1969, 12, 31, 23, 59, 59, 0)},
		"datetime(6)":                {date(1969, 12, 31, 23, 59, 59, 999999), date(2024, 6, 1, 12, 0, 0, 1)},
		"timestamp(3)":               {date(2024, 6, 1, 12, 0, 0, 123000)},
		"time(6)":                    {types.Timespan(0), types.Timespan(-3020399999999), types.Timespan(3020399999999), types.Timespan(1)},
		"year":                       {int16(0), int16(1901), int16(2155)},
		"bit(1)":                     {uint64(0), uint64(1)},
		"bit(64)":                    {uint64(math.MaxUint64)},
		"enum('x','it''s','','a,b')": {uint16(0), uint16(1), uint16(2), uint16(3), uint16(4)},
		"enum('1','0')":              {uint16(1), uint16(2)},
		"set('x','y','it''s')":       {uint64(0), uint64(1), uint64(6), uint64(7)},
		"json":                       {types.JSONDocument{Val: map[string]any{"a": []any{1.5, nil, "x"}}}, types.JSONDocument{Val: nil}, types.JSONDocument{Val: "s"}},
	}
}

func equalSQL(a, b any) bool {
	switch a := a.(type) {
	case decimal.Decimal:
		b, ok := b.(decimal.Decimal)
		return ok && a.Equal(b)
	case time.Time:
		b, ok := b.(time.Time)
		return ok && a.Equal(b)
	}
	return reflect.DeepEqual(a, b)
}

func TestEveryTypeRoundTrips(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	for text, values := range typedValues() {
		typ, err := coding.ParseType(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if back, err := coding.ParseType(coding.TypeText(typ)); err != nil || !back.Equals(typ) {
			t.Errorf("%s reads back as %v (%v)", coding.TypeText(typ), back, err)
		}
		for _, v := range append(values, nil) {
			value, err := coding.ValueOf(typ, v)
			if err != nil {
				t.Errorf("%s: ValueOf(%v): %v", text, v, err)
				continue
			}
			if back, err := coding.SQLValue(typ, value); err != nil || !equalSQL(v, back) {
				t.Errorf("%s: %#v is %+v and comes back as %#v (%v)", text, v, value, back, err)
			}
		}
		checkStored(c, typ, append(values, nil))
	}
}

// checkStored loads the values into a table and reads them back by scan,
// after a reopen, and as microdata.
func checkStored(c *catalogtest.Client, typ sql.Type, values []any) {
	c.T.Helper()
	c.Run("DROP TABLE IF EXISTS v", "CREATE TABLE v (n INT, x "+coding.TypeText(typ)+")")
	ctx := c.Context()
	table, err := c.Catalog.Table(ctx, "d", "v")
	if err != nil {
		c.T.Fatal(err)
	}
	loader, err := table.BulkLoad(ctx)
	if err != nil {
		c.T.Fatal(err)
	}
	for i, v := range values {
		if err := loader.Append(ctx, sql.Row{int32(i), v}); err != nil {
			c.T.Fatalf("%s: %v", typ, err)
		}
	}
	if err := loader.Close(ctx); err != nil {
		c.T.Fatal(err)
	}
	if err := c.Session.CommitTransaction(ctx, nil); err != nil {
		c.T.Fatal(err)
	}
	table, err = c.Catalog.Table(ctx, "d", "v")
	if err != nil {
		c.T.Fatal(err)
	}
	rows, err := sql.RowIterToRows(ctx, mustRows(c, ctx, table))
	if err != nil || len(rows) != len(values) {
		c.T.Fatalf("%s: %d rows, %v", typ, len(rows), err)
	}
	m, err := table.Microdata(ctx, []string{"X"}, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	for i, v := range values {
		if !equalSQL(v, rows[i][1]) {
			c.T.Errorf("%s: stored %#v, read %#v", typ, v, rows[i][1])
		}
		if back, err := coding.SQLValue(typ, m.Columns[0].Value(i)); err != nil || !sameInColumn(typ, v, back) {
			c.T.Errorf("%s: %#v is %#v in microdata (%v)", typ, v, back, err)
		}
	}
	c.Session.SessionEnd()
}

// sameInColumn: microdata has one spelling of the texts that are equal in a
// column, and every other value as it is.
func sameInColumn(typ sql.Type, a, b any) bool {
	if _, unified := coding.Spellings(coding.TypeText(typ)); unified && a != nil && b != nil {
		order, err := typ.Compare(context.Background(), a, b)
		return err == nil && order == 0
	}
	return equalSQL(a, b)
}

func mustRows(c *catalogtest.Client, ctx *sql.Context, table sql.Table) sql.RowIter {
	c.T.Helper()
	partitions, err := table.Partitions(ctx)
	if err != nil {
		c.T.Fatal(err)
	}
	return sql.NewTableRowIter(ctx, table, partitions)
}

func TestWrongValuesAreRefused(t *testing.T) {
	for text, v := range map[string]anonymize.Value{
		"int":           anonymize.TextValue("x"),
		"date":          anonymize.IntegerValue(3),
		"enum('a')":     anonymize.TextValue("b"),
		"varchar(3)":    anonymize.RealValue(1),
		"decimal(3,1)":  anonymize.IntegerValue(1),
		"int unsigned":  anonymize.DecimalValue("1.5"),
		"set('a','b')":  anonymize.InstantValue(1),
		"double":        anonymize.TextValue(""),
		"varbinary(30)": anonymize.InstantValue(1),
	} {
		typ, err := coding.ParseType(text)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := coding.SQLValue(typ, v); err == nil {
			t.Errorf("%s took %+v as %v", text, v, back)
		}
	}
	if _, err := coding.ParseType("no type"); err == nil {
		t.Error("a type that is none was read")
	}
}

// Random strings and members, so that quoting has no favourite characters.
func TestRandomEnumTypesReadBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune(`ab'"\,;` + "`\nä 0")
	for range 300 {
		members := map[string]bool{}
		var list []string
		for range 1 + random.IntN(4) {
			var b strings.Builder
			for range 1 + random.IntN(4) {
				b.WriteRune(alphabet[random.IntN(len(alphabet))])
			}
			m := strings.TrimRight(b.String(), " ")
			if m != "" && !members[m] {
				members[m] = true
				list = append(list, m)
			}
		}
		if len(list) == 0 {
			continue
		}
		typ, err := types.CreateEnumType(list, sql.Collation_Default)
		if err != nil {
			t.Fatal(err)
		}
		back, err := coding.ParseType(coding.TypeText(typ))
		if err != nil || fmt.Sprint(back.(sql.EnumType).Values()) != fmt.Sprint(list) {
			t.Fatalf("%q reads back as %v (%v)", list, back, err)
		}
	}
}
