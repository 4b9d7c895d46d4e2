package planner

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/tree"
)

// GROUP BY a, b WITH ROLLUP has the groups of (a, b), of (a) and of no key. The engine
// knows nothing of it: the parser marks the GROUP BY (RollupMarker), and expandRollups
// makes a derived table of it before anything else looks at the plan, the UNION ALL of
// the GROUP BYs of every prefix of the keys. Each of them is an ordinary one: over a
// published view it is estimated. HAVING, ORDER BY, LIMIT, DISTINCT and what is computed
// from keys stay above, and see NULL in the place of a key that is rolled up.

// maxRollupKeys is how many keys WITH ROLLUP may have: the plan below is there once more
// for each.
const maxRollupKeys = 15

// RollupLevels is how often the plan below a GROUP BY of so many keys WITH ROLLUP is there.
func RollupLevels(keys int) int { return keys + 1 }

// expandRollups puts a UNION ALL in the place of every GROUP BY ... WITH ROLLUP of a plan.
func (p *planner) expandRollups(node sql.Node) (sql.Node, error) {
	if !hasRollup(node) {
		return node, nil
	}
	above, base := peel(node)
	if group, ok := base.(*plan.GroupBy); ok && isRollup(group) {
		return p.expandRollup(above, group)
	}
	expanded, err := p.eachPart(node, p.expandRollups, p.expandSubquery)
	if created, ok := expanded.(*plan.CreateTable); ok { // whose keys may be NULL now
		return RetypeCreateTable(created), err
	}
	return expanded, err
}

// expandSubquery is expandRollups of the subqueries in expressions.
func (p *planner) expandSubquery(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	subquery, ok := e.(*plan.Subquery)
	if !ok || !hasRollup(subquery.Query) {
		return e, transform.SameTree, nil
	}
	query, err := p.visitInner(subquery.Query, subquery.Correlated(), p.expandRollups)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return subquery.WithQuery(query), transform.NewTree, nil
}

func hasRollup(node sql.Node) bool {
	found := false
	tree.Inspect(node, func(n sql.Node) bool {
		group, ok := n.(*plan.GroupBy)
		found = found || ok && isRollup(group)
		return !found
	})
	return found
}

// isRollup reports whether the marker is behind the keys.
func isRollup(n *plan.GroupBy) bool {
	return slices.ContainsFunc(n.GroupByExprs, func(e sql.Expression) bool {
		_, marked := e.(*rollupMark)
		return marked
	})
}

// A rollup is one GROUP BY ... WITH ROLLUP.
type rollup struct {
	planner *planner
	child   sql.Node // what is grouped
	// aggregates are those that the GROUP BY computes, keys what it groups by.
	aggregates, keys []sql.Expression
	columns          []rollupColumn
	// byText are the columns that are no column of what is grouped, by the text of what
	// they are.
	byText map[string]*rollupColumn
	// seen are the columns that the nodes above may refer to.
	seen sql.ColSet
}

// A rollupColumn is one of the UNION, and known above by its id.
type rollupColumn struct {
	id        sql.ColumnId
	name      string
	typ       sql.Type
	nullable  bool
	aggregate bool
	// at is what it is in the GROUP BY of the first so many keys.
	at func(keys int) sql.Expression
}

func (c *rollupColumn) field() sql.Expression { return tree.Field(c.id, c.typ, "", c.name, c.nullable) }

// expandRollup expands one SELECT, of which above are the nodes above the GROUP BY.
func (p *planner) expandRollup(above []sql.Node, group *plan.GroupBy) (sql.Node, error) {
	top := topProject(above)
	if top < 0 { // the binder puts one on every SELECT: it has the order of the columns
		return nil, errRollupPlace
	}
	r, err := p.newRollup(group)
	if err != nil {
		return nil, err
	}
	r.see(above)
	// What is above is rewritten first: it says which columns there are.
	rewritten := make([]sql.Node, len(above))
	sorts := false
	for i, n := range above {
		switch n.(type) {
		case *plan.Sort, *plan.TopN:
			sorts = true
		}
		if rewritten[i], err = r.rewriteNode(n, i == top); err != nil {
			return nil, err
		}
	}
	flags := make([]sql.Expression, len(r.keys))
	for i := 0; !sorts && i < len(r.keys); i++ {
		flags[i] = r.grouping([]int{i})
	}
	r.label(above)
	node := r.union()
	if !sorts {
		node = plan.NewSort(r.order(flags), node)
	}
	for i := len(rewritten) - 1; i >= 0; i-- {
		if node, err = r.placeOver(rewritten[i], node, i == top); err != nil {
			return nil, err
		}
	}
	return node, nil
}

