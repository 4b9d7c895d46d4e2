package answer

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// inRows is x IN (SELECT ...) with known rows. It compares column by column, each as = does: the engine's IN of a list rounds
// x to the digits of each value, and takes NULLs within rows for equal.
type inRows struct {
	tree.Unary
	left, right []sql.Type // of the columns
	rows        []any      // a value of one column, or a []any
}

// newInRows returns x IN rows, the rows of query.
func newInRows(ctx *sql.Context, x sql.Expression, query sql.Node, rows []any) *inRows {
	columns := query.Schema()
	in := &inRows{Unary: tree.Unary{Child: x}, left: []sql.Type{x.Type()}, rows: rows}
	if several, ok := x.Type().(types.TupleType); ok && len(columns) > 1 {
		in.left = slices.Clone(several)
	}
	operands, row := x.(expression.Tuple)
	if !row {
		operands = expression.Tuple{x}
	}
	for i, c := range columns {
		in.right = append(in.right, c.Type)
		if len(operands) != len(columns) {
			continue
		}
		if text, ok := in.left[i].(sql.StringType); ok && types.IsTextOnly(c.Type) {
			collation, _ := meeting(ctx, append(tree.Selected(query, i), operands[i])...)
			in.left[i] = inCollation(text, collation)
		}
	}
	return in
}

func (in *inRows) Type() sql.Type { return types.Boolean }

func (in *inRows) IsNullable() bool { return true }

// String implements fmt.Stringer.
func (in *inRows) String() string { return fmt.Sprintf("%s IN (%d rows)", in.Child, len(in.rows)) }

func (in *inRows) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(in, children)
}

func (in *inRows) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	x, err := in.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	found := any(false)
	for _, y := range in.rows {
		equal, err := in.equal(ctx, in.columns(x), in.columns(y))
		if equal == true || err != nil {
			return equal, err
		}
		if equal == nil {
			found = nil
		}
	}
	return found, nil
}

// columns are the values of a row; NULLs for a row subquery without a row.
func (in *inRows) columns(value any) []any {
	if len(in.right) == 1 {
		return []any{value}
	}
	if row, ok := value.([]any); ok {
		return row
	}
	return make([]any, len(in.right))
}

// equal compares two rows: true, false, or nil if NULLs leave it open.
func (in *inRows) equal(ctx *sql.Context, x, y []any) (any, error) {
	result := any(true)
	for i := range in.right {
		switch equal, err := equalValues(ctx, x[i], in.left[i], y[i], in.right[i]); {
		case equal == false || err != nil:
			return equal, err
		case equal == nil:
			result = nil
		}
	}
	return result, nil
}

func equalValues(ctx *sql.Context, x any, left sql.Type, y any, right sql.Type) (any, error) {
	if x == nil || y == nil {
		return nil, nil
	}
	if types.IsTextOnly(left) && types.IsTextOnly(right) {
		order, err := left.Compare(ctx, x, y)
		return order == 0, err
	}
	return expression.NewEquals(expression.NewLiteral(x, left), expression.NewLiteral(y, right)).Eval(ctx, nil)
}
