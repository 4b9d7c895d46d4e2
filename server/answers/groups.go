package answers

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/answers/weights"
	"github.com/anonsql/anonsql/tree"
)

// groupBy groups texts by their weights; the engine truncates them to the length of the
// type that it infers for an expression.
func groupBy(_ *sql.Context, node sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	n, ok := node.(*plan.GroupBy)
	if !ok {
		return node, transform.SameTree, nil
	}
	keys, selected := slices.Clone(n.GroupByExprs), slices.Clone(n.SelectedExprs)
	for i, key := range keys {
		keys[i] = weights.WeightOf(key)
	}
	for i, e := range selected {
		if _, ok := e.(sql.Aggregation); !ok {
			selected[i] = &ofFirstRow{tree.NewStandin(e)}
		}
	}
	return plan.NewGroupBy(selected, keys, n.Child), transform.NewTree, nil
}

// ofFirstRow is an expression without aggregates in a group: its value in the group's
// first row. The engine's skips NULLs, so two columns may come from two rows. Over a
// row that is a group already, it is the expression's value.
type ofFirstRow struct{ tree.Standin }

var _ sql.Aggregation = (*ofFirstRow)(nil)

func (f *ofFirstRow) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(f, children)
}

// NewBuffer implements sql.Aggregation.
func (f *ofFirstRow) NewBuffer() (sql.AggregationBuffer, error) {
	return &firstRowBuffer{of: f.Child}, nil
}

// Window, WithWindow and NewWindowFunction implement sql.Aggregation: it has none.
func (f *ofFirstRow) Window() *sql.WindowDefinition { return nil }

func (f *ofFirstRow) WithWindow(*sql.WindowDefinition) sql.WindowAdaptableExpression { return f }

func (f *ofFirstRow) NewWindowFunction() (sql.WindowFunction, error) {
	return nil, sql.ErrUnsupportedFeature.New("a window of no function")
}

// Id and WithId implement sql.Aggregation: a finished plan uses indexes, not ids.
func (f *ofFirstRow) Id() sql.ColumnId { return 0 }

func (f *ofFirstRow) WithId(sql.ColumnId) sql.IdExpression { return f }

type firstRowBuffer struct {
	of    sql.Expression
	some  bool
	value any
}

// Update implements sql.AggregationBuffer.
func (b *firstRowBuffer) Update(ctx *sql.Context, row sql.Row) (err error) {
	if !b.some {
		b.some = true
		b.value, err = b.of.Eval(ctx, row)
	}
	return err
}

// Eval implements sql.AggregationBuffer.
func (b *firstRowBuffer) Eval(*sql.Context) (any, error) { return b.value, nil }

// Dispose implements sql.Disposable.
func (b *firstRowBuffer) Dispose() { expression.Dispose(b.of) }
