package grouping

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// A dependence is a set of columns closed under functional dependence, as MySQL 8 finds it
// (its manual, "Detection of Functional Dependence"): by equations, and by primary keys and
// NOT NULL unique keys, in joins, derived tables and views.
type dependence struct {
	ctx   *sql.Context
	known sql.ColSet
	// texts are dependent expressions that have no column id, by textOf.
	texts map[string]bool
	// within holds the dependences inside derived tables.
	within map[*plan.SubqueryAlias]*dependence
}

// close adds dependent columns until it finds no more.
func (d *dependence) close(n sql.Node) {
	for before := -1; before < d.size(); {
		before = d.size()
		d.learn(n, false)
	}
}

// size counts the known columns, including those in derived tables. Derived tables keep what they learn in each pass, so that
// passes do not multiply with nesting depth.
func (d *dependence) size() int {
	n := d.known.Len()
	for _, within := range d.within {
		n += within.size()
	}
	return n
}

// learn makes one pass over a node. weak means that an outer join may NULL-extend its rows, so that equality with a constant proves nothing.
func (d *dependence) learn(n sql.Node, weak bool) {
	switch n := n.(type) {
	case *plan.Filter:
		d.equate(n.Expression, weak)
	case *plan.Having:
		d.equate(n.Cond, weak)
	case *plan.JoinNode:
		d.join(n, weak)
		return
	case *plan.SubqueryAlias:
		d.derived(n, weak)
		return
	case *plan.Project:
		d.computed(n, weak)
	case *plan.GroupBy:
		d.grouped(n)
	case *plan.SetOp, *plan.RecursiveCte, *plan.RecursiveTable:
		return
	case plan.TableIdNode:
		d.keyed(n)
		return
	}
	for _, child := range n.Children() {
		d.learn(child, weak)
	}
}

func (d *dependence) join(n *plan.JoinNode, weak bool) {
	left, right := n.Left(), n.Right()
	switch {
	case n.Op.IsFullOuter():
		d.learn(left, true)
		d.learn(right, true)
		return
	case n.Op.IsRightOuter():
		left, right = right, left
		fallthrough
	case n.Op.IsLeftOuter():
		d.learn(left, weak)
		d.learn(right, true)
		if n.Filter != nil && tree.Fields(n.Filter).Intersection(columnsOf(left)).Difference(d.known).Empty() {
			d.equate(n.Filter, false) // each row of the left side finds all its partners, or none
		}
		return
	}
	d.learn(left, weak)
	d.learn(right, weak)
	if n.Filter != nil {
		d.equate(n.Filter, weak)
	}
}

// equate learns from the equations of a condition that holds.
func (d *dependence) equate(condition sql.Expression, weak bool) {
	for _, term := range expression.SplitConjunction(condition) {
		switch e := term.(type) {
		case *expression.Equals:
			d.equal(e.Left(), e.Right(), weak)
			d.equal(e.Right(), e.Left(), weak)
		case *expression.IsNull:
			d.equal(e.Child, expression.NewLiteral(nil, e.Child.Type()), weak)
		}
	}
}

// equal learns that a column equals an expression.
func (d *dependence) equal(column, e sql.Expression, weak bool) {
	if field, ok := column.(*expression.GetField); ok && d.fixed(e, weak) {
		d.known.Add(field.Id())
	}
}

// fixed reports whether an expression is determined by the known columns.
func (d *dependence) fixed(e sql.Expression, weak bool) bool {
	fields := tree.Fields(e)
	if weak && fields.Empty() || !fields.Difference(d.known).Empty() {
		return false
	}
	return !transform.InspectExpr(e, tree.Acts)
}

// computed learns from the aliases of a SELECT list.
func (d *dependence) computed(n *plan.Project, weak bool) {
	for _, e := range n.Projections {
		alias, ok := e.(*expression.Alias)
		switch {
		case !ok || alias.Id() == 0:
		case d.known.Contains(alias.Id()):
			if d.texts == nil {
				d.texts = map[string]bool{}
			}
			d.texts[textOf(tree.Unalias(alias))] = true
			if field, ok := tree.Unalias(alias).(*expression.GetField); ok {
				d.known.Add(field.Id())
			}
		case d.fixed(alias.Child, weak):
			d.known.Add(alias.Id())
		}
	}
}

// grouped learns that known keys determine all columns of a group.
func (d *dependence) grouped(n *plan.GroupBy) {
	for _, key := range n.GroupByExprs {
		key = tree.Unalias(key)
		if !d.fixed(key, false) && !d.texts[textOf(key)] {
			return
		}
	}
	for _, e := range n.SelectedExprs {
		if id := tree.ID(e); id > 0 {
			d.known.Add(id)
		}
	}
}

// derived learns from the inside of a derived table or a view.
func (d *dependence) derived(n *plan.SubqueryAlias, weak bool) {
	var outside []sql.ColumnId
	n.Columns().ForEach(func(id sql.ColumnId) { outside = append(outside, id) })
	inside := tree.OutputIDs(n.Child)
	if len(outside) != len(inside) {
		return
	}
	within, seen := d.within[n]
	if !seen {
		within = &dependence{ctx: d.ctx}
		if d.within == nil {
			d.within = map[*plan.SubqueryAlias]*dependence{}
		}
		d.within[n] = within
	}
	within.known = within.known.Union(n.Correlated.Intersection(d.known))
	for i, id := range outside {
		if d.known.Contains(id) {
			within.known.Add(inside[i])
		}
	}
	within.learn(n.Child, weak)
	for i, id := range inside {
		if id > 0 && within.known.Contains(id) {
			d.known.Add(outside[i])
		}
	}
}

// keyed learns all columns of a table if one of its keys is known.
func (d *dependence) keyed(n plan.TableIdNode) {
	table, ok := n.(sql.TableNode)
	if !ok {
		return
	}
	columns := map[string]sql.ColumnId{}
	schema := n.Schema()
	primary, has := true, false
	var ids []sql.ColumnId
	n.Columns().ForEach(func(id sql.ColumnId) { ids = append(ids, id) })
	if len(ids) != len(schema) {
		return
	}
	for i, c := range schema {
		columns[strings.ToLower(c.Name)] = ids[i]
		if c.PrimaryKey {
			primary, has = primary && d.known.Contains(ids[i]), true
		}
	}
	if has && primary || d.uniqueKnown(table, schema, columns) {
		for _, id := range ids {
			d.known.Add(id)
		}
	}
}

// uniqueKnown reports whether all columns of a NOT NULL unique key are known.
func (d *dependence) uniqueKnown(n sql.TableNode, schema sql.Schema, columns map[string]sql.ColumnId) bool {
	table, ok := n.UnderlyingTable().(sql.IndexAddressable)
	if !ok {
		return false
	}
	indexes, err := table.GetIndexes(d.ctx)
	if err != nil {
		return false
	}
	for _, index := range indexes {
		known := index.IsUnique() && len(index.Expressions()) > 0 && len(index.PrefixLengths()) == 0
		for _, e := range index.Expressions() {
			name := strings.ToLower(e[strings.LastIndexByte(e, '.')+1:])
			at := schema.IndexOfColName(name)
			known = known && at >= 0 && !schema[at].Nullable && d.known.Contains(columns[name])
		}
		if known {
			return true
		}
	}
	return false
}

// columnsOf returns the columns of the tables below a node, without those inside derived tables.
func columnsOf(n sql.Node) (ids sql.ColSet) {
	if table, ok := n.(plan.TableIdNode); ok {
		return table.Columns()
	}
	for _, child := range n.Children() {
		ids = ids.Union(columnsOf(child))
	}
	return ids
}
