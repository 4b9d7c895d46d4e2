package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/tree"
)

// rebuild replaces the view by the weighted rows and carries their weight up to node.
// needed are the columns that nodes above read; others are dropped on the way, so that
// the view has few combinations.
func (j *joinScope) rebuild(node sql.Node, needed sql.ColSet) (rebuilt sql.Node, weight sql.Expression, err error) {
	if node == j.leaf {
		return j.weightedRows(needed)
	}
	switch n := node.(type) {
	case *plan.Filter:
		return j.rebuildFilter(n, needed)
	case *plan.Sort:
		return j.rebuildSort(n, needed)
	case *plan.Project:
		return j.rebuildProject(n, needed)
	case *plan.SubqueryAlias:
		return j.rebuildAlias(n, needed)
	}
	return j.rebuildJoin(node.(*plan.JoinNode), needed)
}

func (j *joinScope) rebuildFilter(n *plan.Filter, needed sql.ColSet) (sql.Node, sql.Expression, error) {
	rest := j.split(n.Expression)
	for _, e := range rest {
		needed = needed.Union(tree.Fields(e))
	}
	child, weight, err := j.rebuild(n.Child, needed)
	if err != nil || len(rest) == 0 {
		return child, weight, err
	}
	return plan.NewFilter(expression.JoinAnd(rest...), child), weight, nil
}

// rebuildSort keeps the order, which DISTINCT passes on.
func (j *joinScope) rebuildSort(n *plan.Sort, needed sql.ColSet) (sql.Node, sql.Expression, error) {
	for _, e := range n.Expressions() {
		needed = needed.Union(tree.Fields(e))
	}
	child, weight, err := j.rebuild(n.Child, needed)
	return plan.NewSort(n.SortFields, child), weight, err
}

func (j *joinScope) rebuildProject(n *plan.Project, needed sql.ColSet) (sql.Node, sql.Expression, error) {
	var kept []sql.Expression
	var below sql.ColSet
	for _, e := range n.Projections {
		if needed.Contains(tree.ID(e)) {
			kept = append(kept, e)
			below = below.Union(tree.Fields(e))
		}
	}
	child, weight, err := j.rebuild(n.Child, below)
	if err != nil {
		return nil, nil, err
	}
	return plan.NewProject(append(kept, weight), child), weight, nil
}

// rebuildAlias gives a derived table the needed columns and the weight, under a new id.
func (j *joinScope) rebuildAlias(n *plan.SubqueryAlias, needed sql.ColSet) (sql.Node, sql.Expression, error) {
	columns := j.newAlias(n.Name())
	below, schema := tree.OutputIDs(n.Child), n.Child.Schema()
	names := n.Schema()
	var fields []sql.Expression
	var read sql.ColSet
	for i, id := range tree.OutputIDs(n) {
		if needed.Contains(id) {
			field := tree.Field(below[i], schema[i].Type, schema[i].Source, schema[i].Name, schema[i].Nullable)
			fields = append(fields, field)
			read.Add(below[i])
			columns.add(id, names[i].Name, field)
		}
	}
	outer := j.planner.outer
	j.planner.outer = outer.Union(n.Correlated)
	child, weight, err := j.rebuild(n.Child, read)
	j.planner.outer = outer
	if err != nil {
		return nil, nil, err
	}
	above := columns.addWeight(weight)
	return columns.deriveFrom(n, plan.NewProject(append(fields, weight), child)), above, nil
}

func (j *joinScope) rebuildJoin(n *plan.JoinNode, needed sql.ColSet) (sql.Node, sql.Expression, error) {
	view, other, _ := sidesOfJoin(n)
	var rest []sql.Expression
	switch {
	case n.Filter == nil:
	case n.Op == plan.JoinTypeInner:
		rest = j.split(n.Filter)
	default:
		rest = []sql.Expression{n.Filter} // decides which rows match, not which exist
	}
	for _, e := range rest {
		needed = needed.Union(tree.Fields(e))
	}
	first := view == n.Left()
	view, weight, err := j.rebuild(view, needed)
	if err != nil {
		return nil, nil, err
	}
	left, right := view, other
	if !first {
		left, right = other, view
	}
	if len(rest) == 0 {
		return plan.NewCrossJoin(left, right), weight, nil
	}
	join := plan.NewJoin(left, right, n.Op, expression.JoinAnd(rest...))
	join.CommentStr = n.CommentStr
	return join, weight, nil
}

// weightedRows is the view as a derived table of combinations with weights.
func (j *joinScope) weightedRows(needed sql.ColSet) (sql.Node, sql.Expression, error) {
	b := &scopeBuilder{planner: j.planner, source: j.source, estimate: answer.New(j.source.view)}
	b.estimate.MaxKeys, b.estimate.Weighs = maxCombinations, true
	b.source.where = append(b.source.where, j.where...)
	if err := b.addWhere(); err != nil {
		return nil, nil, err
	}
	leaf := j.leaf.(plan.TableIdNode)
	columns := j.newAlias(leaf.Name())
	schema := leaf.Schema()
	for i, id := range tree.OutputIDs(leaf) {
		if !needed.Contains(id) {
			continue
		}
		if err := b.addKey(j.source.columns[id]); err != nil {
			return nil, nil, err
		}
		key := b.estimate.KeyOf(j.source.columns[id])
		columns.add(id, schema[i].Name, b.addOutput(answer.KeyOutput, key, schema[i].Copy()))
	}
	weights := b.estimate.AddAggregate(answer.Aggregate{Kind: estimate.Count, SQLType: answer.FigureType})
	_, j.exact = b.estimate.Touched()
	j.estimate = b.estimate
	weight := b.addOutput(answer.FigureOutput, weights, &sql.Column{Name: "weight", Type: answer.FigureType})
	var rows sql.Node = b.estimate
	if len(b.estimate.Keys) == 0 { // one row, whatever the weight
		rows = plan.NewFilter(expression.NewGreaterThan(weight, expression.NewLiteral(0.0, types.Float64)), rows)
	}
	above := columns.addWeight(weight)
	alias := plan.NewSubqueryAlias(leaf.Name(), "weighted rows of a published view", nil).WithId(leaf.Id())
	return columns.deriveFrom(alias.(*plan.SubqueryAlias), plan.NewProject(b.estimate.ProjectedExprs(), rows)), above, nil
}

// aliasColumns are the columns of a derived table that is being built: the ids
// under which they are known outside, ascending, and what they are inside.
type aliasColumns struct {
	planner *planner
	table   string
	ids     sql.ColSet
	names   []string
	inside  map[sql.ColumnId]sql.Expression
}

func (j *joinScope) newAlias(table string) *aliasColumns {
	return &aliasColumns{planner: j.planner, table: strings.ToLower(table), inside: make(map[sql.ColumnId]sql.Expression)}
}

func (c *aliasColumns) add(id sql.ColumnId, name string, inside sql.Expression) {
	c.ids.Add(id)
	c.names = append(c.names, name)
	c.inside[id] = inside
}

// addWeight adds the weight as the last column and returns the reference to it.
func (c *aliasColumns) addWeight(inside sql.Expression) sql.Expression {
	id := c.planner.freshId()
	c.add(id, "weight", inside)
	return tree.Field(id, answer.FigureType, c.table, "weight", false)
}

// deriveFrom makes a derived table like n of the child with these columns.
func (c *aliasColumns) deriveFrom(n *plan.SubqueryAlias, child sql.Node) sql.Node {
	return n.WithChild(child).WithColumnNames(c.names).WithScopeMapping(c.inside).WithColumns(c.ids)
}
