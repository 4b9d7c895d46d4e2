package wire

import (
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// A column's definition has the width of its values as texts, by which drivers choose types and tools column widths. Connector/J divides the
// length of an INT by the character size of its character set, unless that is binary.

// notFixed is the protocol's number of decimals for "as many as there are". The engine sends 0, by which clients of the C library round.
const notFixed = 31

// characterBytes is the maximum size of a character.
const characterBytes = 4

// Describe turns the definitions of columns into those of MySQL and MariaDB. widths are those of Widths, or nil.
func Describe(fields []*querypb.Field, widths []uint32) {
	for i, f := range fields {
		wide := i < len(widths) && widths[i] > 0
		if sqltypes.IsFloat(f.Type) {
			f.Decimals = notFixed
		}
		switch {
		case wide && (f.Type == sqltypes.Text || f.Type == sqltypes.Char):
			f.Type, f.ColumnLength = sqltypes.VarChar, widths[i]*characterBytes
			if widths[i] == noCharacters {
				f.ColumnLength = 0
			}
		case wide && f.Type == sqltypes.Timestamp:
			f.Decimals = widths[i] - uint32(wholeMoment) - 1
		case wide && sqltypes.IsFloat(f.Type):
			f.Decimals = widths[i] - 1
		case wide:
			f.ColumnLength = widths[i]
		}
		describe(f)
	}
}

func describe(f *querypb.Field) {
	const binary = uint32(querypb.MySqlFlag_BINARY_FLAG)
	switch t := f.Type; {
	case sqltypes.IsIntegral(t), sqltypes.IsFloat(t), t == sqltypes.Decimal, t == sqltypes.Bit, t == sqltypes.Null:
		f.Charset = mysql.CharacterSetBinary
		if f.OrgTable == "" && t != sqltypes.Bit { // a computed column
			f.Flags |= binary
		}
		if t == sqltypes.Year {
			f.Flags |= uint32(querypb.MySqlFlag_ZEROFILL_FLAG | querypb.MySqlFlag_UNSIGNED_FLAG)
		}
	case t == sqltypes.Date, t == sqltypes.Datetime, t == sqltypes.Timestamp, t == sqltypes.Time:
		if t == sqltypes.Timestamp {
			f.Flags |= uint32(querypb.MySqlFlag_UNSIGNED_FLAG)
		}
		f.Charset = mysql.CharacterSetBinary
		f.Flags |= binary
		f.ColumnLength = timeLength(t, f.Decimals)
	case t == sqltypes.Text:
		f.Flags |= uint32(querypb.MySqlFlag_BLOB_FLAG)
	case t == sqltypes.Blob:
		f.Flags |= uint32(querypb.MySqlFlag_BLOB_FLAG) | binary
	}
}

// timeLength is the length of a date or time as text, with the given decimals of a second.
func timeLength(t querypb.Type, decimals uint32) uint32 {
	length := uint32(wholeMoment)
	switch t {
	case sqltypes.Date:
		return uint32(len("2006-01-02"))
	case sqltypes.Time:
		length = uint32(len("-838:59:59"))
	}
	if decimals > 0 {
		length += 1 + decimals
	}
	return length
}
