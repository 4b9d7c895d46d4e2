package server

import (
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// Ids outside the range of the engine's own rules.
const (
	serverRuleID   analyzer.RuleId = 10001
	manyRowsRuleID analyzer.RuleId = 10002
)

// The engine runs short statements (INSERT ... VALUES, UPDATE and DELETE of one table)
// without the rules of its builder; only the process-wide list
// analyzer.AlwaysBeforeDefault reaches those (process.go). It has one rule for all
// servers, which finds its server through the calling analyzer.

// serverRules applies the guard, the rules of Extensions, and the rewrites of bound
// plans (package answers). For most statements it runs twice,
// before and after the engine's first rules.
func serverRules(
	ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags,
) (sql.Node, transform.TreeIdentity, error) {
	provider, ok := a.Catalog.DbProvider.(*Provider)
	if !ok {
		return n, transform.SameTree, nil
	}
	if err := running.Ended(ctx); err != nil { // of a subquery too
		return n, transform.SameTree, err
	}
	if err := accounts.Guard(ctx, a.Catalog.MySQLDb, n); err != nil {
		return n, transform.SameTree, err
	}
	if n.IsReadOnly() || flags.DmlIsSet() { // the text of a view is CREATE VIEW, after which the engine would commit
		flags.Unset(sql.QFlagDDL)
	}
	same := transform.SameTree
	for _, rule := range provider.rules {
		changed, unchanged, err := mappedRule(rule)(ctx, a, n, scope, sel, flags)
		if err != nil {
			return n, transform.SameTree, err
		}
		n, same = changed, same && unchanged
	}
	n, unchanged, err := answers.Bound(ctx, a, n)
	return n, same && unchanged, err
}

// manyRows clears the flag for at most one row, with which the engine sends the result
// without a second goroutine. A branch of a UNION and the plan below an EXPLAIN set the
// flag for the whole statement, whose second row would then be an error. The plan is
// complete here, so the rule also records what it reads.
func manyRows(
	ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags,
) (sql.Node, transform.TreeIdentity, error) {
	if err := running.Ended(ctx); err != nil {
		return n, transform.SameTree, err
	}
	flags.Unset(sql.QFlagMax1Row)
	noteReads(ctx, n)
	return n, transform.SameTree, nil
}

// The engine's handler turns an error into text before the wrapper of handler.go sees
// it, so the types of our own errors must be mapped earlier: when a table function
// binds, when a rule runs, when a procedure or a node of ours yields rows.

// mappedTableFunction maps the errors of binding.
type mappedTableFunction struct{ sql.TableFunction }

func (f mappedTableFunction) NewInstance(ctx *sql.Context, db sql.Database, arguments []sql.Expression) (sql.Node, error) {
	node, err := f.TableFunction.NewInstance(ctx, db, arguments)
	return node, sqlerror.Typed(err)
}

// mappedRule maps the errors of a rule.
func mappedRule(rule analyzer.RuleFunc) analyzer.RuleFunc {
	return func(
		ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags,
	) (sql.Node, transform.TreeIdentity, error) {
		changed, same, err := rule(ctx, a, n, scope, sel, flags)
		return changed, same, sqlerror.Typed(err)
	}
}

// mapProcedureErrors wraps f, a func(*sql.Context, ...) (sql.RowIter, error): it maps
// its errors and those of its rows, and notes every call for the audit.
func mapProcedureErrors(name string, f any, logger *slog.Logger) any {
	original := reflect.ValueOf(f)
	t := original.Type()
	if t.Kind() != reflect.Func || t.NumOut() != 2 {
		return f // the engine refuses it by name
	}
	return reflect.MakeFunc(t, func(arguments []reflect.Value) []reflect.Value {
		noteCall(name, arguments)
		var results []reflect.Value
		if t.IsVariadic() {
			results = original.CallSlice(arguments)
		} else {
			results = original.Call(arguments)
		}
		if err, ok := results[1].Interface().(error); ok && err != nil {
			mapped := sqlerror.Typed(err)
			results[1] = reflect.ValueOf(&mapped).Elem()
		}
		if rows, ok := results[0].Interface().(sql.RowIter); ok && rows != nil {
			var mapped sql.RowIter = mappedRows{rows, logger}
			results[0] = reflect.ValueOf(&mapped).Elem()
		}
		return results
	}).Interface()
}

// mappedRows maps the errors of rows, and turns a panic into an error; the engine would
// do so too, but lose the stack.
type mappedRows struct {
	sql.RowIter
	logger *slog.Logger
}

func (r mappedRows) Next(ctx *sql.Context) (row sql.Row, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			row, err = nil, panicked(r.logger, ctx.Session.ID(), ctx.Query(), cause)
		}
	}()
	row, err = r.RowIter.Next(ctx)
	return row, sqlerror.Typed(err)
}

func (r mappedRows) Close(ctx *sql.Context) error { return sqlerror.Typed(r.RowIter.Close(ctx)) }

// panicked logs a panic and returns the client's error. The recovering function must
// call it.
func panicked(logger *slog.Logger, connection uint32, statement string, cause any) error {
	if err, ok := cause.(error); ok { // the engine panics with some errors for clients
		if known := sqlerror.Numbered(err); sqlerror.Number(known) != sqlerror.Unknown {
			return known
		}
	}
	logger.Error("statement panicked", "connection", connection, "panic", fmt.Sprint(cause),
		"statement", loggable(statement), "stack", string(debug.Stack()))
	return sqlerror.New(sqlerror.Unknown, fmt.Sprintf("internal error: %v; the statement was given up, the server's log has the details", cause))
}
