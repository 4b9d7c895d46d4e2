package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers/assignments"
	"github.com/anonsql/anonsql/server/answers/correlated"
	"github.com/anonsql/anonsql/server/answers/definitions"
	"github.com/anonsql/anonsql/server/answers/weights"
)

// withoutDuplicates makes DISTINCT, UNION, INTERSECT and EXCEPT compare rows by the
// weights of their texts, where the engine hashes their bytes.
func withoutDuplicates(_ *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	switch n := n.(type) {
	case *plan.Distinct:
		if _, any := textCollations(n.Child); any {
			return &distinctByWeight{n}, transform.NewTree, nil
		}
	case *plan.SetOp:
		if n.Distinct || n.Limit != nil || n.Offset != nil || len(n.SortFields) > 0 {
			return taken(n), transform.NewTree, nil
		}
		if compared := comparedRows(n); compared != sql.Node(n) {
			return compared, transform.NewTree, nil
		}
	}
	return n, transform.SameTree, nil
}

// distinctRows is DISTINCT over a node.
func distinctRows(n sql.Node) sql.Node {
	distinct := plan.NewDistinct(n)
	if _, any := textCollations(n); any {
		return &distinctByWeight{distinct}
	}
	return distinct
}

// comparedRows is a set operation that keeps duplicates.
func comparedRows(n *plan.SetOp) sql.Node {
	if _, any := textCollations(n); any && n.SetOpType != plan.UnionType {
		return &setOpByWeight{n}
	}
	return n
}

// A ruler is a node that executes itself; below builds the nodes below it.
type ruler interface {
	sql.Node
	rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error)
}

// Build executes a node of this package, of assignments, foundrows, sorting or correlated; ok is false for others.
func Build(ctx *sql.Context, n sql.Node, row sql.Row, below sql.NodeExecBuilder) (rows sql.RowIter, ok bool, err error) {
	if own, ok := n.(ruler); ok {
		rows, err := own.rows(ctx, below, row)
		return rows, true, err
	}
	if written, ok := n.(assignments.Node); ok {
		rows, err := written.Rows(ctx, below, row)
		return rows, true, err
	}
	if current, changed, err := definitions.AsChanged(ctx, n); changed || err != nil {
		if err != nil {
			return nil, true, err
		}
		rows, err := below.Build(ctx, current, row)
		return rows, true, err
	}
	if rows, ok, err := definitions.NewDefault(ctx, n); ok || err != nil {
		return rows, true, err
	}
	return correlated.Build(ctx, n, row, below)
}

// distinctByWeight is DISTINCT by the weights of texts.
type distinctByWeight struct{ *plan.Distinct }

func (d *distinctByWeight) WithChildren(children ...sql.Node) (sql.Node, error) {
	changed, err := d.Distinct.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &distinctByWeight{changed.(*plan.Distinct)}, nil
}

func (d *distinctByWeight) rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	child, err := below.Build(ctx, d.Child, row)
	if err != nil {
		return nil, err
	}
	collations, _ := textCollations(d.Child)
	in := &weighed{RowIter: child, collations: collations}
	return &unweighed{iters.NewDistinctIter(ctx, in), in}, nil
}

// setOpByWeight is INTERSECT or EXCEPT, with duplicates, by the weights of texts.
type setOpByWeight struct{ *plan.SetOp }

func (s *setOpByWeight) WithChildren(children ...sql.Node) (sql.Node, error) {
	changed, err := s.SetOp.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &setOpByWeight{changed.(*plan.SetOp)}, nil
}

func (s *setOpByWeight) rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	left, err := below.Build(ctx, s.Left(), row)
	if err != nil {
		return nil, err
	}
	right, err := below.Build(ctx, s.Right(), row)
	if err != nil {
		_ = left.Close(ctx)
		return nil, err
	}
	collations, _ := textCollations(s.SetOp)
	first, second := &weighed{RowIter: left, collations: collations}, &weighed{RowIter: right, collations: collations}
	if s.SetOpType == plan.IntersectType {
		return &unweighed{&iters.IntersectIter{LIter: first, RIter: second}, first}, nil
	}
	return &unweighed{&iters.ExceptIter{LIter: first, RIter: second}, first}, nil
}

// textCollations are the collations of a node's columns, 0 for a column that is
// compared bytewise or has no text; any reports whether one is not 0.
func textCollations(n sql.Node) (collations []sql.CollationID, any bool) {
	for _, column := range n.Schema() {
		collation := sql.CollationID(0)
		if own := weights.Collation(column.Type); types.IsTextOnly(column.Type) && planner.IgnoresCase(own) {
			collation, any = own, true
		}
		collations = append(collations, collation)
	}
	return collations, any
}

// weighed returns rows with weights instead of texts, and remembers the last original
// row.
type weighed struct {
	sql.RowIter
	collations []sql.CollationID // of the row's last columns; 0: no weight
	last       sql.Row
	weights    sql.Row // reused for each row
}

func (w *weighed) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := w.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	w.last = row
	w.weights = append(w.weights[:0], row...)
	own := w.weights[len(row)-len(w.collations):] // columns of outer rows come first
	for i, collation := range w.collations {
		if collation == 0 {
			continue
		}
		if own[i], err = weights.Hash(ctx, own[i], collation); err != nil {
			return nil, err
		}
	}
	return w.weights, nil
}

// unweighed returns the original of each row that passes chosen, which reads one row at a time.
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

func (u *unweighed) Close(ctx *sql.Context) error { return u.chosen.Close(ctx) }
