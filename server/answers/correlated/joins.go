package correlated

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// Join reads the right side of a join once, where its condition has an equation of both
// sides among other terms. The engine looks at every pair of rows then.
func Join(_ *sql.Context, n sql.Node, inside bool) (sql.Node, transform.TreeIdentity, error) {
	join, ok := n.(*plan.JoinNode)
	if !ok || inside || join.ScopeLen > 0 || join.Filter == nil || !looksAtPairs(join.Op) {
		return n, transform.SameTree, nil
	}
	var left sql.ColSet
	tree.Inspect(join.Left(), func(n sql.Node) bool {
		for _, id := range tree.OutputIDs(n) {
			left.Add(id)
		}
		return true
	})
	equations := equationsOf(join.Filter)
	if len(equations) == 0 || !closed(join.Right(), left) || !steady(join, anyNode) {
		return n, transform.SameTree, nil
	}
	changed, err := join.WithChildren(join.Left(), newPartition(join.Right(), equations))
	return changed, transform.NewTree, err
}

// looksAtPairs recognises joins without an index, a sorting or a hash of their own.
func looksAtPairs(op plan.JoinType) bool {
	switch op {
	case plan.JoinTypeInner, plan.JoinTypeLeftOuter, plan.JoinTypeSemi, plan.JoinTypeAnti:
		return true
	}
	return false
}
