package existence

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// Varying keeps random numbers and assignments in conditions from the engine, which would compute them while it plans.
func Varying(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		conditions := false
		switch n.(type) {
		case *plan.Filter, *plan.JoinNode:
			conditions = true
		}
		return transform.OneNodeExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			if own, ok := e.(*plan.Subquery); ok {
				query, same, err := Varying(ctx, own.Query)
				if err != nil || bool(same) {
					return e, transform.SameTree, err
				}
				return own.WithQuery(query), transform.NewTree, nil
			}
			if !conditions || !tree.Varies(e) || isOfRows(e) {
				return e, transform.SameTree, nil
			}
			return &varying{tree.NewStandin(e)}, transform.NewTree, nil
		})
	})
}

// isOfRows recognises expressions that the engine computes for every row anyway.
func isOfRows(e sql.Expression) bool {
	return transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e.(type) {
		case *expression.GetField, *plan.Subquery, *expression.BindVar, *expression.ProcedureParam:
			return true
		}
		return false
	})
}

// A varying expression shows a parameter in place of its own parts, so that the engine computes it for every row.
type varying struct{ tree.Standin }

var (
	_ sql.NonDeterministicExpression = (*varying)(nil)

	parameter = expression.NewBindVar("")
)

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (v *varying) IsNonDeterministic() bool { return true }

func (v *varying) Children() []sql.Expression { return []sql.Expression{parameter} }

func (v *varying) WithChildren(...sql.Expression) (sql.Expression, error) { return v, nil }

// RewriteHidden rewrites the parts of an expression that Varying has hidden.
func RewriteHidden(e sql.Expression, rewrite transform.ExprFunc) (sql.Expression, transform.TreeIdentity, error) {
	own, ok := e.(*varying)
	if !ok {
		return e, transform.SameTree, nil
	}
	child, same, err := transform.Expr(own.Child, rewrite)
	if err != nil || bool(same) {
		return e, transform.SameTree, err
	}
	return &varying{tree.NewStandin(child)}, transform.NewTree, nil
}
