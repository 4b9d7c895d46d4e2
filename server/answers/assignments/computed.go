package assignments

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/tree"
)

// Computed makes an expression default, or a generated column, use the stored values of columns, keep all digits of quotients, and fail with MySQL's
// error if its value does not fit the column.
func Computed(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	value, ok := e.(*sql.ColumnDefaultValue)
	if !ok || value == nil || value.Expr == nil || value.OutType == nil || value.IsLiteral() {
		return e, transform.SameTree, nil
	}
	if _, done := value.Expr.(*fitting); done {
		return e, transform.SameTree, nil
	}
	exact := allDigits(value.Expr)
	if exact.Resolved() {
		exact = storedAs(exact, &sql.Column{Type: value.OutType}, false)
	}
	exact, _, err := ofStored(exact)
	if err != nil {
		return e, transform.SameTree, err
	}
	own := *value
	own.Expr, own.ReturnNil = &fitting{Standin: tree.NewStandin(exact), to: value.OutType}, true // a NULL is the column's to refuse
	return &own, transform.NewTree, nil
}

// ComputesOther recognises a default that the engine would compute wrongly: a quotient, a member, or a date or time.
func ComputesOther(value *sql.ColumnDefaultValue) bool {
	if value == nil || value.Expr == nil || value.IsLiteral() || !value.Expr.Resolved() {
		return false
	}
	from := value.Expr.Type()
	written := types.IsEnum(from) || types.IsSet(from) || coercion.IsInstant(from) || coercion.IsTimespan(from)
	return allDigits(value.Expr) != value.Expr || written && converts(value.Expr, declared.Read(value.OutType), false)
}

// fitting is a value that fits its column, or an error with MySQL's number, which the engine's lacks.
type fitting struct {
	tree.Standin
	to sql.Type
}

var _ sql.CollationCoercible = (*fitting)(nil)

func (f *fitting) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := f.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	converted, inRange, err := f.to.Convert(ctx, v)
	switch {
	case types.ErrLengthBeyondLimit.Is(err):
		return nil, sqlerror.New(sqlerror.TooLong, fmt.Sprintf("Data too long for a generated column or a default: '%v' does not fit %s", v, f.to))
	case types.ErrConvertToDecimalLimit.Is(err):
		return nil, f.outOfRange(v)
	case err != nil:
		return nil, sqlerror.New(sqlerror.WrongValue, fmt.Sprintf("Incorrect %s value of a generated column or a default: '%v'", f.to, v))
	case !bool(inRange):
		return nil, f.outOfRange(v)
	}
	return converted, nil
}

func (f *fitting) outOfRange(v any) error {
	return sqlerror.New(sqlerror.OutOfRange, fmt.Sprintf("Out of range value for a generated column or a default: %v does not fit %s", v, f.to))
}

func (f *fitting) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(f, children)
}

// ofStored makes the fields of an expression stored values: the engine evaluates it on a row that it converts later.
func ofStored(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *asStored:
		return e, transform.SameTree, nil
	case *expression.GetField:
		return &asStored{tree.NewStandin(e)}, transform.NewTree, nil
	}
	children, same := slices.Clone(e.Children()), transform.SameTree
	for i, child := range children {
		made, unchanged, err := ofStored(child)
		if err != nil {
			return e, transform.SameTree, err
		}
		children[i], same = made, same && unchanged
	}
	if same {
		return e, same, nil
	}
	made, err := e.WithChildren(children...)
	return made, transform.NewTree, err
}

// asStored converts an unstored value to the one that its column will store. A value that does not fit becomes the nearest one, or the zero,
// which IGNORE stores; otherwise the engine refuses the row.
type asStored struct{ tree.Standin }

var _ sql.CollationCoercible = (*asStored)(nil)

func (s *asStored) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	to := declared.Read(s.Child.Type())
	converted, _, err := to.Convert(ctx, v)
	switch {
	case types.ErrLengthBeyondLimit.Is(err):
		return v, nil
	case err != nil:
		return to.Zero(), nil
	}
	return allPlaces(converted, to), nil
}

// allPlaces is a DECIMAL with all decimals of its type; other values are unchanged.
func allPlaces(v any, of sql.Type) any {
	d, ok := v.(decimal.Decimal)
	typ, isDecimal := of.(sql.DecimalType)
	if !ok || !isDecimal {
		return v
	}
	return d.Add(decimal.New(0, -int32(typ.Scale())))
}

func (s *asStored) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(s, children)
}

// allDigits is a number with all digits of its quotients and averages, which are stored but not shown.
func allDigits(e sql.Expression) sql.Expression {
	switch own := e.(type) {
	case *expression.Alias:
		if exact := allDigits(own.Child); exact != own.Child {
			return expression.NewAlias(own.Name(), exact).WithId(own.Id()).(sql.Expression)
		}
	case *arithmetic.DecimalCast:
		return own.Child
	}
	if exact := arithmetic.NewUnrounded(e, coercion.Exact); exact != nil {
		return exact
	}
	return e
}

// defaultOf is the default behind DEFAULT in an UPDATE, which the engine binds within a wrapper, unlike assignments that it adds.
func defaultOf(e sql.Expression) *sql.ColumnDefaultValue {
	wrapper, ok := e.(*expression.Wrapper)
	if !ok {
		return nil
	}
	value, _ := wrapper.Unwrap().(*sql.ColumnDefaultValue)
	return value
}

// allDigitsOf is allDigits for the columns of a query whose rows are stored.
func allDigitsOf(query sql.Node) (sql.Node, error) {
	switch n := query.(type) {
	case *plan.Project:
		list := slices.Clone(n.Projections)
		for i, e := range list {
			list[i] = allDigits(e)
		}
		return plan.NewProject(list, n.Child), nil
	case *plan.Sort, *plan.Limit, *plan.TopN, *plan.Offset:
		child, err := allDigitsOf(n.Children()[0])
		if err != nil {
			return nil, err
		}
		return n.WithChildren(child)
	}
	return query, nil
}
