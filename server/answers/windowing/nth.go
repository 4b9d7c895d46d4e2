package windowing

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
)

// Functions returns NTH_VALUE, LAG and LEAD. The engine reads the offsets of LAG and LEAD at PREPARE, when parameters have
// no values.
func Functions() []sql.Function {
	list := []sql.Function{sql.FunctionN{Name: nthFunction, Fn: newNth}}
	return append(list,
		sql.FunctionN{Name: "lag", Fn: func(e ...sql.Expression) (sql.Expression, error) { return window.NewLag(ofOneType(bounded(e))...) }},
		sql.FunctionN{Name: "lead", Fn: func(e ...sql.Expression) (sql.Expression, error) { return window.NewLead(ofOneType(bounded(e))...) }})
}

// ofOneType converts value and default of LAG and LEAD to their common type. The engine uses the type of the value.
func ofOneType(arguments []sql.Expression) []sql.Expression {
	if len(arguments) != 3 {
		return arguments
	}
	value, other := arguments[0].Type(), arguments[2].Type()
	if value.Equals(other) || types.IsTextOnly(value) && types.IsTextOnly(other) || types.IsDeferredType(value) || types.IsDeferredType(other) {
		return arguments
	}
	common := coercion.Common(value, other)
	return []sql.Expression{scalar.As(arguments[0], common), arguments[1], scalar.As(arguments[2], common)}
}

// bounded replaces an offset that is a parameter by 1.
func bounded(arguments []sql.Expression) []sql.Expression {
	if len(arguments) < 2 {
		return arguments
	}
	if _, unknown := arguments[1].(*expression.BindVar); !unknown {
		return arguments
	}
	list := append([]sql.Expression(nil), arguments...)
	list[1] = expression.NewLiteral(int64(1), types.Int64)
	return list
}

// nth is NTH_VALUE(value, n) over a window: the value in the n-th row of the frame.
type nth struct {
	value  sql.Expression
	n      sql.Expression
	id     sql.ColumnId
	window *sql.WindowDefinition
}

var _ sql.WindowAdaptableExpression = (*nth)(nil)

func newNth(arguments ...sql.Expression) (sql.Expression, error) {
	if len(arguments) != 2 {
		return nil, sql.ErrInvalidArgumentNumber.New("NTH_VALUE", 2, len(arguments))
	}
	list := bounded(arguments)
	if name, ok := list[1].(*expression.Literal); ok {
		switch value := scalar.Bits(list[0]); name.Value() {
		case "bit_and":
			return aggregation.NewBitAnd(value), nil
		case "bit_or":
			return aggregation.NewBitOr(value), nil
		case "bit_xor":
			return aggregation.NewBitXor(value), nil
		}
	}
	return &nth{value: list[0], n: list[1]}, nil
}

func (n *nth) Id() sql.ColumnId { return n.id }

func (n *nth) WithId(id sql.ColumnId) sql.IdExpression {
	made := *n
	made.id = id
	return &made
}

func (n *nth) FunctionName() string { return "NTH_VALUE" }

func (n *nth) Description() string { return "the value in the n-th row of the window frame" }

func (n *nth) Window() *sql.WindowDefinition { return n.window }

func (n *nth) WithWindow(w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	made := *n
	made.window = w
	return &made
}

func (n *nth) Resolved() bool { return expression.ExpressionsResolved(n.Children()...) }

func (n *nth) String() string {
	text := "nth_value(" + n.value.String() + ", " + n.n.String() + ")"
	if n.window != nil {
		text += " " + n.window.String()
	}
	return text
}

func (n *nth) Type() sql.Type { return n.value.Type() }

func (n *nth) IsNullable() bool { return true }

func (n *nth) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, n.value)
}

func (n *nth) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, sql.ErrWindowUnsupported.New(n.FunctionName())
}

// Children implements sql.Expression. The children of the window come first.
func (n *nth) Children() []sql.Expression { return append(n.window.ToExpressions(), n.value, n.n) }

func (n *nth) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	of := len(children) - 2
	if of != len(n.window.ToExpressions()) {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), len(n.Children()))
	}
	made := *n
	var err error
	if n.window != nil {
		made.window, err = n.window.FromExpressions(children[:of])
	}
	made.value, made.n = children[of], children[of+1]
	return &made, err
}

// wrongArguments is MySQL's ER_WRONG_ARGUMENTS.
const wrongArguments = 1210

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (n *nth) NewWindowFunction() (sql.WindowFunction, error) {
	place, err := expression.LiteralToInt(n.n)
	if err != nil || place < 1 {
		return nil, mysql.NewSQLError(wrongArguments, mysql.SSUnknownSQLState, "Incorrect arguments to nth_value")
	}
	var framer sql.WindowFramer
	if n.window != nil && n.window.Frame != nil {
		if framer, err = n.window.Frame.NewFramer(n.window); err != nil {
			return nil, err
		}
	}
	return &nthRow{n.value, place, framer}, nil
}

// nthRow computes nth.
type nthRow struct {
	value  sql.Expression
	place  int // from 1
	framer sql.WindowFramer
}

// Dispose implements sql.Disposable.
func (n *nthRow) Dispose() { expression.Dispose(n.value) }

// StartPartition implements sql.WindowFunction.
func (n *nthRow) StartPartition(*sql.Context, sql.WindowInterval, sql.WindowBuffer) error { return nil }

// DefaultFramer implements sql.WindowFunction.
func (n *nthRow) DefaultFramer() sql.WindowFramer {
	if n.framer != nil {
		return n.framer
	}
	return aggregation.NewUnboundedPrecedingToCurrentRowFramer()
}

// Compute implements sql.WindowFunction. It returns an error as a value, as the engine's functions do.
func (n *nthRow) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) any {
	if frame.End-frame.Start < n.place {
		return nil
	}
	value, err := n.value.Eval(ctx, rows[frame.Start+n.place-1])
	if err != nil {
		return err
	}
	return value
}
