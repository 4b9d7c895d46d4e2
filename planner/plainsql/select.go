package plainsql

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/tree"
)

// wrap turns the selection into a derived table, whose columns become the fields.
func (w *writer) wrap(s *selection) *selection {
	s.uniqueNames()
	alias := w.alias()
	outer := &selection{from: derived(s.text(""), alias), isTable: true}
	for _, it := range s.items {
		it.text = quoting.Name(alias) + "." + quoting.Name(it.name)
		outer.items = append(outer.items, it)
		w.define(it)
	}
	return outer
}

// wrapGroups wraps the groups of an aggregation. With constant keys only, no rows make no group; without keys, they
// make one.
func (w *writer) wrapGroups(s *selection, constant bool) *selection {
	if !constant {
		return w.wrap(s)
	}
	s.items = append(s.items, item{text: "COUNT(*)", name: "rows"})
	outer := w.wrap(s)
	last := len(outer.items) - 1
	outer.where, outer.isTable = []string{outer.items[last].text + " > 0"}, false
	outer.items = outer.items[:last]
	return outer
}

// define tells the nodes above how to refer to an item.
func (w *writer) define(it item) {
	if it.id == 0 {
		return // nothing above refers to it
	}
	w.fields[it.id] = it.text
	w.kinds[it.id] = it.kind
}

// selectionBelow writes a node's only child. It wraps the selection if this has a clause that a SELECT applies later
// than the node's.
func (w *writer) selectionBelow(child sql.Node, later func(*selection) bool) (*selection, error) {
	s, err := w.selection(child)
	if err != nil {
		return nil, err
	}
	if later(s) {
		s = w.wrap(s)
	}
	s.isTable = false
	return s, nil
}

// selection writes a node.
func (w *writer) selection(node sql.Node) (*selection, error) {
	switch n := node.(type) {
	case *answer.Estimate:
		return w.writeEstimate(n)
	case *plan.Project:
		return w.project(n)
	case *plan.Filter:
		return w.filter(n.Child, n.Expression)
	case *plan.Having:
		return w.filter(n.Child, n.Cond)
	case *plan.Sort:
		return w.sort(n.Child, n.SortFields)
	case *plan.TopN:
		s, err := w.sort(n.Child, n.Fields)
		if err != nil {
			return nil, err
		}
		s.limit, err = w.expression(n.Limit)
		return s, err
	case *plan.Limit:
		return w.limit(n)
	case *plan.Offset:
		return w.offset(n)
	case *plan.Distinct:
		return w.distinct(n)
	case *plan.GroupBy:
		return w.groupBy(n)
	case *plan.SubqueryAlias:
		return w.subqueryAlias(n)
	case *plan.JoinNode:
		return w.join(n)
	case *plan.SetOp:
		return w.setOp(n)
	case *plan.TableAlias:
		return w.table(n.Child, tree.OutputIDs(n), n.Schema())
	case *plan.ResolvedTable:
		return w.table(n, tree.OutputIDs(n), n.Schema())
	case *plan.Window:
		return nil, refusePlain("window functions")
	case *plan.RecursiveCte:
		return nil, refusePlain("recursive common table expressions")
	}
	return nil, refusePlain("this part of the statement: %s", strings.SplitN(node.String(), "\n", 2)[0])
}

func (w *writer) project(n *plan.Project) (*selection, error) {
	if table, ok := n.Child.(*plan.ResolvedTable); ok && plan.IsDualTable(table.Table) && len(n.Projections) == 1 && tree.ID(n.Projections[0]) == 0 {
		if _, ok := n.Projections[0].(*expression.GetField); ok {
			return &selection{isTable: true}, nil // a SELECT without FROM
		}
	}
	s, err := w.selectionBelow(n.Child, func(s *selection) bool { return s.distinct || s.limited() })
	if err != nil {
		return nil, err
	}
	schema := n.Schema()
	items := make([]item, len(n.Projections))
	for i, e := range n.Projections {
		// The binder refers to columns of a UNION's branch without an id: they are those below, by position.
		if delete(w.fields, 0); len(s.items) == len(items) {
			w.fields[0], w.kinds[0] = s.items[i].text, s.items[i].kind
		}
		text, err := w.expression(tree.Unalias(e))
		if err != nil {
			return nil, err
		}
		items[i] = w.item(e, text, schema[i].Name)
	}
	delete(w.fields, 0)
	for _, it := range items {
		w.define(it)
	}
	s.items = items
	return s, nil
}

// item describes an output column.
func (w *writer) item(e sql.Expression, text, name string) item {
	id := tree.ID(e)
	e = tree.Unalias(e)
	return item{id: id, text: text, name: name, kind: w.textKind(e), folds: classOf(e.Type()) == textClass && w.folds(e)}
}

func (w *writer) filter(child sql.Node, condition sql.Expression) (*selection, error) {
	s, err := w.selectionBelow(child, (*selection).cut)
	if err != nil {
		return nil, err
	}
	for _, e := range expression.SplitConjunction(condition) {
		text, err := w.condition(e)
		if err != nil {
			return nil, err
		}
		s.where = append(s.where, text)
	}
	return s, nil
}

func (w *writer) sort(child sql.Node, fields sql.SortFields) (*selection, error) {
	s, err := w.selectionBelow(child, (*selection).cut)
	if err != nil {
		return nil, err
	}
	s.order, err = w.sortFields(fields)
	return s, err
}

func (w *writer) sortFields(fields sql.SortFields) ([]string, error) {
	var order []string
	for _, field := range fields {
		text, err := w.ordered(tree.Unalias(field.Column))
		if err != nil {
			return nil, err
		}
		if oneValue(tree.Unalias(field.Column)) {
			continue // a number would be a position
		}
		if field.Order == sql.Descending {
			text += " DESC"
		}
		order = append(order, text)
	}
	return order, nil
}

func (w *writer) limit(n *plan.Limit) (*selection, error) {
	s, err := w.selectionBelow(n.Child, func(s *selection) bool { return s.limit != "" })
	if err != nil {
		return nil, err
	}
	s.limit, err = w.expression(n.Limit)
	return s, err
}

func (w *writer) offset(n *plan.Offset) (*selection, error) {
	s, err := w.selectionBelow(n.Child, (*selection).limited)
	if err != nil {
		return nil, err
	}
	s.offset, err = w.expression(n.Offset)
	return s, err
}

func (w *writer) distinct(n *plan.Distinct) (*selection, error) {
	s, err := w.selectionBelow(n.Child, (*selection).limited)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.items, func(it item) bool { return it.folds }) {
		s.distinct = true
		return s, nil
	}
	return w.distinctFolded(s)
}

// distinctFolded groups by folded texts, and shows one of the equal spellings.
func (w *writer) distinctFolded(s *selection) (*selection, error) {
	if len(s.order) > 0 {
		return nil, refusePlain("DISTINCT with ORDER BY over a text under a collation that ignores case: put the DISTINCT into a derived table")
	}
	s = w.wrap(s)
	for i, it := range s.items {
		key := it.text
		if it.folds {
			if it.kind == otherTexts {
				return nil, refusePlain("DISTINCT over %s, a text with more than ASCII under a collation that ignores case", it.name)
			}
			w.assumes = w.assumes || it.kind == unknownTexts
			key, s.items[i].text = "LOWER("+key+")", "MIN("+key+")"
		}
		s.group = append(s.group, key)
	}
	s.grouped = true
	return w.wrap(s), nil
}
