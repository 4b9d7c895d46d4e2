package scalar

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/values"
)

// TextFunction converts its argument to a text. It wraps dates and FLOATs among the arguments of text functions: the engine writes
// dates with a time of day, and FLOATs with more than six digits.
const TextFunction = "__anon_text"

// CountFunction converts its argument to a number of characters.
const CountFunction = "__anon_count"

// ofTexts are the functions whose arguments are texts.
var ofTexts = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields("concat concat_ws left right substring substr mid lower lcase upper ucase length octet_length bit_length " +
		"char_length character_length replace reverse lpad rpad repeat space trim ltrim rtrim instr locate position substring_index ascii ord hex md5 sha sha1 " +
		"sha2 quote insert field find_in_set elt strcmp to_base64 json_object json_array crc32 regexp_like regexp_replace regexp_substr regexp_instr") {
		all[name] = true
	}
	return all
}()

var writtenDate = &builtin.Definition{
	Name: TextFunction,
	Type: builtin.Constant(types.LongText),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		return coercion.Text(ctx, v[0], c.OperandType(0))
	},
}

// writtenDocument converts a JSON value to a text. The engine takes the value for bytes, or its text for JSON.
var writtenDocument = &builtin.Definition{Name: TextFunction, Type: builtin.Constant(types.LongText), OfDocuments: true, Value: writtenDate.Value}

// counts are the indexes of the arguments of text functions that are counts or positions.
var counts = map[string][]int{
	"left": {1}, "right": {1}, "substring": {1, 2}, "substr": {1, 2}, "mid": {1, 2}, "lpad": {1}, "rpad": {1}, "repeat": {1}, "space": {0}, "elt": {0},
	"insert": {1, 2}, "locate": {2}, "substring_index": {2}, "regexp_substr": {2, 3}, "regexp_instr": {2, 3, 4}, "regexp_replace": {3, 4},
}

// manyCharacters exceeds the length of every text.
const manyCharacters = 1 << 40

// counted converts a count to an integer, clamped so that no sum overflows. Of a text it reads the leading digits.
var counted = &builtin.Definition{
	Name:  CountFunction,
	Least: 1,
	Most:  1,
	Type:  builtin.Constant(types.Int64),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		n, err := coercion.LargeWhole(ctx, v[0], c.OperandType(0))
		switch {
		case err != nil:
			return nil, err
		case n.CmpAbs(big.NewInt(manyCharacters)) > 0:
			return int64(n.Sign()) * manyCharacters, nil
		}
		return n.Int64(), nil
	},
}

// shortWholes are the integer types whose values are below manyCharacters.
var shortWholes = []sql.Type{types.Int8, types.Int16, types.Int24, types.Int32, types.Uint8, types.Uint16, types.Uint24, types.Uint32}

// exactlyWritten converts an argument to a text with the given number of decimals, which its type does not determine.
func exactlyWritten(e sql.Expression, decimals int) sql.Expression {
	value := func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		switch number := v[0].(type) {
		case float64:
			return strconv.FormatFloat(number, 'f', decimals, 64), nil
		case float32:
			return strconv.FormatFloat(float64(number), 'f', decimals, 64), nil
		}
		s, err := coercion.Text(ctx, v[0], c.OperandType(0))
		return coercion.Padded(s, decimals), err
	}
	return (&builtin.Definition{Name: TextFunction, Type: builtin.Constant(types.LongText), Value: value}).Call(e)
}

// OfEnum converts an ENUM or a SET to a text, and leaves other expressions unchanged.
func OfEnum(e sql.Expression) sql.Expression {
	if t := e.Type(); types.IsEnum(t) || types.IsSet(t) {
		return writtenDate.Call(e)
	}
	return e
}

// ForVariable prepares a value for a user variable. Dates, times, ENUMs and SETs become texts, and texts keep their collation there;
// other values are unchanged.
func ForVariable(e sql.Expression) sql.Expression {
	text := OfEnum(Moment(e))
	if types.IsTextOnly(text.Type()) {
		return collatedText.Call(text)
	}
	return text
}

var collatedText = &builtin.Definition{
	Name: "__anon_collated",
	Type: builtin.Constant(types.LongText),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		return values.Assigned(ctx, c.Operands[0], v[0]), nil
	},
}

// Moment converts a date or a time to a text, and leaves other expressions unchanged.
func Moment(e sql.Expression) sql.Expression {
	t := e.Type()
	if !coercion.IsInstant(t) && !coercion.IsTimespan(t) {
		return e
	}
	column, ok := e.(*expression.GetField)
	if ok && column.Database() != "" && !types.IsDateType(t) && coercion.DecimalsOf(t) == maxDecimals { // computed values have six if their number is unknown
		return exactlyWritten(e, maxDecimals)
	}
	return writtenDate.Call(e)
}

// maxDecimals is the maximum number of decimals of a second.
const maxDecimals = 6

// Text converts a date, a time, a FLOAT or a DOUBLE to a text, and leaves other expressions unchanged.
func Text(e sql.Expression) sql.Expression {
	if t, ok := e.Type().(declared.Float); ok && t.Decimals() >= 0 {
		return exactlyWritten(e, t.Decimals())
	}
	if t := declared.Read(e.Type()); t == types.Float32 || t == types.Float64 {
		return writtenDate.Call(e)
	}
	return Moment(e)
}

