package answers

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/values"
)

// numericFunctions read texts as decimal numbers.
var numericFunctions = []string{"abs", "ceil", "ceiling", "floor", "round", "truncate", "format", "mod", "sign"}

// shortNumbers bounds the texts that an expression converts to numbers (values.Number):
// operands of arithmetic, of casts, of numeric functions, and of comparisons with
// numbers, and defaults.
func shortNumbers(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if !readsNumbers(e) {
		return e, transform.SameTree, nil
	}
	operands, same := slices.Clone(e.Children()), transform.SameTree
	for i, operand := range operands {
		if mayBeLong(operand) {
			operands[i], same = values.Number(operand), transform.NewTree
		}
	}
	if same {
		return e, transform.SameTree, nil
	}
	bounded, err := e.WithChildren(operands...)
	return bounded, transform.NewTree, err
}

func readsNumbers(e sql.Expression) bool {
	switch e := e.(type) {
	case *sql.ColumnDefaultValue:
		return e != nil && types.IsNumber(e.Type())
	case *expression.Convert:
		return types.IsNumber(e.Type()) || types.IsYear(e.Type())
	case expression.ArithmeticOp, *expression.BitOp, *expression.UnaryMinus:
		return true
	case expression.Comparer:
		return types.IsNumber(e.Left().Type()) != types.IsNumber(e.Right().Type())
	case sql.FunctionExpression:
		return slices.Contains(numericFunctions, strings.ToLower(e.FunctionName()))
	}
	return false
}

// mayBeLong reports whether an expression may be a text with more digits than a number.
func mayBeLong(e sql.Expression) bool {
	if values.IsNumber(e) {
		return false
	}
	if literal, ok := e.(*expression.Literal); ok {
		text, ok := literal.Value().(string)
		return ok && len(text) >= len("1e10000")
	}
	switch e.(type) {
	case expression.Tuple, *expression.Interval:
		return false
	}
	t := e.Type()
	return types.IsTextBlob(t) || types.IsJSON(t) || types.IsDeferredType(t)
}

// boundConstants applies shortNumbers to constant expressions, which the engine
// evaluates during its analysis.
func boundConstants(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeExprs(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if !readable(e) || !e.Resolved() || !constant(e) {
			return e, transform.SameTree, nil
		}
		return shortNumbers(ctx, e)
	})
}

// readable reports whether an expression is of a kind that readsNumbers examines.
func readable(e sql.Expression) bool {
	switch e.(type) {
	case *sql.ColumnDefaultValue, *expression.Convert, expression.ArithmeticOp, *expression.BitOp, *expression.UnaryMinus, expression.Comparer,
		sql.FunctionExpression:
		return true
	}
	return false
}

func constant(e sql.Expression) bool {
	return !transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e.(type) {
		case *expression.GetField, *plan.Subquery, sql.Aggregation:
			return true
		}
		return false
	})
}
