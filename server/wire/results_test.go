package wire

import (
	"testing"

	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// A table's column has all its digits of a second; computed values and NULL are unchanged.
func TestDigitsOfSeconds(t *testing.T) {
	fields := []*querypb.Field{
		{Type: sqltypes.Datetime, OrgTable: "t", Decimals: 6}, {Type: sqltypes.Timestamp, OrgTable: "t", Decimals: 3},
		{Type: sqltypes.Datetime, OrgTable: "t"}, {Type: sqltypes.Datetime, Decimals: 6},
	}
	columns := fractionColumns(fields)
	rows := [][]sqltypes.Value{
		{sqltypes.NewVarBinary("2024-01-02 03:04:05.25"), sqltypes.NewVarBinary("2024-01-02 03:04:05"), sqltypes.NewVarBinary("2024-01-02 03:04:05"), sqltypes.NewVarBinary("2024-01-02 03:04:05.5")},
		{sqltypes.NULL, sqltypes.NewVarBinary("2024-01-02 03:04:05.123"), sqltypes.NULL, sqltypes.NULL},
	}
	padSeconds(rows, columns, []int{6, 3})
	for i, want := range [][]string{
		{"2024-01-02 03:04:05.250000", "2024-01-02 03:04:05.000", "2024-01-02 03:04:05", "2024-01-02 03:04:05.5"},
		{"", "2024-01-02 03:04:05.123", "", ""},
	} {
		for j := range want {
			if got := rows[i][j].ToString(); got != want[j] || rows[i][j].IsNull() != (want[j] == "") {
				t.Errorf("row %d, column %d: %q, want %q", i, j, got, want[j])
			}
		}
	}
}

func TestPlainDouble(t *testing.T) {
	for given, want := range map[string]string{
		"1.88743e+06":            "1887430",
		"1.23456789012345e+14":   "123456789012345",
		"1e+15":                  "1e15",
		"1.5e+300":               "1.5e300",
		"1.25e-06":               "0.00000125",
		"1e-15":                  "0.000000000000001",
		"-2.5e-20":               "-2.5e-20",
		"1.2345678901234568e+18": "1.2345678901234568e18",
	} {
		if got := string(plainDouble([]byte(given))); got != want {
			t.Errorf("%s is written %s, want %s", given, got, want)
		}
	}
}
