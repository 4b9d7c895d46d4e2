package planner

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/tree"
)

// firstFreshId is the least id that the planner numbers its own columns after. The binder numbers from 1. Ids have 16 bits.
const firstFreshId = 60000

// A planner is one application of the rule to one plan.
type planner struct {
	ctx       *sql.Context
	bound     sql.ColumnId // the columns beyond are the planner's
	nextId    int
	estimates int
	rollups   int
	// weighted are the aggregates over joins.
	weighted sql.ColSet
	// outer are the columns of outer queries that the part being visited
	// refers to.
	outer sql.ColSet
	// whole: the session wants counts as integers.
	whole bool
	// each runs refused parts on completed tables; nil: they stay refused.
	each *runner
}

func newPlanner(ctx *sql.Context) *planner {
	return &planner{ctx: ctx, bound: firstFreshId, nextId: firstFreshId, whole: answer.WantsWhole(ctx)}
}

// freshId numbers a column that the planner invents.
func (p *planner) freshId() sql.ColumnId {
	p.nextId++
	return sql.ColumnId(p.nextId) // checkIds refuses what does not fit
}

// numberAfter makes the planner number after all columns of a bound plan, which has ids of the planner's if the rule sees it again.
func (p *planner) numberAfter(bound sql.Node) {
	tree.Inspect(bound, func(n sql.Node) bool {
		for _, id := range tree.OutputIDs(n) {
			p.bound = max(p.bound, id)
		}
		return true
	})
	p.nextId = int(p.bound)
}

// checkIds refuses a plan that needed more ids than there are: two columns would have one, and be taken for each other.
func (p *planner) checkIds() error {
	if p.nextId > math.MaxUint16 {
		return mysql.NewSQLError(mysql.ERTooManyFields, "42000", "Too many columns: a statement has at most %d figures such as ANON_LOW(COUNT(*)), "+
			"and fewer if its tables and SELECTs have more than %d columns: ask in several statements", math.MaxUint16-firstFreshId, firstFreshId)
	}
	return nil
}

// visit replaces the aggregates below node, including its subqueries: a SELECT over one
// view as a whole, anything else by its parts, and finally an aggregation over joins
// with a view, whose parts are done by then.
func (p *planner) visit(node sql.Node) (sql.Node, error) {
	if !readsStoredRows(node) {
		return node, nil
	}
	if p.each != nil {
		return p.visitSelect(node)
	}
	if s, ok := findScope(node); ok {
		return p.replaceScope(s)
	}
	node, err := p.visitParts(node)
	if err != nil {
		return nil, err
	}
	switch n := node.(type) {
	case *plan.GroupBy:
		return p.replaceJoin(n)
	case *plan.Distinct:
		return p.replaceDistinctJoin(n)
	}
	return node, nil
}

// visitParts visits everything that a node is made of, and its subquery expressions.
func (p *planner) visitParts(node sql.Node) (sql.Node, error) {
	return p.eachPart(node, p.visit, p.visitSubquery)
}

// eachPart rebuilds a node from its visited parts: children, also of opaque nodes,
// parts that are not children, and subquery expressions.
func (p *planner) eachPart(node sql.Node, visit func(sql.Node) (sql.Node, error), subquery transform.ExprFunc) (sql.Node, error) {
	switch n := node.(type) {
	case *plan.DescribeQuery:
		query, err := visit(n.Query())
		if err != nil {
			return nil, err
		}
		return n.WithQuery(query), nil
	case *plan.InsertInto:
		source, err := visit(n.Source)
		if err != nil {
			return nil, err
		}
		node = n.WithSource(source)
	case *plan.SubqueryAlias:
		query, err := p.visitInner(n.Child, n.Correlated, visit)
		if err != nil {
			return nil, err
		}
		return n.WithChildren(query)
	}
	node, err := visitChildren(node, visit)
	if err != nil {
		return nil, err
	}
	return tree.TransformExpressions(node, subquery)
}

// visitChildren rebuilds a node from its visited children.
func visitChildren(node sql.Node, visit func(sql.Node) (sql.Node, error)) (sql.Node, error) {
	children := node.Children()
	if len(children) == 0 {
		return node, nil
	}
	visited := make([]sql.Node, len(children))
	for i, child := range children {
		var err error
		if visited[i], err = visit(child); err != nil {
			return nil, err
		}
	}
	return node.WithChildren(visited...)
}

// visitSubquery visits e if it is a subquery.
func (p *planner) visitSubquery(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if exists, ok := e.(*plan.ExistsSubquery); ok {
		return keepExists(exists)
	}
	subquery, ok := e.(*plan.Subquery)
	if !ok || !readsStoredRows(subquery.Query) {
		return e, transform.SameTree, nil
	}
	query, err := p.visitInner(subquery.Query, subquery.Correlated(), p.visit)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return subquery.WithQuery(query), transform.NewTree, nil
}

// visitInner visits a query within another, which refers to columns of outer queries.
func (p *planner) visitInner(query sql.Node, correlated sql.ColSet, visit func(sql.Node) (sql.Node, error)) (sql.Node, error) {
	outer := p.outer
	p.outer = outer.Union(correlated)
	defer func() { p.outer = outer }()
	return visit(query)
}

// keepExists keeps EXISTS over an estimate from becoming a join, in which the engine
// would drop everything above the last filter of the subquery and lose the outer
// references of an estimate. It does not convert a subquery with HAVING.
func keepExists(e *plan.ExistsSubquery) (sql.Expression, transform.TreeIdentity, error) {
	query := e.Query.Query
	if _, kept := query.(*plan.Having); kept || !hasEstimate(query) {
		return e, transform.SameTree, nil
	}
	query = plan.NewHaving(expression.NewLiteral(true, types.Boolean), query)
	kept, err := e.WithChildren(e.Query.WithQuery(query))
	return kept, transform.NewTree, err
}

// hasEstimate reports whether node, including its subqueries, contains an Estimate or a
// pertable.Query.
func hasEstimate(node sql.Node) bool {
	found := false
	tree.Inspect(node, func(n sql.Node) bool {
		switch n.(type) {
		case *answer.Estimate, *pertable.Query:
			found = true
		}
		return !found
	})
	return found
}

// isEstimated reports whether node, including its subqueries, contains figures that are not exact.
func isEstimated(node sql.Node) bool {
	found := false
	tree.Inspect(node, func(n sql.Node) bool {
		switch n := n.(type) {
		case *answer.Estimate:
			_, exact := n.Touched()
			found = found || !exact
		case *pertable.Query:
			found = true
		}
		return !found
	})
	return found
}

// readsStoredRows reports whether executing node would read the preview rows
// of a published view. Estimates do not: they have no children.
func readsStoredRows(node sql.Node) bool {
	found := false
	tree.Inspect(node, func(n sql.Node) bool {
		if pertable.ViewOf(n) != nil {
			found = true
		}
		return !found
	})
	return found
}
