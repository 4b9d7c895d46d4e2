package assignments

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/documents"
	"github.com/anonsql/anonsql/tree"
)

// Assigned makes INSERT ... VALUES and UPDATE parse texts that they store as JSON, and UPDATE convert its other values.
func Assigned(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	switch own := n.(type) {
	case *plan.InsertInto:
		return inserted(own)
	case *plan.Update:
		return transform.Node(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
			source, ok := n.(*plan.UpdateSource)
			if !ok {
				return n, transform.SameTree, nil
			}
			list, changed := assigned(source.UpdateExprs, source.Ignore)
			if !changed {
				return n, transform.SameTree, nil
			}
			return plan.NewUpdateSource(source.Child, source.Ignore, list), transform.NewTree, nil
		})
	}
	return n, transform.SameTree, nil
}

func inserted(insert *plan.InsertInto) (sql.Node, transform.TreeIdentity, error) {
	made := *insert
	list, changed := assigned(insert.OnDupExprs, insert.Ignore)
	made.OnDupExprs = list
	if values, ok := insert.Source.(*plan.Values); ok {
		if rows, read := readRows(values.ExpressionTuples, targets(insert)); read {
			made.Source, changed = plan.NewValues(rows), true
		}
	}
	if !changed {
		return insert, transform.SameTree, nil
	}
	return &made, transform.NewTree, nil
}

// targets are the columns of an INSERT in the order of its values.
func targets(insert *plan.InsertInto) sql.Schema {
	columns := insert.Destination.Schema()
	if len(insert.ColumnNames) == 0 {
		return columns
	}
	list := make(sql.Schema, len(insert.ColumnNames))
	for i, name := range insert.ColumnNames {
		if at := columns.IndexOfColName(name); at >= 0 {
			list[i] = columns[at]
		}
	}
	return list
}

func readRows(rows [][]sql.Expression, columns sql.Schema) (made [][]sql.Expression, changed bool) {
	made = make([][]sql.Expression, len(rows))
	for i, row := range rows {
		made[i] = append([]sql.Expression(nil), row...)
		for j, e := range row {
			if j < len(columns) && columns[j] != nil && isText(e, columns[j].Type) {
				made[i][j], changed = documents.Stored(e, columns[j].Source+"."+columns[j].Name), true
			}
		}
	}
	return made, changed
}

func assigned(list []sql.Expression, lenient bool) (made []sql.Expression, changed bool) {
	made = append([]sql.Expression(nil), list...)
	for i, e := range list {
		set, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		column, ok := set.LeftChild.(*expression.GetField)
		if !ok {
			continue
		}
		value := storedAs(set.RightChild, &sql.Column{Name: column.Name(), Type: column.Type()}, lenient)
		if isText(set.RightChild, column.Type()) {
			value = documents.Stored(set.RightChild, column.Table()+"."+column.Name())
		}
		if d := defaultOf(set.RightChild); d != nil && !d.IsLiteral() {
			value = tree.NewOpaque(d)
		}
		if value != set.RightChild {
			made[i], changed = expression.NewSetField(column, value), true
		}
	}
	return made, changed
}

// isText recognises a text for a column of JSON, which is no default.
func isText(e sql.Expression, column sql.Type) bool {
	switch e.(type) {
	case *sql.ColumnDefaultValue, *expression.DefaultColumn, *expression.Wrapper:
		return false
	}
	return types.IsJSON(column) && e.Resolved() && types.IsTextOnly(e.Type())
}
