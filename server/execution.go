package server

import (
	"log/slog"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/loaddata"
)

// execution is asked for every node before the engine executes it: LOAD DATA
// and three SHOWs are ours, INSERT gets errors that name the column (insert.go),
// statements about accounts are whole or not at all (account_statements.go),
// those about databases wait before the engine locks (databases.go),
// what is kept of rows is counted (held.go), then come the nodes of Extensions, and every node that executes
// itself is one of ours (table functions, estimates). The rows of a statement are
// read on a goroutine of the engine, hence mappedRows.
type execution struct {
	next     sql.NodeExecBuilder // may be nil
	accounts *accountBook
	logger   *slog.Logger
	metrics  *metrics
	audit    *audit.Log
	// insertsItself leaves INSERT to the engine: insert asks for it.
	insertsItself bool
	// accountsItself likewise, for account.
	accountsItself bool
	// databasesItself likewise, for database.
	databasesItself bool
	// keeper is the node that is being built by counted, nil for none.
	keeper *keeper
	// reads is the table that is being opened by paced, nil for none.
	reads sql.Node
}

// Build implements sql.NodeExecBuilder; nil, nil declines.
func (e execution) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if st := statementOf(ctx); st != nil && st.executes.CompareAndSwap(false, true) {
		n, err := corrected(n)
		if err != nil {
			return nil, mapTyped(err)
		}
		if explained, ok := n.(*plan.DescribeQuery); ok {
			if err := planner.DescribePaths(ctx, explained); err != nil {
				return nil, mapTyped(err)
			}
		}
		rows, err := rowexec.NewOverrideBuilder(e).Build(ctx, n, row)
		if err != nil {
			return nil, mapTyped(err)
		}
		return outermostRows{mappedRows{rows, e.logger}, st}, nil
	}
	if rows, ok, err := e.counted(ctx, n, row); ok {
		return rows, mapTyped(err)
	}
	if rows, ok, err := e.paced(ctx, n, row); ok {
		return rows, mapTyped(err)
	}
	if rows, ok, err := e.withoutDuplicates(ctx, n, row); ok {
		return rows, mapTyped(err)
	}
	if insert, ok := n.(*plan.InsertInto); ok && !e.insertsItself {
		if _, _, load := loaddata.Match(n); !load {
			return e.insert(ctx, insert, row)
		}
	}
	if isAccountStatement(n) && !e.accountsItself {
		statementOf(ctx).changesAccounts(e.accounts)
		return e.account(ctx, n, row)
	}
	if isDatabaseStatement(n) && !e.databasesItself {
		return e.database(ctx, n, row)
	}
	rows, err := e.rows(ctx, n, row)
	if err != nil || rows == nil {
		return nil, mapTyped(err)
	}
	return mappedRows{rows, e.logger}, nil
}

// outermostRows are those of a statement as a whole. The engine looks for the
// iterators of some statements by their type, so it must be able to take what is
// within out (sql.MutableRowIter).
type outermostRows struct {
	mappedRows
	statement *statement
}

// Next implements sql.RowIter. What is on its way to the client is counted.
func (r outermostRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.mappedRows.Next(ctx)
	if err == nil && r.statement.held != nil {
		err = mapTyped(r.statement.spool.send(r.statement, row))
	}
	return row, err
}

var _ sql.MutableRowIter = outermostRows{}

// GetChildIter implements sql.MutableRowIter.
func (r outermostRows) GetChildIter() sql.RowIter { return r.RowIter }

// WithChildIter implements sql.MutableRowIter.
func (r outermostRows) WithChildIter(child sql.RowIter) sql.RowIter {
	return outermostRows{mappedRows{child, r.logger}, r.statement}
}

func (e execution) rows(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if insert, load, ok := loaddata.Match(n); ok {
		return loaddata.Exec(ctx, insert, load)
	}
	switch show := n.(type) {
	case *plan.ShowDatabases:
		return showDatabases(ctx, show, e.accounts.engine), nil
	case *plan.ShowProcessList:
		return showProcesses(ctx), nil
	case *plan.ShowColumns:
		return e.showColumns(ctx, show, row)
	}
	if e.next != nil {
		if rows, err := e.next.Build(ctx, n, row); rows != nil || err != nil {
			return rows, err
		}
	}
	if estimate, ok := n.(*planner.Estimate); ok {
		if err := e.audit.Ready(ctx); err != nil {
			return nil, err
		}
		statementOf(ctx).does(act{kind: estimateKind, release: estimate.Release()})
		defer e.metrics.estimated(time.Now())
		return estimate.RowIter(ctx, row)
	}
	if own, ok := n.(sql.ExecSourceRel); ok {
		return own.RowIter(ctx, row)
	}
	return nil, nil
}
