package planner

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/tree"
)

// A groupRun is a GROUP BY that runs on completed tables.
type groupRun struct {
	planner *planner
	group   *plan.GroupBy
	columns []pertable.Column
	// computed are the keys without a column of the binder, fresh their columns.
	computed, fresh []sql.Expression
	// bare are columns that the GROUP BY passes on although they are not keys.
	bare map[sql.ColumnId]bool
}

// runGroupBy runs a GROUP BY on completed tables and rebuilds the nodes above on its figures.
func (p *planner) runGroupBy(above []sql.Node, group *plan.GroupBy) (sql.Node, error) {
	g := &groupRun{planner: p, group: group, bare: make(map[sql.ColumnId]bool)}
	listed := g.list()
	g.label(above)
	result, err := p.newQuery(listed, g.columns, true)
	if err != nil {
		return nil, err
	}
	top := topProject(above)
	for i := len(above) - 1; i >= 0; i-- {
		if result, err = above[i].WithChildren(result); err != nil {
			return nil, err
		}
		if result, err = g.rewriteNode(result, i == top); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// refuseUngroupedIn refuses columns above a GROUP BY that are neither keys nor aggregates.
func (p *planner) refuseUngroupedIn(above []sql.Node, group *plan.GroupBy) error {
	g := &groupRun{planner: p, group: group, bare: make(map[sql.ColumnId]bool)}
	g.list()
	for _, id := range tree.OutputIDs(group.Child) {
		g.bare[id] = !slices.ContainsFunc(g.columns, func(c pertable.Column) bool { return c.Kind == pertable.Key && c.ID == id })
	}
	top := topProject(above)
	for i, n := range above {
		if _, err := rewriteNode(n, i == top, g.passedOn, g.grouped); err != nil {
			return err
		}
	}
	return nil
}

// grouped returns e, and refuses it if it reads a column that is no key outside of the keys.
func (g *groupRun) grouped(e sql.Expression) (sql.Expression, error) {
	if g.keyOf(e) != nil {
		return e, nil
	}
	subquery, ok := e.(*plan.Subquery)
	if !ok {
		if field, ok := e.(*expression.GetField); ok && g.bare[field.Id()] {
			return nil, refuseUngrouped(e)
		}
		return tree.RebuildEach(e, g.grouped)
	}
	var err error
	tree.Inspect(subquery.Query, func(n sql.Node) bool {
		if err == nil {
			_, err = rewriteNode(n, true, nil, g.grouped)
		}
		return err == nil
	})
	return e, err
}

// list makes a node with the keys and the aggregates as columns, keys first.
func (g *groupRun) list() sql.Node {
	selected := slices.Clone(g.group.SelectedExprs)
	var projections []sql.Expression
	add := func(figure pertable.Figure, e sql.Expression) {
		column := transform.ExpressionToColumn(e, plan.AliasSubqueryString(e))
		projections = append(projections, e)
		g.columns = append(g.columns, pertable.NewColumn(figure.Kind, tree.ID(e), column, g.planner.whole && figure.Whole))
	}
	var keys sql.ColSet
	for _, e := range g.group.GroupByExprs {
		e = tree.Unalias(e)
		selected = withFields(selected, e)
		if field, ok := e.(*expression.GetField); ok {
			if !keys.Contains(field.Id()) {
				add(pertable.Figure{}, field)
			}
			keys.Add(field.Id())
			continue
		}
		add(pertable.Figure{}, expression.NewAlias(e.String(), e).WithId(g.planner.freshId()).(sql.Expression))
		g.computed = append(g.computed, e)
		g.fresh = append(g.fresh, g.columns[len(g.columns)-1].Field())
	}
	for i, e := range g.group.SelectedExprs {
		if aggregate, ok := e.(sql.Aggregation); ok {
			parts, of := pertable.Pooled(aggregate)
			if parts == nil {
				add(pertable.KindOf(aggregate), tree.Field(tree.ID(e), e.Type(), "", e.String(), true))
				continue
			}
			at := len(g.columns)
			selected[i] = parts[0].WithId(tree.ID(e)).(sql.Expression)
			add(pertable.Figure{Kind: of.Kind}, tree.Field(tree.ID(e), parts[0].Type(), "", e.String(), true))
			g.columns[at].Sample, g.columns[at].Root, g.columns[at].Sums, g.columns[at].Counts = of.Sample, of.Root, at+1, at+len(parts)-1
			for _, part := range parts[1:] {
				hidden := part.WithId(g.planner.freshId()).(sql.Expression)
				selected = append(selected, hidden)
				add(pertable.KindOf(part), tree.Field(tree.ID(hidden), part.Type(), "", part.String(), true))
				g.columns[len(g.columns)-1].Hidden = true
			}
		} else if id := tree.ID(e); !keys.Contains(id) {
			g.bare[id] = true
		}
	}
	return plan.NewProject(projections, plan.NewGroupBy(selected, g.group.GroupByExprs, g.group.Child))
}

// label names the columns as the SELECT does.
func (g *groupRun) label(above []sql.Node) {
	top := topProject(above)
	if top < 0 {
		return
	}
	for _, e := range above[top].(*plan.Project).Projections {
		alias, ok := e.(*expression.Alias)
		if !ok {
			continue
		}
		for i := range g.columns {
			if c := &g.columns[i]; c.Label == "" && (tree.ID(alias.Child) == c.ID || g.keyOf(alias.Child) != nil && tree.ID(g.keyOf(alias.Child)) == c.ID) {
				c.Label = alias.Name()
			}
		}
	}
}

// withFields adds the columns that a grouping expression reads to those that the GROUP BY
// passes on.
func withFields(selected []sql.Expression, e sql.Expression) []sql.Expression {
	transform.InspectExpr(e, func(e sql.Expression) bool {
		if field, ok := e.(*expression.GetField); ok &&
			!slices.ContainsFunc(selected, func(s sql.Expression) bool { return tree.ID(s) == field.Id() }) {
			selected = append(selected, field)
		}
		return false
	})
	return selected
}

// rewriteNode puts a node above the GROUP BY on top of the result.
func (g *groupRun) rewriteNode(node sql.Node, top bool) (sql.Node, error) {
	return g.planner.rewriteVisited(node, top, g.passedOn, g.rewrite)
}

// passedOn is an intermediate projection without the bare columns and with the keys.
func (g *groupRun) passedOn(projections []sql.Expression) []sql.Expression {
	var kept []sql.Expression
	for _, e := range projections {
		if field, ok := e.(*expression.GetField); !ok || !g.bare[field.Id()] {
			kept = append(kept, e)
		}
	}
	return append(kept, g.fresh...)
}

// rewrite rewrites e from the top down, so that the largest part that is a key becomes
// that key.
func (g *groupRun) rewrite(e sql.Expression) (sql.Expression, error) {
	if _, isAlias := e.(*expression.Alias); !isAlias {
		if key := g.keyOf(e); key != nil {
			return key, nil
		}
	}
	switch e := e.(type) {
	case *expression.GetField:
		if g.bare[e.Id()] {
			return nil, refuseUngrouped(e)
		}
		return e, nil
	case *plan.Subquery:
		outside := false
		e.Correlated().ForEach(func(id sql.ColumnId) { outside = outside || g.bare[id] })
		if outside {
			return nil, refuseUngrouped(e)
		}
		return e, nil
	}
	return tree.RebuildEach(e, g.rewrite)
}

func refuseUngrouped(e sql.Expression) error {
	return &neverError{answer.Refuse("%s is neither aggregated nor in GROUP BY: add it to GROUP BY, or leave it out", e)}
}

// keyOf returns the column of the key that an expression is, or nil.
func (g *groupRun) keyOf(e sql.Expression) sql.Expression {
	at := slices.IndexFunc(g.computed, func(key sql.Expression) bool { return tree.Same(key, e) })
	if at < 0 {
		return nil
	}
	return g.fresh[at]
}
