package planner

import (
	"maps"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/pertable"
	"github.com/anonsql/anonsql/tree"
)

// retype carries the types of the estimates' outputs through everything above
// them. The binder made COUNT a BIGINT, and every reference to it; an estimate
// is a DOUBLE. One pass from the leaves up: a column is defined below its uses.
func retype(node sql.Node) (sql.Node, error) {
	r := &retyper{types: make(map[sql.ColumnId]sql.Type)}
	return r.node(node)
}

type retyper struct {
	types map[sql.ColumnId]sql.Type // only of columns whose type changed or came from an estimate
}

func (r *retyper) node(node sql.Node) (sql.Node, error) {
	switch n := node.(type) {
	case *plan.DescribeQuery:
		query, err := r.node(n.Query())
		if err != nil {
			return nil, err
		}
		return n.WithQuery(query), nil
	case *plan.InsertInto:
		source, err := r.node(n.Source)
		if err != nil {
			return nil, err
		}
		return n.WithSource(source), nil
	}
	node, err := visitChildren(node, r.node)
	if err != nil {
		return nil, err
	}
	if node, err = tree.TransformExpressions(node, r.expression); err != nil {
		return nil, err
	}
	switch n := node.(type) {
	case *plan.CreateTable:
		node = RetypeCreateTable(n)
	case *plan.SetOp:
		if node, err = alignSetOp(n); err != nil {
			return nil, err
		}
	case *plan.SubqueryAlias:
		node = scopeMapping(n)
	}
	r.record(node)
	return node, nil
}

// expression gives a reference the type of its column, and descends into
// subqueries.
func (r *retyper) expression(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.GetField:
		if typ, ok := r.types[e.Id()]; ok && !typ.Equals(e.Type()) {
			return tree.Retyped(e, typ), transform.NewTree, nil
		}
	case *plan.Subquery:
		query, err := r.node(e.Query)
		if err != nil {
			return nil, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	}
	return e, transform.SameTree, nil
}

// scopeMapping retypes the expressions that the engine puts in place of a
// derived table's columns when it moves a filter inside: fields of the columns
// below, in the order of the ids.
func scopeMapping(n *plan.SubqueryAlias) sql.Node {
	if n.ScopeMapping == nil {
		return n
	}
	mapping := maps.Clone(n.ScopeMapping)
	schema := n.Schema()
	for i, id := range tree.OutputIDs(n) {
		if field, ok := mapping[id].(*expression.GetField); ok && i < len(schema) {
			mapping[id] = tree.Retyped(field, schema[i].Type)
		}
	}
	return n.WithScopeMapping(mapping)
}

// record records the types of the columns that a node defines.
func (r *retyper) record(node sql.Node) {
	switch n := node.(type) {
	case *answer.Estimate:
		for _, o := range n.Outputs {
			r.types[o.ID] = o.Column.Type
		}
	case *pertable.Query:
		for _, c := range n.Columns {
			r.types[c.ID] = c.Type
		}
	case *plan.Project:
		r.recordExpressions(n.Projections)
	case *plan.GroupBy:
		r.recordExpressions(n.SelectedExprs)
	case *plan.Window:
		r.recordExpressions(n.SelectExprs)
	case *plan.SubqueryAlias:
		schema := n.Schema()
		for i, id := range tree.OutputIDs(n) {
			if i < len(schema) {
				r.types[id] = schema[i].Type
			}
		}
	}
}

func (r *retyper) recordExpressions(expressions []sql.Expression) {
	for _, e := range expressions {
		if identified, ok := e.(sql.IdExpression); ok && identified.Id() > 0 {
			if _, isField := e.(*expression.GetField); !isField {
				r.types[identified.Id()] = boundType(e)
			}
		}
	}
}

// boundType is the binder's type of a column: SUM and AVG are DOUBLE, although the
// engine's aggregates report the type of their argument.
func boundType(e sql.Expression) sql.Type {
	switch e := e.(type) {
	case *aggregation.Sum:
		if e.Window() == nil {
			return answer.FigureType
		}
	case *aggregation.Avg:
		if e.Window() == nil {
			return answer.FigureType
		}
	}
	return e.Type()
}
