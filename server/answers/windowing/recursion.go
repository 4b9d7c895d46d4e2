package windowing

import (
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// erGroupedRecursion is MySQL's ER_CTE_RECURSIVE_FORBIDS_AGGREGATION.
const erGroupedRecursion = 3575

// RefuseRecursion refuses groups and windows in the part of a recursive query that reads the query itself, as MySQL does: a SELECT
// of an aggregate has a row always, and would not end.
func RefuseRecursion(node any) error {
	with, ok := node.(*sqlparser.With)
	if !ok || !with.Recursive {
		return nil
	}
	for _, table := range with.Ctes {
		body, ok := table.Expr.(*sqlparser.Subquery)
		if !ok {
			continue
		}
		for _, query := range branches(body.Select)[1:] {
			if reads(query.From, table.As.String()) && (isGrouped(query) || hasWindow(query.SelectExprs)) {
				return mysql.NewSQLError(erGroupedRecursion, "HY000",
					"Recursive Common Table Expression '%s' can contain neither aggregation nor window functions in recursive query block", table.As.String())
			}
		}
	}
	return nil
}

// branches are the SELECTs of a set operation, from the left; at least one, which may be nil.
func branches(statement sqlparser.SelectStatement) []*sqlparser.Select {
	switch statement := statement.(type) {
	case *sqlparser.SetOp:
		return append(branches(statement.Left), branches(statement.Right)...)
	case *sqlparser.ParenSelect:
		return branches(statement.Select)
	case *sqlparser.Select:
		return []*sqlparser.Select{statement}
	}
	return []*sqlparser.Select{{}}
}

// reads reports whether a FROM has a table of a name, outside of its subqueries.
func reads(from sqlparser.TableExprs, name string) bool {
	for _, table := range from {
		switch table := table.(type) {
		case *sqlparser.AliasedTableExpr:
			if of, ok := table.Expr.(sqlparser.TableName); ok && of.DbQualifier.IsEmpty() && strings.EqualFold(of.Name.String(), name) {
				return true
			}
		case *sqlparser.JoinTableExpr:
			if reads(sqlparser.TableExprs{table.LeftExpr, table.RightExpr}, name) {
				return true
			}
		case *sqlparser.ParenTableExpr:
			if reads(table.Exprs, name) {
				return true
			}
		}
	}
	return false
}
