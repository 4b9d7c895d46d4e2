package correlated

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// reads reports whether an expression reads a column.
func reads(e sql.Expression) bool {
	return transform.InspectExpr(e, isColumn)
}

// computes reports whether an expression is deterministic and free of side effects. Of
// its subqueries it refuses only volatile ones.
func computes(e sql.Expression) bool {
	return !transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *plan.Subquery:
			return e.Volatile()
		case *expression.UserVar, *expression.SystemVar, *expression.ProcedureParam, *expression.BindVar:
			return true
		case sql.FunctionExpression:
			if strings.EqualFold(e.FunctionName(), "sysdate") || strings.EqualFold(e.FunctionName(), "benchmark") {
				return true
			}
		}
		return tree.Acts(e)
	})
}

// steady reports whether all expressions of a node and its descendants are
// deterministic, and whether others accepts each of these nodes.
func steady(n sql.Node, others func(sql.Node) bool) bool {
	is := true
	tree.Inspect(n, func(n sql.Node) bool {
		if is = is && others(n); !is {
			return false
		}
		if ex, ok := n.(sql.Expressioner); ok {
			for _, e := range ex.Expressions() {
				is = is && computes(e)
			}
		}
		return is
	})
	return is
}

// reader recognises the nodes that read or transform rows and depend on nothing but the
// expressions that they expose.
func reader(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.ResolvedTable, *plan.TableAlias, *plan.IndexedTableAccess, *plan.Filter, *plan.Project, *plan.GroupBy, *plan.Having,
		*plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.Distinct, *plan.Max1Row, *plan.HashLookup, *plan.StripRowNode, *plan.CachedResults, *partition:
		return true
	case *plan.JoinNode:
		return !n.Op.IsLateral()
	case *plan.SubqueryAlias:
		return !n.IsLateral
	}
	return false
}

// anyNode accepts every node.
func anyNode(sql.Node) bool { return true }

// closed reports whether a relation has the same rows for every outer row. It may consist
// of tables, conditions, joins by an equation, and derived tables that the engine can
// cache. It reads no outer column.
func closed(n sql.Node, outside sql.ColSet) bool {
	is := reader(n)
	switch n := n.(type) {
	case *plan.JoinNode: // other joins may evaluate pairs that the engine would never have reached
		is = is && (n.Op.IsHash() || n.Op.IsLookup() || n.Op.IsMerge()) && (n.Filter == nil || ofOwn(n.Filter, outside))
	case *plan.SubqueryAlias:
		return is && n.CanCacheResults() && !n.OuterScopeVisibility && steady(n.Child, reader)
	case sql.Expressioner:
		for _, e := range n.Expressions() {
			is = is && ofOwn(e, outside)
		}
	}
	for _, child := range n.Children() {
		is = is && closed(child, outside)
	}
	return is
}

// ofOwn reports whether an expression is deterministic and reads neither an outer column nor a subquery.
func ofOwn(e sql.Expression, outside sql.ColSet) bool {
	return computes(e) && !transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			return outside.Contains(e.Id())
		case *plan.Subquery:
			return true
		}
		return false
	})
}
