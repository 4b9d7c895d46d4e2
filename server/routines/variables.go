package routines

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// declared collects the types of a procedure's variables and parameters.
func (r *Run) declared(procedure *plan.Procedure) {
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

// label names the columns of a statement that have variables by their text, where the engine would write values.
func (r *Run) label(statement sqlparser.Statement) {
	if statement == nil {
		return
	}
	trees.Walk(reflect.ValueOf(statement), func(node any) {
		query, ok := node.(*sqlparser.Select)
		if !ok {
			return
		}
		for _, e := range query.SelectExprs {
			if selected, ok := e.(*sqlparser.AliasedExpr); ok && selected.As.IsEmpty() && r.hasVariable(selected.Expr) {
				selected.As = sqlparser.NewColIdent(cmp.Or(selected.InputExpression, sqlparser.String(selected.Expr)))
			}
		}
	})
}

func (r *Run) hasVariable(e sqlparser.Expr) (has bool) {
	trees.Walk(reflect.ValueOf(&e), func(node any) {
		if column, ok := node.(*sqlparser.ColName); ok {
			_, variable := r.variable(column)
			has = has || variable
		}
	})
	return has
}

// variable is the name of the variable that an expression is, in lower case.
func (r *Run) variable(e sqlparser.Expr) (name string, ok bool) {
	column, ok := e.(*sqlparser.ColName)
	if !ok || !column.Qualifier.IsEmpty() {
		return "", false
	}
	return column.Name.Lowered(), r.isVariable(column.Name.Lowered())
}

func (r *Run) isVariable(name string) bool {
	_, ok := r.types[strings.ToLower(name)]
	return ok
}

// read takes the values of variables out of the step, as the interpreter has filled them in.
func (r *Run) read() {
	r.values = map[string]sqlparser.Expr{}
	for i, name := range r.names {
		selected := r.step.SelectExprs[i+1].(*sqlparser.AliasedExpr)
		switch value := selected.Expr.(*sqlparser.ColName).StoredProcVal.(type) {
		case nil: // not declared here
		case *sqlparser.SQLVal:
			r.values[name] = literal(value, r.types[name])
		default:
			r.values[name] = value
		}
		selected.Expr = sqlparser.NewColName(name)
	}
}

// literal is the value of a variable, which the interpreter writes as Go does.
func literal(value *sqlparser.SQLVal, typ sql.Type) sqlparser.Expr {
	switch {
	case typ == nil:
	case types.IsDecimal(typ):
		if d, err := decimal.NewFromString(string(value.Val)); err == nil {
			return sqlparser.NewFloatVal([]byte(d.StringFixed(int32(typ.(sql.DecimalType).Scale()))))
		}
	case types.IsTime(typ):
		if t, err := time.Parse("2006-01-02 15:04:05.999999999 -0700 MST", string(value.Val)); err == nil {
			layout := "2006-01-02 15:04:05.999999"
			if types.IsDateType(typ) {
				layout = time.DateOnly
			}
			return trees.Text(t.Format(layout))
		}
	}
	return value
}

// filled is a copy of a statement with the values of variables in the places of their names. A key of GROUP BY or ORDER BY
// stays no number of a column; the names of assignments and VALUES(x) are columns.
func (r *Run) filled(tree sqlparser.Statement) sqlparser.Statement {
	filled := trees.CopyOf(tree)
	trees.Walk(reflect.ValueOf(&filled), func(node any) {
		switch node := node.(type) {
		case *sqlparser.Order:
			node.Expr = r.key(node.Expr)
		case *sqlparser.Select:
			for i, e := range node.GroupBy {
				node.GroupBy[i] = r.key(e)
			}
		}
	})
	trees.Replace(filled, func(e sqlparser.Expr) sqlparser.Expr {
		column, ok := e.(*sqlparser.ColName)
		if !ok {
			return e
		}
		column.StoredProcVal = nil // of what the interpreter has seen of a handler
		name, _ := r.variable(column)
		if value, ok := r.values[name]; ok {
			return trees.Copy(value)
		}
		return column
	})
	return filled
}

func (r *Run) key(e sqlparser.Expr) sqlparser.Expr {
	if _, ok := r.variable(e); ok {
		return trees.Call("coalesce", e)
	}
	return e
}

// fetched are the variables that a procedure's cursors fill. A cursor that is fetched into variables of different types has none: its
// values stay as they are.
func (r *Run) fetched(procedure []*procedures.InterpreterOperation) map[string][]string {
	cursors := map[string][]string{}
	for _, op := range procedure {
		fetch, ok := op.PrimaryData.(*sqlparser.FetchCursor)
		if !ok {
			continue
		}
		variables := make([]string, len(fetch.Variables))
		for i, v := range fetch.Variables {
			variables[i] = strings.ToLower(v)
		}
		name := strings.ToLower(fetch.Name)
		if before, ok := cursors[name]; ok && !slices.EqualFunc(before, variables, r.sameType) {
			variables = nil
		}
		cursors[name] = variables
	}
	return cursors
}

// sameType reports whether two variables have one type.
func (r *Run) sameType(a, b string) bool {
	x, y := r.types[a], r.types[b]
	return a == b || x != nil && y != nil && x.Equals(y)
}

// declaration are the operations of a DECLARE. A default is a SET behind it: the interpreter takes the text of an expression for its value.
func (r *Run) declaration(declare *sqlparser.Declare, cursors map[string][]string) []*procedures.InterpreterOperation {
	own := *declare
	list := []*procedures.InterpreterOperation{{OpCode: procedures.OpCode_Declare, PrimaryData: &own}}
	switch {
	case own.Variables != nil && own.Variables.VarType.Default != nil:
		variables := *own.Variables
		variables.VarType.Default = nil
		own.Variables = &variables
		for _, name := range variables.Names {
			list = append(list, r.set(name.String(), declare.Variables.VarType.Default))
		}
	case own.Cursor != nil:
		cursor := *own.Cursor
		cursor.SelectStmt = r.standin(&statement{tree: cursor.SelectStmt, variables: cursors[strings.ToLower(cursor.Name)]})
		own.Cursor = &cursor
	case own.Handler != nil:
		handler := *own.Handler
		for _, condition := range handler.ConditionValues {
			r.finds = r.finds || condition.ValueType == sqlparser.DeclareHandlerCondition_NotFound
		}
		if query, ok := handler.Statement.(*sqlparser.Select); ok {
			handler.Statement = r.selection(query)
		}
		own.Handler = &handler
	}
	return list
}

// selection stands for a SELECT.
func (r *Run) selection(query *sqlparser.Select) *sqlparser.Select {
	own := *query
	own.Into = nil
	return r.standin(&statement{tree: &own, into: query.Into, variables: targets(query.Into), shows: query.Into == nil})
}

// set is SET of a variable of the routine.
func (r *Run) set(name string, value sqlparser.Expr) *procedures.InterpreterOperation {
	query := &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: value}}}
	return &procedures.InterpreterOperation{
		OpCode: procedures.OpCode_Set, Target: name, PrimaryData: r.standin(&statement{tree: query, variables: []string{strings.ToLower(name)}}),
	}
}

