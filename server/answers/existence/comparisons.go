package existence

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// KeepComparisons rewrites comparisons with subqueries as `... XOR FALSE`, in place, so that the engine turns none into a join. It does so
// where the subquery may return several rows, for which MySQL reports error 1242 and a join returns each, and where the comparison is
// negated, since an anti join accepts NULL.
func KeepComparisons(statement sqlparser.Statement) {
	trees.Replace(statement, func(e sqlparser.Expr) sqlparser.Expr { return keptComparison(e, false) })
	trees.Walk(statement, func(node any) {
		if not, ok := node.(*sqlparser.NotExpr); ok {
			trees.Replace(not, func(e sqlparser.Expr) sqlparser.Expr { return keptComparison(e, true) })
		}
	})
}

func keptComparison(e sqlparser.Expr, denied bool) sqlparser.Expr {
	compared, ok := e.(*sqlparser.ComparisonExpr)
	if !ok || compared.Operator == sqlparser.InStr || compared.Operator == sqlparser.NotInStr {
		return e
	}
	subquery, ok := compared.Right.(*sqlparser.Subquery)
	if !ok || !denied && compared.Operator != sqlparser.NotEqualStr && hasOneRow(subquery.Select) {
		return e
	}
	return &sqlparser.XorExpr{Left: compared, Right: sqlparser.BoolVal(false)}
}

// hasOneRow reports whether a query returns at most one row by its form: it aggregates without GROUP BY, or has LIMIT 0 or 1.
func hasOneRow(query sqlparser.SelectStatement) (one bool) {
	selected, ok := query.(*sqlparser.Select)
	if !ok {
		return false
	}
	if selected.Limit != nil {
		if n, ok := trees.Number(selected.Limit.Rowcount); ok && n <= 1 {
			return true
		}
	}
	if len(selected.GroupBy) > 0 {
		return false
	}
	trees.WalkOutside(selected.SelectExprs, func(node any) {
		switch node := node.(type) {
		case *sqlparser.FuncExpr:
			one = one || trees.IsAggregate(node)
		case *sqlparser.GroupConcatExpr:
			one = true
		}
	})
	return one
}

// JoinOuter replaces ON TRUE of outer joins by ON 1, in place. The engine turns ON TRUE into a cross join, which loses the
// rows without a partner.
func JoinOuter(statement sqlparser.Statement) {
	trees.Walk(statement, func(node any) {
		join, ok := node.(*sqlparser.JoinTableExpr)
		if ok && join.Condition.On == sqlparser.BoolVal(true) && (join.Join == sqlparser.LeftJoinStr || join.Join == sqlparser.RightJoinStr) {
			join.Condition.On = sqlparser.NewIntVal([]byte("1"))
		}
	})
}
