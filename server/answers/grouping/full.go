package grouping

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/tree"
)

// ONLY_FULL_GROUP_BY as in MySQL 8: SELECT list, ORDER BY and HAVING of a grouped query may use
// keys, aggregates, and columns that depend on the keys (dependence.go). The engine checks only
// SELECT lists without aggregates, and only by the text of keys.

const (
	wrongFieldWithGroup = 1055 // ER_WRONG_FIELD_WITH_GROUP
	mixOfGroupFunctions = 1140 // ER_MIX_OF_GROUP_FUNC_AND_FIELDS_V2
)

// Full refuses expressions that vary within a group, if sql_mode has ONLY_FULL_GROUP_BY.
func Full(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	switch n.(type) {
	case *plan.CreateProcedure, *plan.CreateView, *plan.CreateTrigger, *plan.CreateEvent: // their text is bound again when they run
		return n, transform.SameTree, nil
	}
	var err error
	var checked map[*plan.GroupBy]bool
	tree.Inspect(n, func(n sql.Node) bool {
		if err != nil {
			return false
		}
		above, group := block(n)
		if group == nil || checked[group] || filteredByItself(group) {
			return true
		}
		if checked == nil {
			if !sql.LoadSqlMode(ctx).ModeEnabled(sql.OnlyFullGroupBy) {
				return false
			}
			checked = map[*plan.GroupBy]bool{}
		}
		checked[group] = true
		err = newGroups(ctx, group).check(above)
		return true
	})
	return n, transform.SameTree, err
}

// filteredByItself recognises an aggregate in WHERE, for which another error (1111) is reported.
func filteredByItself(n *plan.GroupBy) bool {
	filter, ok := n.Child.(*plan.Filter)
	if !ok {
		return false
	}
	fields := tree.Fields(filter.Expression)
	return slices.ContainsFunc(n.SelectedExprs, func(e sql.Expression) bool {
		id := tree.ID(e)
		return id > 0 && fields.Contains(id) && !columnsOf(filter.Child).Contains(id)
	})
}

// block returns the nodes of one SELECT above its GroupBy, from the top, and the GroupBy, or nil.
func block(n sql.Node) (above []sql.Node, group *plan.GroupBy) {
	for {
		switch own := n.(type) {
		case *plan.GroupBy:
			return above, own
		case *plan.Project, *plan.Having, *plan.Sort, *plan.Window, *plan.Limit, *plan.Offset, *plan.Distinct, *plan.TopN:
			above, n = append(above, n), n.Children()[0]
		default:
			return nil, nil
		}
	}
}

// groups knows which expressions have one value in each group.
type groups struct {
	keys  map[string]bool // by textOf
	known sql.ColSet      // columns that depend on keys
	rows  sql.ColSet      // the columns of the grouped rows
	all   bool            // no keys: all rows form one group
}

func newGroups(ctx *sql.Context, n *plan.GroupBy) *groups {
	g := &groups{keys: map[string]bool{}, rows: columnsOf(n.Child), all: len(n.GroupByExprs) == 0}
	d := &dependence{ctx: ctx}
	for _, key := range n.GroupByExprs {
		key = tree.Unalias(key)
		g.keys[textOf(key)] = true
		if field, ok := key.(*expression.GetField); ok {
			d.known.Add(field.Id())
		}
	}
	d.close(n.Child)
	g.known = d.known
	return g
}

// textOf is the text of an expression as the binder writes it, with names in lower case, and its strings, whose case counts.
func textOf(e sql.Expression) string {
	text := strings.ToLower(e.String())
	transform.InspectExpr(e, func(e sql.Expression) bool {
		if literal, ok := e.(*expression.Literal); ok {
			text += "\x00" + literal.String()
		}
		return false
	})
	return text
}

// check checks the nodes above the groups. The first Project holds the SELECT list; of the others, only aliases count.
func (g *groups) check(above []sql.Node) error {
	for _, n := range above {
		if project, ok := n.(*plan.Project); ok {
			for _, e := range project.Projections {
				if alias, named := e.(*expression.Alias); named { // WITH ROLLUP gives a NULL the id of a column
					g.rows.Remove(alias.Id())
				}
			}
		}
	}
	var shown []sql.Expression
	for _, n := range above {
		switch n := n.(type) {
		case *plan.Project:
			if shown == nil {
				shown = n.Projections
			}
			for i, e := range n.Projections {
				_, named := e.(*expression.Alias)
				if &shown[0] != &n.Projections[0] && !named {
					continue // what is passed on
				}
				if bad := g.varying(e); bad != nil {
					return g.refuse("SELECT list", placeIn(shown, e, i), bad)
				}
			}
		case *plan.Having:
			if bad := g.varying(n.Cond); bad != nil {
				return g.refuse("HAVING clause", 0, bad)
			}
		case *plan.Sort:
			for i, field := range n.SortFields {
				if bad := g.varying(field.Column); bad != nil && !g.all { // the order of one row does not matter
					return g.refuse("ORDER BY clause", i, bad)
				}
			}
		}
	}
	return nil
}

// placeIn returns the index of an expression in a SELECT list.
func placeIn(shown []sql.Expression, e sql.Expression, otherwise int) int {
	for i, s := range shown {
		if id := tree.ID(e); id > 0 && tree.ID(s) == id {
			return i
		}
	}
	return otherwise
}

func (g *groups) refuse(clause string, place int, column *expression.GetField) error {
	name := strings.TrimPrefix(column.Database()+"."+column.Table()+"."+column.Name(), ".")
	if g.all && clause != "HAVING clause" {
		return mysql.NewSQLError(mixOfGroupFunctions, mysql.SSClientError,
			"In aggregated query without GROUP BY, expression #%d of SELECT list contains nonaggregated column '%s'; this is incompatible with sql_mode=only_full_group_by",
			place+1, name)
	}
	return mysql.NewSQLError(wrongFieldWithGroup, mysql.SSClientError,
		"Expression #%d of %s is not in GROUP BY clause and contains nonaggregated column '%s' which is not functionally dependent on columns in GROUP BY clause; "+
			"this is incompatible with sql_mode=only_full_group_by", place+1, clause, name)
}

// varying returns a column that an expression reads and that may vary within a group, or nil.
func (g *groups) varying(e sql.Expression) *expression.GetField {
	if g.keys[textOf(e)] {
		return nil
	}
	switch e := e.(type) {
	case *expression.GetField:
		if g.rows.Contains(e.Id()) && !g.known.Contains(e.Id()) {
			return e
		}
		return nil
	case *plan.Subquery:
		return g.varyingIn(e)
	case sql.Aggregation:
		if e.Window() == nil {
			return nil
		}
	}
	for _, child := range e.Children() {
		if bad := g.varying(child); bad != nil {
			return bad
		}
	}
	return nil
}

// varyingIn is varying for the outer columns of a subquery.
func (g *groups) varyingIn(subquery *plan.Subquery) (bad *expression.GetField) {
	if subquery.Correlated().Intersection(g.rows).Difference(g.known).Empty() {
		return nil
	}
	tree.Inspect(subquery.Query, func(n sql.Node) bool {
		reading, ok := n.(sql.Expressioner)
		if !ok || bad != nil {
			return bad == nil
		}
		for _, e := range reading.Expressions() {
			if bad == nil {
				bad = g.varying(e)
			}
		}
		return true
	})
	return bad
}
