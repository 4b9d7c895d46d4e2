package columns

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers/comparison"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/tree"
)

// comparisons decides comparisons in a statement whose columns keep their types: an UPDATE, a DELETE, a step of a routine.
func comparisons(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	switch n.(type) {
	case *plan.CreateProcedure, *plan.CreateView, *plan.CreateTrigger: // whose text is read again
		return n, transform.SameTree, nil
	}
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		same := transform.SameTree
		within := func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			if subquery, ok := e.(*plan.Subquery); ok {
				query, unchanged, err := comparisons(ctx, subquery.Query)
				if err != nil || bool(unchanged) {
					return e, transform.SameTree, err
				}
				return subquery.WithQuery(query), transform.NewTree, nil
			}
			return decide(ctx, e)
		}
		made, err := tree.TransformExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			e, unchanged, err := within(e)
			same = same && unchanged
			return e, unchanged, err
		})
		if err != nil || bool(same) {
			made = n
		}
		if err != nil {
			return n, transform.SameTree, err
		}
		made, unchanged, err := conditions(ctx, made)
		return made, same && unchanged, err
	})
}

// inSubquery is x IN (SELECT ...) with both sides converted to one type, nil if they have one. It does not become a join, in which
// the engine would look for columns and find expressions.
func inSubquery(ctx *sql.Context, e *plan.InSubquery) sql.Expression {
	subquery, ok := e.RightChild.(*plan.Subquery)
	if !ok {
		return nil
	}
	schema, left := subquery.Query.Schema(), []sql.Expression{e.LeftChild}
	tuple, rows := e.LeftChild.(expression.Tuple)
	if rows {
		left = slices.Clone(tuple)
	}
	if len(schema) != len(left) {
		return nil // an error of its own
	}
	to, changed := make([]sql.Type, len(left)), false
	for i, c := range schema {
		of, column, differ := comparison.Equated(ctx, left[i], expression.NewGetField(i, c.Type, c.Name, c.Nullable))
		if differ {
			left[i], changed = of, true
			if !types.TypesEqual(column.Type(), c.Type) {
				to[i] = column.Type()
			}
		}
	}
	if !changed {
		return nil
	}
	looked := left[0]
	if rows {
		looked = expression.NewTuple(left...)
	}
	query := subquery.Query
	if slices.ContainsFunc(to, func(t sql.Type) bool { return t != nil }) {
		query = convertedOutput(query, to)
	}
	return expression.NewXor(plan.NewInSubquery(looked, subquery.WithQuery(query)), expression.NewLiteral(false, types.Boolean))
}

// convertedOutput is a query whose columns have other types, nil for those that they have: one of constants has columns without
// numbers.
func convertedOutput(query sql.Node, to []sql.Type) sql.Node {
	project, ok := query.(*plan.Project)
	if !ok || len(tree.OutputIDs(query)) == len(to) {
		return converted(query, to)
	}
	list := slices.Clone(project.Projections)
	for i, typ := range to {
		if typ != nil {
			list[i] = expression.NewAlias(query.Schema()[i].Name, scalar.As(tree.Unalias(list[i]), typ))
		}
	}
	return plan.NewProject(list, project.Child)
}

// conditions converts a node's filters to conditions.
func conditions(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	filtering, ok := n.(sql.Expressioner)
	if !ok {
		return n, transform.SameTree, nil
	}
	list := append([]sql.Expression(nil), filtering.Expressions()...)
	count, same := 0, transform.SameTree
	switch n := n.(type) {
	case *plan.Filter, *plan.Having, *plan.JoinNode:
		if count = len(list); count == 1 {
			var err error
			if list[0], same, err = tree.Transform(list[0], func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
				return folded(ctx, e)
			}); err != nil {
				return n, transform.SameTree, err
			}
		}
	case *planner.Estimate:
		count = len(n.Where)
	}
	for i := range count {
		if made, changed := comparison.Condition(list[i]); changed {
			list[i], same = made, transform.NewTree
		}
	}
	if same {
		return n, same, nil
	}
	made, err := filtering.WithExpressions(list...)
	return made, transform.NewTree, err
}
