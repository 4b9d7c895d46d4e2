package columns

import (
	"slices"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// KeepComputed makes an engine erase only projections that list columns. The engine erases every projection with the names and
// types of the node below, even one that rounds an average.
func KeepComputed(engine *analyzer.Analyzer) {
	for _, batch := range engine.Batches {
		batch.Rules = slices.Clone(batch.Rules) // which engines share
		for i, rule := range batch.Rules {
			if rule.Id.String() == "eraseProjection" { // its id is not exported
				batch.Rules[i].Apply = eraseColumns
			}
		}
	}
}

// eraseColumns erases projections that list the columns below.
func eraseColumns(
	_ *sql.Context, _ *analyzer.Analyzer, node sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags,
) (sql.Node, transform.TreeIdentity, error) {
	if !node.Resolved() {
		return node, transform.SameTree, nil
	}
	return transform.Node(node, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		project, ok := n.(*plan.Project)
		if !ok || slices.ContainsFunc(project.Projections, isComputed) {
			return n, transform.SameTree, nil
		}
		below := project.Child.Schema()
		if !project.Schema().CaseSensitiveEquals(below) || below.CaseSensitiveEquals(memory.DualTableSchema.Schema) {
			return n, transform.SameTree, nil
		}
		return project.Child, transform.NewTree, nil
	})
}

func isComputed(e sql.Expression) bool {
	_, isColumn := tree.Unalias(e).(*expression.GetField)
	return !isColumn
}
