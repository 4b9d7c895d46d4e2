package answers

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/documents"
	"github.com/anonsql/anonsql/server/answers/weights"
	"github.com/anonsql/anonsql/tree"
)

// framed are the functions that use a frame: by default the partition, or with ORDER
// BY, the rows up to the current row's last peer.
var framed = map[string]bool{
	"sum": true, "avg": true, "min": true, "max": true, "count": true,
	"first": true, "last": true, "first_value": true, "last_value": true, "nth_value": true,
	"bitand": true, "bitor": true, "bitxor": true, "bit_and": true, "bit_or": true, "bit_xor": true,
	"stddevpop": true, "stddevsamp": true, "varpop": true, "varsamp": true,
	"jsonarray": true,
}

// windows corrects a function over a window. The engine does not take rows with equal
// decimals or equal texts for peers, ignores ORDER BY in the frames of some functions,
// and peers in those of others.
func windows(_ *sql.Context, given sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	e, ok := given.(sql.WindowAdaptableExpression)
	if !ok || e.Window() == nil {
		return given, transform.SameTree, nil
	}
	w, changed := e.Window(), false
	order, frame := append(sql.SortFields(nil), w.OrderBy...), w.Frame
	for i, field := range order {
		switch t := field.Column.Type(); {
		case types.IsTextOnly(t):
			order[i].Column = &orderKey{tree.NewStandin(field.Column), weights.Collation(t)}
			changed = true
		case types.IsJSON(t):
			order[i].Column, changed = documents.OrderKey(field.Column), true
		case types.IsBinaryType(t), types.IsDecimal(t) && frame == nil: // a frame may add to it
			order[i].Column = &orderKey{Standin: tree.NewStandin(field.Column)}
			changed = true
		}
	}
	function, named := e.(sql.FunctionExpression)
	if named && frame == nil && framed[strings.ToLower(function.FunctionName())] {
		frame, changed = toLastPeer{}, true
	} else if frame != nil {
		frame, changed = framedWithin(frame), true
	}
	if changed {
		e = e.WithWindow(sql.NewWindowDefinition(w.PartitionBy, order, frame, w.Ref, w.Name))
	}
	if figure, ok := e.(*window.RowNumber); ok {
		return &rowNumber{figure}, transform.NewTree, nil
	}
	return e, transform.TreeIdentity(!changed), nil
}

// windowRows adds a column to rows without columns below a window: the engine takes a
// row without columns for the end of a partition, so that COUNT(*) OVER () is 1. Within
// an expression rows have columns of the outer row.
func windowRows(_ *sql.Context, n sql.Node, inside bool) (sql.Node, transform.TreeIdentity, error) {
	window, ok := n.(*plan.Window)
	if !ok || inside || len(window.Child.Schema()) > 0 {
		return n, transform.SameTree, nil
	}
	one := expression.NewAlias("1", expression.NewLiteral(int8(1), types.Int8))
	return plan.NewWindow(window.SelectExprs, plan.NewProject([]sql.Expression{one}, window.Child)), transform.NewTree, nil
}

// rowNumber is ROW_NUMBER whose default frame begins with the partition; the engine's default is wrong.
type rowNumber struct{ sql.WindowAdaptableExpression }

func (r *rowNumber) Children() []sql.Expression {
	return []sql.Expression{r.WindowAdaptableExpression}
}

func (r *rowNumber) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(r, len(children), 1)
	}
	of, ok := children[0].(sql.WindowAdaptableExpression)
	if !ok {
		return nil, sql.ErrInvalidChildType.New(r, children[0], of)
	}
	return &rowNumber{of}, nil
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (r *rowNumber) NewWindowFunction() (sql.WindowFunction, error) {
	of, err := r.WindowAdaptableExpression.NewWindowFunction()
	return rowsOnly{of}, err
}

type rowsOnly struct{ sql.WindowFunction }

// DefaultFramer implements sql.WindowFunction.
func (rowsOnly) DefaultFramer() sql.WindowFramer {
	return aggregation.NewUnboundedPrecedingToCurrentRowFramer()
}