func (p *planner) newRollup(group *plan.GroupBy) (*rollup, error) {
	expanded, err := tree.TransformExpressions(group, p.expandSubquery)
	if err != nil {
		return nil, err
	}
	group = expanded.(*plan.GroupBy)
	r := &rollup{planner: p, byText: make(map[string]*rollupColumn)}
	if r.child, err = p.expandRollups(group.Child); err != nil {
		return nil, err
	}
	for _, e := range group.GroupByExprs {
		if _, marked := e.(*rollupMark); !marked {
			r.keys = append(r.keys, tree.Unalias(e))
		}
	}
	if len(r.keys) > maxRollupKeys {
		return nil, refuseRollup("GROUP BY of %d keys WITH ROLLUP, at most %d are supported: put those that need no totals into one, such as CONCAT(a, '-', b)",
			len(r.keys), maxRollupKeys)
	}
	p.rollups++
	if err := r.addKeys(); err != nil {
		return nil, err
	}
	r.addAggregates(group)
	return r, nil
}

// addKeys makes every key a column, in whose place is NULL where it is rolled up.
func (r *rollup) addKeys() error {
	for i, key := range r.keys {
		if r.placeOf(key) < i {
			return refuseRollup("%s stands twice in GROUP BY ... WITH ROLLUP: leave it out once", key)
		}
		if tree.OneValue(key) {
			return refuseRollup("the constant %s is a key of GROUP BY ... WITH ROLLUP: leave it out", key)
		}
		c := rollupColumn{id: tree.ID(key), name: key.String(), typ: key.Type(), nullable: true}
		field, isField := key.(*expression.GetField)
		if isField {
			c.name = field.Name()
		} else {
			c.id = r.planner.freshId()
		}
		c.at = func(keys int) sql.Expression {
			if i < keys {
				return key
			}
			return expression.NewLiteral(nil, key.Type())
		}
		if added := r.add(c); !isField {
			r.byText[c.name] = added
		}
	}
	return nil
}

// addAggregates makes every aggregate a column. What is selected beside them is a key,
// what a key is computed from, or a column of an outer query, or is refused above.
func (r *rollup) addAggregates(group *plan.GroupBy) {
	for _, e := range group.SelectedExprs {
		if _, ok := e.(sql.Aggregation); !ok {
			continue
		}
		r.aggregates = append(r.aggregates, e)
		column := rollupColumn{id: tree.ID(e), name: e.String(), typ: boundType(e), nullable: e.IsNullable(), aggregate: true}
		field := column.field()
		column.at = func(int) sql.Expression { return field }
		r.add(column)
	}
}

// see says which columns the nodes above the GROUP BY may refer to: those of the UNION, of
// outer queries, and what the nodes define themselves.
func (r *rollup) see(above []sql.Node) {
	r.seen = r.planner.outer.Copy()
	for _, c := range r.columns {
		r.seen.Add(c.id)
	}
	for _, n := range above {
		if project, ok := n.(*plan.Project); ok {
			for _, e := range project.Projections {
				if alias, ok := e.(*expression.Alias); ok {
					r.seen.Add(alias.Id())
				}
			}
		}
	}
}

func (r *rollup) add(c rollupColumn) *rollupColumn {
	r.columns = append(r.columns, c)
	return &c
}

