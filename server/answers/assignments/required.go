package assignments

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/tree"
)

// MySQL's numbers of errors.
const (
	nullInColumn = 1048
	withoutValue = 1364
)

// required is a value for a column that takes no NULL: NULL is an error, or under IGNORE the zero of the column's type and a warning.
type required struct {
	tree.Standin
	column  *sql.Column
	lenient bool
	missing *mysql.SQLError
}

var _ sql.CollationCoercible = (*required)(nil)

// requiredValues has ON DUPLICATE KEY UPDATE refuse NULLs for columns that take none: the engine looks at them in other statements alone. Under IGNORE
// a value that cannot be computed is an error, for which the engine has the new row in the place of the old one.
func requiredValues(insert *plan.InsertInto, columns sql.Schema) *plan.InsertInto {
	made := *insert
	made.OnDupExprs = slices.Clone(insert.OnDupExprs)
	for i, a := range made.OnDupExprs {
		set, ok := a.(*expression.SetField)
		if !ok {
			continue
		}
		field, ok := set.LeftChild.(*expression.GetField)
		if !ok || field.Index() >= len(columns) {
			continue
		}
		column := columns[field.Index()]
		if !column.Nullable {
			missing := sqlerror.New(nullInColumn, fmt.Sprintf("Column '%s' cannot be null", column.Name))
			made.OnDupExprs[i] = expression.NewSetField(field, &required{tree.NewStandin(set.RightChild), column, insert.Ignore, missing})
		}
		if insert.Ignore {
			made.OnDupExprs[i] = &lenientField{tree.NewStandin(made.OnDupExprs[i]), column, field.Index()}
		}
	}
	return &made
}

// lenientField assigns a value to a column, or the column's zero if the column does not accept the value.
type lenientField struct {
	tree.Standin
	column *sql.Column
	at     int
}

var _ sql.CollationCoercible = (*lenientField)(nil)

func (f *lenientField) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	assigned, err := f.Child.Eval(ctx, row)
	var wrong sql.WrappedTypeConversionError
	if errors.As(err, &wrong) {
		ctx.Warn(sqlerror.Truncated, "Data truncated for column '%s': %v", f.column.Name, wrong.OffendingVal)
		zero := row.Copy()
		zero[f.at] = f.column.Type.Zero()
		return zero, nil
	}
	return assigned, err
}

func (f *lenientField) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(f, children)
}

// noDefault is DEFAULT of a column that has none.
func noDefault(column *sql.Column, lenient bool) sql.Expression {
	null := expression.NewLiteral(nil, types.Null)
	if column.Nullable {
		return null
	}
	return &required{tree.NewStandin(null), column, lenient, sqlerror.New(withoutValue, fmt.Sprintf("Field '%s' doesn't have a default value", column.Name))}
}

func (r *required) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := r.Child.Eval(ctx, row)
	if v != nil || err != nil {
		return v, err
	}
	if !r.lenient {
		return nil, r.missing
	}
	ctx.Warn(r.missing.Num, "%s", r.missing.Message)
	return r.column.Type.Zero(), nil
}

func (r *required) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(r, children)
}