// writtenText is CAST(x AS CHAR).
func writtenText(e sql.Expression) sql.Expression {
	if types.IsBit(e.Type()) { // its bytes
		return writtenDate.Call(e)
	}
	if written := Text(e); written != e {
		return written
	}
	return expression.NewConvert(e, expression.ConvertToChar)
}

// Number converts a date, a time or a text to a number: 20241231, 235959, or the leading number of the text. Dates and TIME
// columns become exact numbers, other TIMEs DOUBLEs, since the engine does not know their decimals.
func Number(e sql.Expression) sql.Expression {
	switch t := e.Type(); {
	case coercion.IsInstant(t):
		return temporalNumber.Call(e)
	case coercion.IsTimespan(t) && hasDecimals(e):
		return temporalNumber.Call(e)
	}
	return doubleCast.Call(e)
}

// hasDecimals reports whether the number of decimals of a TIME is known.
func hasDecimals(e sql.Expression) bool {
	switch own := e.(type) {
	case *expression.GetField:
		return own.Database() != "" || e.Type() != types.Time
	case *expression.Literal:
		return true
	}
	return e.Type() != types.Time
}

// decimalsOf returns the number of decimals of a second.
func decimalsOf(e sql.Expression) int {
	if literal, ok := e.(*expression.Literal); ok {
		if span, ok := literal.Value().(types.Timespan); ok && span%1e6 == 0 {
			return 0
		}
	}
	return coercion.DecimalsOf(e.Type())
}

var temporalNumber = &builtin.Definition{
	Name: NumberFunction,
	Type: func(arguments []sql.Expression) sql.Type {
		decimals := decimalsOf(arguments[0])
		if decimals == 0 {
			return types.Int64
		}
		return types.MustCreateDecimalType(uint8(14+decimals), uint8(decimals))
	},
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		if typ, ok := c.Type().(sql.DecimalType); ok {
			d, err := coercion.Exact(ctx, v[0], c.OperandType(0))
			return d.Add(decimal.New(0, -int32(typ.Scale()))), err // with its zeros
		}
		return coercion.NearestBigint(ctx, v[0], c.OperandType(0))
	},
}

// As converts an expression to a type that [coercion.Common] has found. A whole number that is estimated after that keeps its fraction.
func As(e sql.Expression, typ sql.Type) sql.Expression {
	whole := types.IsInteger(typ) && types.IsInteger(e.Type())
	to := func(operands []sql.Expression) sql.Type {
		if of := operands[0].Type(); whole && !types.IsInteger(of) {
			return of
		}
		return typ
	}
	return (&builtin.Definition{Name: AsFunction, Type: to, Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		return coercion.As(ctx, v[0], c.OperandType(0), to(c.Operands))
	}}).Call(e)
}

const AsFunction = "__anon_as"

// ofManyTexts are the functions that take texts after the first argument. Other functions take numbers there.
var ofManyTexts = map[string]bool{"concat": true, "concat_ws": true, "replace": true, "strcmp": true}

// ofValues are the functions that format numbers themselves, or select by them.
var ofValues = map[string]bool{"hex": true, "elt": true, "field": true, "json_object": true, "json_array": true}

// ofNumbers are the functions whose engine version fails for a number, or returns its type.
var ofNumbers = map[string]bool{"reverse": true, "substring": true, "substr": true, "mid": true, "left": true, "right": true}

// Written makes a text function receive its arguments as MySQL writes them. It returns other functions unchanged.
func Written(f sql.Function) sql.Function {
	if !ofTexts[strings.ToLower(f.FunctionName())] {
		return f
	}
	name := strings.ToLower(f.FunctionName())
	return sql.FunctionN{Name: f.FunctionName(), Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		arguments = withCounts(name, arguments)
		if ofBytes[name] && slices.ContainsFunc(coercion.Types(arguments), isBytes) {
			return onBytes(f, arguments)
		}
		given := make([]sql.Expression, len(arguments))
		for i, a := range arguments {
			given[i] = Moment(a)
			if !ofValues[name] && (i == 0 || ofManyTexts[name]) {
				given[i] = Text(a)
			}
			if name == "hex" && (types.IsFloat(a.Type()) || types.IsDecimal(a.Type())) {
				given[i] = bitsOfNumber.Call(a)
			}
			if ofNumbers[name] && i == 0 && given[i] == a && coercion.IsNumber(a.Type()) {
				given[i] = expression.NewConvert(a, expression.ConvertToChar)
			}
		}
		return f.NewInstance(given)
	}}
}

// bitsOfNumber rounds a number to the whole one that HEX writes: that of all bits beyond BIGINT.
var bitsOfNumber = &builtin.Definition{
	Name: "__anon_bits",
	Type: builtin.Constant(types.Uint64),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		n, err := coercion.Float(ctx, v[0], c.OperandType(0))
		switch n = math.Round(n); {
		case n <= math.MinInt64 || n >= math.MaxUint64:
			return uint64(math.MaxUint64), err
		case n < 0:
			return uint64(int64(n)), err
		}
		return uint64(n), err
	},
}

// withCounts converts the counts among the arguments of a text function to integers, and documents to texts unless the function makes a document.
func withCounts(name string, arguments []sql.Expression) []sql.Expression {
	given := slices.Clone(arguments)
	for i, a := range arguments {
		switch {
		case slices.Contains(counts[name], i):
			if !slices.Contains(shortWholes, a.Type()) {
				given[i] = counted.Call(a)
			}
		case types.IsJSON(a.Type()) && !strings.HasPrefix(name, "json_"):
			given[i] = writtenDocument.Call(a)
		}
	}
	return given
}
