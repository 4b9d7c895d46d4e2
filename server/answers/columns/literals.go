package columns

import (
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
)

// widenedOutput is a query in whose columns integer literals are BIGINTs. The branches of a set operation have a
// common type already. Totals that are themselves columns are rounded.
func (r *retyper) widenedOutput(n sql.Node) (sql.Node, bool) {
	switch own := n.(type) {
	case *plan.Project:
		list, some := widened(own.Projections)
		if !some {
			list = own.Projections
		}
		for i, e := range list {
			made, changed, err := r.column(e)
			if err != nil {
				return n, false
			}
			if !changed {
				continue
			}
			if !some {
				list, some = slices.Clone(list), true
			}
			list[i] = made
		}
		if !some {
			return n, false
		}
		return plan.NewProject(list, own.Child), true
	case *plan.Sort, *plan.Limit, *plan.Offset, *plan.Distinct, *plan.Filter, *plan.Having:
		children := n.Children()
		output, wide := r.widenedOutput(children[0])
		if !wide {
			return n, false
		}
		made, err := n.WithChildren(output)
		return made, err == nil
	}
	return n, false
}

// column is a column of a query.
func (r *retyper) column(e sql.Expression) (_ sql.Expression, changed bool, _ error) {
	switch own := e.(type) {
	case *expression.GetField:
		if r.totals[own.Id()] {
			return expression.NewAlias(own.Name(), rounded(own)).WithId(own.Id()).(sql.Expression), true, nil
		}
	case *expression.Alias:
		if wide, changed := widened(own.Children()); changed {
			made, err := own.WithChildren(wide...)
			return made, true, err
		}
	}
	return e, false, nil
}

// widened are expressions in which integer literals are BIGINTs: the engine gives each the narrowest type, 255 an
// unsigned one, which also becomes the type of a table's column or a choice.
func widened(list []sql.Expression) (wide []sql.Expression, changed bool) {
	for i, e := range list {
		literal, ok := e.(*expression.Literal)
		if !ok || !types.IsInteger(literal.Type()) || literal.Type() == types.Int64 || literal.Type() == types.Uint64 || coercion.IsTruth(literal.Type()) {
			continue
		}
		v, _, err := types.Int64.Convert(context.Background(), literal.Value())
		if err != nil || v == nil {
			continue
		}
		if !changed {
			wide, changed = slices.Clone(list), true
		}
		wide[i] = expression.NewLiteral(v, types.Int64)
	}
	return wide, changed
}

// digitsOfBigint is the length of the longest BIGINT.
const digitsOfBigint = 20

// wholeProducts are the columns of a query with DECIMALs wide enough for their values: the engine's types of sums, products
// and quotients have the digits of one side, those of some functions fewer than their values.
func wholeProducts(list []sql.Expression) (wide []sql.Expression, changed bool) {
	for i, e := range list {
		alias, named := e.(*expression.Alias)
		if named {
			e = alias.Child
		}
		if quotient, ok := e.(*expression.Div); !isProduct(e) && !(ok && isProduct(quotient.LeftChild)) {
			continue
		}
		given, isDecimal := e.Type().(sql.DecimalType)
		if !isDecimal {
			continue
		}
		typ, ok := arithmetic.ClassOf(e).Decimal()
		if !ok {
			typ = types.MustCreateDecimalType(min(given.Precision()+digitsOfBigint, types.DecimalTypeMaxPrecision), given.Scale())
		}
		if fitting, _ := typ.(sql.DecimalType); fitting.Scale() != given.Scale() || fitting.Precision() <= given.Precision() {
			continue
		}
		if !changed {
			wide, changed = slices.Clone(list), true
		}
		if wide[i] = scalar.As(e, typ); named {
			wide[i] = expression.NewAlias(alias.Name(), wide[i]).WithId(alias.Id()).(sql.Expression)
		}
	}
	return wide, changed
}

// isProduct recognises sums and products.
func isProduct(e sql.Expression) bool {
	switch e.(type) {
	case *expression.Arithmetic, *expression.UnaryMinus:
		return true
	}
	return false
}

func isLiteral(e sql.Expression) bool {
	_, ok := e.(*expression.Literal)
	return ok
}