// parameters are what a session holds of the parameters of a CALL that runs.
type parameters interface {
	SetParametersAside() (restore func())
	ForgetParameters()
	ParameterDepth() int
}

// callOf are the operations of a CALL within the routine. Variables go there and come back as variables of the session: the interpreter
// has one place for all parameters of a name.
func (r *Run) callOf(ctx *sql.Context, call *sqlparser.Call) (list []*procedures.InterpreterOperation) {
	own := *call
	own.Params = slices.Clone(call.Params)
	depth := 0
	if session, ok := ctx.Session.(parameters); ok {
		depth = session.ParameterDepth()
	}
	var back []*procedures.InterpreterOperation
	for i, given := range own.Params {
		name, ok := r.variable(given)
		if !ok {
			continue
		}
		passed := fmt.Sprintf("argument %d of call %d", i, depth)
		set := &sqlparser.Set{Exprs: sqlparser.SetVarExprs{{Scope: sqlparser.SetScope_User, Name: sqlparser.NewColName(passed), Expr: given}}}
		own.Params[i] = sqlparser.NewColName("@" + passed)
		list = append(list, &procedures.InterpreterOperation{OpCode: procedures.OpCode_Execute, PrimaryData: r.standin(&statement{tree: set})})
		back = append(back, r.set(name, own.Params[i]))
	}
	run := &procedures.InterpreterOperation{OpCode: procedures.OpCode_Execute, PrimaryData: r.standin(&statement{tree: &own, shows: true})}
	return slices.Concat(list, []*procedures.InterpreterOperation{run}, back)
}
