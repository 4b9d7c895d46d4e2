package pertable

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/tree"
)

// ViewOf returns the published view that node reads, or nil.
func ViewOf(node sql.Node) *catalog.PublishedView {
	if table, ok := node.(*plan.ResolvedTable); ok {
		view, _ := sql.GetUnderlyingTable(table.Table).(*catalog.PublishedView)
		return view
	}
	return nil
}

// Views lists the published views that node reads, one of each release, in the order of
// the plan.
func Views(node sql.Node) []*catalog.PublishedView {
	var views []*catalog.PublishedView
	seen := make(map[*catalog.Published]bool)
	tree.Inspect(node, func(n sql.Node) bool {
		if v := ViewOf(n); v != nil && !seen[v.Published()] {
			seen[v.Published()] = true
			views = append(views, v)
		}
		return true
	})
	return views
}

// ofTable returns a bound plan in which completed table d replaces every published
// view, also in subqueries. A remaining view is an error.
func ofTable(node sql.Node, d int) (sql.Node, error) {
	changed, err := substituted(node, d)
	if err == nil && len(Views(changed)) > 0 {
		err = fmt.Errorf("a published view is left in the plan over completed table %d", d+1)
	}
	return changed, err
}

func substituted(node sql.Node, d int) (sql.Node, error) {
	changed, _, err := transform.NodeWithOpaque(node, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		if v := ViewOf(n); v != nil {
			table, err := n.(*plan.ResolvedTable).ReplaceTable(v.OfTable(d))
			return table, transform.NewTree, err
		}
		rebuilt, err := tree.TransformExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			subquery, ok := e.(*plan.Subquery)
			if !ok || len(Views(subquery.Query)) == 0 {
				return e, transform.SameTree, nil
			}
			query, err := substituted(subquery.Query, d)
			if err != nil {
				return nil, transform.SameTree, err
			}
			return subquery.WithQuery(query), transform.NewTree, nil
		})
		if err != nil {
			return nil, transform.SameTree, err
		}
		return rebuilt, transform.NewTree, nil
	})
	return changed, err
}
