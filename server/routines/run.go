package routines

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// A Run is one CALL of a stored procedure. It stands between the interpreter and the engine's runner of statements.
// It puts a [look] before each step of the procedure: an IF, because the interpreter evaluates its condition and
// keeps nothing of it. Instead of the procedure's statements, the interpreter sees stand-in SELECTs: it finds
// variables only in some places of a tree, and takes t.id for the variable id.
type Run struct {
	sql.StatementRunner // runs statements

	// names are the variables. shown is what every step selects: TRUE, and then the variables, which the interpreter fills in.
	names []string
	shown sqlparser.SelectExprs
	looks map[sqlparser.Statement]*look // by their conditions
	seen  *look                         // the last step that the interpreter took
	leave exits
	// signals are the procedure's SIGNAL statements.
	signals []signal
	// types are the types of variables and parameters; nil if a name has several. values are the values of the variables in scope.
	types  map[string]sql.Type
	values map[string]sqlparser.Expr
	texts  map[string]*sqlparser.SQLVal // the texts that values are made of
	// statements maps each stand-in to the procedure's statement.
	statements map[sqlparser.Statement]*statement
	// finds is true if the procedure has a handler for NOT FOUND.
	finds bool

	open   map[*rows]bool
	last   sql.Row // the result of the last statement without rows
	result *result // the rows of the last statement with rows
}

// A statement is one statement of a procedure.
type statement struct {
	tree sqlparser.Statement
	into *sqlparser.Into // the INTO of the next execution; the interpreter removes it from the tree
	// variables are the variables that SELECT ... INTO, SET or FETCH fills, in lower case.
	variables []string
	shows     bool // the client gets its rows
	leaves    bool // it converts an OUT parameter to the parameter's type
	fetched   bool // FETCH reads its rows; if variables is nil, their values become texts
	// If the statement unless has failed, instead runs, not tree.
	unless  *statement
	instead sqlparser.Statement
	failed  bool
}

// A result is what a CALL returns.
type result struct {
	schema sql.Schema
	rows   []sql.Row
}

// An ended is the value that Run panics with when the statement has ended. A handler could catch an error and go on.
type ended struct{ err error }

// Call runs the stored procedure of n. It executes n with call, the engine's way to build n. ok is false if n is not
// a CALL of a stored procedure, or if Call runs it already.
func Call(ctx *sql.Context, n sql.Node, call func() (sql.RowIter, error)) (_ sql.RowIter, ok bool, err error) {
	c, ok := n.(*plan.Call)
	if !ok || c.Procedure == nil || c.Procedure.ExternalProc != nil || c.Runner == nil {
		return nil, false, nil
	}
	if _, own := c.Runner.(*Run); own {
		return nil, false, nil
	}
	// The engine asks this very node for the schema of the result, so we change it and do not copy it.
	runner, procedure := c.Runner, c.Procedure
	defer func() { c.Runner, c.Procedure = runner, procedure }()
	r := newRun(runner, procedure)
	stepwise := *procedure
	stepwise.Ops, stepwise.Params = r.steps(ctx, procedure), slices.Clone(procedure.Params)
	for i := range stepwise.Params {
		stepwise.Params[i].Type = kept
	}
	c.Runner, c.Procedure = r, &stepwise
	defer r.close(ctx)
	defer keepMode(ctx)()
	if db := c.Database(); db != nil { // as in MySQL, names without a database are in the procedure's database
		defer ctx.SetCurrentDatabase(ctx.GetCurrentDatabase())
		ctx.SetCurrentDatabase(db.Name())
	}
	if session, ok := ctx.Session.(parameters); ok {
		defer session.ForgetParameters()
		for _, p := range procedure.Params {
			if held := session.GetStoredProcParam(p.Name); held != nil {
				held.Type = kept
			}
		}
	}
	rows, err := r.call(call)
	switch {
	case err != nil:
		return nil, true, err
	case r.result != nil:
		c.SetSchema(r.result.schema)
		return sql.RowsToRowIter(r.result.rows...), true, rows.Close(ctx)
	case r.last != nil && types.IsOkResultSchema(c.Schema()):
		return sql.RowsToRowIter(r.last), true, rows.Close(ctx)
	}
	return rows, true, nil
}

