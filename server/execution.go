package server

import (
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/answers/assignments"
	"github.com/anonsql/anonsql/server/dialect"
	"github.com/anonsql/anonsql/server/listing"
	"github.com/anonsql/anonsql/server/loaddata"
	"github.com/anonsql/anonsql/server/routines"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
)

// execution may execute a node instead of the engine. It executes LOAD DATA and lists
// (server/loaddata, server/listing); makes errors of INSERT name the column; makes
// statements about accounts atomic (server/accounts); takes the writer's turn before the
// engine locks its list of databases; runs routines step by step (server/routines); and
// executes the nodes of Extensions, and our own nodes (table functions, estimates). A
// goroutine of the engine reads the rows of a statement, hence mappedRows.
type execution struct {
	next     sql.NodeExecBuilder // may be nil
	accounts *accounts.Book
	others   func(ctx *sql.Context) []string // databases whose tables are elsewhere
	front    *front                          // nil in a server
	logger   *slog.Logger
	metrics  *metrics
	audit    *audit.Log
	// globals counts the SETs of global variables.
	globals *atomic.Uint64
	// insertsItself leaves INSERT to the engine: insert sets it.
	insertsItself bool
	// accountsItself is the same for account.
	accountsItself bool
	// databasesItself is the same for database.
	databasesItself bool
	// The server's, for SHOW STATUS.
	connections *wire.Connections
	started     time.Time
}

// Build implements sql.NodeExecBuilder; nil, nil declines.
func (e execution) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if st := running.StatementOf(ctx); st != nil && st.Executes.CompareAndSwap(false, true) {
		explained, explains := n.(*plan.DescribeQuery)
		if explains {
			if err := planner.DescribePaths(ctx, explained); err != nil {
				return nil, sqlerror.Typed(err)
			}
		}
		if st.Kind != "show" && !explains {
			planner.NoteRows(ctx, n)
		}
		if widths := wire.Widths(n); widths != nil {
			st.Widths.Store(&widths)
		}
		rows, err := rowexec.NewOverrideBuilder(e).Build(ctx, n, row)
		if err != nil {
			return nil, sqlerror.Numbered(err)
		}
		if _, ok := n.(*plan.Truncate); ok {
			if rows, err = truncated(ctx, rows, st); err != nil {
				return nil, sqlerror.Numbered(err)
			}
		}
		if explains && (st.InJSON.Load() || strings.Contains(st.Text, dialect.JSONMark)) {
			st.InJSON.Store(true)
			if rows, err = listing.AsJSON(ctx, rows); err != nil {
				return nil, sqlerror.Numbered(err)
			}
		}
		return outermostRows{mappedRows{rows, e.logger}}, nil
	}
	// The engine rebuilds a side of a join for every row of the other side, and does not check the context while it joins.
	if err := running.Ended(ctx); err != nil {
		return nil, err
	}
	if rows, ok, err := answers.Build(ctx, n, row, rowexec.NewOverrideBuilder(e)); ok {
		return rows, sqlerror.Typed(err)
	}
	if first, ok, err := assignments.ReadFirst(n); ok || err != nil {
		if err != nil {
			return nil, sqlerror.Typed(err)
		}
		return rowexec.NewOverrideBuilder(e).Build(ctx, first, row)
	}
	if insert, ok := n.(*plan.InsertInto); ok && !e.insertsItself {
		if _, _, load := loaddata.Match(n); !load {
			return e.insert(ctx, insert, row)
		}
	}
	if call, calls := n.(*plan.ExternalProcedure); calls && call.Name != "explain_sql" || accounts.IsStatement(n) && !e.accountsItself {
		if err := e.ready(ctx); err != nil {
			return nil, sqlerror.Typed(err)
		}
	}
	if accounts.IsStatement(n) && e.front != nil {
		if running.StatementOf(ctx).Kind == "execute" {
			return nil, sqlerror.New(sqlerror.NotSupported, "EXECUTE of a statement about accounts is not supported: send the statement itself")
		}
		return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), sqlerror.Typed(e.front.account(ctx, running.StatementOf(ctx).Text))
	}
	if accounts.IsStatement(n) && !e.accountsItself {
		st := running.StatementOf(ctx)
		st.ChangesAccounts(e.accounts.NamedIn)
		below := e
		below.accountsItself = true
		return e.accounts.Run(ctx, n, row, rowexec.NewOverrideBuilder(below))
	}
	if set, ok := n.(*plan.Set); ok && accounts.SetsGlobal(set) {
		defer e.globals.Add(1)
	}
	rows, ok, err := routines.Call(ctx, n, func() (sql.RowIter, error) { return rowexec.NewOverrideBuilder(e).Build(ctx, n, row) })
	if ok {
		return rows, sqlerror.Typed(err)
	}
	switch n.(type) {
	case *plan.CreateDB, *plan.DropDB, *plan.CreateSchema:
		if !e.databasesItself {
			return e.database(ctx, n, row)
		}
	}
	rows, err = e.rows(ctx, n, row)
	if err != nil || rows == nil {
		return nil, sqlerror.Typed(err)
	}
	return mappedRows{rows, e.logger}, nil
}

// truncated returns the result of TRUNCATE, which counts no rows, or of DELETE without WHERE, which the engine
// turns into a TRUNCATE and whose ROW_COUNT it would lose.
func truncated(ctx *sql.Context, rows sql.RowIter, st *running.Statement) (sql.RowIter, error) {
	if strings.EqualFold(firstWordOf(st.Text), "truncate") {
		return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), nil
	}
	all, err := sql.RowIterToRows(ctx, rows)
	if err != nil {
		return nil, err
	}
	if len(all) == 1 && types.IsOkResult(all[0]) {
		st.Deleted.Store(int64(types.GetOkResult(all[0]).RowsAffected))
	}
	return sql.RowsToRowIter(all...), nil
}

