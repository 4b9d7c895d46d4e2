package correlated

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Subquery partitions the relation of a subquery whose condition has an equation
// between outer and own columns.
func Subquery(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	subquery, ok := e.(*plan.Subquery)
	if !ok || !dependent(subquery) || !steady(subquery.Query, reader) {
		return e, transform.SameTree, nil
	}
	query, same, err := filtersInParts(subquery.Query, subquery.Correlated())
	if err != nil || same {
		return e, transform.SameTree, err
	}
	return subquery.WithQuery(query), transform.NewTree, nil
}

// dependent reports whether a subquery is correlated and not volatile.
func dependent(subquery *plan.Subquery) bool {
	return !subquery.Volatile() && !subquery.Correlated().Empty()
}

// filtersInParts partitions the relations below the filters of a query. It descends
// only through nodes that pass the outer row on.
func filtersInParts(n sql.Node, outside sql.ColSet) (sql.Node, transform.TreeIdentity, error) {
	switch own := n.(type) {
	case *plan.Filter:
		if closed(own.Child, outside) {
			return inParts(own, outside)
		}
	case *plan.Project, *plan.GroupBy, *plan.Having, *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.Distinct, *plan.Max1Row:
	default:
		return n, transform.SameTree, nil
	}
	children, same := append([]sql.Node(nil), n.Children()...), transform.SameTree
	for i, child := range children {
		changed, unchanged, err := filtersInParts(child, outside)
		if err != nil {
			return n, transform.SameTree, err
		}
		children[i], same = changed, same && unchanged
	}
	if same {
		return n, same, nil
	}
	changed, err := n.WithChildren(children...)
	return changed, transform.NewTree, err
}

// inParts puts a partition below a filter. The filter still evaluates its whole condition.
func inParts(n *plan.Filter, outside sql.ColSet) (sql.Node, transform.TreeIdentity, error) {
	var equations []*expression.Equals
	for _, e := range equationsOf(n.Expression) {
		if left, right := fieldsOf(e.Left()), fieldsOf(e.Right()); left.SubsetOf(outside) && !right.Intersects(outside) ||
			right.SubsetOf(outside) && !left.Intersects(outside) {
			equations = append(equations, e)
		}
	}
	if len(equations) == 0 {
		return n, transform.SameTree, nil
	}
	relation := newPartition(n.Child, equations)
	relation.inside = true
	return plan.NewFilter(n.Expression, relation), transform.NewTree, nil
}

// fieldsOf returns the columns that an expression without subqueries reads.
func fieldsOf(e sql.Expression) (fields sql.ColSet) {
	transform.InspectExpr(e, func(e sql.Expression) bool {
		if field, ok := e.(*expression.GetField); ok {
			fields.Add(field.Id())
		}
		return false
	})
	return fields
}
