package comparison

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/tree"
)

// A kind is a class of types with the same rules.
type kind int

const (
	other   kind = iota // rows, geometries: the engine compares them
	null                // has no say
	instant             // DATE, DATETIME, TIMESTAMP
	clock               // TIME
	number
	text
	member   // ENUM, SET
	document // JSON
)

func kindOf(t sql.Type) kind {
	switch {
	case t == nil || types.IsTuple(t) || types.IsGeometry(t) || types.IsDeferredType(t):
		return other
	case t == types.Null:
		return null
	case types.IsJSON(t):
		return document
	case coercion.IsInstant(t):
		return instant
	case coercion.IsTimespan(t):
		return clock
	case types.IsEnum(t), types.IsSet(t):
		return member
	case coercion.IsNumber(t):
		return number
	case types.IsTextOnly(t), types.IsBinaryType(t):
		return text
	}
	return other
}

// meeting is the type in which expressions are compared, nil if the engine compares them correctly unchanged.
func meeting(ctx *sql.Context, list []sql.Expression) sql.Type {
	var has [document + 1]bool
	for _, e := range list {
		has[kindOf(e.Type())] = true
	}
	switch {
	case has[other], has[document]:
		return nil
	case has[instant]:
		return meetingOfInstants(ctx, list, has)
	case has[clock] && has[number] && !allConstant(ctx, list, timespanOf):
		return types.Float64
	case has[clock]:
		return meetingOfClocks(list, has)
	case has[number] && (has[text] || has[member]):
		return types.Float64
	case has[number]:
		return meetingOfNumbers(list)
	case has[member]:
		return meetingOfMembers(list)
	}
	return nil
}

// meetingOfClocks is the common type of the TIMEs, if they have one, so that an index on a column can be used.
func meetingOfClocks(list []sql.Expression, has [document + 1]bool) sql.Type {
	var typ sql.Type
	differ := false
	for _, e := range list {
		if t := e.Type(); kindOf(t) == clock {
			differ = differ || typ != nil && typ != t
			typ = t
		}
	}
	switch {
	case differ: // in their decimals: the engine would compare texts
		return types.Time
	case has[number] || has[text] || has[member]:
		return typ
	}
	return nil
}

// meetingOfInstants is a DATETIME, unless there are numbers that are not dates.
func meetingOfInstants(ctx *sql.Context, list []sql.Expression, has [document + 1]bool) sql.Type {
	switch {
	case has[number] && !allConstant(ctx, list, instantOf):
		return types.Float64
	case has[number] || has[clock] || has[text] || has[member]:
		return types.DatetimeMaxPrecision
	}
	return nil
}

// allConstant reports whether the numbers of a list are constants that are times.
func allConstant(ctx *sql.Context, list []sql.Expression, read func(*sql.Context, any, sql.Type) (any, bool)) bool {
	return !slices.ContainsFunc(list, func(e sql.Expression) bool {
		if kindOf(e.Type()) != number {
			return false
		}
		v, ok := constant(ctx, e)
		if ok && v != nil {
			_, ok = read(quiet(), v, e.Type())
		}
		return !ok && !isVariable(e)
	})
}

// meetingOfNumbers is nil where the engine compares them exactly.
func meetingOfNumbers(list []sql.Expression) sql.Type {
	var known []sql.Type
	signed, unsigned := false, false
	for _, e := range list {
		t := e.Type()
		if kindOf(t) != number {
			continue
		}
		known = append(known, t)
		unsigned = unsigned || t == types.Uint64 || types.IsBit(t)
		signed = signed || types.IsSigned(t) && !positive(e)
	}
	switch {
	case slices.ContainsFunc(known, types.IsFloat) && slices.ContainsFunc(known, types.IsDecimal): // the engine rounds the DOUBLE
		return types.Float64
	case signed && unsigned && coercion.All(known, isWhole): // which are DOUBLEs to the engine
		return types.MustCreateDecimalType(digitsOfUnsigned, 0)
	case unsigned && coercion.All(known, types.IsInteger): // and so are these
		return types.Uint64
	}
	return nil
}

const digitsOfUnsigned = 20

