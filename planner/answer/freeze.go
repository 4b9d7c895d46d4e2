package answer

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// frozen returns a copy of e whose expressions depend only on the view's columns: subqueries run once, and references to an outer query
// get the values of its row.
func (e *Estimate) frozen(ctx *sql.Context, outer sql.Row) (*Estimate, error) {
	expressions := e.Expressions()
	for i, x := range expressions {
		var err error
		if expressions[i], err = freeze(ctx, outer, x); err != nil {
			return nil, err
		}
	}
	node, err := e.WithExpressions(expressions...)
	if err != nil {
		return nil, err
	}
	return node.(*Estimate), nil
}

// freeze works from the top down, because the replacement of a subquery depends on the
// expression around it.
func freeze(ctx *sql.Context, outer sql.Row, x sql.Expression) (sql.Expression, error) {
	switch x := x.(type) {
	case *plan.Subquery:
		value, err := x.Eval(ctx, outer)
		return collatedAs(ctx, expression.NewLiteral(value, x.Type()), tree.Selected(x.Query, 0)...), err
	case *expression.GetField, *plan.ExistsSubquery:
		value, err := x.Eval(ctx, outer)
		return collatedAs(ctx, expression.NewLiteral(value, x.Type()), x), err
	case *plan.InSubquery:
		return freezeIn(ctx, outer, x)
	}
	children := x.Children()
	if len(children) == 0 {
		return x, nil
	}
	frozen := make([]sql.Expression, len(children))
	for i, child := range children {
		var err error
		if subquery, ok := child.(*plan.Subquery); ok && tree.ReadsRows(x, i) {
			frozen[i], err = tree.Rows(ctx, subquery, outer)
		} else {
			frozen[i], err = freeze(ctx, outer, child)
		}
		if err != nil {
			return nil, err
		}
	}
	if in, ok := x.(*expression.InTuple); ok {
		frozen[1] = doubles(ctx, in.Left().Type(), frozen[1])
	}
	changed, err := x.WithChildren(frozen...)
	if err != nil {
		return nil, err
	}
	if changed, _, err = tree.TimesOfTexts(ctx, changed); err != nil {
		return nil, err
	}
	return tree.EvaluateOnce(changed), nil // not once per dictionary value
}

// doubles turns the decimals of the list of DOUBLE IN (...) into doubles. The
// engine would round the left side to the digits of each, and find 0.30 in
// 0.3000001; MySQL compares a DOUBLE with a decimal as doubles.
func doubles(ctx *sql.Context, left sql.Type, list sql.Expression) sql.Expression {
	tuple, ok := list.(expression.Tuple)
	if !ok || !types.IsFloat(left) {
		return list
	}
	converted := make(expression.Tuple, len(tuple))
	for i, x := range tuple {
		converted[i] = x
		if literal, ok := x.(*expression.Literal); ok && types.IsDecimal(literal.Type()) {
			if value, _, err := types.Float64.Convert(ctx, literal.Value()); err == nil {
				converted[i] = expression.NewLiteral(value, types.Float64)
			}
		}
	}
	return converted
}

// freezeIn runs the subquery of left IN (SELECT ...) once.
func freezeIn(ctx *sql.Context, outer sql.Row, x *plan.InSubquery) (sql.Expression, error) {
	left, err := freeze(ctx, outer, x.LeftChild)
	if err != nil {
		return nil, err
	}
	subquery, ok := x.RightChild.(*plan.Subquery)
	if !ok {
		return nil, Refuse("IN takes a list or a subquery, not %s", x.RightChild)
	}
	rows, err := subquery.EvalMultiple(ctx, outer)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return expression.NewLiteral(false, types.Boolean), nil
	}
	return newInRows(ctx, left, subquery.Query, rows), nil
}
