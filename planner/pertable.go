package planner

import (
	"errors"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/tree"
)

// If the releases have completed tables, the engine runs a refused query on each of them:
// of a refused statement, a GROUP BY, whose figures are combined before HAVING, ORDER BY
// and further calculations; without one a whole SELECT, except ORDER BY and LIMIT.

// A runner runs parts of plans on completed tables; without an engine none.
type runner struct {
	engine *analyzer.Analyzer
	flags  *sql.QueryFlags
}

// isRefusal reports whether an error comes from answer.Refuse, unless the query has no
// answer on a table either.
func isRefusal(err error) bool {
	var known *mysql.SQLError
	var never *neverError
	return errors.As(err, &known) && known.Num == mysql.ERNotSupportedYet && !errors.As(err, &never)
}

// A neverError refuses what no table answers: a column that is neither aggregated nor a key
// has no unique value in a group, and a text no sum.
type neverError struct{ refusal error }

// Error implements error.
func (e *neverError) Error() string { return e.refusal.Error() }

// Unwrap returns the refusal.
func (e *neverError) Unwrap() error { return e.refusal }

// imputes reports whether completed tables answer questions about all views in a plan.
func imputes(ctx *sql.Context, node sql.Node) bool {
	views := pertable.Views(node)
	for _, v := range views {
		if answer.Imputed(ctx, v) == 0 {
			return false
		}
	}
	return len(views) > 0
}

// runPerTable recognises a refused plan again, with its refused parts running on
// completed tables. If that fails, too, the first refusal stays.
func (p *planner) runPerTable(r *runner, bound sql.Node, refusal error) (sql.Node, error) {
	if r.engine == nil || !imputes(p.ctx, bound) {
		return nil, refusal
	}
	again := newPlanner(p.ctx)
	again.bound, again.nextId, again.each = p.bound, p.nextId, r
	recognised, err := again.checked(bound)
	if never, ok := errors.AsType[*neverError](err); ok {
		return nil, never.refusal
	}
	if err == nil {
		err = refuseUncertain(recognised)
	}
	switch {
	case errors.Is(err, errHaving):
		return nil, err
	case isRefusal(err):
		return nil, refusal
	case err != nil:
		return nil, err
	}
	p.nextId, p.estimates = again.nextId, again.estimates
	return recognised, nil
}

// runsPerTable reports whether something in a plan runs on completed tables.
func runsPerTable(node sql.Node) bool {
	found := false
	tree.Inspect(node, func(n sql.Node) bool {
		_, ok := n.(*pertable.Query)
		found = found || ok
		return !found
	})
	return found
}

// refuseUncertain refuses ANON_STDERR and its like outside of estimates: they are unknown
// for plans that run on completed tables.
func refuseUncertain(node sql.Node) error {
	return refuseAny(node, func(e sql.Expression) error {
		if call, ok := e.(sql.FunctionExpression); ok {
			if _, known := companions[strings.ToLower(call.FunctionName())]; known {
				return answer.Refuse("%s is not known of what runs on completed tables", strings.ToUpper(call.FunctionName()))
			}
		}
		return nil
	})
}

// refuseOnTables refuses expressions with side effects or nondeterministic values, which would be evaluated once
// per table, and sums of texts, of which a table takes for 0 what is no number.
func refuseOnTables(e sql.Expression) error {
	if _, subquery := e.(*plan.Subquery); !subquery && tree.Acts(e) {
		return answer.Refuse("%s has another value, or does something, every time", e)
	}
	sum, ok := e.(sql.WindowAdaptableExpression)
	if !ok || len(e.Children()) == 0 {
		return nil
	}
	argument := e.Children()[0]
	switch of := argument.(type) {
	case *expression.DistinctExpression:
		argument = of.Child
	case *expression.Convert:
		if of.Type().Equals(answer.FigureType) { // of a variance, which the binder converts
			argument = of.Child
		}
	}
	if kind := pertable.KindOf(sum).Kind; types.IsText(argument.Type()) && (kind == pertable.Sum || kind == pertable.Mean) {
		return &neverError{answer.Refuse("SUM, AVG and the like do not add up the text %s on completed tables: give them a number, such as CAST(x AS SIGNED)", argument)}
	}
	return nil
}

// refuseAny returns the first refusal among all expressions of a plan.
func refuseAny(node sql.Node, refusal func(sql.Expression) error) error {
	var err error
	tree.Inspect(node, func(n sql.Node) bool {
		if ex, ok := n.(sql.Expressioner); ok {
			for _, e := range ex.Expressions() {
				transform.InspectExpr(e, func(e sql.Expression) bool {
					if err == nil {
						err = refusal(e)
					}
					return err != nil
				})
			}
		}
		return err == nil
	})
	return err
}

