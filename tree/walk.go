package tree

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Inspect visits node and everything below it, including nodes that the engine's own walkers skip: sources of INSERT,
// described queries, subqueries. It skips the nodes below a node for which visit returns false.
func Inspect(node sql.Node, visit func(sql.Node) bool) {
	if node == nil || !visit(node) {
		return
	}
	switch n := node.(type) {
	case *plan.DescribeQuery:
		Inspect(n.Query(), visit)
	case *plan.InsertInto:
		Inspect(n.Source, visit)
	}
	for _, child := range node.Children() {
		Inspect(child, visit)
	}
	if ex, ok := node.(sql.Expressioner); ok {
		for _, e := range ex.Expressions() {
			inspectSubqueries(e, visit)
		}
	}
}

func inspectSubqueries(e sql.Expression, visit func(sql.Node) bool) {
	transform.InspectExpr(e, func(e sql.Expression) bool {
		if subquery, ok := e.(*plan.Subquery); ok {
			Inspect(subquery.Query, visit)
		}
		return false
	})
}