func newRun(runner sql.StatementRunner, procedure *plan.Procedure) *Run {
	r := &Run{StatementRunner: runner, open: map[*rows]bool{}, types: map[string]sql.Type{}, looks: map[sqlparser.Statement]*look{},
		statements: map[sqlparser.Statement]*statement{}}
	r.declared(procedure)
	r.names, r.shown = slices.Sorted(maps.Keys(r.types)), sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: sqlparser.BoolVal(true)}}
	for _, name := range r.names {
		r.shown = append(r.shown, &sqlparser.AliasedExpr{Expr: sqlparser.NewColName(name)})
	}
	return r
}

func (r *Run) call(call func() (sql.RowIter, error)) (_ sql.RowIter, err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case ended:
			err = cause.err
		default:
			panic(cause)
		}
	}()
	return call()
}

// steps returns the procedure's operations with a step of our own before each. Jumps lead to these steps.
func (r *Run) steps(ctx *sql.Context, procedure *plan.Procedure) []*procedures.InterpreterOperation {
	var list []*procedures.InterpreterOperation
	depth := 0
	add := func(operations ...*procedures.InterpreterOperation) {
		for _, op := range operations {
			if list = append(list, op); r.looks[op.PrimaryData] != nil {
				r.looks[op.PrimaryData].next, r.looks[op.PrimaryData].depth = len(list), depth
			}
		}
	}
	add(r.look())
	add(r.enter(procedure.Params)...)
	begin, cursors := make([]int, len(procedure.Ops)+1), r.fetched(procedure.Ops)
	own := map[*procedures.InterpreterOperation]bool{}
	for i, original := range procedure.Ops {
		begin[i] = len(list)
		operations := r.operations(ctx, original, cursors)
		own[operations[0]] = true
		before := r.look()
		add(before)
		add(operations...)
		switch original.OpCode {
		case procedures.OpCode_ScopeBegin:
			depth++
			r.leave.deepest = max(r.leave.deepest, depth)
		case procedures.OpCode_ScopeEnd:
			depth--
			add(r.landing(before))
		}
	}
	begin[len(procedure.Ops)] = len(list)
	add(r.look())
	add(r.leaving(procedure.Params)...)
	for _, op := range list {
		if own[op] && (op.OpCode == procedures.OpCode_Goto || op.OpCode == procedures.OpCode_If) {
			op.Index = begin[op.Index]
		}
	}
	return r.ladder(list)
}

// operations returns the interpreter's operations for one of the procedure. cursors are the variables that FETCH fills.
func (r *Run) operations(
	ctx *sql.Context, original *procedures.InterpreterOperation, cursors map[string][]string,
) []*procedures.InterpreterOperation {
	op := *original
	switch op.OpCode {
	case procedures.OpCode_Goto:
		if op.Index < 0 { // the label is unknown; the interpreter would search before the first operation
			op = procedures.InterpreterOperation{
				OpCode: procedures.OpCode_Exception,
				Error:  sqlerror.New(sqlerror.NoLabel, "LEAVE or ITERATE with no matching label: "+op.Target),
			}
		}
	case procedures.OpCode_If:
		op.PrimaryData = r.standin(&statement{tree: op.PrimaryData})
	case procedures.OpCode_Select:
		op.PrimaryData = r.selection(op.PrimaryData.(*sqlparser.Select))
	case procedures.OpCode_Set:
		value := op.PrimaryData.(*sqlparser.Select).SelectExprs[0].(*sqlparser.AliasedExpr).Expr
		if r.isVariable(op.Target) {
			return []*procedures.InterpreterOperation{r.set(op.Target, value)}
		}
		set := &sqlparser.Set{Exprs: sqlparser.SetVarExprs{{Name: sqlparser.NewColName(op.Target), Expr: value}}}
		op = procedures.InterpreterOperation{OpCode: procedures.OpCode_Execute, PrimaryData: r.standin(&statement{tree: set})}
	case procedures.OpCode_Execute:
		op.PrimaryData = r.standin(&statement{tree: op.PrimaryData, shows: true})
	case procedures.OpCode_Call:
		return r.callOf(ctx, op.PrimaryData.(*sqlparser.Call))
	case procedures.OpCode_Signal:
		op.PrimaryData = r.signal(op.PrimaryData.(*sqlparser.Signal))
	case procedures.OpCode_Declare:
		return r.declaration(op.PrimaryData.(*sqlparser.Declare), cursors)
	}
	return []*procedures.InterpreterOperation{&op}
}

