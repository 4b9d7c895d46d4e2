package planner

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/tree"
)

// rewriteNode puts the expressions of a node above the GROUP BY on the columns of the
// UNION.
func (r *rollup) rewriteNode(node sql.Node, top bool) (sql.Node, error) {
	expanded, err := tree.TransformExpressions(node, r.planner.expandSubquery)
	if err != nil {
		return nil, err
	}
	return rewriteNode(expanded, top, r.passedOn, r.rewrite)
}

// passedOn is an intermediate projection without columns that nodes above may not read.
func (r *rollup) passedOn(projections []sql.Expression) []sql.Expression {
	var kept []sql.Expression
	for _, e := range projections {
		if field, ok := e.(*expression.GetField); !ok || r.seen.Contains(field.Id()) {
			kept = append(kept, e)
		}
	}
	return kept
}

// placeOver puts a rewritten node over child. An intermediate projection also passes on
// the new columns that nodes above may read.
func (r *rollup) placeOver(node, child sql.Node, top bool) (sql.Node, error) {
	if project, ok := node.(*plan.Project); ok && !top {
		projections := project.Projections
		for i := range r.columns {
			if c := &r.columns[i]; c.id > r.planner.bound {
				projections = append(projections, c.field())
			}
		}
		node = plan.NewProject(projections, project.Child)
	}
	return node.WithChildren(child)
}

// rewrite rewrites e from the top down, so that the largest part that is a key becomes
// that key.
func (r *rollup) rewrite(e sql.Expression) (sql.Expression, error) {
	switch e := e.(type) {
	case *expression.Literal, *expression.BindVar:
		return e, nil
	case *expression.GetField:
		if !r.seen.Contains(e.Id()) {
			return nil, refuseUngroupedRollup(e.String())
		}
		if !e.IsNullable() && r.placeOf(e) >= 0 {
			return expression.NewGetFieldWithTable(int(e.Id()), int(e.TableId()), e.Type(), e.Database(), e.Table(), e.Name(), true), nil
		}
		return e, nil
	case *plan.Subquery:
		if !e.Correlated().SubsetOf(r.seen) {
			return nil, refuseUngroupedRollup("a column of " + e.QueryString)
		}
		return e, nil
	case *grouping:
		return r.groupingOf(e)
	case sql.FunctionExpression:
		if _, companion := companions[strings.ToLower(e.FunctionName())]; companion {
			return r.figure(e), nil
		}
	}
	if _, isAlias := e.(*expression.Alias); !isAlias {
		if key := r.byText[e.String()]; key != nil {
			return key.field(), nil
		}
	}
	return tree.RebuildEach(e, r.rewrite)
}

// figure moves a function around an aggregate, such as ANON_LOW, into the GROUP BYs,
// where the aggregate is estimated.
func (r *rollup) figure(e sql.Expression) sql.Expression {
	text := e.String()
	if r.byText[text] == nil {
		r.byText[text] = r.add(rollupColumn{id: r.planner.freshId(), name: text, typ: e.Type(), nullable: true,
			at: func(int) sql.Expression { return e }})
	}
	return r.byText[text].field()
}

// groupingOf is the column for GROUPING(key, ...).
func (r *rollup) groupingOf(e *grouping) (sql.Expression, error) {
	places := make([]int, len(e.Operands))
	for i, argument := range e.Operands {
		if places[i] = r.placeOf(argument); places[i] < 0 {
			return nil, mysql.NewSQLError(erGroupingOfNoKey, "HY000", "Argument #%d of GROUPING function is not in GROUP BY", i+1)
		}
	}
	return r.grouping(places), nil
}

// grouping is a column with a bit for each of some keys, the last key in the lowest
// bit: 1 if the key is rolled up.
func (r *rollup) grouping(places []int) sql.Expression {
	names := make([]string, len(places))
	for i, place := range places {
		names[i] = r.keys[place].String()
	}
	text := "grouping(" + strings.Join(names, ", ") + ")"
	if r.byText[text] == nil {
		r.byText[text] = r.add(rollupColumn{id: r.planner.freshId(), name: text, typ: types.Int64, at: func(keys int) sql.Expression {
			bits := int64(0)
			for _, place := range places {
				bits <<= 1
				if place >= keys {
					bits |= 1
				}
			}
			return expression.NewLiteral(bits, types.Int64)
		}})
	}
	return r.byText[text].field()
}

// placeOf is the index of the key that an expression is, -1 for none.
func (r *rollup) placeOf(e sql.Expression) int {
	e = tree.Unalias(e)
	for i, key := range r.keys {
		if id := tree.ID(key); id != 0 && id == tree.ID(e) || id == 0 && tree.Same(key, e) {
			return i
		}
	}
	return -1
}

// keyField refers to the column of a key.
func (r *rollup) keyField(key sql.Expression) sql.Expression {
	at := slices.IndexFunc(r.columns, func(c rollupColumn) bool { return c.id == tree.ID(key) })
	if at < 0 {
		return r.byText[key.String()].field()
	}
	return r.columns[at].field()
}

// refuseUngroupedRollup refuses a column that has no value in a group. The binder names
// a window's column by its text.
func refuseUngroupedRollup(what string) error {
	if strings.Contains(what, "over (") {
		return refuseRollup(
			"a window function over GROUP BY ... WITH ROLLUP of the same SELECT is not supported: put it over a derived table that has the rollup",
		)
	}
	return refuseRollup(
		"%s is neither aggregated nor in GROUP BY ... WITH ROLLUP, whose totals have no value of it: add it to GROUP BY, or take ANY_VALUE of it",
		what,
	)
}
