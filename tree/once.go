package tree

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// once is an expression without columns that is evaluated when its value is first needed. If it fails, it is
// evaluated again, and fails in the same way.
type once struct {
	Standin
	known bool
	value any
}

// EvaluateOnce wraps a function or calculation of literals that has one value for the whole statement, so that it is
// evaluated at most once per execution. It returns other expressions unchanged.
func EvaluateOnce(e sql.Expression) sql.Expression {
	switch e.(type) {
	case sql.FunctionExpression, *expression.Arithmetic, *expression.Convert:
		if Constant(e) {
			return &once{Standin: NewStandin(e)}
		}
	}
	return e
}

// Constant reports whether an expression has one value for the whole statement and consists of literals only: other leaves may
// be of types that OneValue does not know.
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

// TimesOfTexts converts the texts that a comparison compares with dates and times; the engine would parse them for
// every row. A text that is not a time remains, and fails in the comparison.
func TimesOfTexts(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e.(type) {
	case *expression.Equals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual, *expression.Between:
	default:
		return e, transform.SameTree, nil
	}
	operands, same := append([]sql.Expression(nil), e.Children()...), transform.SameTree
	for i, operand := range operands {
		beside := operands[0] // of BETWEEN, the value that it compares with the bounds
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

// timeOfText returns the time that the engine parses from a literal.
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
