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

// TypedValues gives VALUES(x) behind a SELECT the type of column x: it is the value that x takes, not the one that was selected for it.
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

// SelectedRows are the rows of a query as a table's columns take them. The selected values of the latest row are beside it for ON DUPLICATE KEY
// UPDATE, which reads columns of the query: the engine has the converted values in their place.
type SelectedRows struct {
	plan.UnaryNode // what the columns take, and behind it what the query selects
	columns        int
	latest         *sql.Row
}

var _ Node = (*SelectedRows)(nil)

// readsSelected has the assignments of an INSERT read columns of its query as they are selected. latest is where they find them, nil where
// they read none.
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

// withSelected has what a query selects behind what the columns take.
func withSelected(stored *plan.Project) *plan.Project {
	list := slices.Clone(stored.Projections)
	for i, c := range stored.Child.Schema() {
		list = append(list, expression.NewGetField(i, c.Type, c.Name, true))
	}
	return plan.NewProject(list, stored.Child)
}

// Schema implements sql.Node.
func (s *SelectedRows) Schema() sql.Schema { return s.Child.Schema()[:s.columns] }

// IsReadOnly implements sql.Node.
func (s *SelectedRows) IsReadOnly() bool { return s.Child.IsReadOnly() }

// String implements sql.Node.
func (s *SelectedRows) String() string { return s.Child.String() }

// WithChildren implements sql.Node.
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

// Next implements sql.RowIter.
func (s *selectedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := s.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	*s.latest = row[s.columns:]
	return row[:s.columns:s.columns], nil
}

// selectedColumn is a column of the latest row of a query.
type selectedColumn struct {
	tree.Standin
	latest *sql.Row
}

var _ sql.CollationCoercible = (*selectedColumn)(nil)

// Eval implements sql.Expression.
func (s *selectedColumn) Eval(ctx *sql.Context, _ sql.Row) (any, error) {
	return s.Child.Eval(ctx, *s.latest)
}

// WithChildren implements sql.Expression.
func (s *selectedColumn) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(s, children)
}
