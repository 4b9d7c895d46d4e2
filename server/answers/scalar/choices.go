package scalar

import (
	"bytes"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// The engine's IF, IFNULL and COALESCE take the type of one argument, and round the
// others to it or fail. Its LEAST and GREATEST do not support DECIMAL.

func choices() []*builtin.Definition {
	any1 := func(arguments []sql.Expression) sql.Type { return coercion.Common(coercion.Types(arguments)...) }
	return []*builtin.Definition{
		{Name: "if", Passing: true, Least: 3, Most: 3, Choose: evalIf, Type: func(arguments []sql.Expression) sql.Type {
			return coercion.Common(coercion.Types(arguments[1:])...)
		}},
		{Name: "coalesce", Passing: true, Least: 1, Most: -1, Choose: evalCoalesce, Type: any1},
		{Name: "ifnull", Passing: true, Least: 2, Most: 2, Choose: evalCoalesce, Type: any1},
		{Name: "nullif", Passing: true, Least: 2, Most: 2, Choose: evalNullIf, Type: func(arguments []sql.Expression) sql.Type { return arguments[0].Type() }},
		{
			Name:    "least",
			Passing: true,
			Least:   2,
			Most:    -1,
			Value:   func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) { return extreme(c, ctx, v, -1) },
			Type:    extremeType,
		},
		{
			Name:    "greatest",
			Passing: true,
			Least:   2,
			Most:    -1,
			Value:   func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) { return extreme(c, ctx, v, 1) },
			Type:    extremeType,
		},
		{Name: "interval", Least: 2, Most: -1, Choose: evalInterval, Type: builtin.Constant(types.Int64)},
	}
}

func evalIf(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	condition, err := sql.EvaluateCondition(ctx, c.Operands[0], row)
	if err != nil {
		return nil, err
	}
	chosen := 2
	if sql.IsTrue(condition) {
		chosen = 1
	}
	v, err := c.Argument(chosen, ctx, row)
	if err != nil {
		return nil, err
	}
	return coercion.As(ctx, v, c.OperandType(chosen), c.Type())
}

func evalCoalesce(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	for i := range c.Operands {
		v, err := c.Argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if v != nil {
			return coercion.As(ctx, v, c.OperandType(i), c.Type())
		}
	}
	return nil, nil
}

