package assignments

import (
	"cmp"
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// Undivided are the rows of an INSERT, in which a division by zero is an error in the respective SQL modes.
type Undivided struct{ plan.UnaryNode }

var _ Node = (*Undivided)(nil)

func (u *Undivided) IsReadOnly() bool { return u.Child.IsReadOnly() }

func (u *Undivided) String() string { return u.Child.String() }

func (u *Undivided) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(u, len(children), 1)
	}
	return &Undivided{plan.UnaryNode{Child: children[0]}}, nil
}

// Rows executes the node.
func (u *Undivided) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	before := ctx.WarningCount() // values are computed before the first row is read
	rows, err := below.Build(ctx, u.Child, row)
	if err != nil || !refuses(ctx, "ERROR_FOR_DIVISION_BY_ZERO") {
		return rows, err
	}
	return &undividedRows{rows, before}, nil
}

type undividedRows struct {
	sql.RowIter
	warnings uint16
}

func (u *undividedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := u.RowIter.Next(ctx)
	if err == nil || errors.Is(err, io.EOF) {
		err = cmp.Or(divided(ctx, u.warnings), err)
		u.warnings = ctx.WarningCount()
	}
	return row, err
}

// divided is an error if a division by zero is among the warnings after the first before ones.
func divided(ctx *sql.Context, before uint16) error {
	count := ctx.WarningCount()
	if count <= before {
		return nil
	}
	for _, warning := range ctx.Warnings()[:count-before] { // the latest come first
		if warning.Code == sqlerror.DivisionByZero {
			return sqlerror.New(sqlerror.DivisionByZero, "Division by 0")
		}
	}
	return nil
}

// Undivide evaluates a value that UPDATE assigns; a division by zero is an error in the respective SQL modes.
func Undivide(ctx *sql.Context, e sql.Expression, row sql.Row) (any, error) {
	before := ctx.WarningCount()
	v, err := e.Eval(ctx, row)
	if err == nil && ctx.WarningCount() > before && refuses(ctx, "ERROR_FOR_DIVISION_BY_ZERO") {
		err = divided(ctx, before)
	}
	return v, err
}
