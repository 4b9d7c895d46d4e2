package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/answers/assignments"
	"github.com/anonsql/anonsql/tree"
)

// strictUpdates makes UPDATE and ON DUPLICATE KEY UPDATE refuse a value that does not
// fit its column. The engine refuses it only in INSERT; in UPDATE it silently stores
// the nearest value, 127 for 500 in a TINYINT. As in MySQL, IGNORE and a sql_mode that
// is not strict allow that.
func strictUpdates(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	switch n := n.(type) {
	case *plan.Update:
		if n.Ignore || !assignments.Strict(ctx) {
			return n, transform.SameTree, nil
		}
	case *plan.InsertInto:
		if n.Ignore || len(n.OnDupExprs) == 0 || !assignments.Strict(ctx) {
			return n, transform.SameTree, nil
		}
		assignments, changed := strictAssignments(n.OnDupExprs)
		if !changed {
			return n, transform.SameTree, nil
		}
		insert := *n
		insert.OnDupExprs = assignments
		return &insert, transform.NewTree, nil
	default:
		return n, transform.SameTree, nil
	}
	return transform.Node(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		source, ok := n.(*plan.UpdateSource)
		if !ok {
			return n, transform.SameTree, nil
		}
		assignments, changed := strictAssignments(source.UpdateExprs)
		if !changed {
			return n, transform.SameTree, nil
		}
		return plan.NewUpdateSource(source.Child, source.Ignore, assignments), transform.NewTree, nil
	})
}

// strictAssignments wraps the values assigned to columns, but only once, and not a
// column's own default, which the engine recognises by type.
func strictAssignments(assignments []sql.Expression) ([]sql.Expression, bool) {
	changed := false
	wrapped := make([]sql.Expression, len(assignments))
	for i, a := range assignments {
		wrapped[i] = a
		set, ok := a.(*expression.SetField)
		if !ok {
			continue
		}
		column, ok := set.LeftChild.(*expression.GetField)
		if !ok {
			continue
		}
		switch set.RightChild.(type) {
		case *strictValue, *sql.ColumnDefaultValue, *expression.DefaultColumn, *expression.Wrapper:
			continue
		}
		value := &strictValue{Standin: tree.NewStandin(set.RightChild), column: &sql.Column{Name: column.Name(), Type: column.Type()}}
		wrapped[i], changed = expression.NewSetField(set.LeftChild, value), true
	}
	return wrapped, changed
}

// strictValue is a value that fails if it does not fit its column.
type strictValue struct {
	tree.Standin
	column *sql.Column
}

var _ sql.CollationCoercible = (*strictValue)(nil)

func (s *strictValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := assignments.Undivide(ctx, s.Child, row)
	if value == nil || err != nil {
		return nil, err
	}
	_, inRange, err := s.column.Type.Convert(ctx, value)
	if err == nil && !inRange {
		err = sql.ErrValueOutOfRange.New(value, s.column.Type)
	}
	if err != nil {
		return nil, wrongValue(err, s.column, value)
	}
	return value, nil
}

func (s *strictValue) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(s, children)
}
