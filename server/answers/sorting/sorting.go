// Package sorting promises that a key of ORDER BY is computed once for a row where it has another value every time, RAND() before all: rows
// come in a random order that no row's first place decides, and RAND(2) is one sequence over the rows. The engine computes the key of
// a row in every comparison. It refuses nothing. It imports the engine alone.
package sorting

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Once puts a node of this room in the place of a sort by such keys.
func Once(_ *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	var fields sql.SortFields
	switch n := n.(type) {
	case *plan.Sort:
		fields = n.SortFields
	case *plan.TopN:
		fields = n.Fields
	}
	if !slices.ContainsFunc(fields, varies) {
		return n, transform.SameTree, nil
	}
	return &sorted{n}, transform.NewTree, nil
}

// varies tells of a key that has another value every time.
func varies(f sql.SortField) bool {
	return transform.InspectExpr(f.Column, func(e sql.Expression) bool {
		own, ok := e.(sql.NonDeterministicExpression)
		return ok && own.IsNonDeterministic()
	})
}

// sorted is a sort whose rows have their keys behind them while they are sorted.
type sorted struct{ sql.Node }

// WithChildren implements sql.Node.
func (s *sorted) WithChildren(children ...sql.Node) (sql.Node, error) {
	changed, err := s.Node.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &sorted{changed}, nil
}

// Rows is asked by the executor of the rewrites.
func (s *sorted) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	var ordered sql.Node
	var with *keyed
	switch n := s.Node.(type) {
	case *plan.Sort:
		fields, child := keys(n.SortFields, n.Child, len(row))
		ordered, with = plan.NewSort(fields, child), child
	case *plan.TopN:
		fields, child := keys(n.Fields, n.Child, len(row))
		ordered, with = plan.NewTopN(fields, n.Limit, child).WithCalcFoundRows(n.CalcFoundRows), child
	}
	rows, err := below.Build(ctx, ordered, row)
	if err != nil {
		return nil, err
	}
	return &unkeyed{rows, len(with.columns)}, nil
}

// keys are fields that read the columns of their keys, which the node has behind those of a child. In an expression rows begin with those
// outside.
func keys(fields sql.SortFields, child sql.Node, outside int) (sql.SortFields, *keyed) {
	with := &keyed{Node: child}
	fields = slices.Clone(fields)
	for i, f := range fields {
		if !varies(f) {
			continue
		}
		at := outside + len(child.Schema()) + len(with.columns)
		with.columns = append(with.columns, f.Column)
		fields[i].Column = expression.NewGetField(at, f.Column.Type(), f.Column.String(), f.Column.IsNullable())
	}
	return fields, with
}

// keyed has columns behind those of a node.
type keyed struct {
	sql.Node
	columns []sql.Expression
}

// Schema implements sql.Node.
func (k *keyed) Schema() sql.Schema {
	schema := slices.Clone(k.Node.Schema())
	for _, e := range k.columns {
		schema = append(schema, &sql.Column{Name: e.String(), Type: e.Type(), Nullable: e.IsNullable()})
	}
	return schema
}

// Rows is asked by the executor of the rewrites.
func (k *keyed) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := below.Build(ctx, k.Node, row)
	if err != nil {
		return nil, err
	}
	return &keyedRows{rows, k.columns}, nil
}

type keyedRows struct {
	sql.RowIter
	columns []sql.Expression
}

// Next implements sql.RowIter.
func (k *keyedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := k.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	with := slices.Clip(row)
	for _, e := range k.columns {
		value, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		with = append(with, value)
	}
	return with, nil
}

// unkeyed takes the keys off.
type unkeyed struct {
	sql.RowIter
	keys int
}

// Next implements sql.RowIter.
func (u *unkeyed) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := u.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	return row[:len(row)-u.keys], nil
}
