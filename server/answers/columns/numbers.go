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
	"github.com/anonsql/anonsql/server/answers/totals"
)

// typedByArgument are functions of DECIMALs whose type follows from that of their argument.
var typedByArgument = map[string]bool{"max": true, "min": true, "round": true, "truncate": true, "abs": true, "ceil": true, "ceiling": true, "floor": true}

// numbers converts the operands of arithmetic to numbers.
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
			case types.IsDateType(t), coercion.IsTimespan(t), negative && (coercion.IsText(t) || types.IsJSON(t)), types.IsTextOnly(t), isBinary(t):
				children[i], changed = scalar.Number(child), true
			case negative && coercion.IsInstant(t): // 14 digits, and a fraction
				decimals := uint8(coercion.DecimalsOf(t))
				children[i], changed = scalar.As(child, types.MustCreateDecimalType(14+decimals, decimals)), true
			case coercion.IsInstant(t):
				children[i], changed = scalar.Number(child), true
			case negative && t == types.Float32: // its negation is a DOUBLE
				children[i], changed = scalar.As(child, types.Float64), true
			case negative && (types.IsInteger(t) || types.IsBit(t) || types.IsYear(t)) && t != types.Int64 && !isLiteral(child): // its negation wraps around
				children[i], changed = scalar.As(child, types.Int64), true
			}
		}
		if !changed {
			return e, transform.SameTree, nil
		}
		made, err := e.WithChildren(children...)
		return made, transform.NewTree, err
	case *aggregation.Sum, *aggregation.Avg:
		made, err := total(e)
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
		if made := scalar.Typed(e); made != sql.Expression(e) {
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
	case *expression.Convert:
		text := scalar.OfEnum(scalar.Text(e.Child))
		if types.IsBit(e.Child.Type()) {
			text = scalar.As(e.Child, types.LongBlob)
		}
		if text != e.Child && isBinary(e.Type()) { // the engine takes its bytes for numbers, or drops them
			made, err := e.WithChildren(text)
			return made, transform.NewTree, err
		}
	case *expression.Like:
		children := e.Children()
		left := scalar.OfEnum(scalar.Text(children[0]))             // LIKE compares the number of an ENUM
		if isBinary(children[1].Type()) && !isBinary(left.Type()) { // in the engine only the left side decides the comparison
			left = expression.NewConvert(left, expression.ConvertToBinary)
		}
		if left != children[0] {
			children[0] = left
			made, err := e.WithChildren(children...)
			return made, transform.NewTree, err
		}
	}
	return e, transform.SameTree, nil
}

// total is SUM or AVG of numbers in place of the engine's.
func total(e sql.Expression) (sql.Expression, error) {
	children := e.Children()
	wide, _ := widened(children)
	if wide != nil {
		children = wide
	}
	argument, isDistinct := children[0], false
	if distinct, ok := argument.(*expression.DistinctExpression); ok {
		argument, isDistinct = distinct.Child, true
	}
	if !coercion.IsNumber(argument.Type()) && !types.IsDeferredType(argument.Type()) {
		argument = scalar.Number(argument)
	}
	if isDistinct {
		argument = expression.NewDistinctExpression(argument)
	}
	children[0] = argument
	made, err := e.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	own, _ := totals.TotalOf(made)
	return own, nil
}

// isBinary recognises bytes, which are converted to numbers like texts.
func isBinary(t sql.Type) bool {
	return types.IsBinaryType(t) && !types.IsJSON(t) && !types.IsGeometry(t)
}

func isField(e sql.Expression) bool {
	_, ok := e.(*expression.GetField)
	return ok
}
