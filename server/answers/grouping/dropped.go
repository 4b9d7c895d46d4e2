package grouping

import (
	"slices"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// partitionOfNone is ER_PARTITION_CLAUSE_ON_NONPARTITIONED.
const partitionOfNone = 1747

// partitionManaged is ER_PARTITION_MGMT_ON_NONPARTITIONED.
const partitionManaged = 1505

// RefuseDropped refuses clauses that the grammar accepts and the binder silently drops.
func RefuseDropped(statement sqlparser.Statement) (err error) {
	trees.Walk(statement, func(node any) {
		switch node := node.(type) {
		case *sqlparser.FuncExpr:
			switch {
			case node.Distinct && node.Over != nil:
				err = mysql.NewSQLError(mysql.ERNotSupportedYet, mysql.SSClientError, "%s(DISTINCT ...) has no OVER: aggregate in a derived table with GROUP BY, and join it",
					node.Name.String())
			case node.IsAggregate() && hasStar(node.Exprs) && (len(node.Exprs) > 1 || node.Distinct):
				err = mysql.NewSQLError(mysql.ERParseError, mysql.SSClientError, "You have an error in your SQL syntax: * stands alone in COUNT(*)")
			}
		case *sqlparser.AlterTable:
			if len(node.PartitionSpecs) > 0 {
				err = mysql.NewSQLError(partitionManaged, mysql.SSUnknownSQLState, "Partition management on a not partitioned table is not possible: "+
					"PARTITION BY is read and not kept; DELETE removes the rows of a range")
			}
		case *sqlparser.AliasedTableExpr:
			if len(node.Partitions) > 0 {
				err = mysql.NewSQLError(partitionOfNone, mysql.SSUnknownSQLState, "PARTITION () clause on non partitioned table")
			}
		}
	})
	return err
}

func hasStar(arguments sqlparser.SelectExprs) bool {
	return slices.ContainsFunc(arguments, func(given sqlparser.SelectExpr) bool {
		_, ok := given.(*sqlparser.StarExpr)
		return ok
	})
}
