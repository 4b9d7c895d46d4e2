package server

import (
	"log/slog"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/server/loaddata"
)

// execution is asked for every node before the engine executes it: LOAD DATA
// is ours, then come the nodes of Extensions, and every node that executes
// itself is one of ours (table functions, estimates). The rows of all of them
// are read on a goroutine of the engine, hence mappedRows.
type execution struct {
	next     sql.NodeExecBuilder // may be nil
	accounts *mysql_db.MySQLDb
	logger   *slog.Logger
}

// Build implements sql.NodeExecBuilder; nil, nil declines.
func (e execution) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	rows, err := e.rows(ctx, n, row)
	if err != nil || rows == nil {
		return nil, mapTyped(err)
	}
	return mappedRows{rows, e.logger}, nil
}

func (e execution) rows(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if insert, load, ok := loaddata.Match(n); ok {
		return loaddata.Exec(ctx, insert, load)
	}
	if show, ok := n.(*plan.ShowDatabases); ok {
		return showDatabases(ctx, show, e.accounts), nil
	}
	if e.next != nil {
		if rows, err := e.next.Build(ctx, n, row); rows != nil || err != nil {
			return rows, err
		}
	}
	if own, ok := n.(sql.ExecSourceRel); ok {
		return own.RowIter(ctx, row)
	}
	return nil, nil
}
