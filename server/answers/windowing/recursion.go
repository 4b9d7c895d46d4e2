package windowing

import (
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// MySQL's errors about recursive queries: ER_CTE_RECURSIVE_REQUIRES_UNION and those after it.
var (
	noUnion   = recursionError{3573, "Recursive Common Table Expression '%s' should contain a UNION"}
	noFirst   = recursionError{3574, "Recursive Common Table Expression '%s' should have one or more non-recursive query blocks followed by one or more recursive ones"}
	grouped   = recursionError{3575, "Recursive Common Table Expression '%s' can contain neither aggregation nor window functions in recursive query block"}
	madeUp    = recursionError{3576, "In recursive query block of Recursive Common Table Expression '%s', the recursive table must neither be in the right argument of a LEFT JOIN, nor be forced to be non-first with join order hints"}
	notSingle = recursionError{3577, "In recursive query block of Recursive Common Table Expression '%s', the recursive table must be referenced only once, and not in any subquery"}
)

type recursionError struct {
	number int
	text   string
}

func (e recursionError) forTable(table *sqlparser.AliasedTableExpr) error {
	return mysql.NewSQLError(e.number, "HY000", e.text, table.As.String())
}

// RefuseRecursion refuses the recursive queries that MySQL refuses: with groups or windows, since an aggregate always returns a row and the
// recursion would not end; with themselves in a subquery, twice, or on the nullable side of an outer join; and those without a non-recursive start.
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
		blocks := branches(body.Select)
		if first := countReads(blocks[0], table.As.String()); first > 0 && len(blocks) == 1 {
			return noUnion.forTable(table.AliasedTableExpr)
		} else if first > 0 {
			return noFirst.forTable(table.AliasedTableExpr)
		}
		for _, block := range blocks[1:] {
			if err := refuseBlock(block, table.AliasedTableExpr); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseBlock checks a SELECT after the first.
func refuseBlock(block *sqlparser.Select, table *sqlparser.AliasedTableExpr) error {
	name := table.As.String()
	switch n := countReads(block, name); {
	case n == 0:
		return nil
	case n > 1 || !reads(block.From, name):
		return notSingle.forTable(table)
	case isGrouped(block) || hasWindow(block.SelectExprs):
		return grouped.forTable(table)
	case mayBeMadeUp(block.From, name):
		return madeUp.forTable(table)
	}
	return nil
}

// countReads counts how often a query and its subqueries name a table.
func countReads(query *sqlparser.Select, name string) (n int) {
	trees.Walk(query, func(node any) {
		if of, ok := node.(*sqlparser.AliasedTableExpr); ok && isTable(of, name) {
			n++
		}
	})
	return n
}

func isTable(table *sqlparser.AliasedTableExpr, name string) bool {
	of, ok := table.Expr.(sqlparser.TableName)
	return ok && of.DbQualifier.IsEmpty() && strings.EqualFold(of.Name.String(), name)
}

// mayBeMadeUp recognises a table on the nullable side of an outer join.
func mayBeMadeUp(from sqlparser.TableExprs, name string) bool {
	for _, table := range from {
		join, ok := table.(*sqlparser.JoinTableExpr)
		if !ok {
			continue
		}
		switch join.Join {
		case sqlparser.LeftJoinStr, sqlparser.NaturalLeftJoinStr:
			if reads(sqlparser.TableExprs{join.RightExpr}, name) {
				return true
			}
		case sqlparser.RightJoinStr, sqlparser.NaturalRightJoinStr:
			if reads(sqlparser.TableExprs{join.LeftExpr}, name) {
				return true
			}
		}
		if mayBeMadeUp(sqlparser.TableExprs{join.LeftExpr, join.RightExpr}, name) {
			return true
		}
	}
	return false
}

// branches returns the SELECTs of a set operation, from the left. For other statements it returns an empty SELECT.
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

// reads reports whether a FROM names a table, outside its subqueries.
func reads(from sqlparser.TableExprs, name string) bool {
	for _, table := range from {
		switch table := table.(type) {
		case *sqlparser.AliasedTableExpr:
			if isTable(table, name) {
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
