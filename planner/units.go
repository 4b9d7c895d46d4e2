package planner

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/tree"
)

// A unitColumn is a column that names the units of a view.
type unitColumn struct {
	view *catalog.PublishedView
	name string
}

// refuseUnits refuses all uses of columns that name units except their number, COUNT(DISTINCT patient). SELECT * may list them, since the
// view has no values of them.
func refuseUnits(node sql.Node) error {
	units := unitColumnsOf(node)
	if len(units) == 0 {
		return nil
	}
	var err error
	tree.Inspect(node, func(n sql.Node) bool {
		if distinct, ok := n.(*plan.Distinct); ok && err == nil {
			err = refuseOutputs(distinct.Child, units)
		}
		ex, ok := n.(sql.Expressioner)
		if !ok || err != nil || listsAll(n) {
			return err == nil
		}
		for i, e := range ex.Expressions() {
			if err == nil && !passesOn(n, i, e) {
				err = refuseUnitsIn(e, units)
			}
		}
		return err == nil
	})
	return err
}

// refuseOutputs refuses columns of units among the outputs of a node.
func refuseOutputs(node sql.Node, units map[sql.ColumnId]unitColumn) error {
	for _, id := range tree.OutputIDs(node) {
		if u, ok := units[id]; ok {
			return refuseUnit(u)
		}
	}
	return nil
}

// passesOn reports whether an expression of a node is a column that a GROUP BY only passes on: the binder lists those that aggregates read.
// Nodes above that read it are checked themselves.
func passesOn(node sql.Node, i int, e sql.Expression) bool {
	group, ok := node.(*plan.GroupBy)
	_, field := e.(*expression.GetField)
	return ok && field && i < len(group.SelectedExprs)
}

// unitColumnsOf are the columns of units by their ids, those of derived tables included.
func unitColumnsOf(node sql.Node) map[sql.ColumnId]unitColumn {
	units := make(map[sql.ColumnId]unitColumn)
	for before := -1; before < len(units); {
		before = len(units)
		tree.Inspect(node, func(n sql.Node) bool {
			passUnits(n, units)
			return true
		})
	}
	return units
}

// passUnits adds the columns of units that a node makes, or passes on under other ids.
func passUnits(node sql.Node, units map[sql.ColumnId]unitColumn) {
	switch n := node.(type) {
	case *plan.ResolvedTable:
		view, ids := pertable.ViewOf(n), tree.OutputIDs(n)
		if view == nil {
			return
		}
		for i, c := range n.Schema() {
			if i < len(ids) && view.IsUnit(c.Name) {
				units[ids[i]] = unitColumn{view, c.Name}
			}
		}
	case *plan.Project:
		for _, e := range n.Projections {
			field, ok := tree.Unalias(e).(*expression.GetField)
			if !ok {
				continue
			}
			if u, ok := units[field.Id()]; ok && tree.ID(e) != 0 {
				units[tree.ID(e)] = u
			}
		}
	case *plan.TableAlias:
		passOutputs(n.Child, n, units)
	case *plan.SubqueryAlias:
		passOutputs(n.Child, n, units)
	}
}

// passOutputs maps the outputs of a node below an alias to the alias's, which have the same order.
func passOutputs(below, alias sql.Node, units map[sql.ColumnId]unitColumn) {
	outputs := tree.OutputIDs(alias)
	for i, id := range tree.OutputIDs(below) {
		if u, ok := units[id]; ok && i < len(outputs) {
			units[outputs[i]] = u
		}
	}
}

// listsAll reports whether a projection lists every column below it, as SELECT * does.
func listsAll(node sql.Node) bool {
	project, ok := node.(*plan.Project)
	if !ok {
		return false
	}
	listed := make(map[sql.ColumnId]bool)
	for _, e := range project.Projections {
		if field, ok := e.(*expression.GetField); ok {
			listed[field.Id()] = true
		}
	}
	return !slices.ContainsFunc(tree.OutputIDs(project.Child), func(id sql.ColumnId) bool { return !listed[id] })
}

// refuseUnitsIn refuses a column of a unit in an expression, except in the number of units.
func refuseUnitsIn(e sql.Expression, units map[sql.ColumnId]unitColumn) error {
	switch e := e.(type) {
	case *aggregation.CountDistinct:
		if countsUnits(e, units) {
			return nil
		}
	case *expression.GetField:
		if u, ok := units[e.Id()]; ok {
			return refuseUnit(u)
		}
	}
	for _, child := range e.Children() {
		if err := refuseUnitsIn(child, units); err != nil {
			return err
		}
	}
	return nil
}

// countsUnits reports whether an aggregate counts the units of one view.
func countsUnits(e sql.Expression, units map[sql.ColumnId]unitColumn) bool {
	var names []string
	var view *catalog.PublishedView
	for _, child := range e.Children() {
		if marked, ok := child.(*expression.DistinctExpression); ok {
			child = marked.Child
		}
		field, ok := child.(*expression.GetField)
		if !ok {
			return false
		}
		u, ok := units[field.Id()]
		if !ok || view != nil && view.Published() != u.view.Published() {
			return false
		}
		view, names = u.view, append(names, u.name)
	}
	return view != nil && !slices.ContainsFunc(view.Record().Unit, func(name string) bool { return !slices.Contains(names, name) })
}

// refuseUnit is the refusal, which says how a column of a unit may be used.
func refuseUnit(u unitColumn) error {
	return answer.Refuse("column %s says whose a row is, which is protected and not published. It can be counted, SELECT COUNT(DISTINCT %s) FROM published.%s, "+
		"by any condition and key of other columns; it is not listed, compared, joined, grouped or ordered by", u.name, strings.Join(u.view.Record().Unit, ", "), u.view.Name())
}
