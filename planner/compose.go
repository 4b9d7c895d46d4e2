package planner

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/tree"
)

// A source is the part of a plan below an aggregation, in terms of the view: its
// conditions on records, and its columns as expressions over the view's.
type source struct {
	view    *catalog.PublishedView
	where   []sql.Expression // a conjunction over ViewColumns
	columns map[sql.ColumnId]sql.Expression
	// outputs are the source's output columns, ids their ids: 0 for an expression without a name, to which nothing refers.
	outputs []sql.Expression
	ids     []sql.ColumnId
	// sort is the ORDER BY of the same SELECT, which the binder puts below
	// DISTINCT.
	sort sql.SortFields
}

// compose follows a plan down to a published view through filters, projections,
// aliases, views, derived tables and common table expressions. It returns false for any
// other shape.
func compose(node sql.Node) (*source, bool) {
	switch n := node.(type) {
	case *plan.ResolvedTable:
		return composeTable(n)
	case *plan.TableAlias:
		s, ok := compose(n.Child)
		return s.renumbered(tree.OutputIDs(n)), ok
	case *plan.SubqueryAlias:
		s, ok := compose(n.Child)
		if ok {
			s.sort = nil // the order of a derived table has no meaning outside
		}
		return s.renumbered(tree.OutputIDs(n)), ok
	case *plan.Filter:
		return composeFilter(n.Child, n.Expression)
	case *plan.Having:
		return composeFilter(n.Child, n.Cond)
	case *plan.Sort:
		return composeSort(n)
	case *plan.Project:
		return composeProject(n)
	}
	return nil, false
}

func composeTable(n *plan.ResolvedTable) (*source, bool) {
	view := pertable.ViewOf(n)
	if view == nil {
		return nil, false
	}
	s := &source{view: view, columns: make(map[sql.ColumnId]sql.Expression)}
	schema := n.Schema()
	s.ids = tree.OutputIDs(n)
	if len(s.ids) != len(schema) {
		return nil, false
	}
	for i, id := range s.ids {
		s.columns[id] = answer.NewViewColumn(schema[i])
		s.outputs = append(s.outputs, s.columns[id])
	}
	return s, true
}

func composeFilter(child sql.Node, condition sql.Expression) (*source, bool) {
	s, ok := compose(child)
	if !ok {
		return nil, false
	}
	for _, e := range expression.SplitConjunction(condition) {
		s.where = append(s.where, s.substitute(e))
	}
	return s, true
}

func composeSort(n *plan.Sort) (*source, bool) {
	s, ok := compose(n.Child)
	if !ok {
		return nil, false
	}
	s.sort = make(sql.SortFields, len(n.SortFields))
	for i, field := range n.SortFields {
		s.sort[i] = field
		s.sort[i].Column = tree.Unalias(s.substitute(field.Column))
	}
	return s, true
}

func composeProject(n *plan.Project) (*source, bool) {
	s, ok := compose(n.Child)
	if !ok {
		return nil, false
	}
	ids, outputs := make([]sql.ColumnId, len(n.Projections)), make([]sql.Expression, len(n.Projections))
	for i, e := range n.Projections {
		identified, ok := e.(sql.IdExpression)
		if !ok {
			return nil, false
		}
		ids[i], outputs[i] = identified.Id(), tree.Unalias(s.substitute(e))
	}
	for i, id := range ids {
		if id != 0 {
			s.columns[id] = outputs[i]
		}
	}
	s.ids, s.outputs = ids, outputs
	return s, true
}

// renumbered gives the output columns the ids under which an alias exposes
// them; an alias without ids of its own keeps its child's.
func (s *source) renumbered(ids []sql.ColumnId) *source {
	if s == nil || len(ids) != len(s.outputs) {
		return s
	}
	for i, id := range ids {
		s.columns[id] = s.outputs[i]
	}
	s.ids = ids
	return s
}

// substitute rewrites e in terms of the view's columns. References to anything
// else (an outer query) stay.
func (s *source) substitute(e sql.Expression) sql.Expression {
	result, _, err := tree.Transform(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if field, ok := e.(*expression.GetField); ok {
			if replacement, ok := s.columns[field.Id()]; ok {
				return replacement, transform.NewTree, nil
			}
		}
		return e, transform.SameTree, nil
	})
	if err != nil {
		return e // no callback above fails
	}
	return result
}
