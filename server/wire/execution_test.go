package wire_test

import (
	"testing"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/server/wire"
)

// Parameters have the values that the protocol layer was sent, which it writes down as given.
func TestCorrectParameters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent, as querypb.Type
		given    string
		want     string
		wantType querypb.Type
	}{
		{sqltypes.Datetime, sqltypes.VarChar, "2024-1-1 0:0:0.5000", "2024-01-01 00:00:00.005000", sqltypes.VarChar},
		{sqltypes.Timestamp, sqltypes.VarChar, "24-10-11 12:13:14", "0024-10-11 12:13:14", sqltypes.VarChar},
		{sqltypes.Datetime, sqltypes.VarChar, "2024-1-1", "2024-01-01 00:00:00", sqltypes.VarChar},
		{sqltypes.Date, sqltypes.VarChar, "2024-1-1", "2024-01-01", sqltypes.VarChar},
		{sqltypes.Date, sqltypes.VarChar, " ", "0000-00-00", sqltypes.VarChar},
		{sqltypes.Time, sqltypes.VarChar, "-49:0:0.7", "-49:00:00.000007", sqltypes.VarChar},
		{sqltypes.Time, sqltypes.VarChar, "1:2:3", "01:02:03", sqltypes.VarChar},
		{sqltypes.Time, sqltypes.VarBinary, "1:2:3.5", "1:2:3.5", sqltypes.VarBinary}, // sent as long data
		{sqltypes.Decimal, sqltypes.VarBinary, "-1.255", "-1.255", sqltypes.Decimal},
		{sqltypes.Decimal, sqltypes.VarBinary, "3", "3.", sqltypes.Decimal},
		{sqltypes.Decimal, sqltypes.VarBinary, "1) OR (1", "1) OR (1", sqltypes.VarBinary},
		{sqltypes.VarChar, sqltypes.VarBinary, "1.5", "1.5", sqltypes.VarBinary},
		{sqltypes.Decimal, sqltypes.Null, "", "", sqltypes.Null},
	} {
		prepare := &mysql.PrepareData{
			ParamsType: []int32{int32(c.sent)},
			BindVars:   map[string]*querypb.BindVariable{"v1": {Type: c.as, Value: []byte(c.given)}},
		}
		wire.CorrectParameters(prepare)
		if got := prepare.BindVars["v1"]; got.Type != c.wantType || string(got.Value) != c.want {
			t.Errorf("%v %q: %v %q, want %v %q", c.sent, c.given, got.Type, got.Value, c.wantType, c.want)
		}
	}
}
