// Package arithmetic decides which expressions are exact numbers, and which types MySQL
// gives their sums and averages.
//
// Principles:
//
//  1. An expression is an exact number if all its parts are known to be integers or
//     decimals of a declared scale: columns, literals, +, - and *, casts, conditions,
//     CASE, IF, COALESCE, parts of dates, lengths. Nothing is claimed about others,
//     whatever type the engine reports: some of its types are narrower than its values.
//  2. A sum over rows has the actual values. So [OfRows] also trusts the engine's integer
//     and decimal types when nothing else is known, and gives a quotient
//     four decimals more than its dividend.
//  3. SUM over DECIMAL(p, s) is DECIMAL(p + 22, s), AVG is DECIMAL(p + 4, s + 4). An
//     integer has the digits of its type (INT 10, BIGINT 19) and s = 0. MySQL's limit
//     applies: 65 digits, 30 of them after the point.
//  4. Further calculations, sums and stored values use more digits of a quotient than are
//     shown ([Unrounded]).
//
// Not promised: the precision that MySQL gives sums over expressions. Here + has one
// digit more than the longer side, * the digits of both.
package arithmetic

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"
)

// A Class describes the known values of an expression. The zero Class is no exact number.
type Class struct {
	known bool
	// digits counts digits before the point, scale after it.
	digits, scale int
}

// A Column is an expression, not of the engine, whose values have its type.
type Column interface{ IsColumn() bool }

// ClassOf classifies e. nil, the argument of COUNT(*), is no number.
func ClassOf(e sql.Expression) Class { return reading{}.class(e) }

// OfRows classifies e for callers that round its values to the scale of its class, and never truncate them.
func OfRows(e sql.Expression) Class {
	c := reading{ofRows: true}.class(e)
	c.scale = min(c.scale, types.DecimalTypeMaxScale)
	c.digits = min(c.digits, types.DecimalTypeMaxPrecision-c.scale)
	return c
}

// A reading classifies expressions; with ofRows by principle 2.
type reading struct{ ofRows bool }

func (r reading) class(e sql.Expression) Class {
	switch e := e.(type) {
	case nil:
		return Class{}
	case *expression.Alias:
		return r.class(e.Child)
	case *expression.GetField, *expression.Convert:
		return ofType(e.Type())
	case *expression.Literal:
		return ofLiteral(e)
	case *expression.UnaryMinus:
		return r.class(e.Child)
	case *expression.Arithmetic:
		return r.ofArithmetic(e)
	case *expression.Case:
		return r.ofCase(e)
	case *expression.Div:
		return r.ofQuotient(e)
	}
	if types.IsBoolean(e.Type()) {
		return ofType(types.Int8)
	}
	if column, ok := e.(Column); r.ofRows || ok && column.IsColumn() {
		return ofType(e.Type())
	}
	if call, ok := e.(sql.FunctionExpression); ok {
		return r.ofCall(call)
	}
	return Class{}
}

func (r reading) ofCall(call sql.FunctionExpression) Class {
	switch name := strings.ToLower(call.FunctionName()); {
	case name == "if":
		return r.commonClass(call.Children()[1:]...)
	case name == "ifnull" || name == "coalesce" || name == "least" || name == "greatest":
		return r.commonClass(call.Children()...)
	case name == "nullif":
		return r.class(call.Children()[0])
	case wholeFunctions[name]:
		return ofType(types.Int64)
	case name == "__anon_decimal":
		return ofType(call.Type())
	}
	return Class{}
}

// quotientPlaces is the number of decimals that a quotient has more than its dividend.
const quotientPlaces = 4

func (r reading) ofQuotient(e *expression.Div) Class {
	left, right := r.class(e.LeftChild), r.class(e.RightChild)
	if !r.ofRows || !left.known || !right.known {
		return Class{}
	}
	return Class{known: true, digits: left.digits + right.scale, scale: left.scale + quotientPlaces}
}

// wholeFunctions return integers for all arguments.
var wholeFunctions = map[string]bool{
	"year": true, "quarter": true, "month": true, "week": true, "weekofyear": true, "yearweek": true, "day": true, "dayofmonth": true,
	"dayofweek": true, "dayofyear": true, "weekday": true, "hour": true, "minute": true, "second": true, "to_days": true,
	"datediff": true, "timestampdiff": true, "length": true, "octet_length": true, "char_length": true, "character_length": true,
	"ascii": true, "sign": true, "instr": true, "locate": true, "__anon_signed": true, "__anon_div": true,
}