// outermostRows are the rows of a whole statement, whose errors go straight to the
// client. The engine recognises the iterators of some statements by their type, so it
// must be able to unwrap them (sql.MutableRowIter).
type outermostRows struct{ mappedRows }

func (r outermostRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.mappedRows.Next(ctx)
	return row, sqlerror.Numbered(err)
}

func (r outermostRows) Close(ctx *sql.Context) error {
	return sqlerror.Numbered(r.mappedRows.Close(ctx))
}

var _ sql.MutableRowIter = outermostRows{}

// GetChildIter implements sql.MutableRowIter.
func (r outermostRows) GetChildIter() sql.RowIter { return r.RowIter }

// WithChildIter implements sql.MutableRowIter.
func (r outermostRows) WithChildIter(child sql.RowIter) sql.RowIter {
	return outermostRows{mappedRows{child, r.logger}}
}

func (e execution) rows(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if err := accounts.GuardText(ctx, n); err != nil {
		return nil, err
	}
	if insert, load, ok := loaddata.Match(n); ok {
		return loaddata.Exec(ctx, insert, load)
	}
	switch show := n.(type) {
	case plan.ShowWarnings:
		return sql.RowsToRowIter(wire.Diagnostics(running.StatementOf(ctx).Text, show)...), nil
	case *plan.ShowDatabases:
		return listing.ShowDatabases(ctx, show, e.accounts.Engine, e.others(ctx)), nil
	case *plan.ShowProcessList:
		return listing.ShowProcesses(ctx), nil
	case *plan.Kill:
		if e.front != nil {
			return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), e.front.kill(show)
		}
	case *plan.ShowStatus:
		return e.showStatus(ctx, show, row)
	case *plan.ShowColumns:
		return listing.ShowColumns(ctx, show, row, e.accounts.Engine)
	}
	if rows, ok, err := listing.ListTables(ctx, n, row); ok {
		return rows, err
	}
	if e.next != nil {
		if rows, err := e.next.Build(ctx, n, row); rows != nil || err != nil {
			return rows, err
		}
	}
	if estimate, ok := n.(*planner.Estimate); ok {
		if err := e.ready(ctx); err != nil {
			return nil, err
		}
		running.StatementOf(ctx).NoteAct(running.Act{Kind: estimateKind, Release: estimate.Release()})
		defer running.StatementOf(ctx).Estimated(time.Now())
		return estimate.RowIter(ctx, row)
	}
	if query, ok := n.(*planner.PerTable); ok {
		if err := e.ready(ctx); err != nil {
			return nil, err
		}
		for _, release := range query.Releases() {
			running.StatementOf(ctx).NoteAct(running.Act{Kind: estimateKind, Release: release})
		}
		rows, err := query.RowIter(ctx, row)
		return perTableRows{rows, time.Now()}, err
	}
	if _, ok := n.(*plan.Values); ok {
		return nil, nil // the engine's own way knows how long the row is that subqueries in it expect
	}
	if own, ok := n.(sql.ExecSourceRel); ok {
		return own.RowIter(ctx, row)
	}
	return nil, nil
}

// ready returns an error if a statement could not be audited. In a worker the front decides.
func (e execution) ready(ctx *sql.Context) error {
	if unready, ok := ctx.Value(unreadyKey{}).(error); ok {
		return unready
	}
	return e.audit.Ready(ctx)
}

// perTableRows are the rows of an estimate that runs while they are read.
type perTableRows struct {
	sql.RowIter
	since time.Time
}

func (r perTableRows) Close(ctx *sql.Context) error {
	running.StatementOf(ctx).Estimated(r.since)
	return r.RowIter.Close(ctx)
}

// insert runs INSERT and REPLACE as the engine does, and adds the column to their
// errors, which name only the value that does not fit.
func (e execution) insert(ctx *sql.Context, n *plan.InsertInto, row sql.Row) (sql.RowIter, error) {
	below := e
	below.insertsItself = true
	rows, err := rowexec.NewOverrideBuilder(below).Build(ctx, n, row)
	if err != nil {
		return nil, sqlerror.Typed(err)
	}
	return answers.InsertErrors(rows, n.Destination.Schema()), nil
}

// database runs the statements for which the engine locks its list of databases, which every statement needs,
// even SELECT 1. It takes the writer's turn before the engine takes that lock, since another session may hold the
// turn as long as its transaction is open.
func (e execution) database(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	done, err := raw.TakeWriter(ctx, false)
	if err != nil {
		return nil, sqlerror.Typed(err)
	}
	below := e
	below.databasesItself = true
	tables := droppedTables(ctx, n)
	rows, err := rowexec.NewOverrideBuilder(below).Build(ctx, n, row)
	if done(err); err != nil {
		return nil, sqlerror.Typed(err)
	}
	if tables >= 0 {
		return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(tables))), nil
	}
	return rows, nil
}

// droppedTables returns how many tables DROP DATABASE drops, its row count in MySQL; -1 for other statements.
func droppedTables(ctx *sql.Context, n sql.Node) int {
	drop, ok := n.(*plan.DropDB)
	if !ok {
		return -1
	}
	if database, err := drop.Catalog.Database(ctx, drop.DbName); err == nil {
		if names, err := database.GetTableNames(ctx); err == nil {
			return len(names)
		}
	}
	return -1
}
