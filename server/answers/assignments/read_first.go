package assignments

import (
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/tree"
)

// ReadFirst makes a statement that also reads the table it writes read everything before it writes the first row, as MySQL does with a
// temporary table. Otherwise the second branch of a UNION, the inner side of a join or a subquery would see rows that have been
// written. ok is false for other statements, and for one that reads first already.
func ReadFirst(n sql.Node) (first sql.Node, ok bool, err error) {
	switch n := n.(type) {
	case *plan.InsertInto:
		if readings(n.Source, n.Destination) == 0 {
			return n, false, nil
		}
		source, err := belowTriggers(n.Source)
		return n.WithSource(source), true, err
	case *plan.Update:
		if readings(n.Child, n.Child) < 2 {
			return n, false, nil
		}
	case *plan.DeleteFrom:
		if n.HasExplicitTargets() || readings(n.Child, n.Child) < 2 { // the targets of a join are read first anyway
			return n, false, nil
		}
	default:
		return n, false, nil
	}
	below, err := belowTriggers(n.Children()[0])
	if err != nil {
		return n, false, err
	}
	first, err = n.WithChildren(below)
	return first, true, err
}

// belowTriggers puts a readFirst below triggers and ON DUPLICATE KEY UPDATE, which see rows one by one, and below the writer of a join, whose
// iterator the engine must see.
func belowTriggers(n sql.Node) (sql.Node, error) {
	switch n := n.(type) {
	case *plan.UpdateJoin, *plan.UpdateSource, *SelectedRows:
		below, err := belowTriggers(n.Children()[0])
		if err != nil {
			return nil, err
		}
		return n.WithChildren(below)
	}
	trigger, ok := n.(*plan.TriggerExecutor)
	if !ok {
		return &readFirst{plan.UnaryNode{Child: n}}, nil
	}
	below, err := belowTriggers(trigger.Left())
	if err != nil {
		return nil, err
	}
	return trigger.WithChildren(below, trigger.Right())
}

// readings is how often a node reads the first table of another, 0 if it reads first already.
func readings(n, written sql.Node) (times int) {
	var target *plan.ResolvedTable
	tree.Inspect(written, func(below sql.Node) bool {
		if table, ok := below.(*plan.ResolvedTable); ok && target == nil {
			target = table
		}
		return target == nil
	})
	if target == nil || target.SqlDatabase == nil {
		return 0
	}
	isTarget := func(read *plan.ResolvedTable) bool {
		return read.SqlDatabase != nil && strings.EqualFold(read.SqlDatabase.Name(), target.SqlDatabase.Name()) && strings.EqualFold(read.Name(), target.Name())
	}
	first := false
	tree.Inspect(n, func(below sql.Node) bool {
		switch below := below.(type) {
		case *readFirst:
			first = true
		case *plan.ResolvedTable:
			if isTarget(below) {
				times++
			}
		}
		return !first
	})
	if first {
		return 0
	}
	return times
}

// A readFirst reads all rows of a node before it returns the first.
type readFirst struct{ plan.UnaryNode }

var _ Node = (*readFirst)(nil)

func (r *readFirst) String() string { return r.Child.String() }

func (r *readFirst) IsReadOnly() bool { return r.Child.IsReadOnly() }

func (r *readFirst) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(r, len(children), 1)
	}
	return &readFirst{plan.UnaryNode{Child: children[0]}}, nil
}

// Rows executes the node.
func (r *readFirst) Rows(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	rows, err := below.Build(ctx, r.Child, row)
	if err != nil {
		return nil, err
	}
	return tree.Collect(func(ctx *sql.Context) (all []sql.Row, err error) {
		for {
			row, err := rows.Next(ctx)
			if err == io.EOF {
				return all, nil
			}
			if err != nil {
				return nil, err
			}
			all = append(all, row)
		}
	}, rows), nil
}
