package grouping

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/tree"
)

// A name in HAVING outside aggregates refers to a key of GROUP BY, or else to an alias of
// the SELECT list, preferably a computed one (MySQL's resolve_ref_in_select_and_group). The
// binder prefers table columns. So this file marks the names that are also aliases, and
// [planner.SelectedNames] resolves the marks in the bound plan.

// havingFunction marks a name.
const havingFunction = "__anon_having"

// MarkHaving marks the names in every HAVING that are aliases of the SELECT list, in place.
func MarkHaving(statement sqlparser.Statement) {
	trees.Walk(statement, func(node any) {
		query, ok := node.(*sqlparser.Select)
		if !ok || query.Having == nil {
			return
		}
		names := aliases(query)
		for _, key := range query.GroupBy {
			if column, ok := key.(*sqlparser.ColName); ok {
				delete(names, column.Name.Lowered())
			}
		}
		if len(names) > 0 {
			query.Having.Expr = replaceNames(query.Having.Expr, func(column *sqlparser.ColName) sqlparser.Expr {
				if names[column.Name.Lowered()] {
					return trees.Call(havingFunction, column)
				}
				return column
			})
		}
	})
}

// aliases returns the aliases of a SELECT list, in lower case.
func aliases(query *sqlparser.Select) map[string]bool {
	names := map[string]bool{}
	for _, selected := range query.SelectExprs {
		if aliased, ok := selected.(*sqlparser.AliasedExpr); ok && !aliased.As.IsEmpty() {
			names[aliased.As.Lowered()] = true
		}
	}
	return names
}

// replaceNames replaces the unqualified names of an expression by the results of by.
func replaceNames(e sqlparser.Expr, by func(*sqlparser.ColName) sqlparser.Expr) sqlparser.Expr {
	within := map[*sqlparser.ColName]bool{} // aggregates, windows and subqueries resolve names against tables
	trees.Walk(&e, func(node any) {
		call, ok := node.(*sqlparser.FuncExpr)
		if ok = ok && (trees.IsAggregate(call) || call.Over != nil); !ok {
			_, ok = node.(*sqlparser.Subquery)
		}
		if _, joined := node.(*sqlparser.GroupConcatExpr); !ok && !joined {
			return
		}
		trees.Walk(node, func(below any) {
			if column, ok := below.(*sqlparser.ColName); ok {
				within[column] = true
			}
		})
	})
	trees.Replace(&e, func(e sqlparser.Expr) sqlparser.Expr {
		column, ok := e.(*sqlparser.ColName)
		if !ok || within[column] || !column.Qualifier.IsEmpty() {
			return e
		}
		return by(column)
	})
	return e
}

// havingName is the mark.
type havingName struct{ tree.Standin }

func (h *havingName) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(h, children)
}

// Named implements [planner.HavingName].
func (h *havingName) Named() sql.Expression { return h.Child }
