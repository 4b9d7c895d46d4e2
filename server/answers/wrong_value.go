package answers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// InsertErrors adds the column of schema to the errors of an INSERT's rows.
func InsertErrors(rows sql.RowIter, schema sql.Schema) sql.RowIter { return insertRows{rows, schema} }

// insertRows are the rows of an INSERT. The engine recognises the inner iterator by its
// type and wraps it in a counter, so it must be able to unwrap it (sql.MutableRowIter).
type insertRows struct {
	sql.RowIter
	schema sql.Schema
}

var _ sql.MutableRowIter = insertRows{}

// GetChildIter implements sql.MutableRowIter.
func (r insertRows) GetChildIter() sql.RowIter { return r.RowIter }

// WithChildIter implements sql.MutableRowIter.
func (r insertRows) WithChildIter(child sql.RowIter) sql.RowIter {
	return insertRows{child, r.schema}
}

func (r insertRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil {
		err = sqlerror.Typed(withColumn(ctx, r.schema, err))
	}
	return row, err
}

// withColumn finds the first value of the refused row that does not fit its column.
// Other errors, such as a duplicate key, stay unchanged.
func withColumn(ctx *sql.Context, schema sql.Schema, err error) error {
	var refused sql.WrappedInsertError
	if !errors.As(err, &refused) || len(refused.OffendingRow) < len(schema) {
		return err
	}
	for i, c := range schema {
		value := refused.OffendingRow[i]
		if value == nil {
			continue
		}
		if _, inRange, cause := c.Type.Convert(ctx, value); cause != nil || !inRange {
			return wrongValue(refused.Cause, c, value)
		}
	}
	return err
}

// longestShown bounds the part of a value in a message, in bytes.
const longestShown = 400

// wrongValue is MySQL's error for a value that does not fit, some with the column's type added.
func wrongValue(cause error, c *sql.Column, value any) error {
	text := strings.TrimPrefix(cause.Error(), "error: ")
	number := sqlerror.NumberOf(cause)
	shown := fmt.Sprint(value)
	if b, ok := value.([]byte); ok {
		shown = string(b)
	}
	if len(shown) > longestShown {
		shown = strings.ToValidUTF8(shown[:longestShown], "") + "..."
	}
	switch number {
	case sqlerror.OutOfRange:
		return sqlerror.New(number, fmt.Sprintf("Out of range value for column '%s': %s does not fit %s", c.Name, shown, PlainType(c.Type)))
	case sqlerror.Truncated:
		return sqlerror.New(number, fmt.Sprintf("Data truncated for column '%s': '%s' is no value of %s", c.Name, shown, PlainType(c.Type)))
	case sqlerror.WrongTemporal, sqlerror.WrongValue:
		kind, _, _ := strings.Cut(PlainType(c.Type), "(")
		return sqlerror.New(number, fmt.Sprintf("Incorrect %s value: '%s' for column '%s'", kind, shown, c.Name))
	}
	if types.ErrLengthBeyondLimit.Is(cause) || number == sqlerror.TooLong || types.IsBit(c.Type) {
		return sqlerror.New(sqlerror.TooLong, fmt.Sprintf("Data too long for column '%s': '%s' does not fit %s", c.Name, shown, PlainType(c.Type)))
	}
	if !strings.Contains(text, "'"+c.Name+"'") {
		text += " for column '" + c.Name + "'"
	}
	return sqlerror.New(number, text)
}

// PlainType writes a type without the collation, as MySQL's SHOW COLUMNS does.
func PlainType(typ sql.Type) string {
	if t, ok := typ.(sql.TypeWithCollation); ok {
		return QuotedMembers(typ, t.StringWithTableCollation(t.Collation()))
	}
	return typ.String()
}

// HasMembers reports whether a type is an ENUM or a SET.
func HasMembers(typ sql.Type) bool { return types.IsEnum(typ) || types.IsSet(typ) }

// QuotedMembers is the text of a type with its members as literals; the engine quotes them without escaping.
func QuotedMembers(typ sql.Type, text string) string {
	if of, ok := typ.(interface{ Values() []string }); ok && HasMembers(typ) {
		members := of.Values()
		return strings.Replace(text, "'"+strings.Join(members, "','")+"'", quoting.Texts(members...), 1)
	}
	return text
}
