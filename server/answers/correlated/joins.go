package correlated

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// Join partitions the right side of a nested-loop join whose condition contains an
// equation between the two sides. The engine would test every pair of rows.
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

// looksAtPairs recognises nested-loop joins, that is, those without an index, a sort or a hash.
func looksAtPairs(op plan.JoinType) bool {
	switch op {
	case plan.JoinTypeInner, plan.JoinTypeLeftOuter, plan.JoinTypeSemi, plan.JoinTypeAnti:
		return true
	}
	return false
}
