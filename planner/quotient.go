package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/planner/answer"
)

// quotient recognises a quotient of COUNTs and SUMs with constant factors: 100 * SUM(a) /
// COUNT(*). The denominator may be NULLIF(x, 0).
func (b *scopeBuilder) quotient(e sql.Expression) (q answer.Quotient, ok bool) {
	switch e := e.(type) {
	case *expression.Div:
		if q.Numerator, q.Scale, ok = b.multiple(e.Left()); !ok {
			return q, false
		}
		by := e.Right()
		if null, isCall := by.(sql.FunctionExpression); isCall && strings.EqualFold(null.FunctionName(), "nullif") && b.isZero(null.Children()[1]) {
			by = null.Children()[0]
		}
		denominator, factor, ok := b.multiple(by)
		q.Denominator, q.Scale = denominator, q.Scale/factor
		return q, ok && factor != 0
	case *expression.Arithmetic:
		if e.Op != "*" {
			return q, false
		}
		for _, sides := range [][2]sql.Expression{{e.Left(), e.Right()}, {e.Right(), e.Left()}} {
			if factor, constant := b.constantOf(sides[0]); constant {
				q, ok = b.quotient(sides[1])
				q.Scale *= factor
				return q, ok
			}
		}
	}
	return q, false
}

func (b *scopeBuilder) isZero(e sql.Expression) bool {
	number, ok := b.constantOf(e)
	return ok && number == 0
}

// multiple is a COUNT or SUM of this SELECT, by itself or times a constant.
func (b *scopeBuilder) multiple(e sql.Expression) (aggregate int, factor float64, ok bool) {
	switch e := e.(type) {
	case *expression.GetField:
		o := b.estimate.Figure(e.Id())
		if o == nil || b.estimate.Aggregates[o.Index].Kind > estimate.Sum || b.estimate.Aggregates[o.Index].Units != nil {
			return 0, 0, false
		}
		return o.Index, 1, true
	case *expression.Arithmetic:
		for _, sides := range [][2]sql.Expression{{e.Left(), e.Right()}, {e.Right(), e.Left()}} {
			if constant, ok := b.constantOf(sides[0]); ok && e.Op == "*" {
				aggregate, factor, ok = b.multiple(sides[1])
				return aggregate, factor * constant, ok
			}
		}
	}
	return 0, 0, false
}

// constantOf is the value of a numeric constant.
func (b *scopeBuilder) constantOf(e sql.Expression) (number float64, ok bool) {
	if !isConstant(e) {
		return 0, false
	}
	value, err := e.Eval(b.planner.ctx, nil)
	if err != nil || value == nil {
		return 0, false
	}
	converted, _, err := types.Float64.Convert(b.planner.ctx, value)
	number, ok = converted.(float64)
	return number, ok && err == nil
}

// quotientInterval adds an end of the interval around a quotient.
func (b *scopeBuilder) quotientInterval(name string, kind answer.OutputKind, e sql.Expression, q answer.Quotient) (sql.Expression, error) {
	if answer.Imputed(b.planner.ctx, b.estimate.View) == 0 {
		return nil, answer.Refuse("%s of a quotient comes of completed tables, and these do not answer here: ask it of SUM and COUNT, or of AVG", name)
	}
	if err := b.estimate.CheckQuotient(q); err != nil {
		return nil, err
	}
	level, err := b.intervalLevel(name, e.Children()[1:])
	if err != nil {
		return nil, err
	}
	column := &sql.Column{Name: e.String(), Type: answer.FigureType, Nullable: true}
	added := b.estimate.AddOutput(kind.OfQuotient(), b.estimate.AddQuotient(q), b.planner.freshId(), column)
	added.Level = level
	return added.Field(), nil
}
