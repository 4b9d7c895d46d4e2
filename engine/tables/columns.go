package tables

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A column of a table in the engine.
type column struct {
	name     string
	declared string // the engine's type
	nullable bool
	typ      sql.Type // type of the kept values; a stand-in if refused is not ""
	ask      string   // expression for the kept values
	class    class
	refused  string // why its values cannot be read, "" if they can
}

// A class says what a column may be compared with.
type class int

const (
	number class = iota
	text
	moment
	flag // TRUE is 1
)

// describe reads the columns of a table or view.
func (h *Home) describe(ctx context.Context, schema, name string) (columns []*column, err error) {
	query := fmt.Sprintf("SELECT column_name, data_type, is_nullable FROM %s WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position",
		of.Name(h.Catalog, "information_schema", "columns"), of.Text(schema), of.Text(name))
	err = h.Asker.Query(ctx, query, func(v []any) error {
		texts, err := textsOf(v, 3)
		if err != nil {
			return err
		}
		c := &column{name: texts[0], declared: texts[1], nullable: texts[2] != "NO"}
		c.read()
		columns = append(columns, c)
		return nil
	})
	if err != nil || len(columns) > 0 {
		return columns, err
	}
	// The engine says whether the table does not exist or is hidden from anonsql's account.
	if err := h.Asker.Query(ctx, "SELECT 1 FROM "+h.path(schema, name)+" LIMIT 0", func([]any) error { return nil }); err != nil {
		return nil, err
	}
	return nil, sql.ErrTableNotFound.New(name)
}

// textsOf returns the values of a row of n texts.
func textsOf(values []any, n int) ([]string, error) {
	texts := make([]string, 0, n)
	for _, v := range values {
		if s, ok := v.(string); ok {
			texts = append(texts, s)
		}
	}
	if len(texts) != n {
		return nil, fmt.Errorf("a row of the engine is %v, must be %d texts", values, n)
	}
	return texts, nil
}

// maxPlaces is the number of fractional digits of a second.
const maxPlaces = 6

// longestText is the greatest length of a VARCHAR with four bytes per character.
const longestText = 16_383

// binary is the collation that agrees with the engine: it compares all characters, including trailing spaces.
const binary = " CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin"

// read determines how values of the engine's type are kept and selected.
func (c *column) read() {
	c.ask = of.Name(c.name)
	kind, rest, _ := strings.Cut(c.declared, "(")
	arguments, after, _ := strings.Cut(rest, ")")
	kept := ""
	switch length, _ := strconv.Atoi(arguments); {
	case after != "": // a time with a zone, or types within the type
	case kind == "boolean":
		kept, c.class, c.ask = "tinyint(1)", flag, "CAST("+c.ask+" AS TINYINT)"
	case kind == "tinyint" || kind == "smallint" || kind == "bigint" || kind == "double":
		kept = kind
	case kind == "integer":
		kept = "int"
	case kind == "real":
		kept = "float"
	case kind == "decimal":
		kept = c.declared
	case kind == "date":
		kept, c.class = "date", moment
	case kind == "timestamp" && arguments != "" && length <= maxPlaces:
		kept, c.class = fmt.Sprintf("datetime(%d)", length), moment
	case kind == "varchar" && length > 0 && length <= longestText:
		kept, c.class = c.declared+binary, text
	case kind == "varchar":
		kept, c.class = "longtext"+binary, text
	case kind == "char": // the engine pads its answers with spaces
		kept, c.class, c.ask = "varchar("+arguments+")"+binary, text, "trim(TRAILING ' ' FROM "+of.Cast(c.ask, dialect.Text)+")"
	case kind == "uuid":
		kept, c.class, c.ask = "varchar(36)"+binary, text, of.Cast(c.ask, dialect.Text)
	}
	parsed, err := coding.ParseType(kept)
	if kept == "" || err != nil {
		c.refused = fmt.Sprintf("its type is %s, which has no place in a release: cast it in a view", c.declared)
		parsed, _ = coding.ParseType("longtext")
	}
	c.typ = parsed
}

// Value converts an engine's value to the kept one.
func (c *column) Value(ctx *sql.Context, v any) (anonymize.Value, error) {
	kept, err := ValueOf(ctx, c.typ, v)
	if err != nil {
		return kept, c.wrong(v, err)
	}
	return kept, nil
}

// ValueOf converts an engine's value to what a column of a type keeps. It fails for NaN, infinity and values outside the type's range.
func ValueOf(ctx context.Context, typ sql.Type, v any) (anonymize.Value, error) {
	if v == nil {
		return anonymize.NullValue, nil
	}
	if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return anonymize.NullValue, fmt.Errorf("it is no number")
	}
	return homes.Convert(ctx, typ, v)
}

// wrong returns an error that names the column and the value.
func (c *column) wrong(v any, err error) error {
	if at, ok := v.(time.Time); ok {
		v = at.Format(time.RFC3339Nano)
	}
	return &anonymize.DataError{Reason: fmt.Sprintf("column %s has the value '%.40v', which cannot be read: %v", c.name, v, err)}
}

// isExact reports whether sums are independent of order: integers and decimals.
func (c *column) isExact() bool {
	switch coding.KindOf(c.typ) {
	case coding.KindSigned, coding.KindDecimal:
		return true
	}
	return false
}

// isFloat reports REAL, which the engine compares with fewer digits than the product.
func (c *column) isFloat() bool { return coding.KindOf(c.typ) == coding.KindFloat32 }
