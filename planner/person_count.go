package planner

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/tree"
)

// countPersons replaces every COUNT of records of a release with weights by the sum of weights, if the session has anon_weight = 'on'. It refuses a
// COUNT whose records have no unique weight: over derived tables, outer joins and windows.
func countPersons(ctx *sql.Context, bound sql.Node) (sql.Node, error) {
	if !answer.WeighsCounts(ctx) {
		return bound, nil
	}
	counted, _, err := transform.NodeWithOpaque(bound, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		ex, ok := n.(sql.Expressioner)
		if !ok {
			return n, transform.SameTree, nil
		}
		changed := slices.Clone(ex.Expressions())
		same := transform.SameTree
		for i, e := range changed {
			weighed, unchanged, err := transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) { return personsOf(ctx, n, e) })
			if err != nil {
				return nil, transform.SameTree, err
			}
			changed[i], same = weighed, same && unchanged
		}
		if same {
			return n, same, nil
		}
		weighed, err := ex.WithExpressions(changed...)
		return weighed, transform.NewTree, err
	})
	return counted, err
}

// personsOf is countPersons of an expression of a node.
func personsOf(ctx *sql.Context, n sql.Node, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *plan.Subquery:
		query, err := countPersons(ctx, e.Query)
		if err != nil || query == e.Query {
			return e, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	case *aggregation.Count:
		weight, err := weightBelow(n)
		if err != nil || weight == nil {
			return e, transform.SameTree, err
		}
		return answer.NewPersonCount(e, weight), transform.NewTree, nil
	}
	return e, transform.SameTree, nil
}

// weightBelow is the weight of the records that a node aggregates; nil if they belong to no release with a weight.
func weightBelow(n sql.Node) (sql.Expression, error) {
	var weights []sql.Expression
	for _, child := range n.Children() {
		found, err := weightsOf(child)
		if err != nil {
			return nil, err
		}
		weights = append(weights, found...)
	}
	switch _, groups := n.(*plan.GroupBy); {
	case len(weights) == 0:
		return nil, nil
	case !groups:
		return nil, refuseToWeigh("a window", weights[0].String())
	case len(weights) > 1:
		return nil, refuseToWeigh("a join of several releases with weights", weights[0].String())
	}
	return weights[0], nil
}

// weightsOf are the weights of the records in a node's rows.
func weightsOf(node sql.Node) ([]sql.Expression, error) {
	table := node
	if alias, ok := node.(*plan.TableAlias); ok {
		table = alias.Child
	}
	if view := pertable.ViewOf(table); view != nil {
		weight := view.Record().Weight.Name()
		ids := tree.OutputIDs(node)
		for i, c := range node.Schema() {
			if weight != "" && strings.EqualFold(c.Name, weight) && i < len(ids) {
				return []sql.Expression{tree.Field(ids[i], c.Type, c.Source, c.Name, c.Nullable)}, nil
			}
		}
		return nil, nil
	}
	switch n := node.(type) {
	case *plan.GroupBy, *plan.Distinct:
		return nil, nil // its rows are not records
	case *plan.Filter, *plan.Sort:
		return weightsOf(n.Children()[0])
	case *plan.JoinNode:
		left, err := weightsOf(n.Left())
		if err != nil {
			return nil, err
		}
		right, err := weightsOf(n.Right())
		if err != nil {
			return nil, err
		}
		weights := append(left, right...)
		if len(weights) > 0 && n.Op != plan.JoinTypeInner && n.Op != plan.JoinTypeCross {
			return nil, refuseToWeigh("an outer join", weights[0].String())
		}
		return weights, nil
	}
	for _, child := range node.Children() {
		weights, err := weightsOf(child)
		if err != nil {
			return nil, err
		}
		if len(weights) > 0 {
			return nil, refuseToWeigh("a derived table", weights[0].String())
		}
	}
	return nil, nil
}

func refuseToWeigh(what, weight string) error {
	return answer.Refuse("anon_weight = 'on' makes COUNT the sum of %s, which is not known over %s: write SUM(%[1]s) where records are, or SET anon_weight = 'off' to count records", weight, what)
}
