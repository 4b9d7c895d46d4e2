package assignments

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// TypedValues gives VALUES(x) after a SELECT the type of column x: it is the stored value, not the selected one.
func TypedValues(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	insert, ok := n.(*plan.InsertInto)
	if !ok || len(insert.OnDupExprs) == 0 {
		return n, transform.SameTree, nil
	}
	columns := insert.Destination.Schema()
	list, same, err := transform.Exprs(insert.OnDupExprs, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		field, ok := e.(*expression.GetField)
		if !ok || field.Table() != planbuilder.OnDupValuesPrefix {
			return e, transform.SameTree, nil
		}
		at := columns.IndexOfColName(field.Name())
		if at < 0 || columns[at].Type.Equals(field.Type()) {
			return e, transform.SameTree, nil
		}
		return tree.Retyped(field, columns[at].Type), transform.NewTree, nil
	})
	if err != nil || same {
		return n, transform.SameTree, err
	}
	typed := *insert
	typed.OnDupExprs = list
	return &typed, transform.NewTree, nil
}

// SelectedRows are rows whose latest one expressions above read. For a query in an INSERT, the rows are converted to the table's columns, and the
// latest one has the selected values for ON DUPLICATE KEY UPDATE, where the engine has only converted ones. For a join in an UPDATE both are the
// same, and the latest one does not contain assignments made meanwhile.
type SelectedRows struct {
	plan.UnaryNode     // rows of an INSERT: the values of its columns, then those that the query selects
	columns        int // of an INSERT, otherwise 0
	latest         *sql.Row
}

var _ Node = (*SelectedRows)(nil)

// readsSelected makes the assignments of an INSERT read the selected columns of its query. latest is where they find them, nil if they
// read none.
func readsSelected(insert *plan.InsertInto, project *plan.Project, columns int) (reading *plan.InsertInto, latest *sql.Row, err error) {
	if _, written := project.Child.(*plan.Values); written || len(insert.OnDupExprs) == 0 {
		return insert, nil, nil
	}
	selected := project.Child.Schema()
	list, same, err := transform.Exprs(insert.OnDupExprs, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		field, ok := e.(*expression.GetField)
		if !ok || field.Index() < columns || field.Index() >= 2*columns || field.Table() == planbuilder.OnDupValuesPrefix {
			return e, transform.SameTree, nil
		}
		from, ok := project.Projections[field.Index()-columns].(*expression.GetField)
		if !ok || from.Index() >= len(selected) {
			return e, transform.SameTree, nil
		}
		if latest == nil {
			latest = &sql.Row{}
		}
		own := expression.NewGetField(from.Index(), selected[from.Index()].Type, field.Name(), true)
		return &selectedColumn{tree.NewStandin(own), latest}, transform.NewTree, nil
	})
	if err != nil || same {
		return insert, nil, err
	}
	made := *insert
	made.OnDupExprs = list
	return &made, latest, nil
}

// withSelected adds the selected values after the converted ones.
func withSelected(stored *plan.Project) *plan.Project {
	list := slices.Clone(stored.Projections)
	for i, c := range stored.Child.Schema() {
		list = append(list, expression.NewGetField(i, c.Type, c.Name, true))
	}
	return plan.NewProject(list, stored.Child)
}

// readsBefore makes the assignments of an UPDATE over a join read columns of other targets as they were before it.
func readsBefore(source *plan.UpdateSource) (sql.Node, bool) {
	latest := &sql.Row{}
	list, assigned, changed := slices.Clone(source.UpdateExprs), []*expression.GetField{}, false
	for i, e := range list {
		set, ok := e.(*expression.SetField)
		if !ok {
			return source, false
		}
		column, ok := set.LeftChild.(*expression.GetField)
		if !ok {
			return source, false
		}
		value, same, err := transform.Expr(set.RightChild, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			field, ok := e.(*expression.GetField)
			if !ok || !slices.ContainsFunc(assigned, func(a *expression.GetField) bool {
				return a.Index() == field.Index() && a.TableId() != column.TableId()
			}) {
				return e, transform.SameTree, nil
			}
			return &selectedColumn{tree.NewStandin(field), latest}, transform.NewTree, nil
		})
		if err != nil {
			return source, false
		}
		if !same {
			list[i], changed = expression.NewSetField(column, value), true
		}
		assigned = append(assigned, column)
	}
	if !changed {
		return source, false
	}
	return plan.NewUpdateSource(&SelectedRows{plan.UnaryNode{Child: source.Child}, 0, latest}, source.Ignore, list), true
}

func (s *SelectedRows) Schema() sql.Schema {
	if s.columns == 0 {
		return s.Child.Schema()
	}
	return s.Child.Schema()[:s.columns]
}

func (s *SelectedRows) IsReadOnly() bool { return s.Child.IsReadOnly() }

func (s *SelectedRows) String() string { return s.Child.String() }

func (s *SelectedRows) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	changed := *s
	changed.Child = children[0]
	return &changed, nil
}

// Rows executes the node.
func (s *SelectedRows) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := below.Build(ctx, s.Child, row)
	return &selectedRows{rows, s}, err
}

type selectedRows struct {
	sql.RowIter
	*SelectedRows
}

func (s *selectedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := s.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	*s.latest = row[s.columns:]
	if s.columns == 0 {
		return row, nil
	}
	return row[:s.columns:s.columns], nil
}

// selectedColumn is a column of the latest row of a query.
type selectedColumn struct {
	tree.Standin
	latest *sql.Row
}

var _ sql.CollationCoercible = (*selectedColumn)(nil)

func (s *selectedColumn) Eval(ctx *sql.Context, _ sql.Row) (any, error) {
	return s.Child.Eval(ctx, *s.latest)
}

func (s *selectedColumn) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(s, children)
}