// visitSelect is visit with refused parts running on completed tables.
func (p *planner) visitSelect(node sql.Node) (sql.Node, error) {
	if !isSelect(node) {
		return p.visitParts(node)
	}
	visited, err := p.attempt(func(plain *planner) (sql.Node, error) { return plain.checked(node) })
	if !isRefusal(err) {
		return visited, err
	}
	visited, err = p.attempt(func(part *planner) (sql.Node, error) {
		part.each = p.each
		return part.selectByParts(node)
	})
	if !isRefusal(err) {
		return visited, err
	}
	return p.wholeSelect(node)
}

// attempt is a visit that leaves no trace if it fails.
func (p *planner) attempt(visit func(*planner) (sql.Node, error)) (sql.Node, error) {
	trial := *p
	trial.each, trial.weighted = nil, p.weighted.Copy()
	node, err := visit(&trial)
	if err == nil {
		p.nextId, p.estimates, p.weighted = trial.nextId, trial.estimates, trial.weighted
	}
	return node, err
}

// isSelect reports whether node is one of those that the binder makes of a SELECT.
func isSelect(node sql.Node) bool {
	switch node.(type) {
	case *plan.Project, *plan.GroupBy, *plan.Distinct, *plan.Window, *plan.Having, *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.Filter:
		return true
	}
	return false
}

// selectByParts runs the GROUP BY of a SELECT on completed tables; without one it
// visits the parts.
func (p *planner) selectByParts(node sql.Node) (sql.Node, error) {
	above, base := peel(node)
	if group, ok := base.(*plan.GroupBy); ok {
		return p.runGroupBy(above, group)
	}
	visited, err := p.visitParts(base)
	if err != nil {
		return nil, err
	}
	preview := readsStoredRows(visited)
	for i := len(above) - 1; i >= 0; i-- {
		if _, distinct := above[i].(*plan.Distinct); distinct && preview {
			return nil, answer.Refuse("DISTINCT rows of the view are not those of the preview")
		}
		if visited, err = above[i].WithChildren(visited); err != nil {
			return nil, err
		}
		if visited, err = tree.TransformExpressions(visited, p.visitSubquery); err != nil {
			return nil, err
		}
	}
	return visited, refuseLeftovers(visited)
}

// peel splits a SELECT: the nodes above its GROUP BY, or above its FROM if it has none,
// topmost first.
func peel(node sql.Node) (above []sql.Node, base sql.Node) {
	for {
		switch node.(type) {
		case *plan.Project, *plan.Having, *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.Distinct, *plan.Filter, *plan.Window:
		default:
			return above, node
		}
		above = append(above, node)
		node = node.Children()[0]
	}
}

// newQuery makes the node that runs a plan on completed tables.
func (p *planner) newQuery(node sql.Node, columns []pertable.Column, grouped bool) (sql.Node, error) {
	if !p.outer.Empty() {
		return nil, answer.Refuse("a subquery that refers to an outer query does not run on completed tables by itself")
	}
	if err := errors.Join(refuseAny(node, refuseOnTables), refuseUncertain(node)); err != nil {
		return nil, err
	}
	query := pertable.New(node, pertable.Views(node), p.each.engine, p.each.flags)
	query.Columns, query.Grouped = columns, grouped
	p.estimates++
	return query, nil
}

// errHaving refuses a HAVING that each table would decide alone: the means over those that keep a group may contradict it.
var errHaving = answer.Refuse("HAVING beside a subquery that runs on completed tables would be decided on each of them: " +
	"name the columns in a derived table, SELECT ... FROM (SELECT ... GROUP BY ...) t, and write its condition as WHERE")

// wholeSelect runs a SELECT, except ORDER BY and LIMIT, on completed tables.
func (p *planner) wholeSelect(node sql.Node) (sql.Node, error) {
	above, below := splitOrder(node)
	chain, base := peel(below)
	group, grouped := base.(*plan.GroupBy)
	if grouped && p.outer.Empty() { // what it would mark as ungrouped may be the outer query's
		if err := p.refuseUngroupedIn(slices.Concat(above, chain), group); err != nil {
			return nil, err
		}
	}
	_, distinct := below.(*plan.Distinct)
	kinds := pertable.KindsBelow(below, append(chain, base))
	schema, outputs := below.Schema(), outputsOf(below)
	if len(schema) != len(outputs) {
		return nil, answer.Refuse("%s does not run on completed tables: its columns cannot be told apart", shapeOf(below))
	}
	columns := make([]pertable.Column, len(schema))
	fields := &resultFields{byID: make(map[sql.ColumnId]sql.Expression), byText: make(map[string]sql.Expression)}
	keys := slices.DeleteFunc(slices.Clone(outputs), func(e sql.Expression) bool { return kinds.FigureOf(e).Kind != pertable.Key })
	for i, c := range schema {
		figure, id, everywhere := kinds.FigureOf(outputs[i]), tree.ID(outputs[i]), false
		if id == 0 {
			id = p.freshId()
		}
		if grouped || distinct {
			figure.Kind, everywhere = kinds.Combined(figure, keys)
		}
		columns[i] = pertable.NewColumn(figure.Kind, id, c, p.whole && figure.Whole)
		columns[i].Everywhere = everywhere
		fields.add(outputs[i], &columns[i])
	}
	result, err := p.newQuery(below, columns, grouped || distinct)
	for i := len(above) - 1; i >= 0 && err == nil; i-- {
		if result, err = above[i].WithChildren(result); err == nil {
			result, err = fields.rewrite(result)
		}
	}
	if err == nil && grouped && slices.ContainsFunc(chain, func(n sql.Node) bool { _, having := n.(*plan.Having); return having }) {
		return nil, errHaving
	}
	return result, err
}

