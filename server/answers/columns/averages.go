package columns

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/server/answers/totals"
)

// An average, or a sum of quotients, has more digits than the decimals of its type: AVG(x) * 100 is 133.3333 for 1, 1
// and 2. Calculations use all digits, everything else the rounded value.

// roundShown rounds the totals among the operands of an expression, unless it calculates with them: then its own value is
// rounded where it is shown.
func (r *retyper) roundShown(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if _, done := e.(*arithmetic.DecimalCast); done {
		return e, transform.SameTree, nil
	}
	calculates, passes := seesDigits(e)
	children := e.Children()
	changed, unrounded := false, false
	for i, child := range children {
		switch own := child.(type) {
		case *expression.GetField:
			if !r.totals[own.Id()] {
				continue
			}
			if unrounded = true; !calculates && !passes {
				children[i], changed = rounded(child), true
			}
		case *arithmetic.DecimalCast:
			if calculates || passes {
				children[i], changed, unrounded = own.Child, true, true
			}
		}
	}
	var err error
	if changed {
		if e, err = e.WithChildren(children...); err != nil {
			return nil, transform.SameTree, err
		}
	}
	if _, isFunction := e.(sql.FunctionExpression); unrounded && types.IsDecimal(e.Type()) && (passes || calculates && !isFunction) {
		return rounded(e), transform.NewTree, nil
	}
	return e, transform.TreeIdentity(!changed), nil
}

// seesDigits recognises an expression that calculates with all digits of its operands, or passes one on.
func seesDigits(e sql.Expression) (calculates, passes bool) {
	switch own := e.(type) {
	case *expression.Arithmetic, *expression.Div, *expression.UnaryMinus, *checked:
		return true, false
	case sql.FunctionExpression:
		calculates = calculating[strings.ToLower(own.FunctionName())]
	}
	return calculates, arithmetic.Passes(e)
}

// rounded is a DECIMAL rounded to MySQL's decimals.
func rounded(e sql.Expression) sql.Expression {
	typ, ok := arithmetic.OfRows(e).Decimal()
	if !ok {
		return e
	}
	return arithmetic.NewDecimalCast(e, typ.(sql.DecimalType))
}

// noteTotal notes a column that is a total.
func (r *retyper) noteTotal(e sql.Expression) {
	if own, ok := e.(*totals.Total); ok {
		if places, exact := own.Places(); exact && places > 0 {
			r.totals[own.Id()] = true
		}
	}
}
