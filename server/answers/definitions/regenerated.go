package definitions

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/server/answers/assignments"
	"github.com/anonsql/anonsql/server/answers/scope"
)

// Regenerated makes ALTER TABLE recompute generated columns after its last clause that may change them: one that changes a column's type,
// or adds or changes a generated column.
func Regenerated(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	clauses := []sql.Node{n}
	if block, ok := n.(*plan.Block); ok {
		clauses = slices.Clone(block.Children())
	}
	again, behind := &regenerate{}, 0
	for at, clause := range clauses {
		switch clause := clause.(type) {
		case *regenerate:
			return n, transform.SameTree, nil
		case *plan.AddColumn:
			table, ok := clause.Table.(*plan.ResolvedTable)
			if !ok {
				continue
			}
			other := assignments.ComputesOther(clause.Column().Default)
			if other {
				again.added = append(again.added, clause.Column().Name)
			}
			if clause.Column().Generated != nil || other {
				again.table, behind = table, at+1
			}
		case *plan.ModifyColumn:
			table, ok := clause.Table.(*plan.ResolvedTable)
			if !ok {
				continue
			}
			before, after := table.Schema().IndexOfColName(clause.Column()), clause.NewColumn()
			if before < 0 || after.Generated != nil || !table.Schema()[before].Type.Equals(after.Type) {
				again.table, behind = table, at+1
			}
		}
	}
	if behind == 0 {
		return n, transform.SameTree, nil
	}
	return plan.NewBlock(slices.Insert(clauses, behind, sql.Node(again))), transform.NewTree, nil
}

// A regenerate is the UPDATE that computes a table's generated columns, if any, and added columns whose defaults the engine computes
// wrongly. It assigns columns with ON UPDATE CURRENT_TIMESTAMP to themselves, so that they keep their values.
type regenerate struct {
	table *plan.ResolvedTable
	added []string
}

var _ assignments.Node = (*regenerate)(nil)

func (r *regenerate) Children() []sql.Node { return nil }

func (r *regenerate) WithChildren(...sql.Node) (sql.Node, error) { return r, nil }

func (r *regenerate) Resolved() bool { return true }

func (r *regenerate) IsReadOnly() bool { return false }

func (r *regenerate) Schema() sql.Schema { return types.OkResultSchema }

func (r *regenerate) String() string { return "generated columns of " + r.table.Name() }

// Rows executes the node.
func (r *regenerate) Rows(ctx *sql.Context, _ sql.NodeExecBuilder, _ sql.Row) (sql.RowIter, error) {
	table, ok, err := r.table.Database().GetTableInsensitive(ctx, r.table.Name())
	if err != nil || !ok {
		return nil, err
	}
	computes := len(r.added) > 0
	var assigned []string
	for _, c := range table.Schema() {
		computes = computes || c.Generated != nil
		switch {
		case slices.Contains(r.added, c.Name):
			assigned = append(assigned, quoting.Name(c.Name)+" = DEFAULT")
		case c.Generated == nil && (assigned == nil || c.OnUpdate != nil):
			assigned = append(assigned, quoting.Name(c.Name)+" = "+quoting.Name(c.Name))
		}
	}
	if computes && assigned != nil {
		err = execute(ctx, "UPDATE "+quoting.Name(r.table.Database().Name(), r.table.Name())+" SET "+strings.Join(assigned, ", "))
	}
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), err
}

// execute runs an internal statement within the current one, without checking the account's privileges.
func execute(ctx *sql.Context, query string) error {
	engine := scope.Engine(ctx)
	if engine == nil {
		return errors.New("the statement's engine is not known")
	}
	parsed, err := engine.Parser.ParseSimple(query)
	if err != nil {
		return err
	}
	binder := planbuilder.New(ctx, engine.Catalog, nil, engine.Parser)
	binder.DisableAuth()
	bound, flags, err := binder.BindOnly(parsed, query, nil)
	if err != nil {
		return err
	}
	analyzed, err := engine.Analyze(ctx, bound, nil, flags)
	if err != nil {
		return err
	}
	rows, err := engine.ExecBuilder.Build(ctx, analyzed, nil)
	if err != nil {
		return err
	}
	for err == nil {
		_, err = rows.Next(ctx)
	}
	if closed := rows.Close(ctx); err == io.EOF {
		err = closed
	}
	return err
}
