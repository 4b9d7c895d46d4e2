package scalar

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// TextFunction is its argument as a text. It stands in for dates among the arguments of
// functions of texts, for which the engine writes them with a time of the day.
const TextFunction = "__anon_text"

// ofTexts are functions whose arguments are texts.
var ofTexts = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields("concat concat_ws left right substring substr mid lower lcase upper ucase length octet_length bit_length " +
		"char_length character_length replace reverse lpad rpad repeat trim ltrim rtrim locate position substring_index ascii ord hex md5 sha sha1 " +
		"sha2 quote insert field find_in_set elt strcmp to_base64 json_object json_array crc32 regexp_like regexp_replace regexp_substr regexp_instr") {
		all[name] = true
	}
	return all
}()

var writtenDate = &builtin.Definition{
	Name: TextFunction,
	Type: builtin.Constant(types.LongText),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		return coercion.Text(ctx, v[0], c.Of(0))
	},
}

// OfEnum is an ENUM or a SET as a text, and all else as it is.
func OfEnum(e sql.Expression) sql.Expression {
	if t := e.Type(); types.IsEnum(t) || types.IsSet(t) {
		return writtenDate.Call(e)
	}
	return e
}

// Text is a date or a time as a text, and all else as it is.
func Text(e sql.Expression) sql.Expression {
	if t := e.Type(); coercion.IsInstant(t) || coercion.IsTimespan(t) {
		return writtenDate.Call(e)
	}
	return e
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

// Number is a date, a time, or a text, as a number: 20241231, 235959, or what the text begins with. That of a date, and of a TIME
// of a column, is exact; the engine's TIMEs do not say how many decimals they have.
func Number(e sql.Expression) sql.Expression {
	switch t := e.Type(); {
	case coercion.IsInstant(t):
		return temporalNumber.Call(e)
	case coercion.IsTimespan(t) && hasDecimals(e):
		return temporalNumber.Call(e)
	}
	return doubleCast.Call(e)
}

// hasDecimals tells of a TIME whose decimals are known.
func hasDecimals(e sql.Expression) bool {
	switch own := e.(type) {
	case *expression.GetField:
		return own.Database() != "" || e.Type() != types.Time
	case *expression.Literal:
		return true
	}
	return e.Type() != types.Time
}

// decimalsOf are those of a second.
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
			d, err := coercion.Exact(ctx, v[0], c.Of(0))
			return d.Add(decimal.New(0, -int32(typ.Scale()))), err // with its zeros
		}
		return coercion.Whole(ctx, v[0], c.Of(0))
	},
}

// As is an expression as one of a type that Common has found.
func As(e sql.Expression, typ sql.Type) sql.Expression {
	return (&builtin.Definition{Name: AsFunction, Type: builtin.Constant(typ), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		return coercion.As(ctx, v[0], c.Of(0), typ)
	}}).Call(e)
}

const AsFunction = "__anon_as"

// ofNumbers fail for numbers, or would have their type.
var ofNumbers = map[string]bool{"reverse": true, "substring": true, "substr": true, "mid": true, "left": true, "right": true}

// Written is a function that gets dates as MySQL writes them, where it is one of texts.
func Written(f sql.Function) sql.Function {
	if !ofTexts[strings.ToLower(f.FunctionName())] {
		return f
	}
	numbers := ofNumbers[strings.ToLower(f.FunctionName())]
	return sql.FunctionN{Name: f.FunctionName(), Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		if ofBytes[strings.ToLower(f.FunctionName())] && slices.ContainsFunc(coercion.Types(arguments), isBytes) {
			return onBytes(f, arguments)
		}
		given := make([]sql.Expression, len(arguments))
		for i, a := range arguments {
			if given[i] = Text(a); numbers && i == 0 && coercion.IsNumber(a.Type()) {
				given[i] = expression.NewConvert(a, expression.ConvertToChar)
			}
		}
		return f.NewInstance(given)
	}}
}
