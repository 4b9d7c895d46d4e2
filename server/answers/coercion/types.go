package coercion

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Common is the common type of values of several types in a column or choice, as in
// MySQL: DOUBLE if one is DOUBLE; DECIMAL with the digits of all; BIGINT for integers,
// DECIMAL if one is signed and another BIGINT UNSIGNED; DATETIME for DATEs and
// DATETIMEs, and TIMEs beside them; otherwise a text. NULL is ignored.
func Common(list ...sql.Type) sql.Type {
	var known []sql.Type
	for _, t := range list {
		if t != nil && t != types.Null {
			known = append(known, t)
		}
	}
	switch {
	case len(known) == 0:
		return types.Null
	case slices.ContainsFunc(known, IsTruth) && !All(known, IsTruth) && All(known, types.IsInteger): // a truth is no number to the engine
		return types.Int64
	case All(known, known[0].Equals):
		return known[0]
	case All(known, IsNumber):
		return CommonNumber(known)
	case All(known, isTemporal) && slices.ContainsFunc(known, IsInstant):
		decimals := 0
		for _, t := range known {
			if IsInstant(t) {
				decimals = max(decimals, DecimalsOf(t))
			}
		}
		return DatetimeOf(decimals)
	case All(known, IsTimespan): // of different decimals
		return types.Time
	case All(known, types.IsJSON):
		return types.JSON
	case slices.ContainsFunc(known, types.IsBinaryType), slices.ContainsFunc(known, types.IsBit): // a BIT beside a text is its bytes
		return types.LongBlob
	}
	return commonText(known)
}

// All reports whether is holds for all types.
func All(list []sql.Type, is func(sql.Type) bool) bool {
	return !slices.ContainsFunc(list, func(t sql.Type) bool { return !is(t) })
}

// IsTruth recognises BOOLEAN.
func IsTruth(t sql.Type) bool { return t == types.Boolean }

// IsNumber recognises numbers, BIT and YEAR among them.
func IsNumber(t sql.Type) bool { return types.IsNumber(t) || types.IsYear(t) || types.IsBit(t) }

// IsInstant recognises DATE, DATETIME and TIMESTAMP.
func IsInstant(t sql.Type) bool {
	return types.IsDateType(t) || types.IsDatetimeType(t) || types.IsTimestampType(t)
}

func isTemporal(t sql.Type) bool { return IsInstant(t) || IsTimespan(t) }

// IsTimespan recognises TIME.
func IsTimespan(t sql.Type) bool {
	_, ok := t.(types.TimeType)
	return ok
}

// IsText recognises texts, ENUM and SET among them; not of bytes.
func IsText(t sql.Type) bool { return types.IsTextOnly(t) || types.IsEnum(t) || types.IsSet(t) }

// wholeDigits are the digits of integers by MySQL.
var wholeDigits = map[sql.Type]uint8{
	types.Boolean: 1, types.Int8: 3, types.Uint8: 3, types.Int16: 5, types.Uint16: 5, types.Int24: 8, types.Uint24: 8,
	types.Int32: 10, types.Uint32: 10, types.Int64: 19, types.Uint64: 20,
}

// CommonNumber is Common of numbers alone.
func CommonNumber(list []sql.Type) sql.Type {
	var before, scale uint8
	exact, unsigned, signed := false, true, false
	for _, t := range list {
		switch d, decimal := t.(sql.DecimalType); {
		case types.IsFloat(t):
			if All(list, func(t sql.Type) bool { return t == types.Float32 || types.IsYear(t) }) {
				return types.Float32
			}
			return types.Float64
		case decimal:
			exact, before, scale = true, max(before, d.Precision()-d.Scale()), max(scale, d.Scale())
		default:
			digits, ok := wholeDigits[t]
			if !ok {
				digits = 20
			}
			before = max(before, digits)
			unsigned = unsigned && !types.IsSigned(t)
			signed = signed || types.IsSigned(t)
		}
	}
	switch {
	case exact || signed && before == 20:
		scale = min(scale, types.DecimalTypeMaxScale)
		return types.MustCreateDecimalType(min(before+scale, types.DecimalTypeMaxPrecision), scale)
	case unsigned:
		return types.Uint64
	}
	return types.Int64
}

// commonText is a VARCHAR in the common collation if all are texts of known lengths.
func commonText(list []sql.Type) sql.Type {
	collation, length, bounded := sql.Collation_Default, int64(0), true
	for _, t := range list {
		text, ok := t.(sql.StringType)
		if !ok {
			bounded = false
			continue
		}
		if c := text.Collation(); c != sql.Collation_Default &&
			(collation == sql.Collation_Default || c.CharacterSet().MaxLength() >= collation.CharacterSet().MaxLength()) {
			collation = c // of the widest characters
		}
		length = max(length, text.MaxCharacterLength())
		bounded = bounded && (text.Type() == sqltypes.VarChar || text.Type() == sqltypes.Char)
	}
	if bounded {
		if typ, err := types.CreateString(sqltypes.VarChar, length, collation); err == nil {
			return typ
		}
	}
	return types.CreateLongText(collation)
}

// Types are the types of expressions.
func Types(list []sql.Expression) []sql.Type {
	all := make([]sql.Type, len(list))
	for i, e := range list {
		all[i] = e.Type()
	}
	return all
}

// Collation is the collation of a text made of arguments, or chosen from them.
func Collation(ctx *sql.Context, arguments []sql.Expression) (sql.CollationID, byte) {
	collation, coercibility := ctx.GetCollation(), byte(6)
	for _, a := range arguments {
		if IsText(a.Type()) {
			other, rank := sql.GetCoercibility(ctx, a)
			if stronger, its := sql.ResolveCoercibility(collation, coercibility, other, rank); its <= rank {
				collation, coercibility = stronger, its
			}
		}
	}
	return collation, min(coercibility, 4)
}
