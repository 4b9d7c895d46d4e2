// Package sorting computes nondeterministic ORDER BY keys, such as RAND(), once per row: rows come in a truly random order, and RAND(2) is
// one sequence over the rows. The engine computes the key of a row again in every comparison. The package refuses nothing.
package sorting

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// SortOnce replaces a sort by nondeterministic keys.
func SortOnce(_ *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
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

// varies recognises a nondeterministic key.
func varies(f sql.SortField) bool {
	return transform.InspectExpr(f.Column, func(e sql.Expression) bool {
		own, ok := e.(sql.NonDeterministicExpression)
		return ok && own.IsNonDeterministic()
	})
}

// sorted is a sort whose rows carry their computed keys as extra columns.
type sorted struct{ sql.Node }

func (s *sorted) WithChildren(children ...sql.Node) (sql.Node, error) {
	changed, err := s.Node.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &sorted{changed}, nil
}

// Rows executes the node.
func (s *sorted) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	var ordered sql.Node
	var with *keyed
	switch n := s.Node.(type) {
	case *plan.Sort:
		fields, child := keys(n.SortFields, n.Child)
		ordered, with = plan.NewSort(fields, child), child
	case *plan.TopN:
		fields, child := keys(n.Fields, n.Child)
		ordered, with = plan.NewTopN(fields, n.Limit, child).WithCalcFoundRows(n.CalcFoundRows), child
	}
	rows, err := below.Build(ctx, ordered, row)
	if err != nil {
		return nil, err
	}
	return &unkeyed{rows, with}, nil
}

// keys replaces nondeterministic keys by reads of columns that keyed appends to the rows of child.
func keys(fields sql.SortFields, child sql.Node) (sql.SortFields, *keyed) {
	with := &keyed{Node: child}
	fields = slices.Clone(fields)
	for i, f := range fields {
		if varies(f) {
			fields[i].Column = &key{tree.NewStandin(f.Column), with, len(with.columns)}
			with.columns = append(with.columns, f.Column)
		}
	}
	return fields, with
}

// key reads a computed key.
type key struct {
	tree.Standin
	of    *keyed
	place int
}

func (k *key) Eval(_ *sql.Context, row sql.Row) (any, error) { return row[k.of.width+k.place], nil }

func (k *key) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(k, children)
}

// keyed appends columns to the rows of a node.
type keyed struct {
	sql.Node
	columns []sql.Expression
	width   int // of the rows without the appended columns; some begin with an outer row
}

func (k *keyed) Schema() sql.Schema {
	schema := slices.Clone(k.Node.Schema())
	for _, e := range k.columns {
		schema = append(schema, &sql.Column{Name: e.String(), Type: e.Type(), Nullable: e.IsNullable()})
	}
	return schema
}

// Rows executes the node.
func (k *keyed) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := below.Build(ctx, k.Node, row)
	if err != nil {
		return nil, err
	}
	return &keyedRows{rows, k}, nil
}

type keyedRows struct {
	sql.RowIter
	of *keyed
}

func (k *keyedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := k.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	k.of.width = len(row)
	with := slices.Clip(row)
	for _, e := range k.of.columns {
		value, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		with = append(with, value)
	}
	return with, nil
}

// unkeyed removes the keys.
type unkeyed struct {
	sql.RowIter
	of *keyed
}

func (u *unkeyed) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := u.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	return row[:min(len(row), u.of.width)], nil
}