// evalNullIf compares as = does. The engine's rounds one value to the type of the other.
func evalNullIf(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Argument(0, ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	if types.IsDecimal(c.OperandType(0)) && (types.IsDecimal(c.OperandType(1)) || types.IsInteger(c.OperandType(1))) {
		return unlessEqual(c, ctx, row, v)
	}
	left, right := sql.Expression(expression.NewLiteral(v, c.OperandType(0))), c.Operands[1]
	if coercion.IsText(c.OperandType(0)) && coercion.IsText(c.OperandType(1)) { // a literal would lose the column's collation
		left = c.Operands[0]
	}
	if types.IsDecimal(c.OperandType(0)) && types.IsFloat(c.OperandType(1)) {
		left = Number(left)
	} else if types.IsFloat(c.OperandType(0)) && types.IsDecimal(c.OperandType(1)) {
		right = Number(right)
	}
	equal, err := expression.NewEquals(left, right).Eval(ctx, row)
	if err != nil || sql.IsTrue(equal) {
		return nil, err
	}
	return v, nil
}

// unlessEqual returns v, or NULL if the second argument is an equal exact number.
func unlessEqual(c *builtin.Call, ctx *sql.Context, row sql.Row, v any) (any, error) {
	other, err := c.Argument(1, ctx, row)
	if other == nil || err != nil {
		return v, err
	}
	a, err := coercion.Exact(ctx, v, c.OperandType(0))
	if err != nil {
		return nil, err
	}
	b, err := coercion.Exact(ctx, other, c.OperandType(1))
	if err != nil || a.Equal(b) {
		return nil, err
	}
	return v, nil
}

// extremeType is DOUBLE for numbers with texts, and a date's type for anything with a date: MySQL then reads all arguments as dates.
func extremeType(arguments []sql.Expression) sql.Type {
	list := coercion.Types(arguments)
	if isDated(list) {
		if coercion.All(list, func(t sql.Type) bool { return types.IsDateType(t) || !coercion.IsInstant(t) }) {
			return types.Date
		}
		return coercion.Common(slices.DeleteFunc(list, func(t sql.Type) bool { return !coercion.IsInstant(t) })...)
	}
	if slices.ContainsFunc(list, coercion.IsNumber) && slices.ContainsFunc(list, func(t sql.Type) bool { return coercion.IsText(t) || types.IsBinaryType(t) }) {
		return types.Float64
	}
	return coercion.Common(list...)
}

// extreme returns the least of values for sign -1, the greatest for 1. It compares dates
// with other values as dates.
func extreme(c *builtin.Call, ctx *sql.Context, values []any, sign int) (any, error) {
	typ := c.Type()
	asDates := isDated(coercion.Types(c.Operands))
	best, bestKey := any(nil), any(nil)
	for i, v := range values {
		converted, err := coercion.As(ctx, v, c.OperandType(i), typ)
		if err != nil {
			return nil, err
		}
		key := converted
		if asDates {
			if key = converted; key == nil { // what is not a date sorts first
				key = types.DatetimeMaxPrecision.Zero()
			}
		}
		if best != nil {
			order, err := compareKeys(ctx, c, typ, asDates, key, bestKey)
			if err != nil {
				return nil, err
			}
			if order*sign <= 0 {
				continue
			}
		}
		best, bestKey = converted, key
	}
	if at, ok := best.(time.Time); ok && types.IsDateType(typ) {
		return at.Truncate(coercion.Day), nil
	}
	return best, nil
}

// isDated recognises types some of which are dates and some neither dates nor times.
func isDated(list []sql.Type) bool {
	return slices.ContainsFunc(list, coercion.IsInstant) &&
		slices.ContainsFunc(list, func(t sql.Type) bool { return t != types.Null && !coercion.IsInstant(t) && !coercion.IsTimespan(t) })
}

func compareKeys(ctx *sql.Context, c *builtin.Call, typ sql.Type, dated bool, a, b any) (int, error) {
	if dated {
		return types.DatetimeMaxPrecision.Compare(ctx, a, b)
	}
	if left, ok := a.([]byte); ok {
		if right, ok := b.([]byte); ok {
			return bytes.Compare(left, right), nil
		}
	}
	if types.IsTextOnly(typ) {
		collation, _ := c.CollationCoercibility(ctx)
		return types.CreateLongText(collation).Compare(ctx, a, b)
	}
	return typ.Compare(ctx, a, b)
}

// evalInterval returns the number of arguments after the first that come before the first limit greater than it; -1 for NULL.
func evalInterval(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Argument(0, ctx, row)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return int64(-1), nil
	}
	x, err := coercion.Exact(ctx, v, c.OperandType(0))
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(c.Operands); i++ {
		v, err := c.Argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		limit, err := coercion.Exact(ctx, v, c.OperandType(i))
		if err != nil {
			return nil, err
		}
		if x.LessThan(limit) {
			return int64(i - 1), nil
		}
	}
	return int64(len(c.Operands) - 1), nil
}

// A typedCase is a CASE with the common type of its values.
type typedCase struct {
	*expression.Case
	typ sql.Type
}

