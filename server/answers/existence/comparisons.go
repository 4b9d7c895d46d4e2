package existence

import (
	"reflect"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// KeepComparisons writes a comparison with a subquery in a form of the same value of which the engine makes no join, in place, where the
// subquery may have several rows, or the comparison is denied: a join finds a row for each, where MySQL has error 1242, and one that looks
// for no partner finds NULL.
func KeepComparisons(statement sqlparser.Statement) {
	trees.Replace(statement, func(e sqlparser.Expr) sqlparser.Expr { return keptComparison(e, false) })
	trees.Walk(reflect.ValueOf(statement), func(node any) {
		if not, ok := node.(*sqlparser.NotExpr); ok {
			trees.ReplaceAll(reflect.ValueOf(not), func(e sqlparser.Expr) sqlparser.Expr { return keptComparison(e, true) })
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

// hasOneRow reports whether a query has one row at most, whatever its tables have: it is an aggregate of all of them, or has a LIMIT.
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
	trees.WalkOutside(reflect.ValueOf(selected.SelectExprs), func(node any) {
		switch node := node.(type) {
		case *sqlparser.FuncExpr:
			one = one || trees.IsAggregate(node)
		case *sqlparser.GroupConcatExpr:
			one = true
		}
	})
	return one
}

// JoinOuter gives outer joins ON TRUE the condition 1, in place: the engine makes a cross join of TRUE, which loses the rows
// that have no partner.
func JoinOuter(statement sqlparser.Statement) {
	trees.Walk(reflect.ValueOf(statement), func(node any) {
		join, ok := node.(*sqlparser.JoinTableExpr)
		if ok && join.Condition.On == sqlparser.BoolVal(true) && (join.Join == sqlparser.LeftJoinStr || join.Join == sqlparser.RightJoinStr) {
			join.Condition.On = sqlparser.NewIntVal([]byte("1"))
		}
	})
}
