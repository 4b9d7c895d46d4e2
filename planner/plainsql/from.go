package plainsql

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/tree"
)

// subqueryAlias writes a derived table, a view or a common table expression. It writes each use in full.
func (w *writer) subqueryAlias(n *plan.SubqueryAlias) (*selection, error) {
	s, err := w.ownSelect(n.Child)
	if err != nil {
		return nil, err
	}
	ids := tree.OutputIDs(n)
	if len(ids) != len(s.items) {
		return nil, refusePlain("the derived table %s", n.Name())
	}
	s.rename(n.Schema())
	s = w.wrap(s)
	for i, id := range ids {
		s.items[i].id = id
		w.define(s.items[i])
	}
	return s, nil
}

// ownSelect writes a SELECT inside another one. Neither sees the grouping of the other.
func (w *writer) ownSelect(node sql.Node) (*selection, error) {
	outer := w.groupedBy
	w.groupedBy = nil
	defer func() { w.groupedBy = outer }()
	return w.selection(node)
}

// table writes an ordinary table under a new alias.
func (w *writer) table(node sql.Node, ids []sql.ColumnId, schema sql.Schema) (*selection, error) {
	n, ok := node.(*plan.ResolvedTable)
	switch {
	case !ok:
		return w.selection(node)
	case isView(n):
		return nil, refusePlain("the rows of a published view outside an aggregate: they are a preview, of which no relation is published")
	case plan.IsDualTable(n.Table):
		return &selection{isTable: true}, nil
	case len(ids) != len(schema) || n.SqlDatabase == nil:
		return nil, refusePlain("the table %s", n.Name())
	}
	alias := w.alias()
	s := &selection{from: quoting.Name(n.SqlDatabase.Name()) + "." + quoting.Name(n.Table.Name()) + " AS " + quoting.Name(alias), isTable: true}
	for i, c := range schema {
		it := item{id: ids[i], name: c.Name, text: quoting.Name(alias) + "." + quoting.Name(c.Name), kind: unknownTexts, folds: foldsCase(c.Type)}
		s.items = append(s.items, it)
		w.define(it)
	}
	return s, nil
}

// join writes joins of weighted rows, derived tables and ordinary tables.
func (w *writer) join(n *plan.JoinNode) (*selection, error) {
	word := map[plan.JoinType]string{plan.JoinTypeInner: "JOIN", plan.JoinTypeCross: "CROSS JOIN",
		plan.JoinTypeLeftOuter: "LEFT JOIN", plan.JoinTypeRightOuter: "RIGHT JOIN"}[n.Op]
	if word == "" {
		return nil, refusePlain("a join of the kind %s", n.Op)
	}
	left, err := w.joinSide(n.Left(), true)
	if err != nil {
		return nil, err
	}
	right, err := w.joinSide(n.Right(), false)
	if err != nil {
		return nil, err
	}
	if left.from == "" || right.from == "" {
		return nil, refusePlain("a join with a SELECT without FROM")
	}
	s := &selection{from: left.from + "\n" + word + " " + right.from, items: append(left.items, right.items...)}
	if n.Filter != nil {
		on, err := w.condition(n.Filter)
		if err != nil {
			return nil, err
		}
		s.from += " ON " + on
	}
	return s, nil
}

// joinSide writes a table of a FROM clause. Joins are written from left to right, so a join on the right becomes a
// derived table.
func (w *writer) joinSide(node sql.Node, left bool) (*selection, error) {
	s, err := w.selection(node)
	if err != nil {
		return nil, err
	}
	if _, isJoin := node.(*plan.JoinNode); s.isTable || isJoin && left {
		return s, nil
	}
	return w.wrap(s), nil
}

// isView reports whether a table is a published view.
func isView(n *plan.ResolvedTable) bool {
	_, ok := sql.GetUnderlyingTable(n.Table).(*catalog.PublishedView)
	return ok
}