func isWhole(t sql.Type) bool { return types.IsInteger(t) || types.IsBit(t) || types.IsYear(t) }

// positive recognises a number literal in the range of an unsigned column.
func positive(e sql.Expression) bool {
	literal, ok := e.(*expression.Literal)
	if !ok || literal.Value() == nil {
		return false
	}
	v, _, err := types.Int64.Convert(context.Background(), literal.Value())
	n, isInt := v.(int64)
	return err == nil && isInt && n >= 0
}

// meetingOfMembers is a text in the collation of the first ENUM or SET; nil where all have one type.
func meetingOfMembers(list []sql.Expression) sql.Type {
	for _, e := range list {
		if t, ok := e.Type().(sql.TypeWithCollation); ok && kindOf(e.Type()) == member {
			return types.CreateLongText(t.Collation())
		}
	}
	return types.LongText
}

// numbered are expressions with the numbers of constant texts for these where all others are numbers: an index of integers is
// asked for 7 of '7'.
func numbered(ctx *sql.Context, list []sql.Expression) []sql.Expression {
	numbers, made := false, []sql.Expression(nil)
	for i, e := range list {
		switch kindOf(e.Type()) {
		case number:
			numbers = true
		case null:
		case text:
			if n, ok := hexadecimal(e); ok {
				if made == nil {
					made = slices.Clone(list)
				}
				made[i] = n
				continue
			}
			v, ok := constant(ctx, e)
			if !ok || v == nil {
				return list
			}
			if made == nil {
				made = slices.Clone(list)
			}
			made[i] = numberOf(v, e.Type())
		default:
			return list
		}
	}
	if made == nil || !numbers {
		made = list
	}
	return yearly(ctx, made)
}

// hexadecimal converts a literal of bytes that is compared with a number: its last eight bytes.
func hexadecimal(e sql.Expression) (sql.Expression, bool) {
	literal, ok := e.(*expression.Literal)
	if !ok {
		return nil, false
	}
	digits, ok := literal.Value().([]byte)
	if !ok {
		return nil, false
	}
	n := uint64(0)
	for _, b := range digits {
		n = n<<8 | uint64(b)
	}
	if n <= math.MaxInt64 {
		return expression.NewLiteral(int64(n), types.Int64), true
	}
	return expression.NewLiteral(n, types.Uint64), true
}

// yearly converts constants of two digits that are compared with a YEAR to years.
func yearly(ctx *sql.Context, list []sql.Expression) []sql.Expression {
	if !slices.ContainsFunc(list, func(e sql.Expression) bool { return types.IsYear(e.Type()) }) {
		return list
	}
	made := slices.Clone(list)
	for i, e := range list {
		if v, ok := constant(ctx, e); ok && v != nil && kindOf(e.Type()) == number {
			if n, err := coercion.Float(quiet(), v, e.Type()); err == nil && n >= 1 && n < century && n == math.Trunc(n) {
				made[i] = expression.NewLiteral(int64(coercion.Century(int(n))), types.Int64)
			}
		}
	}
	return made
}

const century = 100

// numberOf is the number that a text begins with: a BIGINT, a DECIMAL, or a DOUBLE where it is written as one.
func numberOf(v any, t sql.Type) sql.Expression {
	ctx := quiet()
	s, err := coercion.Text(ctx, v, t)
	if err == nil && coercion.IsNumeral(s) && !strings.ContainsAny(s, "eE") && len(s) < types.DecimalTypeMaxScale {
		d, err := coercion.Exact(ctx, v, t)
		if err == nil && d.IsInteger() && d.BigInt().IsInt64() {
			return expression.NewLiteral(d.IntPart(), types.Int64)
		} else if err == nil {
			return expression.NewLiteral(d, types.MustCreateDecimalType(types.DecimalTypeMaxPrecision, uint8(max(-d.Exponent(), 0))))
		}
	}
	f, _ := coercion.Float(ctx, v, t)
	return expression.NewLiteral(f, types.Float64)
}

