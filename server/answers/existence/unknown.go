package existence

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// Known makes those conditions of EXISTS that read none of its own tables false where they are unknown. The engine hoists such a condition
// c, and NOT (EXISTS (...) AND c) is unknown where c is. It also keeps EXISTS from becoming a join where the engine's join is wrong.
func Known(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		same, below := transform.SameTree, sql.Node(nil)
		if filter, ok := n.(*plan.Filter); ok {
			below = filter.Child
		}
		made, err := tree.TransformExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			e, unchanged, err := knownExists(ctx, e, below)
			same = same && unchanged
			return e, unchanged, err
		})
		if err != nil || bool(same) {
			return n, transform.SameTree, err
		}
		return made, transform.NewTree, nil
	})
}

// knownExists applies Known to an expression. rows is the input of the filter that contains it, nil outside of WHERE.
func knownExists(ctx *sql.Context, e sql.Expression, rows sql.Node) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *plan.Subquery: // and the ones in it
		query, same, err := Known(ctx, e.Query)
		if err != nil || bool(same) {
			return e, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	case *plan.ExistsSubquery:
		query, same, err := knownConditions(e.Query)
		if err != nil {
			return e, transform.SameTree, err
		}
		if !same {
			e = plan.NewExistsSubquery(e.Query.WithQuery(query))
		}
		if readsOutside(query) || joinsAlone(query, e.Query.Correlated()) || mixesJoins(rows) {
			return tree.NewOpaque(e), transform.NewTree, nil
		}
		return e, same, nil
	case *plan.InSubquery:
		if mixesJoins(rows) {
			return tree.NewOpaque(e), transform.NewTree, nil
		}
	case *tree.Opaque: // a second time
		if inner, ok := e.Child.(*tree.Opaque); ok {
			return inner, transform.NewTree, nil
		}
	}
	return e, transform.SameTree, nil
}

// knownConditions returns the query of an EXISTS whose conditions on outer columns alone are never unknown.
func knownConditions(subquery *plan.Subquery) (sql.Node, transform.TreeIdentity, error) {
	outside := subquery.Correlated()
	return transform.NodeWithOpaque(subquery.Query, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		filter, ok := n.(*plan.Filter)
		if !ok {
			return n, transform.SameTree, nil
		}
		terms, changed := expression.SplitConjunction(filter.Expression), false
		for i, term := range terms {
			if mayBeUnknown(term) && tree.Fields(term).Difference(outside).Empty() {
				terms[i], changed = &known{tree.NewStandin(term)}, true
			}
		}
		if !changed {
			return n, transform.SameTree, nil
		}
		return plan.NewFilter(expression.JoinAnd(terms...), filter.Child), transform.NewTree, nil
	})
}

func mayBeUnknown(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.Literal:
		return e.Value() == nil
	case *expression.Not:
		return mayBeUnknown(e.Child)
	case *tree.Opaque:
		return mayBeUnknown(e.Child)
	case *plan.ExistsSubquery, *known, *expression.IsNull, *expression.IsTrue:
		return false
	}
	return true
}

// readsOutside reports whether a derived table of a query reads columns outside of the query.
func readsOutside(query sql.Node) (found bool) {
	tree.Inspect(query, func(n sql.Node) bool {
		derived, ok := n.(*plan.SubqueryAlias)
		found = found || ok && !derived.Correlated.Empty()
		return !found
	})
	return found
}

// joinsAlone reports whether a query has an outer join, or any join while it reads no outer column.
func joinsAlone(query sql.Node, outside sql.ColSet) (found bool) {
	tree.Inspect(query, func(n sql.Node) bool {
		join, ok := n.(*plan.JoinNode)
		found = found || ok && (outside.Empty() || !join.Op.IsInner())
		return !found
	})
	return found
}

// mixesJoins reports whether rows come from both outer and other joins. The engine loses their conditions if it adds a join for EXISTS or IN.
func mixesJoins(rows sql.Node) bool {
	outer, others := false, false
	if rows != nil {
		tree.Inspect(rows, func(n sql.Node) bool {
			if join, ok := n.(*plan.JoinNode); ok {
				outside := join.Op.IsLeftOuter() || join.Op.IsRightOuter() || join.Op.IsFullOuter()
				outer, others = outer || outside, others || !outside
			}
			return true
		})
	}
	return outer && others
}

// KnownJoin makes the condition of an anti join that excludes NULLs false where it is
// unknown.
func KnownJoin(_ *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	join, ok := n.(*plan.JoinNode)
	if !ok || !join.Op.IsExcludeNulls() || join.Filter == nil {
		return n, transform.SameTree, nil
	}
	joined, err := join.WithExpressions(&known{tree.NewStandin(join.Filter)})
	return joined, transform.NewTree, err
}

// known is a condition that is false where it is unknown.
type known struct{ tree.Standin }

func (k *known) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := k.Child.Eval(ctx, row)
	if err != nil || value != nil {
		return value, err
	}
	return false, nil
}

func (k *known) Type() sql.Type   { return types.Boolean }
func (k *known) IsNullable() bool { return false }

func (k *known) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(k, children)
}
