package comparison

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// Operands are the elements of a row, also of those within, or the expression, in a new slice.
func Operands(e sql.Expression) []sql.Expression {
	tuple, ok := e.(expression.Tuple)
	if !ok {
		return []sql.Expression{e}
	}
	var all []sql.Expression
	for _, e := range tuple {
		all = append(all, Operands(e)...)
	}
	return all
}

// columns is a comparison of rows, column by column: a = c AND b = d for (a, b) = (c, d), and a < c OR a = c AND b < d for
// (a, b) < (c, d). nil where there are no rows. Its comparisons are decided when they are met.
func columns(ctx *sql.Context, e expression.Comparer) (sql.Expression, error) {
	left, right := Operands(e.Left()), Operands(e.Right())
	if len(left) < 2 || len(left) != len(right) {
		return nil, nil
	}
	compare := func(i int, with func(a, b sql.Expression) sql.Expression) (sql.Expression, error) {
		made, _, err := Decide(ctx, with(left[i], right[i]))
		return made, err
	}
	equals := func(a, b sql.Expression) sql.Expression { return expression.NewEquals(a, b) }
	strict, last := orders(e)
	if strict == nil {
		all := make([]sql.Expression, len(left))
		for i := range left {
			var err error
			if all[i], err = compare(i, last); err != nil {
				return nil, err
			}
		}
		return expression.JoinAnd(all...), nil
	}
	made, err := compare(len(left)-1, last)
	for i := len(left) - 2; i >= 0 && err == nil; i-- {
		var before, equal sql.Expression
		if before, err = compare(i, strict); err != nil {
			return nil, err
		}
		if equal, err = compare(i, equals); err != nil {
			return nil, err
		}
		made = expression.NewOr(before, expression.NewAnd(equal, made))
	}
	return made, err
}

// orders are how the columns of rows are compared before the last one, and the last one; the first is nil for equations.
func orders(e expression.Comparer) (strict, last func(a, b sql.Expression) sql.Expression) {
	less := func(a, b sql.Expression) sql.Expression { return expression.NewLessThan(a, b) }
	greater := func(a, b sql.Expression) sql.Expression { return expression.NewGreaterThan(a, b) }
	switch e.(type) {
	case *expression.LessThan:
		return less, less
	case *expression.LessThanOrEqual:
		return less, func(a, b sql.Expression) sql.Expression { return expression.NewLessThanOrEqual(a, b) }
	case *expression.GreaterThan:
		return greater, greater
	case *expression.GreaterThanOrEqual:
		return greater, func(a, b sql.Expression) sql.Expression { return expression.NewGreaterThanOrEqual(a, b) }
	case *expression.NullSafeEquals:
		return nil, func(a, b sql.Expression) sql.Expression { return expression.NewNullSafeEquals(a, b) }
	}
	return nil, func(a, b sql.Expression) sql.Expression { return expression.NewEquals(a, b) }
}
