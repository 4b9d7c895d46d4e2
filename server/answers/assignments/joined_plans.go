package assignments

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// A Node is a node of this package, which executes itself.
type Node interface {
	sql.Node
	Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error)
}

// Joined moves the contents of the marks to where the engine has them, and puts a node of ours over the join, which
// writes the targets. bind binds a query about a target.
func Joined(ctx *sql.Context, n sql.Node, bind func(query string) (sql.Node, error)) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		switch n := n.(type) {
		case *plan.Update:
			assigned, rows, source := unmarkUpdate(n)
			if assigned == nil {
				return n, transform.SameTree, nil
			}
			joined, err := joinedUpdate(ctx, rows, assigned.Operands, source, bind)
			if err != nil {
				return n, transform.SameTree, err
			}
			update := *n
			update.Child = joined
			return update.WithChecks(nil), transform.NewTree, nil
		case *plan.DeleteFrom:
			filter, ok := n.Child.(*plan.Filter)
			if !ok {
				return n, transform.SameTree, nil
			}
			removed, below := unmark(filter.Child, filter.Expression, removedFunction)
			if removed == nil {
				return n, transform.SameTree, nil
			}
			joined, err := joinedDelete(ctx, below, removed.Operands)
			if err != nil {
				return n, transform.SameTree, err
			}
			return plan.NewDeleteFrom(joined, []sql.Node{joinedTarget{joined}}), transform.NewTree, nil
		}
		return n, transform.SameTree, nil
	})
}

// unmarkUpdate removes the mark from an UPDATE. Within a routine the statement's own condition stays in place (markUpdate).
func unmarkUpdate(update *plan.Update) (assigned *mark, rows sql.Node, source *plan.UpdateSource) {
	child := update.Child
	if marked, ok := child.(*plan.UpdateJoin); ok {
		child = marked.Child
	}
	source, ok := child.(*plan.UpdateSource)
	if !ok {
		return nil, nil, nil
	}
	joined := source.Child
	filter, filtered := joined.(*plan.Filter)
	if filtered {
		joined = filter.Child
	}
	join, ok := joined.(*plan.JoinNode)
	if !ok || join.Filter == nil {
		return nil, nil, nil
	}
	if assigned, rows = unmark(join.Left(), join.Filter, assignedFunction); filtered && assigned != nil {
		rows = plan.NewFilter(filter.Expression, rows)
	}
	return assigned, rows, source
}

// unmark removes a mark from a condition, nil if it has none, and returns the rows that meet the rest.
func unmark(rows sql.Node, condition sql.Expression, name string) (*mark, sql.Node) {
	marked, ok := condition.(*mark)
	if and, both := condition.(*expression.And); both {
		if marked, ok = and.RightChild.(*mark); ok {
			rows = plan.NewFilter(and.LeftChild, rows)
		}
	}
	if !ok || marked.name != name {
		return nil, nil
	}
	return marked, rows
}

// joinedUpdate is the node of an UPDATE; each pair of a column and a value becomes an assignment.
func joinedUpdate(ctx *sql.Context, rows sql.Node, pairs []sql.Expression, source *plan.UpdateSource,
	bind func(query string) (sql.Node, error)) (*JoinedRows, error) {
	joined := &JoinedRows{ignore: source.Ignore}
	var assignments []sql.Expression
	for i := 0; i+1 < len(pairs); i += 2 {
		column := assignedColumn(pairs[i])
		if column == nil {
			return nil, sql.ErrUnsupportedFeature.New("an assignment in UPDATE to what is no column")
		}
		t, err := joined.target(rows, column.Database(), column.Table(), "UPDATE")
		if err != nil {
			return nil, err
		}
		at := t.schema.IndexOfColName(column.Name())
		value, err := assignedValue(t, at, pairs[i+1], bind)
		if err != nil {
			return nil, err
		}
		if value != nil {
			t.assigned = append(t.assigned, at)
			assignments = append(assignments, expression.NewSetField(column, value))
		}
	}
	for _, t := range joined.targets {
		if err := t.derive(source.UpdateExprs, bind); err != nil {
			return nil, err
		}
		if err := t.constrain(ctx, bind); err != nil {
			return nil, err
		}
	}
	if err := refuseKeyConflict(joined.targets); err != nil {
		return nil, err
	}
	joined.Child = plan.NewUpdateSource(rows, source.Ignore, assignments)
	return joined, nil
}

// assignedColumn is the column of a pair, unwrapped: as a function's argument, an ENUM is read as its text.
func assignedColumn(e sql.Expression) *expression.GetField {
	for len(e.Children()) == 1 {
		e = e.Children()[0]
	}
	column, _ := e.(*expression.GetField)
	return column
}

// assignedValue returns the value assigned to a column; nil for DEFAULT of a generated column.
func assignedValue(t *target, at int, value sql.Expression, bind func(query string) (sql.Node, error)) (sql.Expression, error) {
	column, defaulted := t.schema[at], isDefault(value)
	switch {
	case column.Generated != nil && defaulted:
		return nil, nil
	case column.Generated != nil:
		return nil, sql.ErrGeneratedColumnValue.New(column.Name, t.table.Name())
	case defaulted && column.Default == nil:
		return expression.NewLiteral(nil, types.Null), nil
	case defaulted:
		values, err := t.bound(bind, []string{column.Default.String()})
		if err != nil {
			return nil, err
		}
		return values[0], nil
	}
	return value, nil
}

func joinedDelete(ctx *sql.Context, rows sql.Node, names []sql.Expression) (*JoinedRows, error) {
	joined := &JoinedRows{removes: true}
	joined.Child = rows
	for i := 0; i+1 < len(names); i += 2 {
		database, _ := names[i].(*expression.Literal)
		name, _ := names[i+1].(*expression.Literal)
		if database == nil || name == nil {
			return nil, sql.ErrUnsupportedFeature.New("a DELETE from what is no table")
		}
		named := database.Value().(string)
		if current := ctx.GetCurrentDatabase(); named == "" && findTable(rows, &target{database: current, name: name.Value().(string)}, false) != nil {
			named = current
		}
		if _, err := joined.target(rows, named, name.Value().(string), "DELETE"); err != nil {
			return nil, err
		}
	}
	return joined, nil
}

// target finds or adds the target of a name.
func (j *JoinedRows) target(rows sql.Node, database, name, verb string) (*target, error) {
	for _, t := range j.targets {
		if t.is(database, name) {
			return t, nil
		}
	}
	t, err := findTarget(rows, database, name, verb)
	if err == nil {
		j.targets = append(j.targets, t)
	}
	return t, err
}

// Applied is an UPDATE over a join as the engine executes it: the node below handles IGNORE, and a value reads other targets as they were before
// the statement.
func Applied(_ *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	update, ok := n.(*plan.Update)
	if !ok {
		return n, transform.SameTree, nil
	}
	switch child := update.Child.(type) {
	case *JoinedRows:
		source, ok := child.Child.(*plan.UpdateSource)
		if !ok {
			return n, transform.SameTree, nil
		}
		read, changed := readsBefore(source)
		if !changed && !update.Ignore {
			return n, transform.SameTree, nil
		}
		joined, applied := *child, *update
		joined.Child = read
		applied.Child, applied.Ignore = &joined, false
		return &applied, transform.NewTree, nil
	case *plan.UpdateSource:
		table, err := plan.GetUpdatable(child)
		if err != nil {
			return n, transform.SameTree, nil
		}
		applied := *update
		applied.Child = newChangedRows(child, table)
		return &applied, transform.NewTree, nil
	}
	return n, transform.SameTree, nil
}
