package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// MySQL's error numbers.
const (
	invalidStored  = 3140
	invalidText    = 3141
	invalidPath    = 3143
	wrongArguments = 1210
	incorrectType  = 3064
	binaryText     = 3144
	invalidType    = 3146
	wildcardInPath = 3149
	vacuousPath    = 3153
	oneOrAll       = 3154
	tooDeep        = 3157
	nullName       = 3158
	noCellPath     = 3165
	deepest        = 100 // maximum levels of a document
)

var (
	errTooDeep  = sqlerror.New(tooDeep, "The JSON document exceeds the maximum depth.")
	errNullName = sqlerror.New(nullName, "JSON documents may not contain NULL member names.")
)

// A mistake is a syntax error at a byte offset of a text.
type mistake struct {
	what string
	at   int64
}

func (m *mistake) Error() string { return fmt.Sprintf("%q at position %d", m.what, m.at) }

// Parse parses a JSON text. Integers stay exact, other numbers become DOUBLEs.
func Parse(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, mistakeOf(err, text)
	}
	if rest := strings.TrimLeft(text[decoder.InputOffset():], " \t\r\n"); rest != "" {
		return nil, &mistake{"The document root must not be followed by other values.", int64(len(text) - len(rest))}
	}
	if v, err := coding.Numbered(v); err == nil {
		return v, nil
	}
	return nil, &mistake{"Number too big to be stored in double.", 0}
}

func mistakeOf(err error, text string) error {
	var wrong *json.SyntaxError
	switch {
	case err == io.EOF:
		return &mistake{"The document is empty.", 0}
	case errors.As(err, &wrong) && wrong.Offset > 0:
		return &mistake{"Invalid value.", wrong.Offset - 1}
	}
	return &mistake{"Invalid value.", int64(len(text))}
}

// depth returns the number of levels of a document, at most one more than allowed.
func depth(v any, above int) int {
	most := above + 1
	if above > deepest {
		return above
	}
	switch own := v.(type) {
	case []any:
		for _, element := range own {
			most = max(most, depth(element, above+1))
		}
	case map[string]any:
		for _, element := range own {
			most = max(most, depth(element, above+1))
		}
	}
	return most
}

// document converts an argument of a function to a document.
func document(v any, t sql.Type, function string, place int) (any, error) {
	switch own := v.(type) {
	case sql.JSONWrapper:
		return own.ToInterface()
	case []byte:
		if types.IsBinaryType(t) {
			return nil, sqlerror.New(binaryText, "Cannot create a JSON value from a string with CHARACTER SET 'binary'.")
		}
		return read(string(own), function, place)
	case string:
		return read(own, function, place)
	}
	return nil, sqlerror.New(invalidType, fmt.Sprintf(
		"Invalid data type for JSON data in argument %d to function %s; a JSON string or JSON type is required.", place, function))
}

func read(text, function string, place int) (any, error) {
	doc, err := Parse(text)
	if err != nil {
		return nil, sqlerror.New(invalidText, fmt.Sprintf("Invalid JSON text in argument %d to function %s: %v.", place, function, err))
	}
	if depth(doc, 0) > deepest {
		return nil, errTooDeep
	}
	return doc, nil
}

// Value converts an SQL value to an element of a document. A text becomes a JSON string.
func Value(ctx *sql.Context, v any, t sql.Type) (any, error) {
	if types.IsEnum(t) || types.IsSet(t) {
		return coercion.Text(ctx, v, t)
	}
	switch own := v.(type) {
	case nil, bool, int64, uint64, float64, string:
		return own, nil
	case decimal.Decimal:
		return own, nil
	case sql.JSONWrapper:
		return own.ToInterface()
	case int8, int16, int32, int:
		n, _, err := types.Int64.Convert(ctx, own)
		return n, err
	case uint8, uint16, uint32, uint:
		n, _, err := types.Uint64.Convert(ctx, own)
		return n, err
	case float32:
		return float64(own), nil
	}
	return coercion.Text(ctx, v, t)
}
