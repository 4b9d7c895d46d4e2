package declared

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// A Float is FLOAT(m, d) or DOUBLE(m, d), or one without digits that is UNSIGNED.
type Float struct {
	types.NumberTypeImpl_
	digits, scale int // scale is unscaled without digits
	unsigned      bool
}

const unscaled = -1

// names are the types that a declaration may round, by the parser's type.
var names = map[querypb.Type]string{sqltypes.Time: "time", sqltypes.Float32: "float", sqltypes.Float64: "double", sqltypes.Decimal: "decimal"}

func newFloat(name string, digits, scale int, unsigned bool) Float {
	base := types.Float64
	if name == "float" {
		base = types.Float32
	}
	return Float{NumberTypeImpl_: base.(types.NumberTypeImpl_), digits: digits, scale: scale, unsigned: unsigned}
}

// newShortFloat returns FLOAT(n) UNSIGNED; the engine has the signed type.
func newShortFloat(name string, digits int, unsigned bool) (Column, bool) {
	if !unsigned || digits > maxOfDouble || name == "double" && digits > 0 {
		return nil, false
	}
	if digits > maxOfFloat {
		name = "double"
	}
	return newFloat(name, 0, unscaled, true), true
}

// Decimals returns the number of decimals; negative if they are not limited.
func (f Float) Decimals() int { return f.scale }

// Read implements Column.
func (f Float) Read() sql.Type { return f.NumberTypeImpl_ }

// String implements sql.Type.
func (f Float) String() string {
	text := f.NumberTypeImpl_.String()
	if f.scale != unscaled {
		text = fmt.Sprintf("%s(%d,%d)", text, f.digits, f.scale)
	}
	if f.unsigned {
		text += " unsigned"
	}
	return text
}

// Equals implements sql.Type.
func (f Float) Equals(other sql.Type) bool {
	if o, ok := other.(Float); ok {
		return o == f
	}
	return f.NumberTypeImpl_.Equals(other)
}

// Convert implements sql.Type.
func (f Float) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	converted, in, err := types.Float64.Convert(ctx, v)
	n, ok := converted.(float64)
	if !ok || !bool(in) || err != nil {
		return converted, in, err
	}
	if f.unsigned && n < 0 {
		return f.Zero(), sql.OutOfRange, nil
	}
	if f.scale == unscaled {
		return f.NumberTypeImpl_.Convert(ctx, v)
	}
	unit := math.Pow10(f.scale)
	if whole := math.Floor(n); !math.IsInf(n, 0) {
		n = whole + math.RoundToEven((n-whole)*unit)/unit
	}
	if most := math.Pow10(f.digits-f.scale) - 1/unit; math.Abs(n) > most {
		n, in = math.Copysign(most, n), sql.OutOfRange
	}
	stored, fits, err := f.NumberTypeImpl_.Convert(ctx, n)
	return stored, in && fits, err
}

// FloatAsWritten returns the number that MySQL writes for a FLOAT: its first six significant digits (FLT_DIG).
func FloatAsWritten(v float32) float64 {
	const digits = 6
	shown, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'e', digits-1, 64), 64)
	if err != nil {
		return float64(v)
	}
	return shown
}
