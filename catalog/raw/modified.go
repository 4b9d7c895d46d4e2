package raw

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// mended is mendModified; for a new column it returns what fills existing rows: the first
// member of a NOT NULL ENUM without a default, for which the engine has no value.
func mended(old, column *sql.Column) (func(ctx *sql.Context, v any) (any, error), error) {
	if old != nil {
		return mendModified(old, column)
	}
	if types.IsEnum(column.Type) && !column.Nullable && column.Default == nil && column.Generated == nil {
		return func(*sql.Context, any) (any, error) { return uint16(1), nil }, nil
	}
	return nil, nil
}

// mendModified returns a conversion to the values that MySQL makes when a column changes its type; nil where the engine is right. The engine takes
// numbers of members for their texts, a time for a part of a date, and the zero date for a day. Conversions that cannot be repaired are refused.
func mendModified(old, column *sql.Column) (func(ctx *sql.Context, v any) (any, error), error) {
	from, to := old.Type, column.Type
	text := types.IsText(to) && !types.IsJSON(to)
	temporal := types.IsTime(from) || types.IsTimespan(from)
	switch from := from.(type) {
	case sql.EnumType:
		if text {
			return ofNumber(column, func(n uint64) (any, error) { return memberText(from.At(int(n))) }), nil
		}
	case sql.SetType:
		if _, set := to.(sql.SetType); set || text {
			return ofNumber(column, func(n uint64) (any, error) { return from.BitsToString(n) }), nil
		}
	}
	switch {
	case text && types.IsTime(from):
		date := types.IsDateType(from) && !types.IsTimestampType(from) && !types.IsDatetimeType(from)
		return func(ctx *sql.Context, v any) (any, error) {
			written := textOf(v)
			if date {
				written = strings.TrimSuffix(written, " 00:00:00")
			}
			if rest, zero := strings.CutPrefix(written, "0000-01-01"); zero { // the engine's form
				written = "0000-00-00" + rest
			}
			converted, _, err := column.Type.Convert(ctx, written)
			return converted, err
		}, nil
	case temporal && types.IsNumber(to), types.IsTimespan(from) && text, types.IsBinaryType(from) && types.IsNumber(to):
		return nil, mysql.NewSQLError(mysql.ERNotSupportedYet, "42000", "ALTER TABLE cannot make %s of the values of column %s, which are %s: "+
			"ADD COLUMN, UPDATE it with the old one's, and DROP COLUMN the old one", to, old.Name, from)
	}
	return nil, nil
}

// textOf returns a value as text, also that of a VARBINARY.
func textOf(v any) string {
	if bytes, ok := v.([]byte); ok {
		return string(bytes)
	}
	return fmt.Sprint(v)
}

// ofNumber parses the number that the engine made of a value, and converts its text.
func ofNumber(column *sql.Column, text func(n uint64) (any, error)) func(ctx *sql.Context, v any) (any, error) {
	return func(ctx *sql.Context, v any) (any, error) {
		n, err := strconv.ParseUint(textOf(v), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("column %s: %v is no number of members", column.Name, v)
		}
		written, err := text(n)
		if err != nil {
			return nil, err
		}
		converted, inRange, err := column.Type.Convert(ctx, written)
		if err == nil && inRange != sql.InRange {
			err = mysql.NewSQLError(mysql.ERDataTooLong, "22001", "Data too long for column '%s': '%v' does not fit %s", column.Name, written, column.Type)
		}
		return converted, err
	}
}

func memberText(text string, ok bool) (any, error) {
	if !ok {
		return nil, fmt.Errorf("an ENUM has no member of that number")
	}
	return text, nil
}
