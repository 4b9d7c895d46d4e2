package declared

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// What is assigned is rounded as MySQL 8 rounds it (13.2.6, "Fractional Seconds in Time Values"; 13.1.4, "Floating-Point Types"),
// and written with the column's decimals.
func TestAssignedValuesAreRounded(t *testing.T) {
	ctx := sql.NewEmptyContext()
	for _, c := range []struct {
		typ   string
		given any
		want  string
	}{
		{"time", "09:00:00.600", "09:00:01"},
		{"time", "-09:00:00.5", "-09:00:01"},
		{"time", "23:59:59.5", "24:00:00"},
		{"time", "838:59:59", "838:59:59"},
		{"time", decimal.New(1011126, -1), "10:11:13"},
		{"time(3)", "09:00:00.6006", "09:00:00.601"},
		{"time(3)", "10:00", "10:00:00.000"},
		{"time(1)", "10:00:00.05", "10:00:00.1"},
		{"double(8,2)", 1.119, "1.12"},
		{"double(8,2)", 12.105, "12.11"},
		{"double(8,2)", "-1.119", "-1.12"},
		{"double(8,2)", 1e7, "error"},
		{"float(6,2)", 3.14159, "3.14"},
		{"float(5,0)", 99999.4, "99999"},
		{"float(5,0)", 100000, "error"},
		{"decimal(8,2) unsigned", "1.125", "1.13"},
		{"decimal(8,2) unsigned", -1, "error"},
		{"decimal(8,2) unsigned", "-0.01", "error"},
		{"decimal(8,2) unsigned", "-0.001", "error"},
		{"float unsigned", 2.5, "2.5"},
		{"float unsigned", "-1", "error"},
		{"double unsigned", -0.5, "error"},
		{"double unsigned", "0.5", "0.5"},
		{"double(8,2) unsigned", 1.119, "1.12"},
		{"double(8,2) unsigned", -0.001, "error"},
	} {
		typ, ok := Parse(c.typ)
		if !ok || typ.String() != c.typ {
			t.Errorf("%s is read as %v", c.typ, typ)
			continue
		}
		got := "error"
		if v, in, err := typ.Convert(ctx, c.given); err == nil && bool(in) {
			written, err := typ.Read().SQL(ctx, nil, v)
			if err != nil {
				t.Fatal(err)
			}
			got = written.ToString()
		}
		if got != c.want {
			t.Errorf("%v in a %s is %s, want %s", c.given, c.typ, got, c.want)
		}
	}
}

// A value that is looked for is not rounded, and the engine's own types stay.
func TestReadRoundsNothing(t *testing.T) {
	typ, _ := Parse("time")
	if v, _, err := typ.Read().Convert(t.Context(), "09:00:00.600"); err != nil || v != types.Timespan(32400_600_000) {
		t.Errorf("09:00:00.600 is looked for as %v: %v", v, err)
	}
	for _, text := range []string{"time(6)", "time(7)", "double", "float", "double(8)", "double(2,3)", "decimal(8,2)", "time unsigned", "decimal(66,2) unsigned", "datetime(3)"} {
		if typ, ok := Parse(text); ok {
			t.Errorf("%s is read as %s", text, typ)
		}
	}
}
