package planner

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/tree"
)

// A scope is one SELECT with an aggregation (GROUP BY, or DISTINCT) over a
// published view: the nodes above the aggregation, topmost first, the
// aggregation itself, and what it aggregates.
type scope struct {
	above       []sql.Node
	aggregation sql.Node // *plan.GroupBy or *plan.Distinct
	source      *source
}

// findScope recognises a scope whose topmost node is node.
func findScope(node sql.Node) (*scope, bool) {
	s := &scope{}
	for {
		switch n := node.(type) {
		case *plan.GroupBy:
			var ok bool
			s.aggregation = n
			s.source, ok = compose(n.Child)
			return s, ok
		case *plan.Distinct:
			if source, ok := compose(n.Child); ok {
				s.aggregation, s.source = n, source
				return s, true
			}
		case *plan.Project, *plan.Having, *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.Filter:
		default:
			return nil, false
		}
		s.above = append(s.above, node)
		node = node.Children()[0]
	}
}

// replaceScope puts an Estimate in place of the aggregation and rewrites the
// nodes above it.
func (p *planner) replaceScope(s *scope) (sql.Node, error) {
	b := &scopeBuilder{planner: p, source: s.source, estimate: answer.New(s.source.view), bare: make(map[sql.ColumnId]string)}
	if err := b.addWhere(); err != nil {
		return nil, err
	}
	if err := b.addAggregation(s.aggregation); err != nil {
		return nil, err
	}
	node, err := b.sorted(s)
	if err != nil {
		return nil, err
	}
	if node, err = b.rewriteAbove(node, s.above); err != nil {
		return nil, err
	}
	if topProject(s.above) < 0 {
		// The engine turns IN (SELECT ...) into a join, and looks for the projection of
		// the subquery.
		node = plan.NewProject(b.estimate.ProjectedExprs(), node)
	}
	p.estimates++
	return node, nil
}

// A scopeBuilder builds one Estimate.
type scopeBuilder struct {
	planner  *planner
	source   *source
	estimate *answer.Estimate
	// bare are columns that the aggregation passes on although they are not
	// keys: the arguments of expressions above it. Each must be replaced by
	// a key, or the statement is refused.
	bare map[sql.ColumnId]string
}

// addWhere takes over the conditions below the aggregation.
func (b *scopeBuilder) addWhere() error {
	for _, e := range b.source.where {
		condition, err := b.askable(e)
		if err != nil {
			return err
		}
		b.estimate.Where = append(b.estimate.Where, condition)
	}
	return nil
}

// askable visits the subqueries in e and refuses expressions that cannot be evaluated
// per dictionary value.
func (b *scopeBuilder) askable(e sql.Expression) (sql.Expression, error) {
	e, _, err := tree.Transform(e, b.planner.visitSubquery)
	if err != nil {
		return nil, err
	}
	if transform.InspectExpr(e, b.isAggregate) {
		return nil, answer.Refuse("%s: an aggregate of the same SELECT belongs in HAVING, not in WHERE, GROUP BY or another aggregate", e)
	}
	return e, b.source.refuseExpression(e)
}

// addAggregation takes over keys, figures and outputs.
func (b *scopeBuilder) addAggregation(n sql.Node) error {
	if distinct, ok := n.(*plan.Distinct); ok {
		return b.addDistinct(distinct)
	}
	return b.addGroupBy(n.(*plan.GroupBy))
}

// addGroupBy takes over the keys and the selected aggregates.
func (b *scopeBuilder) addGroupBy(n *plan.GroupBy) error {
	for _, e := range n.GroupByExprs {
		if err := b.addKey(e); err != nil {
			return err
		}
	}
	for _, e := range n.SelectedExprs {
		if err := b.addSelected(e); err != nil {
			return err
		}
	}
	return nil
}

// addKey adds a grouping expression, once.
func (b *scopeBuilder) addKey(e sql.Expression) error {
	composed, err := b.askable(b.source.substitute(tree.Unalias(e)))
	if err == nil {
		b.estimate.AddKey(composed)
	}
	return err
}

