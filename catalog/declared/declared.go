package declared

import (
	"regexp"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// A Column is a column type that rounds assigned values.
type Column interface {
	sql.Type
	// Read returns the type of values read from such a column.
	Read() sql.Type
}

// Read returns the type of values read from a column.
func Read(typ sql.Type) sql.Type {
	if column, ok := typ.(Column); ok {
		return column.Read()
	}
	return typ
}

var declaration = regexp.MustCompile(`^(time|float|double|decimal)(?:\(([0-9]+)(?:,([0-9]+))?\))?( unsigned)?$`)

// Parse parses the text of a type of this package; false for others.
func Parse(text string) (Column, bool) {
	found := declaration.FindStringSubmatch(text)
	if found == nil {
		return nil, false
	}
	return declare(found[1], found[2], found[3], found[4] != "")
}

// TypeOf returns the type of a column that a statement defines; false for the engine's types.
func TypeOf(column *sqlparser.ColumnType) (Column, bool) {
	digits := func(v *sqlparser.SQLVal) string {
		if v == nil {
			return ""
		}
		return string(v.Val)
	}
	name, ok := names[column.SQLType()]
	if !ok {
		return nil, false
	}
	return declare(name, digits(column.Length), digits(column.Scale), bool(column.Unsigned))
}

func declare(name, length, scale string, unsigned bool) (Column, bool) {
	digits, wrong := strconv.Atoi("0" + length)
	decimals, alsoWrong := strconv.Atoi("0" + scale)
	switch {
	case wrong != nil || alsoWrong != nil:
		return nil, false
	case name == "time":
		return Time{decimals: digits, assigned: true}, scale == "" && !unsigned && digits < maxDecimals
	case name == "decimal":
		return newDecimal(digits, decimals, unsigned)
	case scale == "":
		return newShortFloat(name, digits, unsigned)
	case digits <= maxDigits && decimals <= min(digits, maxScale):
		return newFloat(name, digits, decimals, unsigned), true
	}
	return nil, false
}

// MySQL's bounds.
const (
	maxDecimals = 6
	maxDigits   = 255
	maxScale    = 30
	maxOfFloat  = 24 // FLOAT(n) is a DOUBLE beyond
	maxOfDouble = 53
)

var _ types.TimeType = Time{}