// convert converts an expression to the type of its comparison. A constant is converted at once; one that cannot be converted
// stays, and is an error or unknown where it is compared.
func convert(ctx *sql.Context, e sql.Expression, typ sql.Type) sql.Expression {
	from := e.Type()
	if kind := kindOf(from); kind == null || kind == kindOf(typ) && !converts(from, typ) {
		return e
	}
	if v, ok := constant(ctx, e); ok {
		if made, ok := convertedConstant(v, from, typ); ok {
			if moment, isInstant := made.(*expression.Literal).Value().(time.Time); isInstant && engineReads(e, moment) {
				return e
			}
			return made
		}
		if kindOf(from) == text {
			return e
		}
	}
	return converted(e, typ)
}

// converted is an expression as one of a type.
func converted(e sql.Expression, typ sql.Type) sql.Expression {
	if kind := kindOf(e.Type()); coercion.IsInstant(typ) && (kind == text || kind == member) {
		return dated.Call(e)
	}
	return scalar.As(e, typ)
}

// dated converts a text that is compared with a date. An invalid text sorts before all others, with a warning.
var dated = &builtin.Definition{
	Name: "__anon_dated",
	Type: builtin.Constant(types.DatetimeMaxPrecision),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		moment, err := coercion.As(ctx, v[0], c.OperandType(0), types.DatetimeMaxPrecision)
		if moment == nil && err == nil {
			return types.DatetimeMaxPrecision.Zero(), nil
		}
		return moment, err
	},
}

// engineReads recognises a text in which the engine reads the same date and time.
func engineReads(e sql.Expression, moment time.Time) bool {
	literal, ok := e.(*expression.Literal)
	if !ok || !types.IsTextOnly(literal.Type()) {
		return false
	}
	read, _, err := types.DatetimeMaxPrecision.Convert(quiet(), literal.Value())
	own, ok := read.(time.Time)
	return err == nil && ok && own.Equal(moment)
}

// converts recognises a number or a TIME that must be converted before the engine compares it.
func converts(from, to sql.Type) bool {
	if kindOf(to) == clock {
		return !from.Equals(to)
	}
	if types.IsFloat(to) {
		return types.IsDecimal(from)
	}
	return kindOf(to) == number && !from.Equals(to)
}

func convertedConstant(v any, from, to sql.Type) (sql.Expression, bool) {
	ctx := quiet()
	var made any
	ok := true
	switch {
	case coercion.IsInstant(to) && kindOf(from) == clock: // of today
		return nil, false
	case coercion.IsInstant(to):
		made, ok = instantOf(ctx, v, from)
	case coercion.IsTimespan(to):
		made, ok = timespanOf(ctx, v, from)
	default:
		var err error
		made, err = coercion.As(ctx, v, from, to)
		ok = err == nil && made != nil
	}
	if !ok {
		return nil, false
	}
	return expression.NewLiteral(made, to), true
}

func instantOf(ctx *sql.Context, v any, t sql.Type) (any, bool) {
	moment, ok := coercion.Instant(ctx, v, t)
	return moment, ok
}

// timespanOf is false of a number beyond all times, too.
func timespanOf(ctx *sql.Context, v any, t sql.Type) (any, bool) {
	span, ok := coercion.Timespan(ctx, v, t)
	if ok && kindOf(t) == number {
		n, err := coercion.Float(ctx, v, t)
		ok = err == nil && math.Abs(n) <= greatestTime
	}
	return span, ok
}

// greatestTime is 838:59:59 as a number.
const greatestTime = 8385959

// constant is the value of an expression made of literals only.
func constant(ctx *sql.Context, e sql.Expression) (any, bool) {
	if literal, ok := e.(*expression.Literal); ok {
		return literal.Value(), true
	}
	if !tree.Constant(e) {
		return nil, false
	}
	v, err := e.Eval(ctx, nil)
	return v, err == nil
}

// isVariable recognises an expression with one value per statement that is not known yet.
func isVariable(e sql.Expression) bool {
	switch e.(type) {
	case *expression.UserVar, *expression.SystemVar, *expression.ProcedureParam:
		return true
	}
	return false
}

// quiet is a context whose warnings are dropped: a statement that is only planned has none.
func quiet() *sql.Context { return sql.NewEmptyContext() }
