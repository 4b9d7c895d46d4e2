package declared

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// A Decimal is DECIMAL(m, d) UNSIGNED.
type Decimal struct {
	types.DecimalType_
}

// newDecimal returns false for types that are not UNSIGNED, which the engine has, and for types that the engine refuses.
func newDecimal(digits, scale int, unsigned bool) (Column, bool) {
	if !unsigned || digits > types.DecimalTypeMaxPrecision || scale > types.DecimalTypeMaxScale {
		return nil, false
	}
	typ, err := types.CreateDecimalType(uint8(digits), uint8(scale))
	if err != nil {
		return nil, false
	}
	return Decimal{typ.(types.DecimalType_)}, true
}

// Read implements Column.
func (d Decimal) Read() sql.Type { return d.DecimalType_ }

// String implements sql.Type.
func (d Decimal) String() string { return d.DecimalType_.String() + " unsigned" }

// Equals implements sql.Type.
func (d Decimal) Equals(other sql.Type) bool {
	o, ok := other.(Decimal)
	return ok && o.DecimalType_.Equals(d.DecimalType_)
}

// Promote implements sql.Type.
func (d Decimal) Promote() sql.Type { return d.DecimalType_.Promote() }

// Convert implements sql.Type. Every negative number is out of range, even one that would round to zero.
func (d Decimal) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	if n, err := d.ConvertToNullDecimal(v); err == nil && n.Valid && n.Decimal.IsNegative() {
		return d.Zero(), sql.OutOfRange, nil
	}
	return d.DecimalType_.Convert(ctx, v)
}