// addSelected adds an output of the GROUP BY node: an aggregate, a key, or a column
// that an expression above reads.
func (b *scopeBuilder) addSelected(e sql.Expression) error {
	if aggregate, ok := e.(sql.Aggregation); ok {
		return b.addAggregate(aggregate)
	}
	if b.isOuter(e) {
		return nil // nodes above the estimate see the outer row themselves
	}
	identified, ok := e.(sql.IdExpression)
	if !ok {
		return answer.Refuse("GROUP BY over a published view cannot select %s", e)
	}
	composed := b.source.substitute(tree.Unalias(e))
	if _, ok := composed.(*expression.GetField); ok {
		return answer.Refuse("window functions are not estimated over aggregates of the same SELECT: put them over a derived table that aggregates the view")
	}
	key := b.estimate.KeyOf(composed)
	if key < 0 {
		b.bare[identified.Id()] = composed.String()
		return nil
	}
	b.estimate.AddOutput(answer.KeyOutput, key, identified.Id(), columnOf(e, composed.Type(), composed.IsNullable()))
	return nil
}

// isAggregate reports whether a composed expression is neither over the view
// nor an outer column: a reference to an aggregate, which the binder lets pass.
func (b *scopeBuilder) isAggregate(e sql.Expression) bool {
	_, ok := e.(*expression.GetField)
	return ok && !b.isOuter(e)
}

// isOuter reports whether e is a column of an outer query.
func (b *scopeBuilder) isOuter(e sql.Expression) bool {
	field, ok := e.(*expression.GetField)
	return ok && b.planner.outer.Contains(field.Id())
}

func (b *scopeBuilder) addAggregate(e sql.Aggregation) error {
	asked, err := b.aggregateOf(e)
	if err != nil {
		return err
	}
	if asked.Argument != nil {
		if asked.Argument, err = b.askable(b.source.substitute(asked.Argument)); err != nil {
			return err
		}
		if !asked.IsExtreme() && !asked.IsCount() {
			asked.Argument = arithmetic.Figure(asked.Argument)
		}
	}
	asked.Settle(b.estimate.IsExact(asked), b.planner.whole)
	figure := b.estimate.AddAggregate(asked)
	b.estimate.AddOutput(answer.FigureOutput, figure, e.(sql.IdExpression).Id(), columnOf(e, asked.SQLType, asked.IsNullable()))
	return nil
}

// aggregateOf converts an aggregate over records or units.
func (b *scopeBuilder) aggregateOf(e sql.Aggregation) (answer.Aggregate, error) {
	var arguments []sql.Expression
	for _, x := range e.Children() {
		arguments = append(arguments, b.source.substitute(x))
	}
	if units := answer.UnitsOf(e, arguments, b.source.view.Record().Unit); units != nil {
		return answer.Aggregate{Kind: estimate.Count, Units: units}, nil
	}
	return answer.AggregateOf(e)
}

// addDistinct makes every output column of SELECT DISTINCT a key.
func (b *scopeBuilder) addDistinct(n *plan.Distinct) error {
	schema := n.Schema()
	for i, e := range b.source.outputs {
		composed, err := b.askable(e)
		if err != nil {
			return err
		}
		id := b.source.ids[i]
		if id == 0 { // otherwise all would get the type of the last one
			id = b.planner.freshId()
		}
		b.estimate.AddOutput(answer.KeyOutput, b.estimate.AddKey(composed), id, schema[i].Copy())
	}
	return nil
}

// sorted puts the ORDER BY of SELECT DISTINCT above the estimate.
func (b *scopeBuilder) sorted(s *scope) (sql.Node, error) {
	if _, ok := s.aggregation.(*plan.Distinct); !ok || s.source.sort == nil {
		return b.estimate, nil
	}
	fields := make(sql.SortFields, len(s.source.sort))
	for i, field := range s.source.sort {
		key := b.estimate.KeyOf(field.Column)
		if key < 0 {
			return nil, answer.Refuse("ORDER BY %s is not among the columns of SELECT DISTINCT", field.Column)
		}
		fields[i] = field
		fields[i].Column = b.keyField(key)
	}
	return plan.NewSort(fields, b.estimate), nil
}

// columnOf describes an output column under the name of expression e.
func columnOf(e sql.Expression, typ sql.Type, nullable bool) *sql.Column {
	column := transform.ExpressionToColumn(e, plan.AliasSubqueryString(e)).Copy()
	column.Type, column.Nullable, column.Default = typ, nullable, nil
	return column
}
