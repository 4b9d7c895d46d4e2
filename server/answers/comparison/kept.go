package comparison

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// keep is the operand of CASE x WHEN, and the value that its branches share while the CASE is evaluated. The value is nil if evaluating
// the operand again does no more and has the same value.
func keep(e sql.Expression) (sql.Expression, *kept) {
	if e == nil || !transform.InspectExpr(e, tree.Varies) {
		return e, nil
	}
	value := &kept{}
	return &operand{tree.NewStandin(e), value}, value
}

type kept struct {
	known bool
	value any
}

// operand is evaluated when its value is first needed.
type operand struct {
	tree.Standin
	of *kept
}

func (o *operand) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(o, children)
}

func (o *operand) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if o.of.known {
		return o.of.value, nil
	}
	v, err := o.Child.Eval(ctx, row)
	if err == nil {
		*o.of = kept{true, v}
	}
	return v, err
}

// A firstCondition forgets the value of the row before.
type firstCondition struct {
	tree.Standin
	of *kept
}

func (f *firstCondition) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(f, children)
}

func (f *firstCondition) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	f.of.known = false
	return f.Child.Eval(ctx, row)
}
