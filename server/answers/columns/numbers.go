package columns

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
)

// typedByArgument are functions of DECIMALs whose type follows from that of their argument.
var typedByArgument = map[string]bool{"max": true, "min": true, "round": true, "truncate": true, "abs": true, "ceil": true, "ceiling": true, "floor": true}

// numbers makes numbers of what an operator calculates with or compares with a number.
func numbers(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.Arithmetic, *expression.Div, *expression.UnaryMinus:
		if sum := unsignedSum(e); sum != nil {
			return sum, transform.NewTree, nil
		}
		children, changed := e.Children(), false
		for i, child := range children {
			_, negative := e.(*expression.UnaryMinus)
			switch t := child.Type(); {
			case types.IsDateType(t), types.IsTimespan(t):
				children[i], changed = scalar.Number(child), true
			case negative && types.IsInteger(t) && t != types.Int64 && !isLiteral(child): // whose negation wraps around
				children[i], changed = scalar.As(child, types.Int64), true
			}
		}
		if !changed {
			return e, transform.SameTree, nil
		}
		made, err := e.WithChildren(children...)
		return made, transform.NewTree, err
	case *aggregation.Sum, *aggregation.Avg:
		of := e.Children()[0]
		if t := of.Type(); !types.IsTextOnly(t) && !types.IsDateType(t) && !types.IsDatetimeType(t) && !types.IsTimestampType(t) && !types.IsTimespan(t) {
			return e, transform.SameTree, nil
		}
		made, err := e.WithChildren(scalar.Number(of))
		return made, transform.NewTree, err
	case *expression.Case:
		same := transform.SameTree
		if wide, some := widened(e.Children()); some {
			if made, err := e.WithChildren(wide...); err == nil {
				if of, ok := made.(*expression.Case); ok {
					e, same = of, transform.NewTree
				}
			}
		}
		if made := scalar.Typed(e); made != nil {
			return made, transform.NewTree, nil
		}
		return e, same, nil
	case sql.FunctionExpression:
		wide, some := widened(e.Children())
		if !some && typedByArgument[strings.ToLower(e.FunctionName())] {
			wide, some = wholeProducts(e.Children())
		}
		if some {
			if made, err := e.WithChildren(wide...); err == nil { // the engine's CURTIME(2) cannot be made again
				return made, transform.NewTree, nil
			}
		}
	case *expression.Equals, *expression.NullSafeEquals,
		*expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual:
		children := e.Children()
		if _, ok := e.(*expression.NullSafeEquals); ok && types.IsTextOnly(children[0].Type()) && types.IsTextOnly(children[1].Type()) {
			return scalar.Same(children[0], children[1]), transform.NewTree, nil
		}
		if isField(children[0]) && isField(children[1]) {
			return e, transform.SameTree, nil // the rows of two tables may be joined by it
		}
		for i, child := range children {
			if other := children[1-i]; comparedAsNumber(child, other) {
				children[i] = scalar.Number(child)
				made, err := e.WithChildren(children...)
				return made, transform.NewTree, err
			}
		}
	case *expression.Between:
		children := e.Children()
		for i, child := range children {
			if types.IsDecimal(child.Type()) && any1(children, types.IsFloat) {
				children[i] = scalar.Number(child)
			}
		}
		if any1(e.Children(), types.IsDecimal) && any1(e.Children(), types.IsFloat) {
			made, err := e.WithChildren(children...)
			return made, transform.NewTree, err
		}
	case *expression.InTuple:
		if made := inDoubles(e); made != nil {
			return made, transform.NewTree, nil
		}
	case *expression.Like:
		children := e.Children()
		if left := scalar.Text(children[0]); left != children[0] {
			children[0] = left
			made, err := e.WithChildren(children...)
			return made, transform.NewTree, err
		}
	}
	return e, transform.SameTree, nil
}

// inDoubles is x IN (...) of DOUBLEs where one side has them and the other decimals, to whose places the engine rounds; nil for
// all others.
func inDoubles(e *expression.InTuple) sql.Expression {
	list, ok := e.Right().(expression.Tuple)
	if !ok {
		return nil
	}
	all := append([]sql.Expression{e.Left()}, list...)
	if !any1(all, types.IsFloat) || !any1(all, types.IsDecimal) {
		return nil
	}
	for i, x := range all {
		if types.IsDecimal(x.Type()) {
			all[i] = scalar.Number(x)
		}
	}
	return expression.NewInTuple(all[0], expression.NewTuple(all[1:]...))
}

func any1(list []sql.Expression, is func(sql.Type) bool) bool {
	for _, e := range list {
		if is(e.Type()) {
			return true
		}
	}
	return false
}

func isField(e sql.Expression) bool {
	_, ok := e.(*expression.GetField)
	return ok
}

// comparedAsNumber tells of a date or a text beside a number, and of a DECIMAL beside a DOUBLE. A constant text is left to
// the engine where it is a number, so that an index is asked for it.
func comparedAsNumber(e, other sql.Expression) bool {
	if !types.IsNumber(other.Type()) {
		return false
	}
	if types.IsFloat(other.Type()) && types.IsDecimal(e.Type()) { // to whose places the engine rounds the DOUBLE
		return true
	}
	if literal, ok := e.(*expression.Literal); ok {
		s, isText := literal.Value().(string)
		return isText && !coercion.IsNumeral(s)
	}
	return types.IsDateType(e.Type()) || types.IsTextOnly(e.Type())
}