// label names the aggregates as the SELECT does, for those that read a plan or a note.
func (r *rollup) label(above []sql.Node) {
	for _, n := range above {
		project, ok := n.(*plan.Project)
		if !ok {
			continue
		}
		for _, e := range project.Projections {
			alias, ok := e.(*expression.Alias)
			if !ok {
				continue
			}
			for i := range r.columns {
				if c := &r.columns[i]; c.aggregate && c.id == tree.ID(alias.Child) {
					c.name = alias.Name()
				}
			}
		}
	}
}

// union is the derived table.
func (r *rollup) union() sql.Node {
	slices.SortFunc(r.columns, func(a, b rollupColumn) int { return int(a.id) - int(b.id) })
	columns := &aliasColumns{inside: make(map[sql.ColumnId]sql.Expression)}
	for _, c := range r.columns {
		columns.add(c.id, c.name, c.field())
	}
	levels := make([]sql.Node, 0, RollupLevels(len(r.keys)))
	for n := len(r.keys); n >= 0; n-- {
		levels = append(levels, r.level(n))
	}
	node := r.balanced(levels, columns.ids)
	alias := plan.NewSubqueryAlias("rollup", "", nil).WithCorrelated(r.outerFields(node))
	// The engine lets a derived table see an outer query by itself, but not one within
	// another.
	alias.OuterScopeVisibility = !alias.Correlated.Empty()
	return columns.deriveFrom(alias.WithId(sql.TableId(r.planner.freshId())).(*plan.SubqueryAlias), node)
}

// balanced joins nodes by UNION ALL, to the least depth: the engine goes through both
// sides of a UNION again for every UNION above.
func (r *rollup) balanced(nodes []sql.Node, ids sql.ColSet) sql.Node {
	if len(nodes) == 1 {
		return nodes[0]
	}
	half := len(nodes) / 2
	union := plan.NewSetOp(plan.UnionType, r.balanced(nodes[:half], ids), r.balanced(nodes[half:], ids), false, nil, nil, nil)
	return union.WithId(sql.TableId(r.planner.freshId())).(*plan.SetOp).WithColumns(ids)
}

// level is the GROUP BY of the first n keys. That of none has a constant key: over no rows
// there is no total either.
func (r *rollup) level(n int) sql.Node {
	keys, selected := r.keys[:n:n], slices.Clone(r.aggregates)
	if n == 0 {
		keys = []sql.Expression{expression.NewLiteral("total", types.LongText)}
	}
	for _, key := range keys {
		selected = withFields(selected, key)
	}
	projections := make([]sql.Expression, len(r.columns))
	for i, c := range r.columns {
		projections[i] = c.at(n)
		if tree.ID(projections[i]) != c.id || c.aggregate {
			projections[i] = expression.NewAlias(c.name, projections[i]).WithId(c.id).(sql.Expression)
		}
	}
	return plan.NewProject(projections, plan.NewGroupBy(selected, keys, r.child))
}

// outerFields are the columns of outer queries that a node reads.
func (r *rollup) outerFields(node sql.Node) sql.ColSet {
	var read sql.ColSet
	if r.planner.outer.Empty() {
		return read
	}
	tree.Inspect(node, func(n sql.Node) bool {
		if ex, ok := n.(sql.Expressioner); ok {
			for _, e := range ex.Expressions() {
				read = read.Union(tree.Fields(e))
			}
		}
		return true
	})
	return read.Intersection(r.planner.outer)
}

// order is that of the rows where nothing else orders them: every group is followed by
// what it is rolled up to.
func (r *rollup) order(flags []sql.Expression) sql.SortFields {
	var fields sql.SortFields
	for i, key := range r.keys {
		fields = append(fields, sql.SortField{Column: flags[i], Order: sql.Ascending}, sql.SortField{Column: r.keyField(key), Order: sql.Ascending})
	}
	return fields
}

// errRollupPlace is the error of a rollup that nothing expands.
var errRollupPlace = refuseRollup("WITH ROLLUP is not supported in this place: put the SELECT into a derived table")

// refuseRollup is an error about WITH ROLLUP.
func refuseRollup(format string, args ...any) error {
	return mysql.NewSQLError(mysql.ERNotSupportedYet, "42000", format, args...)
}
