package arithmetic

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Parts splits an expression over one numeric field into parts that are monotonic in the field: conditions, which decide the value of
// the expression, and the values that it may have. known is false if the expression has other parts.
func Parts(e sql.Expression) (parts []sql.Expression, known bool) {
	if parts, known = truthParts(e); known {
		return parts, true
	}
	if conditions, values := choice(e); values != nil {
		return choiceParts(conditions, values, true)
	}
	return []sql.Expression{e}, isMonotonic(e)
}

// Chosen returns the fields that are values of an expression: it has one of them, or another value, and computes nothing with them.
func Chosen(e sql.Expression) (fields []int) {
	if field, ok := e.(*expression.GetField); ok {
		return []int{field.Index()}
	}
	_, values := choice(e)
	for _, value := range values {
		fields = append(fields, Chosen(value)...)
	}
	return fields
}

// CaseOf returns the engine's CASE of an expression, also of one that the server gave a type or a collation; nil if it is none.
func CaseOf(e sql.Expression) *expression.Case {
	switch e := e.(type) {
	case *expression.Case:
		return e
	case interface{ Untyped() *expression.Case }:
		return e.Untyped()
	}
	return nil
}

// choice returns the values of which an expression has one, and the conditions that decide; no values for another expression.
func choice(e sql.Expression) (conditions, values []sql.Expression) {
	if c := CaseOf(e); c != nil {
		conditions, values = []sql.Expression{c.Expr}, []sql.Expression{c.Else}
		for _, b := range c.Branches {
			conditions, values = append(conditions, b.Cond), append(values, b.Value)
		}
	} else if f, ok := e.(sql.FunctionExpression); ok {
		switch children := f.Children(); strings.ToLower(f.FunctionName()) {
		case "if":
			return children[:1], children[1:]
		case "ifnull", "coalesce":
			return nil, children
		}
	}
	return conditions, values
}

// choiceParts returns the parts of an expression that has one of some values.
func choiceParts(conditions, values []sql.Expression, known bool) (parts []sql.Expression, _ bool) {
	add := func(e sql.Expression, of func(sql.Expression) ([]sql.Expression, bool)) {
		if e == nil || !known {
			return
		}
		more, ok := of(e)
		parts, known = append(parts, more...), ok
	}
	for _, e := range conditions {
		add(e, truthParts)
	}
	for _, e := range values {
		add(e, Parts)
	}
	return parts, known
}

// truthParts returns the parts of a condition, or of a constant.
func truthParts(e sql.Expression) (parts []sql.Expression, known bool) {
	switch e := e.(type) {
	case *expression.And, *expression.Or, *expression.Xor, *expression.Not, *expression.IsTrue:
		return choiceParts(e.Children(), nil, true)
	case *expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual:
		sides := e.Children()
		return []sql.Expression{e}, isMonotonic(sides[0]) && isConstant(sides[1]) || isConstant(sides[0]) && isMonotonic(sides[1])
	case *expression.Equals, *expression.NullSafeEquals:
		sides := e.Children()
		if isConstant(sides[0]) {
			sides[0], sides[1] = sides[1], sides[0]
		}
		return rangeParts(sides[0], sides[1], sides[1])
	case *expression.Between:
		return rangeParts(e.Val, e.Lower, e.Upper)
	case *expression.InTuple:
		list, ok := e.Right().(expression.Tuple)
		for _, one := range list {
			more, known := rangeParts(e.Left(), one, one)
			parts, ok = append(parts, more...), ok && known
		}
		return parts, ok
	case *expression.IsNull:
		return []sql.Expression{e}, isMonotonic(e.Child)
	}
	return nil, isConstant(e)
}

// rangeParts returns the two comparisons of x with a constant range.
func rangeParts(x, low, high sql.Expression) (parts []sql.Expression, known bool) {
	return []sql.Expression{expression.NewGreaterThanOrEqual(x, low), expression.NewLessThanOrEqual(x, high)},
		isMonotonic(x) && isConstant(low) && isConstant(high)
}

// isMonotonic reports whether an expression is a field, or rises or falls monotonically with one.
func isMonotonic(e sql.Expression) bool {
	children := e.Children()
	switch e := e.(type) {
	case *expression.GetField:
		return true
	case *expression.UnaryMinus, *Unrounded:
		return isMonotonic(children[0])
	case *expression.Arithmetic:
		return strings.Contains("+-*", e.Op) && (isMonotonic(children[0]) && isConstant(children[1]) || isConstant(children[0]) && isMonotonic(children[1]))
	case *expression.Div:
		return isMonotonic(children[0]) && isConstant(children[1])
	case sql.FunctionExpression:
		switch strings.ToLower(e.FunctionName()) {
		case "floor", "ceil", "ceiling", "round", "truncate":
			return isMonotonic(children[0]) && (len(children) == 1 || isConstant(children[1]))
		}
	}
	return false
}

// isConstant reports whether an expression reads no field.
func isConstant(e sql.Expression) bool {
	return !transform.InspectExpr(e, func(e sql.Expression) bool { _, field := e.(*expression.GetField); return field })
}
