package coding

import (
	"fmt"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/catalog/sqlite"
	"github.com/anonsql/anonsql/quoting"
)

// TypeText writes a type as SQL, so that ParseType returns it. It writes character set and
// collation unless they are the server's defaults.
func TypeText(typ sql.Type) string {
	switch t := typ.(type) {
	case sql.EnumType:
		return "enum(" + quoting.Texts(t.Values()...) + ")" + collationText(t.CharacterSet(), t.Collation())
	case sql.SetType:
		return "set(" + quoting.Texts(t.Values()...) + ")" + collationText(t.CharacterSet(), t.Collation())
	}
	return typ.String()
}

func collationText(set sql.CharacterSetID, collation sql.CollationID) string {
	text := ""
	if set != sql.Collation_Default.CharacterSet() {
		text += " CHARACTER SET " + set.String()
	}
	if collation != sql.Collation_Default {
		text += " COLLATE " + collation.Name()
	}
	return text
}

// parsed caches types: a schema has few, and parsing one starts the SQL parser.
var parsed sync.Map // text -> sql.Type

// ParseColumn parses the text of TypeText as the type of a column to assign to.
func ParseColumn(text string) (sql.Type, error) {
	if typ, ok := declared.Parse(text); ok {
		return typ, nil
	}
	return ParseType(text)
}

// ParseType parses the text of TypeText as the type of values that are read.
func ParseType(text string) (sql.Type, error) {
	if typ, ok := declared.Parse(text); ok {
		return typ.Read(), nil
	}
	if typ, ok := parsed.Load(text); ok {
		return typ.(sql.Type), nil
	}
	typ, err := planbuilder.ParseColumnTypeString(text)
	if err != nil {
		return nil, fmt.Errorf("%q is not a column type: %w", text, err)
	}
	// A string type without a collation means the default here, not the table's.
	if c, ok := typ.(sql.TypeWithCollation); ok && c.Collation() == sql.Collation_Unspecified {
		if typ, err = c.WithNewCollation(sql.Collation_Default); err != nil {
			return nil, err
		}
	}
	// The engine rounds values that it compares with a DECIMAL column to the column's scale:
	// 1.495 would equal 1.50. It does not round for a DECIMAL without a column.
	if d, ok := typ.(sql.DecimalType); ok {
		if typ, err = types.CreateDecimalType(d.Precision(), d.Scale()); err != nil {
			return nil, err
		}
	}
	parsed.Store(text, typ)
	return typ, nil
}

// CheckType refuses types that cannot be stored without loss.
func CheckType(column string, typ sql.Type) error {
	if typ == types.Null {
		return sql.ErrUnsupportedFeature.New(fmt.Sprintf("column %q has no type, as all it has is NULL: give it one, as in CAST(NULL AS CHAR(20))", column))
	}
	if KindOf(typ) == KindUnsupported {
		return fmt.Errorf("column %q: type %s is not supported", column, typ)
	}
	back, err := ParseColumn(TypeText(typ))
	if err != nil {
		return fmt.Errorf("column %q: type %s is not supported: %w", column, typ, err)
	}
	if !back.Equals(typ) {
		return fmt.Errorf("column %q: type %s is not supported: it reads back as %s", column, TypeText(typ), TypeText(back))
	}
	return nil
}

// A Kind is one way of storing values.
type Kind uint8

const (
	KindUnsupported Kind = iota
	KindSigned           // every signed integer, and year
	KindUnsigned         // every unsigned integer, bit, enum, set: the bits of an int64
	KindFloat32
	KindFloat64
	KindDecimal // text with all decimal places, so that equal values have equal texts
	KindText
	KindBinary
	KindInstant // microseconds since 1970, UTC
	KindTime    // microseconds
	KindJSON
)

// KindOf returns how values of a type are stored; KindUnsupported if they cannot be.
func KindOf(typ sql.Type) Kind {
	switch typ.Type() {
	case querypb.Type_INT8, querypb.Type_INT16, querypb.Type_INT24, querypb.Type_INT32, querypb.Type_INT64, querypb.Type_YEAR:
		return KindSigned
	case querypb.Type_UINT8, querypb.Type_UINT16, querypb.Type_UINT24, querypb.Type_UINT32, querypb.Type_UINT64,
		querypb.Type_BIT, querypb.Type_ENUM, querypb.Type_SET:
		return KindUnsigned
	case querypb.Type_FLOAT32:
		return KindFloat32
	case querypb.Type_FLOAT64:
		return KindFloat64
	case querypb.Type_DECIMAL:
		return KindDecimal
	case querypb.Type_CHAR, querypb.Type_VARCHAR, querypb.Type_TEXT:
		return KindText
	case querypb.Type_BINARY, querypb.Type_VARBINARY, querypb.Type_BLOB:
		return KindBinary
	case querypb.Type_DATE, querypb.Type_DATETIME, querypb.Type_TIMESTAMP:
		return KindInstant
	case querypb.Type_TIME:
		return KindTime
	case querypb.Type_JSON:
		if _, ok := typ.(types.JsonType); ok {
			return KindJSON
		}
	}
	return KindUnsupported
}

// CollationOf returns the SQLite collation for comparisons of a column.
func CollationOf(typ sql.Type) string {
	if KindOf(typ) != KindText {
		return "BINARY"
	}
	return sqlite.CollationName(typ.(sql.TypeWithCollation).Collation())
}

// Numeric reports whether the type's values are points of the number line.
func (c Codec) Numeric() bool {
	switch c.Kind {
	case KindSigned, KindFloat32, KindFloat64, KindDecimal, KindInstant, KindTime:
		return true
	case KindUnsigned:
		_, isEnum := c.Type.(sql.EnumType)
		_, isSet := c.Type.(sql.SetType)
		return !isEnum && !isSet
	}
	return false
}
