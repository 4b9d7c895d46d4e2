package tree

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Rebuild calls e.WithChildren for expressions that others refer to by id: the engine's alias loses its id and its
// Unreferencable flag.
func Rebuild(e sql.Expression, children []sql.Expression) (sql.Expression, error) {
	rebuilt, err := e.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	if alias, ok := e.(*expression.Alias); ok && alias.Unreferencable() {
		rebuilt = rebuilt.(*expression.Alias).AsUnreferencable()
	}
	before, ok := e.(sql.IdExpression)
	if !ok {
		return rebuilt, nil
	}
	if after, ok := rebuilt.(sql.IdExpression); ok && after.Id() != before.Id() {
		return after.WithId(before.Id()).(sql.Expression), nil
	}
	return rebuilt, nil
}

// RebuildEach replaces each child of e by f(child).
func RebuildEach(e sql.Expression, f func(sql.Expression) (sql.Expression, error)) (sql.Expression, error) {
	children := e.Children()
	if len(children) == 0 {
		return e, nil
	}
	rebuilt := make([]sql.Expression, len(children))
	for i, child := range children {
		var err error
		if rebuilt[i], err = f(child); err != nil {
			return nil, err
		}
	}
	return Rebuild(e, rebuilt)
}

// Transform is transform.Expr, from the bottom up, and keeps ids.
func Transform(e sql.Expression, f transform.ExprFunc) (sql.Expression, transform.TreeIdentity, error) {
	children := e.Children()
	rebuilt := make([]sql.Expression, len(children))
	same := transform.SameTree
	for i, child := range children {
		changed, unchanged, err := Transform(child, f)
		if err != nil {
			return nil, transform.SameTree, err
		}
		rebuilt[i], same = changed, same && unchanged
	}
	if !same {
		var err error
		if e, err = Rebuild(e, rebuilt); err != nil {
			return nil, transform.SameTree, err
		}
	}
	result, unchanged, err := f(e)
	return result, same && unchanged, err
}

// TransformExpressions applies f to every expression of a node, and keeps ids.
func TransformExpressions(node sql.Node, f transform.ExprFunc) (sql.Node, error) {
	expressioner, ok := node.(sql.Expressioner)
	if !ok {
		return node, nil
	}
	expressions := expressioner.Expressions()
	rebuilt := make([]sql.Expression, len(expressions))
	same := transform.SameTree
	for i, e := range expressions {
		changed, unchanged, err := Transform(e, f)
		if err != nil {
			return nil, err
		}
		rebuilt[i], same = changed, same && unchanged
	}
	if same {
		return node, nil
	}
	return expressioner.WithExpressions(rebuilt...)
}
