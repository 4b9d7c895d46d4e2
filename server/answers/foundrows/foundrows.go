// Package foundrows makes FOUND_ROWS() after LIMIT ... OFFSET include skipped rows: all rows up to the end of the limit, or with
// SQL_CALC_FOUND_ROWS all rows (MySQL's manual, Information Functions). The engine counts the rows that it sends, and with
// SQL_CALC_FOUND_ROWS those after the offset. The package refuses nothing.
package foundrows

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/running"
)

// The mark of a LIMIT is a literal with an int: the binder makes no such literals, and the engine accepts only literals as LIMIT.

// unlimited is a LIMIT without effect. Adding an OFFSET does not overflow it.
const unlimited = 1 << 62

// Marked marks the outermost LIMIT ... OFFSET of a statement, so that the engine leaves FOUND_ROWS to it. The first plan of a
// statement that it sees is the plan of the whole; those of derived tables follow.
func Marked(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if st := running.StatementOf(ctx); st == nil || st.Bound.Swap(true) {
		return n, transform.SameTree, nil
	}
	limit, ok := n.(*plan.Limit)
	if !ok || limit.CalcFoundRows {
		return n, transform.SameTree, nil
	}
	if _, skips := limit.Child.(*plan.Offset); !skips {
		return n, transform.SameTree, nil
	}
	literal, ok := limit.Limit.(*expression.Literal)
	if !ok {
		return n, transform.SameTree, nil
	}
	end, err := number(ctx, literal)
	if err != nil {
		return n, transform.SameTree, err
	}
	return plan.NewLimit(expression.NewLiteral(int(end), types.Int64), limit.Child).WithCalcFoundRows(true), transform.NewTree, nil
}

func isMarked(limit *plan.Limit) bool {
	literal, ok := limit.Limit.(*expression.Literal)
	if !ok {
		return false
	}
	_, ok = literal.Value().(int)
	return ok
}

// Counted replaces a LIMIT over OFFSET whose rows count by a node of this package.
func Counted(_ *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	limit, ok := n.(*plan.Limit)
	if !ok {
		return n, transform.SameTree, nil
	}
	marked := isMarked(limit)
	offset, skips := limit.Child.(*plan.Offset)
	if !marked && !(skips && limit.CalcFoundRows) {
		return n, transform.SameTree, nil
	}
	counted := &limited{Limit: limit, all: !marked}
	if top, ok := topOf(offset); ok && marked {
		below, err := offset.WithChildren(top.WithCalcFoundRows(false))
		if err != nil {
			return n, transform.SameTree, err
		}
		counted.Limit = plan.NewLimit(limit.Limit, below)
	}
	return counted, transform.NewTree, nil
}

func topOf(offset *plan.Offset) (plan.TopN, bool) {
	if offset == nil {
		return plan.TopN{}, false
	}
	top, ok := offset.Child.(*plan.TopN)
	if !ok {
		return plan.TopN{}, false
	}
	return *top, true
}

// limited is a LIMIT that counts the rows that its OFFSET skips. With all it also counts the rows after the limit.
type limited struct {
	*plan.Limit
	all bool
}

func (l *limited) WithChildren(children ...sql.Node) (sql.Node, error) {
	changed, err := l.Limit.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &limited{changed.(*plan.Limit), l.all}, nil
}

// Rows executes the node.
func (l *limited) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	counted := &countedRows{all: l.all}
	var err error
	if counted.end, err = number(ctx, l.Limit.Limit); err != nil {
		return nil, err
	}
	child := l.Child
	if offset, ok := child.(*plan.Offset); ok {
		if counted.skip, err = number(ctx, offset.Offset); err != nil {
			return nil, err
		}
		child = offset.Child
	}
	counted.end += counted.skip
	counted.RowIter, err = below.Build(ctx, child, row)
	return counted, err
}

// number evaluates the operand of LIMIT or OFFSET, at most unlimited.
func number(ctx *sql.Context, e sql.Expression) (int64, error) {
	value, err := e.Eval(ctx, nil)
	if err != nil {
		return 0, err
	}
	if n, ok := value.(uint64); ok && n > unlimited {
		return unlimited, nil
	}
	n, _, err := types.Int64.Convert(ctx, value)
	if err != nil {
		return 0, err
	}
	return min(n.(int64), unlimited), nil
}

// countedRows returns the rows in [skip, end). With all it reads the others, too. Close reports the number of rows read as FOUND_ROWS.
type countedRows struct {
	sql.RowIter
	skip, end, read int64
	all             bool
}

func (c *countedRows) Next(ctx *sql.Context) (sql.Row, error) {
	for c.read < c.end || c.all {
		row, err := c.RowIter.Next(ctx)
		if err != nil {
			return nil, err
		}
		if c.read++; c.read > c.skip && c.read <= c.end {
			return row, nil
		}
	}
	return nil, io.EOF
}

func (c *countedRows) Close(ctx *sql.Context) error {
	if err := c.RowIter.Close(ctx); err != nil {
		return err
	}
	ctx.SetLastQueryInfoInt(sql.FoundRows, c.read)
	return nil
}
