package listing

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"github.com/anonsql/anonsql/catalog"
)

// viewType is MySQL's TABLE_TYPE for a view.
const viewType = "VIEW"

// Columns of information_schema.TABLES. For a view, those from engine to tableOptions are NULL, except the creation
// time.
const (
	tableSchema  = 1
	tableName    = 2
	tableType    = 3
	tableEngine  = 4
	tableCreated = 14
	tableOptions = 19
)

// Columns of SHOW TABLE STATUS: those from engine to options are NULL for a view.
const (
	statusName    = 0
	statusEngine  = 1
	statusOptions = 16
	statusComment = 17
)

// The engine misnames MySQL's column Comment.
func init() { plan.NewShowTableStatus(nil).Schema()[statusComment].Name = "Comment" }

// Tables marks views of releases among the rows of information_schema.TABLES.
func Tables(rows sql.RowIter, c sql.Catalog) sql.RowIter {
	return changed(rows, func(ctx *sql.Context, row sql.Row) {
		if row[tableSchema] != catalog.PublishedDatabaseName || releaseView(ctx, c, row[tableName]) == nil {
			return
		}
		row[tableType] = viewType
		for i := tableEngine; i <= tableOptions; i++ {
			if i != tableCreated {
				row[i] = nil
			}
		}
	})
}

// Views adds views of releases to the rows of information_schema.VIEWS. No SELECT defines them, so their definition
// is empty. MySQL shows an empty definition to accounts without the privilege to read it.
func Views(ctx *sql.Context, rows sql.RowIter, c sql.Catalog) (sql.RowIter, error) {
	listed, err := sql.RowIterToRows(ctx, rows)
	if err != nil {
		return nil, err
	}
	db, err := c.Database(ctx, catalog.PublishedDatabaseName)
	if sql.ErrDatabaseNotFound.Is(err) {
		return sql.RowsToRowIter(listed...), nil
	}
	if err != nil {
		return nil, err
	}
	names, err := db.GetTableNames(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if view := releaseView(ctx, c, name); view != nil {
			collation := view.Collation()
			listed = append(listed, sql.NewRow("def", catalog.PublishedDatabaseName, view.Name(), "", "NONE", "NO", "", "INVOKER",
				collation.CharacterSet().String(), collation.String()))
		}
	}
	return sql.RowsToRowIter(listed...), nil
}

// ListTables answers SHOW FULL TABLES and SHOW TABLE STATUS; ok is false for other nodes.
func ListTables(ctx *sql.Context, n sql.Node, row sql.Row) (rows sql.RowIter, ok bool, err error) {
	var change func(ctx *sql.Context, row sql.Row)
	switch show := n.(type) {
	case *plan.ShowTables:
		if !show.Full || show.Database().Name() != catalog.PublishedDatabaseName {
			return nil, false, nil
		}
		change = func(ctx *sql.Context, row sql.Row) {
			if viewIn(ctx, show.Database(), row[0]) != nil {
				row[1] = viewType
			}
		}
	case *plan.ShowTableStatus:
		change = func(ctx *sql.Context, row sql.Row) {
			table := tableIn(ctx, show.Database(), row[statusName])
			if _, view := table.(*catalog.PublishedView); !view {
				row[statusComment] = ""
				if commented, ok := table.(sql.CommentedTable); ok {
					row[statusComment] = commented.Comment()
				}
				return
			}
			for i := statusEngine; i <= statusOptions; i++ {
				row[i] = nil
			}
			row[statusComment] = viewType
		}
	default:
		return nil, false, nil
	}
	rows, err = rowexec.DefaultBuilder.Build(ctx, n, row)
	if err != nil {
		return nil, true, err
	}
	return changed(rows, change), true, nil
}

// releaseView returns the release's view with this name, nil if the session sees none.
func releaseView(ctx *sql.Context, c sql.Catalog, name any) *catalog.PublishedView {
	db, err := c.Database(ctx, catalog.PublishedDatabaseName)
	if err != nil {
		return nil
	}
	return viewIn(ctx, db, name)
}

func viewIn(ctx *sql.Context, db sql.Database, name any) *catalog.PublishedView {
	view, _ := tableIn(ctx, db, name).(*catalog.PublishedView)
	return view
}

// tableIn returns the table without what wraps it, nil if the session sees none.
func tableIn(ctx *sql.Context, db sql.Database, name any) sql.Table {
	text, ok := name.(string)
	if !ok {
		return nil
	}
	table, found, err := db.GetTableInsensitive(ctx, text)
	if err != nil || !found {
		return nil
	}
	return sql.GetUnderlyingTable(table)
}

// changed applies change to a copy of every row.
func changed(rows sql.RowIter, change func(*sql.Context, sql.Row)) sql.RowIter {
	return &changedRows{rows, change}
}

type changedRows struct {
	sql.RowIter
	change func(*sql.Context, sql.Row)
}

func (r *changedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	row = row.Copy()
	r.change(ctx, row)
	return row, nil
}