// outputsOf lists the expressions of a SELECT's columns.
func outputsOf(node sql.Node) []sql.Expression {
	switch n := node.(type) {
	case *plan.Project:
		return n.Projections
	case *plan.GroupBy:
		return n.SelectedExprs
	case *plan.Window:
		return n.SelectExprs
	case *plan.Distinct, *plan.Having, *plan.Filter:
		return outputsOf(node.Children()[0])
	}
	schema, ids := node.Schema(), tree.OutputIDs(node)
	if len(schema) != len(ids) {
		return nil
	}
	fields := make([]sql.Expression, len(ids))
	for i, c := range schema {
		fields[i] = tree.Field(ids[i], c.Type, c.Source, c.Name, c.Nullable)
	}
	return fields
}

// splitOrder splits a SELECT below its lowest ORDER BY or LIMIT. The ORDER BY of SELECT
// DISTINCT, which the binder puts below it, goes above.
func splitOrder(node sql.Node) (above []sql.Node, below sql.Node) {
	chain, base := peel(node)
	lowest := -1
	for i, n := range chain {
		switch n.(type) {
		case *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset:
			lowest = i
		}
	}
	if lowest < 0 {
		return nil, node
	}
	above, below = chain[:lowest+1], base
	if lowest+1 < len(chain) {
		below = chain[lowest+1]
	}
	n := len(above)
	if n < 3 {
		return above, below
	}
	distinct, isDistinct := above[n-3].(*plan.Distinct)
	project, isProject := above[n-2].(*plan.Project)
	sorted, isSort := above[n-1].(*plan.Sort)
	if !isDistinct || !isProject || !isSort || !sortsOutputs(sorted, project) {
		return above, below
	}
	listed, err := project.WithChildren(below)
	if err == nil {
		below, err = distinct.WithChildren(listed)
	}
	if err != nil {
		return chain[:lowest+1], chain[lowest].Children()[0]
	}
	return append(above[:n-3:n-3], sorted), below
}

// sortsOutputs reports whether an ORDER BY sorts by selected columns only.
func sortsOutputs(sorted *plan.Sort, project *plan.Project) bool {
	for _, field := range sorted.SortFields {
		if !slices.ContainsFunc(project.Projections, func(e sql.Expression) bool {
			return tree.ID(e) == tree.ID(field.Column) && (tree.ID(e) != 0 || tree.Same(e, field.Column))
		}) {
			return false
		}
	}
	return true
}

// resultFields are the columns of the result: by id and, since the binder gives no id to
// an unnamed column, by text.
type resultFields struct {
	byID   map[sql.ColumnId]sql.Expression
	byText map[string]sql.Expression
}

func (f *resultFields) add(e sql.Expression, c *pertable.Column) {
	f.byID[c.ID] = c.Field()
	if tree.ID(e) == 0 {
		f.byText[tree.Unalias(e).String()] = c.Field()
	}
}

// columnOf returns the column that an expression is, or nil.
func (f *resultFields) columnOf(e sql.Expression) sql.Expression {
	if id := tree.ID(e); id != 0 {
		return f.byID[id]
	}
	return f.byText[tree.Unalias(e).String()]
}

// rewrite makes a node above refer to columns of the result instead of computing them
// again.
func (f *resultFields) rewrite(node sql.Node) (sql.Node, error) {
	expressioner, ok := node.(sql.Expressioner)
	if !ok {
		return node, nil
	}
	var known sql.ColSet
	for id := range f.byID {
		known.Add(id)
	}
	expressions := slices.Clone(expressioner.Expressions())
	for i, e := range expressions {
		if field := f.columnOf(e); field != nil {
			expressions[i] = field
		} else if !tree.Fields(e).SubsetOf(known) || refuseSubqueries(e) != nil {
			return nil, answer.Refuse("%s is not a column of what runs on completed tables", e)
		}
	}
	return expressioner.WithExpressions(expressions...)
}
