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
// does not support it: the parser marks the GROUP BY (RollupMarker), and expandRollups,
// the first step on a plan, turns it into a derived table, the UNION ALL of the GROUP
// BYs of every prefix of the keys. Each of them is an ordinary GROUP BY: over a
// published view it is estimated. HAVING, ORDER BY, LIMIT, DISTINCT and expressions over
// keys stay above, and see NULL for a key that is rolled up.

// maxRollupKeys bounds the keys of WITH ROLLUP: each adds a copy of the plan below.
const maxRollupKeys = 15

// RollupLevels is the number of copies of the plan below a GROUP BY ... WITH ROLLUP.
func RollupLevels(keys int) int { return keys + 1 }

// expandRollups replaces every GROUP BY ... WITH ROLLUP of a plan by a UNION ALL.
func (p *planner) expandRollups(node sql.Node) (sql.Node, error) {
	if !hasRollup(node) {
		return node, nil
	}
	above, base := peel(node)
	if group, ok := base.(*plan.GroupBy); ok && isRollup(group) {
		return p.expandRollup(above, group)
	}
	expanded, err := p.eachPart(node, p.expandRollups, p.expandSubquery)
	if created, ok := expanded.(*plan.CreateTable); ok { // its keys may be NULL now
		return RetypeCreateTable(created), err
	}
	return expanded, err
}

// expandSubquery is expandRollups for subqueries in expressions.
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

// isRollup reports whether the keys end with the marker.
func isRollup(n *plan.GroupBy) bool {
	return slices.ContainsFunc(n.GroupByExprs, func(e sql.Expression) bool {
		_, marked := e.(*rollupMark)
		return marked
	})
}

// A rollup is one GROUP BY ... WITH ROLLUP.
type rollup struct {
	planner *planner
	child   sql.Node // the input of the GROUP BY
	// aggregates and keys belong to the GROUP BY.
	aggregates, keys []sql.Expression
	columns          []rollupColumn
	// byText are the columns that are not columns of the input, by their texts.
	byText map[string]*rollupColumn
	// seen are the columns that the nodes above may refer to.
	seen sql.ColSet
}

// A rollupColumn is a column of the UNION, to which nodes above refer by its id.
type rollupColumn struct {
	id        sql.ColumnId
	name      string
	typ       sql.Type
	nullable  bool
	aggregate bool
	// at is its expression in the GROUP BY of the first keys keys.
	at func(keys int) sql.Expression
}

func (c *rollupColumn) field() sql.Expression { return tree.Field(c.id, c.typ, "", c.name, c.nullable) }

// expandRollup expands one SELECT. above are its nodes above the GROUP BY.
func (p *planner) expandRollup(above []sql.Node, group *plan.GroupBy) (sql.Node, error) {
	top := topProject(above)
	if top < 0 { // the binder puts one on every SELECT; it has the order of the columns
		return nil, errRollupPlace
	}
	r, err := p.newRollup(group)
	if err != nil {
		return nil, err
	}
	r.see(above)
	// The nodes above are rewritten first: this determines the columns.
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

// addKeys makes every key a column, which is NULL where the key is rolled up.
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

// addAggregates makes every aggregate a column. Other selected expressions are keys,
// inputs of keys, or columns of an outer query, or are refused above.
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

// see collects the columns to which the nodes above the GROUP BY may refer: those of the
// UNION, of outer queries, and those that the nodes themselves define.
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

// label names the aggregates as the SELECT does, for plans and notes.
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

// balanced joins nodes by UNION ALL with the least depth: the engine walks both sides
// of a UNION again for every UNION above.
func (r *rollup) balanced(nodes []sql.Node, ids sql.ColSet) sql.Node {
	if len(nodes) == 1 {
		return nodes[0]
	}
	half := len(nodes) / 2
	union := plan.NewSetOp(plan.UnionType, r.balanced(nodes[:half], ids), r.balanced(nodes[half:], ids), false, nil, nil, nil)
	return union.WithId(sql.TableId(r.planner.freshId())).(*plan.SetOp).WithColumns(ids)
}

// level is the GROUP BY of the first n keys. With none it has a constant key, so that over
// no rows there is no total.
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

// order is the default order of the rows: every total follows its groups.
func (r *rollup) order(flags []sql.Expression) sql.SortFields {
	var fields sql.SortFields
	for i, key := range r.keys {
		fields = append(fields, sql.SortField{Column: flags[i], Order: sql.Ascending}, sql.SortField{Column: r.keyField(key), Order: sql.Ascending})
	}
	return fields
}

// errRollupPlace is the error for a rollup that is not expanded.
var errRollupPlace = refuseRollup("WITH ROLLUP is not supported in this place: put the SELECT into a derived table")

// refuseRollup is an error about WITH ROLLUP.
func refuseRollup(format string, args ...any) error {
	return mysql.NewSQLError(mysql.ERNotSupportedYet, "42000", format, args...)
}
