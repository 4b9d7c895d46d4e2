package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner"
)

// withoutDuplicates builds DISTINCT, UNION, INTERSECT and EXCEPT; ok is false
// for every other node. The engine hashes the bytes of a row, here it gets the
// weights of the row's texts; and where it orders a set operation, it skips the
// OFFSET's rows before.
func (e execution) withoutDuplicates(ctx *sql.Context, n sql.Node, row sql.Row) (rows sql.RowIter, ok bool, err error) {
	switch n := n.(type) {
	case *plan.Distinct:
		collations, any := textCollations(n.Child)
		if !any {
			return nil, false, nil
		}
		child, err := e.build(ctx, n.Child, row)
		if err != nil {
			return nil, true, err
		}
		in := &weighed{RowIter: child, collations: collations}
		return &unweighed{iters.NewDistinctIter(ctx, in), in}, true, nil
	case *plan.SetOp:
		if n.Distinct || n.Limit != nil || n.Offset != nil || len(n.SortFields) > 0 {
			rows, err = e.build(ctx, taken(n), row)
			return rows, true, err
		}
		collations, any := textCollations(n)
		if !any || n.SetOpType == plan.UnionType {
			return nil, false, nil
		}
		left, err := e.build(ctx, n.Left(), row)
		if err != nil {
			return nil, true, err
		}
		right, err := e.build(ctx, n.Right(), row)
		if err != nil {
			_ = left.Close(ctx)
			return nil, true, err
		}
		first, second := &weighed{RowIter: left, collations: collations}, &weighed{RowIter: right, collations: collations}
		if n.SetOpType == plan.IntersectType {
			return &unweighed{&iters.IntersectIter{LIter: first, RIter: second}, first}, true, nil
		}
		return &unweighed{&iters.ExceptIter{LIter: first, RIter: second}, first}, true, nil
	}
	return nil, false, nil
}

func (e execution) build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	return rowexec.NewOverrideBuilder(e).Build(ctx, n, row)
}

// textCollations is the collations of a node's columns, 0 for one that is compared
// bytewise or holds no text; any says whether there are others.
func textCollations(n sql.Node) (collations []sql.CollationID, any bool) {
	for _, column := range n.Schema() {
		collation := sql.CollationID(0)
		if own := typeCollation(column.Type); types.IsTextOnly(column.Type) && planner.IgnoresCase(own) {
			collation, any = own, true
		}
		collations = append(collations, collation)
	}
	return collations, any
}

// weighed gives rows with the weights of their texts, and remembers the row of
// the last.
type weighed struct {
	sql.RowIter
	collations []sql.CollationID // of the row's last columns; 0: not to be weighed
	last       sql.Row
	weights    sql.Row // of it: nobody keeps them
}

func (w *weighed) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := w.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	w.last = row
	w.weights = append(w.weights[:0], row...)
	own := w.weights[len(row)-len(w.collations):] // rows outside come before
	for i, collation := range w.collations {
		if collation == 0 {
			continue
		}
		if own[i], err = weight(ctx, own[i], collation); err != nil {
			return nil, err
		}
	}
	return w.weights, nil
}

// unweighed gives the row of each that comes through chosen, which takes one at a time.
type unweighed struct {
	chosen sql.RowIter
	from   *weighed
}

func (u *unweighed) Next(ctx *sql.Context) (sql.Row, error) {
	if _, err := u.chosen.Next(ctx); err != nil {
		return nil, err
	}
	return u.from.last, nil
}

// Close implements sql.RowIter.
func (u *unweighed) Close(ctx *sql.Context) error { return u.chosen.Close(ctx) }