// Typed gives a CASE the common type of its values. The engine's DECIMALs have ten extra decimals, it shows a DATE next to a text
// as a DATETIME, and it cannot show a TIME.
func Typed(e *expression.Case) sql.Expression {
	list := make([]sql.Type, 0, len(e.Branches)+1)
	for _, b := range e.Branches {
		list = append(list, b.Value.Type())
	}
	if e.Else != nil {
		list = append(list, e.Else.Type())
	}
	typ := coercion.Common(list...)
	either := func(is func(sql.Type) bool) bool {
		return coercion.All(list, func(t sql.Type) bool { return t == types.Null || is(t) })
	}
	switch {
	case types.IsJSON(typ): // the engine makes NULL the document null
	case either(types.IsTextOnly):
		return &collatedCase{e}
	case types.IsDecimal(typ): // keeps all digits of a quotient
		return &typedCase{e, typ}
	case either(coercion.IsNumber) && (typ.Equals(e.Type()) || !ofOwnValues(typ) && !ofOwnValues(e.Type())),
		typ.Equals(e.Type()) && either(typ.Equals):
		return e
	}
	return &typedCase{e, typ}
}

// ofOwnValues recognises number types whose values have a text form of their own.
func ofOwnValues(t sql.Type) bool { return types.IsDecimal(t) || types.IsBit(t) || t == types.Float32 }

// Untyped is the engine's CASE, which [arithmetic.CaseOf] looks for.
func (c *typedCase) Untyped() *expression.Case { return c.Case }

// Passes implements [arithmetic.Passing].
func (c *typedCase) Passes() bool { return true }

func (c *typedCase) Type() sql.Type { return c.typ }

func (c *typedCase) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := c.Case.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	of, ok := made.(*expression.Case)
	if !ok {
		return made, nil
	}
	return Typed(of), nil
}

func (c *typedCase) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	chosen, err := c.chosen(ctx, row)
	if chosen == nil || err != nil {
		return nil, err
	}
	v, err := chosen.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return nil, err
	}
	return coercion.As(ctx, v, chosen.Type(), c.typ)
}

// chosen returns the value of the first branch whose condition holds, else ELSE, which may be nil.
func (c *typedCase) chosen(ctx *sql.Context, row sql.Row) (sql.Expression, error) {
	for _, b := range c.Branches {
		condition := b.Cond
		if c.Expr != nil {
			condition = expression.NewEquals(c.Expr, b.Cond)
		}
		met, err := sql.EvaluateCondition(ctx, condition, row)
		if err != nil {
			return nil, err
		}
		if sql.IsTrue(met) {
			return b.Value, nil
		}
	}
	return c.Else, nil
}

// A collatedCase is a CASE of texts with the collation of the strongest one. The engine's has none.
type collatedCase struct{ *expression.Case }

func (c *collatedCase) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	values := make([]sql.Expression, 0, len(c.Branches)+1)
	for _, b := range c.Branches {
		values = append(values, b.Value)
	}
	if c.Else != nil {
		values = append(values, c.Else)
	}
	return coercion.Collation(ctx, values)
}

// Untyped is the engine's CASE.
func (c *collatedCase) Untyped() *expression.Case { return c.Case }

// Collated returns the CASE itself, for code that needs its greatest length.
func (c *collatedCase) Collated() sql.Expression { return c.Case }

func (c *collatedCase) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := c.Case.WithChildren(children...)
	if of, ok := made.(*expression.Case); ok {
		return Typed(of), err
	}
	return made, err
}

// sameTexts is a <=> b of texts by their collation. The engine compares bytes.
var sameTexts = &builtin.Definition{
	Name:  "__anon_same",
	Least: 2,
	Most:  2,
	Type:  builtin.Constant(types.Boolean),
	Choose: func(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
		left, err := c.Argument(0, ctx, row)
		if err != nil {
			return nil, err
		}
		right, err := c.Argument(1, ctx, row)
		if left == nil || right == nil || err != nil {
			return left == nil && right == nil, err
		}
		return expression.NewEquals(c.Operands[0], c.Operands[1]).Eval(ctx, row)
	},
}

// Same returns a <=> b of two texts.
func Same(a, b sql.Expression) sql.Expression {
	return sameTexts.Call(a, b)
}
