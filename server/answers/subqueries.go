package answers

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/grouping"
	"github.com/anonsql/anonsql/server/answers/trees"
)

// The engine turns NOT IN (SELECT ...) and NOT EXISTS into the same kind of join, in which a
// comparison with NULL, whose outcome is unknown, drops the row. That is right only for NOT IN of
// one column. So NOT IN is kept from becoming a join (in_rows.go evaluates it), and unknown counts
// as false in the joins (package existence).

// keepFromJoins rewrites subqueries into equivalent forms that the engine does not turn
// into joins, in place:
//   - NOT IN, and IN below NOT;
//   - IN in a derived table, where the engine looks for the columns of an aliased table
//     at wrong indexes, and panics;
//   - IN (SELECT f(x) ...), whose column it does not find; IN with a constant condition, on
//     which it panics; IN of rows, of which its join compares only some columns.
func keepFromJoins(t parsed) error {
	statement := t.Statement
	trees.Replace(statement, func(e sqlparser.Expr) sqlparser.Expr {
		in, ok := e.(*sqlparser.ComparisonExpr)
		switch {
		case !ok || !isSubquery(in.Right):
			return e
		case in.Operator == sqlparser.NotInStr:
			positive := *in
			positive.Operator = sqlparser.InStr
			return &sqlparser.XorExpr{Left: &positive, Right: sqlparser.BoolVal(true)}
		case in.Operator == sqlparser.InStr && (isRow(in.Left) || !joinable(in.Right.(*sqlparser.Subquery))):
			return &sqlparser.XorExpr{Left: in, Right: sqlparser.BoolVal(false)}
		}
		return e
	})
	within := func(node any) {
		trees.Replace(node, func(e sqlparser.Expr) sqlparser.Expr {
			if in, ok := e.(*sqlparser.ComparisonExpr); ok && in.Operator == sqlparser.InStr && isSubquery(in.Right) {
				return &sqlparser.XorExpr{Left: in, Right: sqlparser.BoolVal(false)}
			}
			return e
		})
	}
	trees.Walk(statement, func(node any) {
		switch node := node.(type) {
		case *sqlparser.NotExpr:
			within(node)
		case *sqlparser.AliasedTableExpr: // also of WITH
			if subquery, ok := node.Expr.(*sqlparser.Subquery); ok {
				within(subquery)
			}
		case *sqlparser.ViewSpec:
			within(node)
		}
	})
	return nil
}

func isRow(e sqlparser.Expr) bool {
	_, row := e.(sqlparser.ValTuple)
	return row
}

// joinable reports whether a subquery selects columns by name, and its conditions read
// columns.
func joinable(subquery *sqlparser.Subquery) bool {
	for _, branch := range branches(subquery.Select) {
		for _, selected := range branch.SelectExprs {
			if aliased, ok := selected.(*sqlparser.AliasedExpr); ok {
				if _, ok := aliased.Expr.(*sqlparser.ColName); !ok {
					return false
				}
			}
		}
		if branch.Where != nil && slices.ContainsFunc(conjunction(branch.Where.Expr), isConstant) {
			return false
		}
	}
	return true
}

// conjunction is the terms of an AND.
func conjunction(e sqlparser.Expr) []sqlparser.Expr {
	switch e := e.(type) {
	case *sqlparser.AndExpr:
		return append(conjunction(e.Left), conjunction(e.Right)...)
	case *sqlparser.ParenExpr:
		return conjunction(e.Expr)
	}
	return []sqlparser.Expr{e}
}

// isConstant reports whether an expression reads no column and no subquery.
func isConstant(e sqlparser.Expr) bool {
	constant := true
	trees.Walk(&e, func(node any) {
		switch node.(type) {
		case *sqlparser.ColName, *sqlparser.Subquery:
			constant = false
		}
	})
	return constant
}

func isSubquery(e sqlparser.Expr) bool {
	_, ok := e.(*sqlparser.Subquery)
	return ok
}

// ownTables gives the tables of subqueries in the SELECT list, in HAVING and in ORDER BY unique names, in place, and marks their
// keys of ORDER BY. The engine takes an aggregate there for the outer one with the same text.
func ownTables(t parsed) error {
	trees.Walk(t.Statement, func(node any) {
		query, ok := node.(*sqlparser.Select)
		if !ok {
			return
		}
		var subqueries []*sqlparser.Subquery
		for _, part := range []any{query.SelectExprs, query.Having, query.OrderBy} {
			trees.Walk(part, func(node any) {
				subquery, ok := node.(*sqlparser.Subquery)
				if !ok {
					return
				}
				grouping.KeepKeys(subquery)
				if trees.HasAggregate(subquery) {
					subqueries = append(subqueries, subquery)
				}
			})
		}
		if len(subqueries) == 0 {
			return
		}
		outside := map[string]bool{}
		trees.Walk(query.From, func(node any) {
			if table, ok := node.(*sqlparser.AliasedTableExpr); ok {
				if name := tableName(table); name != "" {
					outside[strings.ToLower(name)] = true
				}
			}
		})
		for _, subquery := range subqueries {
			renameTables(subquery, outside)
		}
	})
	return nil
}

// tableName is the name of a table, "" of a derived one.
func tableName(table *sqlparser.AliasedTableExpr) string {
	if !table.As.IsEmpty() {
		return table.As.String()
	}
	if name, ok := table.Expr.(sqlparser.TableName); ok {
		return name.Name.String()
	}
	return ""
}

// renameTables renames the tables of a subquery whose names are used outside, and all
// references to them.
func renameTables(subquery *sqlparser.Subquery, outside map[string]bool) {
	const aliasBehind = "__anon_inner"
	renamed := map[string]bool{}
	trees.Walk(subquery, func(node any) {
		table, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok {
			return
		}
		if name := tableName(table); outside[strings.ToLower(name)] {
			renamed[strings.ToLower(name)] = true
			table.As = sqlparser.NewTableIdent(name + aliasBehind)
		}
	})
	if len(renamed) == 0 {
		return
	}
	trees.Walk(subquery, func(node any) {
		switch node := node.(type) {
		case *sqlparser.ColName:
			if name := node.Qualifier.Name.String(); renamed[strings.ToLower(name)] {
				node.Qualifier = sqlparser.TableName{Name: sqlparser.NewTableIdent(name + aliasBehind)}
			}
		case *sqlparser.StarExpr:
			if name := node.TableName.Name.String(); renamed[strings.ToLower(name)] {
				node.TableName = sqlparser.TableName{Name: sqlparser.NewTableIdent(name + aliasBehind)}
			}
		}
	})
}
