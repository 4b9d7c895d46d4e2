package routines

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// A Run is one CALL of a stored procedure. It stands between the interpreter and what
// runs its statements, and puts a step of its own before each of the procedure's: the
// condition of an IF, which the interpreter has evaluated, and keeps nothing of.
type Run struct {
	sql.StatementRunner // what runs statements

	// step is the condition, which is always true.
	step *sqlparser.Select
	// into is what SELECT ... INTO fills next, which the interpreter takes out of the tree.
	into map[*sqlparser.Select]*sqlparser.Into
	// sets are the variables that SET gives the values of queries, types those of all variables, nil of a name that has several.
	sets  map[sqlparser.Statement]string
	types map[string]sql.Type
	// finds is that a handler waits for NOT FOUND.
	finds bool

	open map[*rows]bool
	last sql.Row // the result of the last statement that has no rows
}

// An ended is what a Run panics with: an error would go to the handlers of the routine,
// which may go on.
type ended struct{ err error }

// Call runs the procedure of n by call, which is the engine's way to build n. ok is
// false for what is no stored procedure, or is called by Call already.
func Call(ctx *sql.Context, n sql.Node, call func() (sql.RowIter, error)) (_ sql.RowIter, ok bool, err error) {
	c, ok := n.(*plan.Call)
	if !ok || c.Procedure == nil || c.Procedure.ExternalProc != nil || c.Runner == nil {
		return nil, false, nil
	}
	if _, own := c.Runner.(*Run); own {
		return nil, false, nil
	}
	// The engine asks this node for the schema of the result, so it is not copied.
	runner, procedure := c.Runner, c.Procedure
	defer func() { c.Runner, c.Procedure = runner, procedure }()
	r := &Run{StatementRunner: runner, open: map[*rows]bool{}}
	r.declared(procedure)
	stepwise := *procedure
	stepwise.Ops = r.steps(procedure.Ops)
	c.Runner, c.Procedure = r, &stepwise
	defer r.close(ctx)
	defer keepMode(ctx)()
	result, err := r.call(call)
	if err == nil && r.last != nil && types.IsOkResultSchema(c.Schema()) {
		result = &withLast{result, r.last}
	}
	return result, true, err
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

// steps are the procedure's operations, each after a step of our own, where jumps lead.
func (r *Run) steps(procedure []*procedures.InterpreterOperation) []*procedures.InterpreterOperation {
	always := &sqlparser.AliasedExpr{Expr: sqlparser.BoolVal(true)}
	r.step = &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{always}}
	r.into = map[*sqlparser.Select]*sqlparser.Into{}
	list := make([]*procedures.InterpreterOperation, 0, 2*len(procedure))
	for _, original := range procedure {
		list = append(list, &procedures.InterpreterOperation{OpCode: procedures.OpCode_If, PrimaryData: r.step, Index: len(list) + 1})
		op := *original
		switch op.OpCode {
		case procedures.OpCode_Goto:
			if op.Index < 0 { // which the interpreter would look for before the first
				op = procedures.InterpreterOperation{
					OpCode: procedures.OpCode_Exception,
					Error:  sqlerror.New(sqlerror.NoLabel, "LEAVE or ITERATE with no matching label: "+op.Target),
				}
			}
			op.Index *= 2
		case procedures.OpCode_If:
			op.Index *= 2
		case procedures.OpCode_Select:
			if query := op.PrimaryData.(*sqlparser.Select); query.Into != nil {
				r.into[query] = query.Into
			}
		case procedures.OpCode_Set, procedures.OpCode_Execute:
			if of := systemVariable(original, r.types); of != nil {
				op = r.setting(of)
			} else if op.OpCode == procedures.OpCode_Set {
				r.sets[op.PrimaryData] = strings.ToLower(op.Target)
			}
		case procedures.OpCode_Declare:
			if handler := op.PrimaryData.(*sqlparser.Declare).Handler; handler != nil {
				for _, condition := range handler.ConditionValues {
					r.finds = r.finds || condition.ValueType == sqlparser.DeclareHandlerCondition_NotFound
				}
				if query, ok := handler.Statement.(*sqlparser.Select); ok && query.Into != nil {
					r.into[query] = query.Into
				}
			}
		}
		list = append(list, &op)
	}
	return list
}

// declared collects the types of a procedure's variables and parameters.
func (r *Run) declared(procedure *plan.Procedure) {
	r.sets, r.types = map[sqlparser.Statement]string{}, map[string]sql.Type{}
	note := func(name string, typ sql.Type) {
		name = strings.ToLower(name)
		if known, ok := r.types[name]; ok && (known == nil || typ == nil || !known.Equals(typ)) {
			typ = nil
		}
		r.types[name] = typ
	}
	for _, p := range procedure.Params {
		note(p.Name, p.Type)
	}
	for _, op := range procedure.Ops {
		declare, ok := op.PrimaryData.(*sqlparser.Declare)
		if !ok || op.OpCode != procedures.OpCode_Declare || declare.Variables == nil {
			continue
		}
		typ, err := types.ColumnTypeToType(&declare.Variables.VarType)
		if err != nil {
			typ = nil // which the interpreter will say
		}
		for _, name := range declare.Variables.Names {
			note(name.String(), typ)
		}
	}
}

