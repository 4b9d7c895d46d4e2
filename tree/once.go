package tree

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// once is an expression without columns that is evaluated when its value is first asked for.
// One that fails is evaluated again, and fails as it did.
type once struct {
	Standin
	known bool
	value any
}

// EvaluateOnce evaluates a function or a calculation of literals at most once, where that has one
// value for the whole statement; others it returns. What it returns is for one execution.
func EvaluateOnce(e sql.Expression) sql.Expression {
	switch e.(type) {
	case sql.FunctionExpression, *expression.Arithmetic, *expression.Convert:
		if Constant(e) {
			return &once{Standin: NewStandin(e)}
		}
	}
	return e
}

// Constant reports whether an expression has one value for the whole statement and is made of literals alone: columns may be of
// others' types.
func Constant(e sql.Expression) bool {
	return OneValue(e) && !transform.InspectExpr(e, func(e sql.Expression) bool {
		_, literal := e.(*expression.Literal)
		return !literal && len(e.Children()) == 0
	})
}

func (o *once) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if o.known {
		return o.value, nil
	}
	value, err := o.Child.Eval(ctx, row)
	if err == nil {
		o.known, o.value = true, value
	}
	return value, err
}

func (o *once) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return WithChildren(o, children)
}

// TimesOfTexts makes times of the texts that a comparison has beside dates and times, where
// the engine would read them anew for every row. A text that is no time stays, and fails where it
// is compared.
func TimesOfTexts(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e.(type) {
	case *expression.Equals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual, *expression.Between:
	default:
		return e, transform.SameTree, nil
	}
	operands, same := append([]sql.Expression(nil), e.Children()...), transform.SameTree
	for i, operand := range operands {
		beside := operands[0] // of BETWEEN, what the bounds are compared with
		if i == 0 {
			beside = operands[1]
			if _, bounded := e.(*expression.Between); bounded {
				continue
			}
		}
		if moment, ok := timeOfText(ctx, operand); ok && types.IsTime(beside.Type()) {
			operands[i], same = moment, transform.NewTree
		}
	}
	if same {
		return e, same, nil
	}
	changed, err := e.WithChildren(operands...)
	return changed, transform.NewTree, err
}

// timeOfText is the time that the engine reads in a literal.
func timeOfText(ctx *sql.Context, e sql.Expression) (moment *expression.Literal, ok bool) {
	literal, ok := e.(*expression.Literal)
	if !ok || !types.IsTextOnly(literal.Type()) {
		return nil, false
	}
	text, ok := literal.Value().(string)
	if !ok {
		return nil, false
	}
	value, _, err := types.DatetimeMaxPrecision.Convert(ctx, text)
	if _, ok := value.(time.Time); !ok || err != nil {
		return nil, false
	}
	return expression.NewLiteral(value, types.DatetimeMaxPrecision), true
}