// standin returns the SELECT that the interpreter sees instead of a statement.
func (r *Run) standin(of *statement) *sqlparser.Select {
	r.label(of.tree)
	standin := &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: sqlparser.BoolVal(true)}}}
	if of.into != nil {
		into := *of.into
		standin.Into = &into
		of.into = &into
	}
	r.statements[standin] = of
	return standin
}

// targets returns the variables of SELECT ... INTO in lower case.
func targets(into *sqlparser.Into) (names []string) {
	if into == nil {
		return nil
	}
	for _, v := range into.Variables {
		names = append(names, strings.ToLower(v.String()))
	}
	return names
}

// QueryWithBindings implements sql.StatementRunner.
func (r *Run) QueryWithBindings(ctx *sql.Context, query string, parsed sqlparser.Statement,
	bindings map[string]sqlparser.Expr, flags *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	if step := r.looks[parsed]; step != nil {
		running.StatementOf(ctx).Next()
		if err := running.Ended(ctx); err != nil {
			panic(ended{err})
		}
		r.read()
		if err := r.fillSignals(ctx); err != nil {
			return nil, nil, nil, err
		}
		return nil, sql.RowsToRowIter(sql.Row{r.goesOn(step)}), nil, nil
	}
	own, ok := r.statements[parsed]
	if !ok { // a statement of a handler
		own = &statement{tree: parsed}
	}
	tree := own.tree
	if own.unless != nil && own.unless.failed {
		tree = own.instead
	}
	if _, calls := tree.(*sqlparser.Call); calls {
		if session, ok := ctx.Session.(parameters); ok {
			defer session.SetParametersAside()()
		}
	}
	if clock, ok := ctx.Session.(interface {
		Clock(*sql.Context) (time.Time, bool)
	}); ok {
		if moment, set := clock.Clock(ctx); set {
			ctx.SetQueryTime(moment)
		}
	}
	counted := ctx.GetLastQueryInfoInt(sql.RowCount)
	schema, found, flags, err := r.StatementRunner.QueryWithBindings(ctx, query, r.filled(tree), bindings, flags)
	if own.failed = err != nil; err != nil {
		if err == io.EOF { // the interpreter takes io.EOF for the end of a block
			err = io.ErrUnexpectedEOF
		}
		return nil, nil, nil, err
	}
	out := &rows{RowIter: found, schema: schema, run: r, statement: own, into: own.into, last: types.IsOkResultSchema(schema)}
	if standin, ok := parsed.(*sqlparser.Select); ok && own.into != nil {
		next := *own.into
		standin.Into, own.into = &next, &next
	}
	if _, selects := tree.(*sqlparser.Select); selects && !own.shows && own.into == nil {
		out.counted = &counted
	}
	if out.shows = own.shows && !out.last && len(schema) > 0; out.shows {
		r.result = &result{schema: schema}
	}
	r.open[out] = true
	return schema, out, flags, nil
}

