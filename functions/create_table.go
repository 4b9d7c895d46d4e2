package functions

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// CreateTableRule is an analyzer rule for CREATE TABLE ... AS SELECT from a table function: the engine binds the function's columns as NOT
// NULL, and the first NULL would then fail.
func CreateTableRule(_ *sql.Context, _ *analyzer.Analyzer, node sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (
	sql.Node, transform.TreeIdentity, error) {
	create, ok := node.(*plan.CreateTable)
	if !ok || create.Select() == nil || !readsTableFunction(create.Select()) {
		return node, transform.SameTree, nil
	}
	for _, c := range create.PkSchema().Schema {
		c.Nullable = c.Nullable || !c.PrimaryKey
	}
	return create, transform.NewTree, nil
}

func readsTableFunction(node sql.Node) bool {
	if _, ok := node.(*tableFunction); ok {
		return true
	}
	return slices.ContainsFunc(node.Children(), readsTableFunction)
}
