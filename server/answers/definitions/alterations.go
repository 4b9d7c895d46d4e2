package definitions

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// AsChanged rebinds a clause of ALTER TABLE to the columns that the table has when the clause runs. The engine plans all
// clauses before it runs the first. It ignores that an earlier clause moved or renamed a column, and would write the values
// of one column into another. changed is false if the plan was right.
func AsChanged(ctx *sql.Context, n sql.Node) (current sql.Node, changed bool, err error) {
	var table sql.Node
	switch own := n.(type) {
	case *plan.AddColumn:
		table = own.Table
	case *plan.DropColumn:
		table = own.Table
	case *plan.ModifyColumn:
		table = own.Table
	case *plan.RenameColumn:
		table = own.Table
	default:
		return n, false, nil
	}
	target, planned := n.(sql.SchemaTarget), n.(sql.SchemaTarget).TargetSchema()
	resolved, ok := table.(*plan.ResolvedTable)
	if !ok {
		return n, false, nil
	}
	now, ok, err := n.(sql.Databaser).Database().GetTableInsensitive(ctx, resolved.Name())
	if err != nil || !ok {
		return n, false, err
	}
	columns := slices.Clone(now.Schema())
	changed = len(columns) != len(planned)
	for i, c := range columns {
		at := planned.IndexOfColName(c.Name)
		changed = changed || at != i || !planned[at].Type.Equals(c.Type) || planned[at].Nullable != c.Nullable
		if at >= 0 && planned[at].Type.Equals(c.Type) && planned[at].Nullable == c.Nullable {
			columns[i] = planned[at] // its default is bound
		}
	}
	if !changed {
		return n, false, nil
	}
	current, err = target.WithTargetSchema(columns)
	return current, true, err
}

// NewDefault executes ALTER c SET DEFAULT and ALTER c DROP DEFAULT. The engine changes the column that all sessions share before
// it asks the table, which may refuse. ok is false for other clauses, and for those that the engine refuses itself.
func NewDefault(ctx *sql.Context, n sql.Node) (rows sql.RowIter, ok bool, err error) {
	var table sql.Node
	var column string
	var value *sql.ColumnDefaultValue // nil for none
	switch own := n.(type) {
	case *plan.AlterDefaultSet:
		table, column, value = own.Table, own.ColumnName, own.Default
	case *plan.AlterDefaultDrop:
		table, column = own.Table, own.ColumnName
	default:
		return nil, false, nil
	}
	resolved, ok := table.(*plan.ResolvedTable)
	if !ok {
		return nil, false, nil
	}
	now, _, err := n.(sql.Databaser).Database().GetTableInsensitive(ctx, resolved.Name())
	alterable, ok := now.(sql.AlterableTable)
	if err != nil || !ok {
		return nil, false, err
	}
	at := alterable.Schema().IndexOfColName(column)
	if at < 0 {
		return nil, false, nil
	}
	changed := *alterable.Schema()[at]
	changed.Default = value
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), true, alterable.ModifyColumn(ctx, column, &changed, nil)
}
