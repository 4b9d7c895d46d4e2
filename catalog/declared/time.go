package declared

import (
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"
)

// A Time is TIME with less than six decimals of a second.
type Time struct {
	types.TimespanType_
	decimals int
	assigned bool
}

// TimeOf returns the type of TIME values with this number of decimals of a second.
func TimeOf(decimals int) sql.Type {
	if decimals >= maxDecimals {
		return types.Time
	}
	return Time{decimals: decimals}
}

// Decimals returns the number of decimals of a second.
func (t Time) Decimals() int { return t.decimals }

// Read implements Column.
func (t Time) Read() sql.Type { return Time{decimals: t.decimals} }

// String implements sql.Type.
func (t Time) String() string {
	if t.decimals == 0 {
		return "time"
	}
	return fmt.Sprintf("time(%d)", t.decimals)
}

// Equals implements sql.Type.
func (t Time) Equals(other sql.Type) bool {
	o, ok := other.(Time)
	return ok && o.decimals == t.decimals
}

// Promote implements sql.Type.
func (t Time) Promote() sql.Type { return t }

const second = 1_000_000

// Convert implements sql.Type.
func (t Time) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	if d, ok := v.(decimal.Decimal); ok { // the engine drops its fraction
		v = d.InexactFloat64()
	}
	converted, in, err := t.TimespanType_.Convert(ctx, v)
	span, ok := converted.(types.Timespan)
	if !ok || !t.assigned || err != nil {
		return converted, in, err
	}
	unit := types.Timespan(second)
	for range t.decimals {
		unit /= 10
	}
	half := unit / 2
	if span < 0 {
		half = -half
	}
	return t.MicrosecondsToTimespan(int64((span + half) / unit * unit)), in, nil
}

// SQL implements sql.Type. As in MySQL, it writes all decimals.
func (t Time) SQL(ctx *sql.Context, dest []byte, v any) (sqltypes.Value, error) {
	written, err := t.TimespanType_.SQL(ctx, dest, v)
	if err != nil || written.IsNull() {
		return written, err
	}
	whole, fraction, _ := strings.Cut(written.ToString(), ".")
	if fraction = strings.TrimRight(fraction, "0"); len(fraction) < t.decimals {
		fraction += strings.Repeat("0", t.decimals-len(fraction))
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sqltypes.MakeTrusted(sqltypes.Time, []byte(whole)), nil
}
