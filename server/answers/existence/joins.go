package existence

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// KeepFromJoins rewrites EXISTS as EXISTS XOR FALSE, which the engine does not turn into a join, where a join would be wrong: for an aggregate,
// HAVING, LIMIT or a set operation. In DELETE and UPDATE, whose EXISTS the engine does not analyse, it makes a plain EXISTS a scalar subquery.
func KeepFromJoins(statement sqlparser.Statement) {
	switch statement.(type) {
	case *sqlparser.Delete, *sqlparser.Update:
		trees.Replace(statement, scalarExists)
	}
	trees.Replace(statement, func(e sqlparser.Expr) sqlparser.Expr {
		if exists, ok := e.(*sqlparser.ExistsExpr); ok && !joinable(exists.Subquery.Select) {
			return &sqlparser.XorExpr{Left: exists, Right: sqlparser.BoolVal(false)}
		}
		return e
	})
}

// joinable reports whether a query returns a row exactly if its tables have one that satisfies WHERE.
func joinable(query sqlparser.SelectStatement) bool {
	plain, ok := query.(*sqlparser.Select)
	if !ok || plain.Limit != nil || plain.Having != nil {
		return false
	}
	return len(plain.GroupBy) > 0 || !hasAggregate(plain.SelectExprs)
}

func hasAggregate(list sqlparser.SelectExprs) (found bool) {
	trees.WalkOutside(list, func(node any) {
		switch node := node.(type) {
		case *sqlparser.FuncExpr:
			found = found || trees.IsAggregate(node)
		case *sqlparser.GroupConcatExpr:
			found = true
		}
	})
	return found
}

// scalarExists rewrites EXISTS of a plain SELECT as (SELECT 1 ... LIMIT 1) IS NOT NULL.
func scalarExists(e sqlparser.Expr) sqlparser.Expr {
	exists, ok := e.(*sqlparser.ExistsExpr)
	if !ok {
		return e
	}
	query, ok := exists.Subquery.Select.(*sqlparser.Select)
	if !ok || query.GroupBy != nil || query.Having != nil || query.Limit != nil {
		return e
	}
	for _, selected := range query.SelectExprs {
		aliased, ok := selected.(*sqlparser.AliasedExpr)
		if !ok {
			continue // *
		}
		switch aliased.Expr.(type) {
		case *sqlparser.SQLVal, *sqlparser.ColName, *sqlparser.NullVal:
		default: // an aggregate always returns a row
			return e
		}
	}
	first := *query
	first.QueryOpts.Distinct, first.OrderBy = false, nil
	first.SelectExprs = sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: sqlparser.NewIntVal([]byte("1"))}}
	first.Limit = &sqlparser.Limit{Rowcount: sqlparser.NewIntVal([]byte("1"))}
	return &sqlparser.IsExpr{Operator: sqlparser.IsNotNullStr, Expr: &sqlparser.Subquery{Select: &first}}
}