// QueryWithBindings implements sql.StatementRunner.
func (r *Run) QueryWithBindings(ctx *sql.Context, query string, parsed sqlparser.Statement,
	bindings map[string]sqlparser.Expr, flags *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	if parsed == sqlparser.Statement(r.step) {
		running.StatementOf(ctx).Next()
		if err := running.Ended(ctx); err != nil {
			panic(ended{err})
		}
		return nil, sql.RowsToRowIter(sql.Row{true}), nil, nil
	}
	if own, ok := parsed.(*systemSet); ok {
		parsed = trees.CopyOf(own.Set)
	}
	schema, result, flags, err := r.StatementRunner.QueryWithBindings(ctx, query, parsed, bindings, flags)
	if err != nil {
		if err == io.EOF { // which the interpreter takes for the end of a block
			err = io.ErrUnexpectedEOF
		}
		return nil, nil, nil, err
	}
	out := &rows{RowIter: result, schema: schema, run: r}
	if target, ok := r.sets[parsed]; ok {
		out.variables = []string{target}
	}
	if selects, ok := parsed.(*sqlparser.Select); ok && r.into[selects] != nil {
		out.into = r.into[selects]
		for _, v := range out.into.Variables {
			out.variables = append(out.variables, strings.ToLower(v.String()))
		}
		next := *out.into
		selects.Into, r.into[selects] = &next, &next
	}
	if types.IsOkResultSchema(schema) {
		out.result = true
	}
	r.open[out] = true
	return schema, out, flags, nil
}

// close closes what the routine left open.
func (r *Run) close(ctx *sql.Context) {
	for left := range r.open {
		_ = left.Close(ctx) // the routine has its error, or its result, already
	}
}

// rows are those of one statement of a routine.
type rows struct {
	sql.RowIter
	schema sql.Schema
	run    *Run
	into   *sqlparser.Into // of SELECT ... INTO, which takes one
	result bool            // what INSERT and the like have: only the last is kept
	read   int
	// variables are what SELECT ... INTO and SET fill, in lower case.
	variables []string
}

// noData is an error that the interpreter gives to the handlers of NOT FOUND.
type noData struct{ *mysql.SQLError }

// Is implements what errors.Is asks.
func (noData) Is(target error) bool { return target == expression.FetchEOF }

// Unwrap is for errors.As.
func (n noData) Unwrap() error { return n.SQLError }

const noDataMessage = "No data - zero rows fetched, selected, or processed"

// errNoData is for the handlers of NOT FOUND.
var errNoData = noData{sqlerror.New(sqlerror.NoData, noDataMessage)}

var errManyRows = sqlerror.New(sqlerror.ManyRows, "Result consisted of more than one row")

// Next implements sql.RowIter.
func (r *rows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	for ; r.result && err == nil; row, err = r.RowIter.Next(ctx) {
		r.run.last = row
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
	return r.typed(ctx, row)
}

// typed has the values of a row as their variables have them: the interpreter keeps a DOUBLE in an INT, and fails to read it, and
// writes numbers of members into a VARCHAR.
func (r *rows) typed(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	var changed sql.Row
	for i, name := range r.variables {
		typ := r.run.types[name]
		if i >= len(row) || i >= len(r.schema) || row[i] == nil || typ == nil {
			continue
		}
		var v any
		var err error
		inRange := sql.InRange
		switch from := r.schema[i].Type; {
		case types.IsNumber(typ):
			v, inRange, err = typ.Convert(ctx, row[i])
		case types.IsText(typ) && (types.IsEnum(from) || types.IsSet(from) || types.IsTime(from) || types.IsTimespan(from)):
			v, err = coercion.Text(ctx, row[i], from)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		if !inRange {
			return nil, sqlerror.New(sqlerror.OutOfRange, fmt.Sprintf("Out of range value for column '%s'", name))
		}
		if changed == nil {
			changed = slices.Clone(row)
		}
		changed[i] = v
	}
	if changed == nil {
		return row, nil
	}
	return changed, nil
}

// handleNoRow is what a SELECT ... INTO without a row does: it tells a handler, or warns, and
// fills nothing.
func (r *rows) handleNoRow(ctx *sql.Context) (sql.Row, error) {
	r.read++
	if r.run.finds {
		return nil, errNoData
	}
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: errNoData.Num, Message: noDataMessage})
	r.into.Variables = nil
	return sql.Row{}, nil
}

// Close implements sql.RowIter.
func (r *rows) Close(ctx *sql.Context) error {
	delete(r.run.open, r)
	return r.RowIter.Close(ctx)
}

// withLast gives the result of a routine that has no rows, which rows kept from the
// interpreter.
type withLast struct {
	sql.RowIter
	last sql.Row
}

// Next implements sql.RowIter.
func (w *withLast) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := w.RowIter.Next(ctx)
	if err == io.EOF && w.last != nil {
		row, err, w.last = w.last, nil, nil
	}
	return row, err
}
