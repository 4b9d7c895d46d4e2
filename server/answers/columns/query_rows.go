package columns

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/comparison"
	"github.com/anonsql/anonsql/tree"
)

// decide decides a comparison; it compares a row subquery like a written row, column by column.
func decide(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	written, err := writeOutRows(e)
	if err != nil {
		return nil, transform.SameTree, err
	}
	if written == nil {
		return comparison.Decide(ctx, e)
	}
	made, _, err := comparison.Decide(ctx, written)
	return made, transform.NewTree, err
}

// writeOutRows rewrites a comparison of row subqueries column by column, nil for others.
func writeOutRows(e sql.Expression) (sql.Expression, error) {
	switch own := e.(type) {
	case *expression.InTuple:
		if types.NumColumns(own.Left().Type()) < 2 {
			return nil, nil
		}
	case *expression.Equals, *expression.NullSafeEquals,
		*expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual:
		if n := types.NumColumns(e.Children()[0].Type()); n < 2 || n != types.NumColumns(e.Children()[1].Type()) {
			return nil, nil // no row, or the engine's error
		}
	default:
		return nil, nil
	}
	left, right := e.Children()[0], e.Children()[1]
	a, changed := writeOutRow(left)
	b, also := writeOutRow(right)
	if !changed && !also {
		return nil, nil
	}
	return e.WithChildren(a, b)
}

// writeOutRow replaces a row subquery by one query per column, also within nested rows.
func writeOutRow(e sql.Expression) (written sql.Expression, changed bool) {
	switch own := e.(type) {
	case expression.Tuple:
		row := make(expression.Tuple, len(own))
		for i := range own {
			var also bool
			row[i], also = writeOutRow(own[i])
			changed = changed || also
		}
		return row, changed
	case *plan.Subquery:
		width := len(own.Query.Schema())
		if width < 2 {
			return e, false
		}
		row := make(expression.Tuple, width)
		for i := range row {
			query, ok := columnOf(own.Query, i)
			if !ok {
				return e, false
			}
			// Opaque, since a join would confuse the queries of two columns, which read tables with the same ids.
			row[i] = tree.NewOpaque(own.WithQuery(query))
		}
		return row, true
	}
	return e, false
}

// columnOf is a query with one of its columns; ok is false where the binder has given these no numbers.
func columnOf(query sql.Node, i int) (column sql.Node, ok bool) {
	if project, ok := query.(*plan.Project); ok {
		return plan.NewProject(project.Projections[i:i+1], project.Child), true
	}
	schema, ids := query.Schema(), tree.OutputIDs(query)
	if len(ids) != len(schema) {
		return nil, false
	}
	c := schema[i]
	field := expression.NewGetFieldWithTable(int(ids[i]), 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable)
	return plan.NewProject([]sql.Expression{field}, query), true
}