// close closes the queries that the routine left open.
func (r *Run) close(ctx *sql.Context) {
	for left := range r.open {
		_ = left.Close(ctx) // the routine already has its error or its result
	}
}

// rows are the rows of one statement of a routine.
type rows struct {
	sql.RowIter
	*statement
	schema sql.Schema
	run    *Run
	into   *sqlparser.Into // of SELECT ... INTO, which takes one row
	shows  bool
	last   bool // the statement returns an OkResult, such as INSERT; Next keeps only the last one
	read   int
	// changed is true once the statement has returned an OkResult. counted, if set, is the ROW_COUNT() that Close restores.
	changed bool
	counted *int64
}

// noData is an error that the interpreter passes to handlers of NOT FOUND.
type noData struct{ *mysql.SQLError }

// Is implements the interface of errors.Is.
func (noData) Is(target error) bool { return target == expression.FetchEOF }

// Unwrap implements the interface of errors.As.
func (n noData) Unwrap() error { return n.SQLError }

const noDataMessage = "No data - zero rows fetched, selected, or processed"

var errNoData = noData{sqlerror.New(sqlerror.NoData, noDataMessage)}

var errManyRows = sqlerror.New(sqlerror.ManyRows, "Result consisted of more than one row")

func (r *rows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	for ; r.last && err == nil; row, err = r.RowIter.Next(ctx) {
		r.run.last, r.changed = row, true
	}
	switch {
	case err == io.EOF && r.into != nil && r.read == 0:
		return r.handleNoRow(ctx)
	case err != nil:
		return nil, err
	case r.into != nil && r.read == 1:
		return nil, errManyRows
	}
	r.read++
	if r.shows {
		r.run.result.rows = append(r.run.result.rows, row)
	}
	return r.typed(ctx, row)
}

// typed converts the values of a row to the form in which the interpreter keeps them in variables.
func (r *rows) typed(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	if len(r.variables) == 0 && !r.fetched {
		return row, nil
	}
	texts := slices.Clone(row)
	for i := range row {
		var typ sql.Type
		if i < len(r.variables) {
			var declared bool
			if typ, declared = r.run.types[r.variables[i]]; !declared { // a user variable of the session
				continue
			}
		}
		if row[i] == nil || i >= len(r.schema) {
			continue
		}
		var err error
		switch {
		case r.leaves && typ != nil && !types.IsEnum(typ) && !types.IsSet(typ):
			texts[i], _, err = typ.Convert(ctx, row[i])
			if session, ok := ctx.Session.(parameters); ok && err == nil {
				session.GetStoredProcParam(r.variables[i]).Type = typ
			}
		default:
			texts[i], err = written(ctx, row[i], r.schema[i].Type, typ)
		}
		if err != nil && sqlerror.NumberOf(err) == sqlerror.OutOfRange {
			err = sqlerror.New(sqlerror.OutOfRange, fmt.Sprintf("Out of range value for column '%s'", r.variables[i]))
		}
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// handleNoRow handles a SELECT ... INTO without a row: it raises NOT FOUND if there is a handler, otherwise it warns.
// It fills no variable.
func (r *rows) handleNoRow(ctx *sql.Context) (sql.Row, error) {
	r.read++
	if r.run.finds {
		return nil, errNoData
	}
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: errNoData.Num, Message: noDataMessage})
	r.into.Variables = nil
	return sql.Row{}, nil
}

func (r *rows) Close(ctx *sql.Context) error {
	delete(r.run.open, r)
	err := r.RowIter.Close(ctx)
	if r.counted != nil {
		ctx.SetLastQueryInfoInt(sql.RowCount, *r.counted)
	}
	if _, deletes := r.tree.(*sqlparser.Delete); deletes && r.changed && types.IsOkResult(r.run.last) { // DELETE of all rows; the engine does not count them
		ctx.SetLastQueryInfoInt(sql.RowCount, int64(types.GetOkResult(r.run.last).RowsAffected))
	}
	return err
}