// wholeDigits are MySQL's numbers of digits of integers.
var wholeDigits = map[querypb.Type]int{
	querypb.Type_INT8: 3, querypb.Type_UINT8: 3, querypb.Type_INT16: 5, querypb.Type_UINT16: 5, querypb.Type_INT24: 8, querypb.Type_UINT24: 8,
	querypb.Type_INT32: 10, querypb.Type_UINT32: 10, querypb.Type_INT64: 19, querypb.Type_UINT64: 20, querypb.Type_YEAR: 4, querypb.Type_BIT: 20,
}

func ofType(t sql.Type) Class {
	if digits, ok := wholeDigits[t.Type()]; ok {
		return Class{known: true, digits: digits}
	}
	if decimal, ok := t.(sql.DecimalType); ok {
		return Class{known: true, digits: int(decimal.Precision()) - int(decimal.Scale()), scale: int(decimal.Scale())}
	}
	return Class{}
}

// ofLiteral classifies NULL as an integer: it adds nothing.
func ofLiteral(e *expression.Literal) Class {
	if e.Value() == nil {
		return Class{known: true, digits: 1}
	}
	if d, ok := e.Value().(decimal.Decimal); ok { // the type may be wider than the value
		scale := max(int(-d.Exponent()), 0)
		return Class{known: true, digits: max(d.NumDigits()+int(d.Exponent()), 1), scale: scale}
	}
	return ofType(e.Type())
}

func (r reading) ofArithmetic(e *expression.Arithmetic) Class {
	left, right := r.class(e.LeftChild), r.class(e.RightChild)
	if !left.known || !right.known {
		return Class{}
	}
	switch e.Op {
	case sqlparser.PlusStr, sqlparser.MinusStr:
		sum := wider(left, right)
		sum.digits++
		return sum
	case sqlparser.MultStr:
		return Class{known: true, digits: left.digits + right.digits, scale: left.scale + right.scale}
	}
	return Class{}
}

func (r reading) ofCase(e *expression.Case) Class {
	values := make([]sql.Expression, 0, len(e.Branches)+1)
	for _, b := range e.Branches {
		values = append(values, b.Value)
	}
	if e.Else != nil {
		values = append(values, e.Else)
	}
	return r.commonClass(values...)
}

// commonClass returns the class of an expression that may have any of the values.
func (r reading) commonClass(values ...sql.Expression) Class {
	all := Class{known: true, digits: 1}
	for _, v := range values {
		all = wider(all, r.class(v))
	}
	return all
}

func wider(a, b Class) Class {
	return Class{known: a.known && b.known, digits: max(a.digits, b.digits), scale: max(a.scale, b.scale)}
}

// IsWhole reports whether all values are integers or NULL.
func (c Class) IsWhole() bool { return c.known && c.scale == 0 }

// Scale returns the number of digits after the point; false if the values are not exact numbers.
func (c Class) Scale() (digits int, exact bool) { return c.scale, c.known }

// Sum returns the type of SUM; false if it is DOUBLE.
func (c Class) Sum() (sql.Type, bool) { return c.decimal(22, 0) }

// Average returns the type of AVG; false if it is DOUBLE.
func (c Class) Average() (sql.Type, bool) { return c.decimal(0, 4) }

// Decimal returns a DECIMAL for all values; false if they are not exact numbers, or have too many digits.
func (c Class) Decimal() (sql.Type, bool) { return c.decimal(0, 0) }

// decimal returns a type with more digits than c before and after the point.
func (c Class) decimal(before, after int) (sql.Type, bool) {
	if !c.known || c.digits+c.scale > types.DecimalTypeMaxPrecision {
		return nil, false
	}
	scale := min(c.scale+after, types.DecimalTypeMaxScale)
	precision := min(c.digits+before+scale, types.DecimalTypeMaxPrecision)
	typ, err := types.CreateDecimalType(uint8(precision), uint8(scale))
	return typ, err == nil
}

// Common returns a type for numbers of both types: DOUBLE if one is, DECIMAL with the digits of both if one is,
// otherwise BIGINT; false if one is not a number.
func Common(a, b sql.Type) (sql.Type, bool) {
	switch {
	case !types.IsNumber(a) || !types.IsNumber(b):
		return nil, false
	case types.IsFloat(a) || types.IsFloat(b):
		return types.Float64, true
	case types.IsDecimal(a) || types.IsDecimal(b):
		if typ, ok := wider(ofType(a), ofType(b)).decimal(0, 0); ok {
			return typ, true
		}
		return types.Float64, true
	}
	return types.Int64, true
}
