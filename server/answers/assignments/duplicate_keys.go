package assignments

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// Derived makes ON DUPLICATE KEY UPDATE compute dependent columns, as UPDATE does: generated columns, those
// with ON UPDATE CURRENT_TIMESTAMP if another value changes, and x = DEFAULT.
func Derived(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	insert, ok := n.(*plan.InsertInto)
	if !ok || len(insert.OnDupExprs) == 0 {
		return n, transform.SameTree, nil
	}
	columns := insert.Destination.Schema()
	assigned, err := assignedByName(insert, columns)
	if err != nil {
		return n, transform.SameTree, err
	}
	var stamps, generated []sql.Expression
	for _, c := range columns {
		left := expression.NewGetFieldWithTable(0, 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable)
		switch {
		case c.Generated != nil:
			value, _, err := Computed(nil, c.Generated)
			if err != nil {
				return n, transform.SameTree, err
			}
			generated = append(generated, expression.NewSetField(left, value))
		case c.OnUpdate != nil && !assigned.has(c.Name):
			stamps = append(stamps, expression.NewSetField(left, function.NewIf(assigned.changes(), c.OnUpdate, left)))
		}
	}
	derived := *insert
	derived.OnDupExprs = append(append(stamps, assigned...), generated...)
	return &derived, transform.NewTree, nil
}

// A setList is SetFields.
type setList []sql.Expression

// assignedByName are the assignments of an INSERT's ON DUPLICATE KEY UPDATE.
func assignedByName(insert *plan.InsertInto, columns sql.Schema) (list setList, err error) {
	for _, a := range insert.OnDupExprs {
		set, ok := a.(*expression.SetField)
		if !ok {
			return nil, sql.ErrUnsupportedFeature.New("an assignment in ON DUPLICATE KEY UPDATE to what is no column")
		}
		if column, ok := set.LeftChild.(*expression.GetField); ok {
			at := columns.IndexOfColName(column.Name())
			defaulted := isDefault(set.RightChild)
			_, derived := set.RightChild.(*sql.ColumnDefaultValue) // which this adds again: a plan comes twice
			switch {
			case at >= 0 && columns[at].Generated != nil && (defaulted || derived):
				continue
			case at >= 0 && columns[at].Generated != nil:
				return nil, sql.ErrGeneratedColumnValue.New(column.Name(), columns[at].Source)
			case at >= 0 && defaulted && columns[at].Default == nil:
				a = expression.NewSetField(column, noDefault(columns[at], insert.Ignore))
			case at >= 0 && defaulted:
				a = expression.NewSetField(column, expression.WrapExpression(columns[at].Default))
			}
		}
		list = append(list, a)
	}
	return list, nil
}

// isDefault recognises DEFAULT, which the engine binds within a wrapper.
func isDefault(e sql.Expression) bool {
	if w, ok := e.(*expression.Wrapper); ok {
		e = w.Unwrap()
	}
	_, ok := e.(*expression.DefaultColumn)
	return ok
}

func (list setList) has(name string) bool {
	for _, a := range list {
		if column, ok := a.(*expression.SetField).LeftChild.(*expression.GetField); ok && column.Name() == name {
			return true
		}
	}
	return false
}

// changes recognises a row whose values the assignments change.
func (list setList) changes() sql.Expression {
	changed := make([]sql.Expression, len(list))
	for i, a := range list {
		set := a.(*expression.SetField)
		changed[i] = &changes{expression.BinaryExpressionStub{LeftChild: set.LeftChild, RightChild: set.RightChild}, set.LeftChild.Type()}
	}
	return expression.JoinOr(changed...)
}

// RefuseSubqueries refuses queries in ON DUPLICATE KEY UPDATE: the engine does not finish them, or lets them read columns of the wrong row. It also
// refuses aliases of a SELECT list, which hide columns there.
func RefuseSubqueries(_ *sql.Context, n sql.Node) (_ sql.Node, same transform.TreeIdentity, err error) {
	insert, ok := n.(*plan.InsertInto)
	if !ok {
		return n, transform.SameTree, nil
	}
	for _, assigned := range insert.OnDupExprs {
		transform.InspectExpr(assigned, func(e sql.Expression) bool {
			switch e := e.(type) {
			case *sql.ColumnDefaultValue, *expression.Wrapper:
				return true
			case *plan.Subquery:
				err = sqlerror.New(sqlerror.NotSupported, "A subquery in ON DUPLICATE KEY UPDATE is not supported: SET @x = (SELECT ...) before, and assign @x")
			case *expression.GetField:
				if e.Table() == "" {
					err = sqlerror.New(sqlerror.NotSupported, "ON DUPLICATE KEY UPDATE does not read "+e.Name()+
						", which is no column of a table: VALUES(x) is what column x would take")
				}
			}
			return err != nil
		})
	}
	return n, transform.SameTree, err
}
