package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog"
)

// RuleId is the analyzer's number for Rule, beyond the engine's own.
const RuleId analyzer.RuleId = 10001

// Rule is the analyzer rule that puts estimates in place of aggregates over
// published views. It belongs before all rules of the engine, and is
// idempotent: the engine calls it again for parts of a plan.
func Rule(ctx *sql.Context, a *analyzer.Analyzer, node sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if call, ok := node.(*plan.Call); ok && strings.EqualFold(call.Name, explainProcedure) && len(call.Params) == 1 {
		explained, err := explainCall(ctx, a, call)
		return explained, transform.NewTree, err
	}
	result, estimates, err := recognise(ctx, node)
	if err != nil {
		return nil, transform.SameTree, err
	}
	if estimates == 0 {
		return node, transform.SameTree, nil
	}
	return result, transform.NewTree, nil
}

// recognise puts estimates in place of the aggregates in node and counts them.
func recognise(ctx *sql.Context, node sql.Node) (result sql.Node, estimates int, err error) {
	if !readsStoredRows(node) {
		return node, 0, nil
	}
	p := &planner{ctx: ctx, nextId: firstFreshId, whole: wantsWhole(ctx)}
	if result, err = p.visit(node); err != nil {
		return nil, 0, err
	}
	if err := p.refuseCompanions(result); err != nil {
		return nil, 0, err
	}
	if err := refuseLeftovers(result); err != nil {
		return nil, 0, err
	}
	if p.estimates == 0 {
		return node, 0, nil
	}
	result, err = retype(result)
	return result, p.estimates, err
}

// firstFreshId is where the planner numbers columns of its own. The binder
// numbers from 1; a statement with 50,000 columns does not get this far.
const firstFreshId = 60000

// A planner is one application of the rule to one plan.
type planner struct {
	ctx       *sql.Context
	nextId    sql.ColumnId
	estimates int
	// weighted are the aggregates over joins.
	weighted sql.ColSet
	// outer are the columns of outer queries that the part being visited
	// refers to.
	outer sql.ColSet
	// whole says that the session wants whole numbers for counts.
	whole bool
}

func (p *planner) freshId() sql.ColumnId {
	p.nextId++
	return p.nextId
}

// visit replaces the aggregates below node, its subqueries included.
func (p *planner) visit(node sql.Node) (sql.Node, error) {
	if !readsStoredRows(node) {
		return node, nil
	}
	if s, ok := findScope(node); ok {
		if replaced, done, err := p.replaceScope(s); done || err != nil {
			return replaced, err
		}
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

// visitParts visits everything that a node is made of: children, also of
// opaque nodes, the parts that are not children, and subquery expressions.
func (p *planner) visitParts(node sql.Node) (sql.Node, error) {
	switch n := node.(type) {
	case *plan.DescribeQuery:
		query, err := p.visit(n.Query())
		if err != nil {
			return nil, err
		}
		return n.WithQuery(query), nil
	case *plan.InsertInto:
		source, err := p.visit(n.Source)
		if err != nil {
			return nil, err
		}
		node = n.WithSource(source)
	case *plan.SubqueryAlias:
		query, err := p.visitInside(n.Child, n.Correlated)
		if err != nil {
			return nil, err
		}
		return n.WithChildren(query)
	}
	children := node.Children()
	if len(children) > 0 {
		visited := make([]sql.Node, len(children))
		for i, child := range children {
			var err error
			if visited[i], err = p.visit(child); err != nil {
				return nil, err
			}
		}
		var err error
		if node, err = node.WithChildren(visited...); err != nil {
			return nil, err
		}
	}
	return p.visitExpressions(node)
}

// visitExpressions visits the subqueries in a node's expressions.
func (p *planner) visitExpressions(node sql.Node) (sql.Node, error) {
	return transformExpressions(node, p.visitSubquery)
}

func (p *planner) visitSubquery(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if exists, ok := e.(*plan.ExistsSubquery); ok {
		return keepExists(exists)
	}
	subquery, ok := e.(*plan.Subquery)
	if !ok || !readsStoredRows(subquery.Query) {
		return e, transform.SameTree, nil
	}
	query, err := p.visitInside(subquery.Query, subquery.Correlated())
	if err != nil {
		return nil, transform.SameTree, err
	}
	return subquery.WithQuery(query), transform.NewTree, nil
}

// visitInside visits a subquery that refers to columns of outer queries.
func (p *planner) visitInside(query sql.Node, correlated sql.ColSet) (sql.Node, error) {
	outer := p.outer
	p.outer = outer.Union(correlated)
	defer func() { p.outer = outer }()
	return p.visit(query)
}

// keepExists keeps EXISTS over an estimate from becoming a join. On that way the
// engine drops everything above the last filter of the subquery and loses the
// outer references of an estimate; at a HAVING it gives up.
func keepExists(e *plan.ExistsSubquery) (sql.Expression, transform.TreeIdentity, error) {
	query := e.Query.Query
	if _, kept := query.(*plan.Having); kept || !hasEstimate(query) {
		return e, transform.SameTree, nil
	}
	query = plan.NewHaving(expression.NewLiteral(true, types.Boolean), query)
	kept, err := e.WithChildren(e.Query.WithQuery(query))
	return kept, transform.NewTree, err
}

// hasEstimate reports whether an Estimate is in node, its subqueries included.
func hasEstimate(node sql.Node) bool {
	found := false
	inspectAll(node, func(n sql.Node) bool {
		_, ok := n.(*Estimate)
		found = found || ok
		return !found
	})
	return found
}

// readsStoredRows reports whether executing node would read the preview rows
// of a published view. Estimates do not: they have no children.
func readsStoredRows(node sql.Node) bool {
	found := false
	inspectAll(node, func(n sql.Node) bool {
		if viewOf(n) != nil {
			found = true
		}
		return !found
	})
	return found
}

// inspectAll visits node and everything below it, also what the engine's own
// walkers leave out: sources of INSERT, described queries, subqueries.
func inspectAll(node sql.Node, visit func(sql.Node) bool) {
	if node == nil || !visit(node) {
		return
	}
	switch n := node.(type) {
	case *plan.DescribeQuery:
		inspectAll(n.Query(), visit)
	case *plan.InsertInto:
		inspectAll(n.Source, visit)
	}
	for _, child := range node.Children() {
		inspectAll(child, visit)
	}
	if ex, ok := node.(sql.Expressioner); ok {
		for _, e := range ex.Expressions() {
			inspectSubqueries(e, visit)
		}
	}
}

func inspectSubqueries(e sql.Expression, visit func(sql.Node) bool) {
	transform.InspectExpr(e, func(e sql.Expression) bool {
		if subquery, ok := e.(*plan.Subquery); ok {
			inspectAll(subquery.Query, visit)
		}
		return false
	})
}

// viewOf returns the published view that node reads, or nil.
func viewOf(node sql.Node) *catalog.PublishedView {
	if table, ok := node.(*plan.ResolvedTable); ok {
		view, _ := sql.GetUnderlyingTable(table.Table).(*catalog.PublishedView)
		return view
	}
	return nil
}

// getField returns a reference to a column by id.
func getField(id sql.ColumnId, typ sql.Type, table, name string, nullable bool) sql.Expression {
	return expression.NewGetFieldWithTable(int(id), 0, typ, "", table, name, nullable)
}
