package grouping

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// BareKeys removes parentheses and plus signs around the keys of ORDER BY and GROUP BY, in place. MySQL's parser does not keep
// them: (2) is the second column, and (x) may be an alias. Those around a parameter stay, since its number is a constant, and no column's.
func BareKeys(node any) {
	switch node := node.(type) {
	case *sqlparser.Order:
		node.Expr = bare(node.Expr)
	case *sqlparser.Select:
		for i, key := range node.GroupBy {
			node.GroupBy[i] = bare(key)
		}
	}
}

func bare(e sqlparser.Expr) sqlparser.Expr {
	inside := e
	switch of := e.(type) {
	case *sqlparser.ParenExpr:
		inside = bare(of.Expr)
	case *sqlparser.UnaryExpr:
		if of.Operator == sqlparser.UPlusStr {
			inside = bare(of.Expr)
		}
	}
	if value, ok := inside.(*sqlparser.SQLVal); ok && value.Type == sqlparser.ValArg {
		return e
	}
	return inside
}

// KeepKeys marks the expressions by which the queries in a subquery are ordered, in place. The binder drops a key of ORDER BY
// that has the text of a figure or of a key of the query outside.
func KeepKeys(subquery *sqlparser.Subquery) {
	trees.Walk(subquery, func(node any) {
		query, ok := node.(*sqlparser.Select)
		if !ok {
			return
		}
		for _, order := range query.OrderBy {
			call, isCall := order.Expr.(*sqlparser.FuncExpr)
			_, isName := order.Expr.(*sqlparser.ColName)
			_, isValue := order.Expr.(*sqlparser.SQLVal)
			if !isName && !isValue && (!isCall || !call.Name.EqualString(apartFunction)) {
				order.Expr = marked(order.Expr, 1)
			}
		}
	})
}

// OrderByAliases replaces aliases within expressions of ORDER BY by what they stand for, in place. The binder knows an alias
// there only if it stands alone. As in MySQL, a name that the statement uses for a column elsewhere is that column.
func OrderByAliases(statement sqlparser.Statement) {
	trees.Walk(statement, func(node any) {
		query, ok := node.(*sqlparser.Select)
		if !ok || len(query.OrderBy) == 0 {
			return
		}
		var computed map[string]sqlparser.Expr
		for _, order := range query.OrderBy {
			if _, alone := order.Expr.(*sqlparser.ColName); alone {
				continue
			}
			if computed == nil {
				computed = aliased(query)
			}
			order.Expr = replaceNames(order.Expr, func(column *sqlparser.ColName) sqlparser.Expr {
				if of, ok := computed[column.Name.Lowered()]; ok {
					return &sqlparser.ParenExpr{Expr: trees.Copy(of)}
				}
				return column
			})
		}
	})
}

// aliased returns the expressions of a SELECT list by alias, in lower case. It omits those that must not be computed twice,
// and aliases that are also names of columns.
func aliased(query *sqlparser.Select) map[string]sqlparser.Expr {
	found, columns := map[string]sqlparser.Expr{}, map[string]bool{}
	for _, part := range []any{query.SelectExprs, query.Where, query.From} {
		trees.Walk(part, func(node any) {
			if column, ok := node.(*sqlparser.ColName); ok {
				columns[column.Name.Lowered()] = true
			}
		})
	}
	for _, selected := range query.SelectExprs {
		of, ok := selected.(*sqlparser.AliasedExpr)
		if !ok || of.As.IsEmpty() || columns[of.As.Lowered()] || !repeatable(of.Expr) {
			continue
		}
		found[of.As.Lowered()], columns[of.As.Lowered()] = of.Expr, true
	}
	return found
}

// repeatable recognises deterministic expressions without subqueries and windows.
func repeatable(e sqlparser.Expr) bool {
	same := true
	trees.Walk(&e, func(node any) {
		switch own := node.(type) {
		case *sqlparser.Subquery:
			same = false
		case *sqlparser.FuncExpr:
			switch own.Name.Lowered() {
			case "rand", "uuid", "uuid_short", "random_bytes", "sleep", "__anon_assign":
				same = false
			}
			same = same && own.Over == nil
		}
	})
	return same
}
