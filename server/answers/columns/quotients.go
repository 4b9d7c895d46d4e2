package columns

import (
	"slices"
	"strings"

	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// calculating are the functions of numbers that see all digits of a quotient.
var calculating = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields("round truncate format floor ceil ceiling sign abs sqrt exp pow power ln log log2 log10 " +
		"sin cos tan cot asin acos atan atan2 degrees radians " +
		"sum avg std stddev stddev_pop stddev_samp variance var_pop var_samp __anon_decimal __anon_signed __anon_unsigned") {
		all[name] = true
	}
	return all
}()

// quotients keeps all digits of quotients in calculations and comparisons. -x is 0 - x, and ABS is rounded where it is shown.
func quotients(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if arithmetic.Passes(e) {
		return shownChoice(e)
	}
	calculates := false // with the quotients among its operands, but for those that IF, CASE and their like choose
	switch own := e.(type) {
	case *expression.UnaryMinus:
		if arithmetic.NewUnrounded(own.Child, coercion.Exact) == nil {
			return e, transform.SameTree, nil
		}
		return expression.NewMinus(expression.NewLiteral(int8(0), types.Int8), own.Child), transform.NewTree, nil
	case sql.FunctionExpression:
		if !calculating[strings.ToLower(own.FunctionName())] {
			return e, transform.SameTree, nil
		}
	case *expression.Convert:
		if !types.IsFloat(own.Type()) {
			return e, transform.SameTree, nil
		}
	case *expression.Arithmetic, *expression.Div:
		calculates = true
	case *expression.Equals, *expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.Between:
	default:
		return e, transform.SameTree, nil
	}
	children, changed := slices.Clone(e.Children()), false
	for i, child := range children {
		if calculates && !arithmetic.Passes(child) {
			continue
		}
		if exact := arithmetic.NewUnrounded(child, coercion.Exact); exact != nil {
			children[i], changed = exact, true
		}
	}
	if !changed {
		return e, transform.SameTree, nil
	}
	made, err := e.WithChildren(children...)
	if function, ok := e.(sql.FunctionExpression); err == nil && (calculates || ok && strings.EqualFold(function.FunctionName(), "abs")) {
		made = rounded(made)
	}
	return made, transform.NewTree, err
}

// shownChoice has the digits of its own type, which may be more than those of its quotients' types.
func shownChoice(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	choice := e
	if own, ok := e.(*expression.Case); ok {
		choice = scalar.Typed(own)
	}
	typ, ok := choice.Type().(sql.DecimalType)
	if !ok {
		return e, transform.SameTree, nil
	}
	fewer := func(child sql.Expression) bool {
		own, ok := child.Type().(sql.DecimalType)
		return ok && own.Scale() < typ.Scale()
	}
	if !slices.ContainsFunc(e.Children(), fewer) {
		return e, transform.SameTree, nil
	}
	if exact := arithmetic.NewUnrounded(choice, coercion.Exact); exact != nil {
		return arithmetic.NewDecimalCast(exact, typ), transform.NewTree, nil
	}
	return e, transform.SameTree, nil
}
