package routines

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
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
			typ = nil // the interpreter reports the error
		}
		for _, name := range declare.Variables.Names {
			note(name.String(), typ)
		}
	}
}

// label names the columns of a statement that contain variables after their text. The engine would name them after the values.
func (r *Run) label(statement sqlparser.Statement) {
	if statement == nil {
		return
	}
	trees.Walk(statement, func(node any) {
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
	trees.Walk(&e, func(node any) {
		if column, ok := node.(*sqlparser.ColName); ok {
			_, variable := r.variable(column)
			has = has || variable
		}
	})
	return has
}

// variable returns the lower-case name of the variable that e refers to, if it is one.
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

// read copies the values of variables that the interpreter has filled into the step.
func (r *Run) read() {
	r.values, r.texts = map[string]sqlparser.Expr{}, map[string]*sqlparser.SQLVal{}
	for i, name := range r.names {
		selected := r.shown[i+1].(*sqlparser.AliasedExpr)
		switch value := selected.Expr.(*sqlparser.ColName).StoredProcVal.(type) {
		case nil: // not declared in this scope
		case *sqlparser.SQLVal:
			r.values[name], r.texts[name] = literal(value, r.types[name]), value
		default:
			r.values[name] = value
		}
		selected.Expr = sqlparser.NewColName(name)
	}
}

// kept is the type under which the interpreter keeps every variable. It formats values of other types as Go does. So [written] converts a
// value to text before the interpreter keeps it, and [literal] converts the text back.
var kept = types.LongText

// written returns the text that the interpreter keeps for a value of type from in a variable of type typ, nil if unknown. It returns an
// error if the variable cannot hold the value.
func written(ctx *sql.Context, v any, from, typ sql.Type) (text any, err error) {
	if b, ok := v.([]byte); ok && typ != nil && types.IsBinaryType(typ) {
		return string(b), nil
	}
	inText := (types.IsEnum(from) || types.IsSet(from)) && !(typ != nil && types.IsNumber(typ)) || typ != nil && coercion.IsInstant(typ) && types.IsNumber(from)
	if typ == nil || inText || types.IsText(typ) || types.IsJSON(typ) {
		if text, err = coercion.Text(ctx, v, from); err != nil || typ == nil || types.IsText(typ) || types.IsJSON(typ) {
			return text, err
		}
		v = text
	}
	if s, ok := v.(string); ok && types.IsNumber(typ) {
		if err := values.CheckNumber(s); err != nil {
			return nil, err
		}
	}
	converted, inRange, err := typ.Convert(ctx, v)
	switch {
	case err != nil:
		return nil, err
	case inRange != sql.InRange:
		return nil, sqlerror.New(sqlerror.OutOfRange, "Out of range value")
	case converted == nil:
		return nil, nil
	}
	switch number := converted.(type) {
	case float32:
		return strconv.FormatFloat(float64(number), 'g', -1, 32), nil
	case float64:
		return strconv.FormatFloat(number, 'g', -1, 64), nil
	case decimal.Decimal:
		return number.String(), nil
	}
	if types.IsYear(typ) || types.IsBit(typ) {
		return fmt.Sprint(converted), nil
	}
	return coercion.Text(ctx, converted, typ)
}

// literal returns the value of a variable of type typ as an expression, from the text that [written] made.
func literal(text *sqlparser.SQLVal, typ sql.Type) sqlparser.Expr {
	number, err := decimal.NewFromString(string(text.Val))
	switch {
	case typ == nil:
	case types.IsBinaryType(typ) && !types.IsJSON(typ):
		return sqlparser.NewHexVal([]byte(hex.EncodeToString(text.Val)))
	case coercion.IsInstant(typ) && !types.IsDateType(typ):
		return trees.Call(scalar.DatetimeFunction, text, decimals(typ))
	case types.IsDateType(typ):
		return trees.Call(scalar.DateFunction, text)
	case coercion.IsTimespan(typ):
		return trees.Call(scalar.TimeFunction, text, decimals(typ))
	case err != nil || !types.IsNumber(typ) && !types.IsBit(typ) && !types.IsYear(typ):
	case types.IsDecimal(typ):
		return sqlparser.NewFloatVal([]byte(number.StringFixed(int32(typ.(sql.DecimalType).Scale()))))
	case types.IsFloat(typ):
		return sqlparser.NewFloatVal([]byte(strconv.FormatFloat(number.InexactFloat64(), 'e', -1, 64)))
	default:
		return sqlparser.NewIntVal(text.Val)
	}
	return text
}

func decimals(typ sql.Type) sqlparser.Expr {
	return sqlparser.NewIntVal([]byte(strconv.Itoa(coercion.DecimalsOf(typ))))
}

// filled returns a copy of a statement with the values of variables instead of their names. A key of GROUP BY or ORDER BY
// does not become a column number. The names of assignments and VALUES(x) remain columns.
func (r *Run) filled(tree sqlparser.Statement) sqlparser.Statement {
	filled := trees.Copy(tree)
	trees.Walk(&filled, func(node any) {
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
		column.StoredProcVal = nil // the interpreter fills in statements of handlers
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

// fetched returns the variables that FETCH fills from each cursor: nil for a cursor that it fetches into variables of different
// types, whose values stay texts.
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

// sameType reports whether two variables have the same known type.
func (r *Run) sameType(a, b string) bool {
	x, y := r.types[a], r.types[b]
	return a == b || x != nil && y != nil && x.Equals(y)
}

// declaration returns the operations of a DECLARE. A SET after it assigns the default: the interpreter would take the text of an
// expression for its value.
func (r *Run) declaration(declare *sqlparser.Declare, cursors map[string][]string) []*procedures.InterpreterOperation {
	own := *declare
	list := []*procedures.InterpreterOperation{{OpCode: procedures.OpCode_Declare, PrimaryData: &own}}
	switch {
	case own.Variables != nil:
		variables := *own.Variables
		value := variables.VarType.Default
		if value == nil {
			value = &sqlparser.NullVal{}
		}
		variables.VarType = sqlparser.ColumnType{ResolvedType: kept}
		own.Variables = &variables
		for _, name := range variables.Names {
			list = append(list, r.set(name.String(), value))
		}
	case own.Cursor != nil:
		cursor := *own.Cursor
		cursor.SelectStmt = r.standin(&statement{tree: cursor.SelectStmt, variables: cursors[strings.ToLower(cursor.Name)], fetched: true})
		own.Cursor = &cursor
	case own.Handler != nil:
		handler := *own.Handler
		for _, condition := range handler.ConditionValues {
			r.finds = r.finds || condition.ValueType == sqlparser.DeclareHandlerCondition_NotFound
		}
		switch statement := handler.Statement.(type) {
		case *sqlparser.Select:
			handler.Statement = r.selection(statement)
		case *sqlparser.Signal:
			handler.Statement = r.signal(statement)
		case *sqlparser.Set: // of one variable, see [Handler]
			handler.Statement = r.selection(&sqlparser.Select{
				SelectExprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: statement.Exprs[0].Expr}},
				Into:        &sqlparser.Into{Variables: []sqlparser.ColIdent{statement.Exprs[0].Name.Name}},
			})
		}
		own.Handler = &handler
	}
	return list
}

// selection returns the stand-in of a SELECT.
func (r *Run) selection(query *sqlparser.Select) *sqlparser.Select {
	own := *query
	own.Into = nil
	return r.standin(&statement{tree: &own, into: query.Into, variables: targets(query.Into), shows: query.Into == nil})
}

// set returns SET of a variable of the routine.
func (r *Run) set(name string, value sqlparser.Expr) *procedures.InterpreterOperation {
	return r.setBy(name, &statement{tree: selecting(value)})
}

func (r *Run) setBy(name string, by *statement) *procedures.InterpreterOperation {
	by.variables = []string{strings.ToLower(name)}
	return &procedures.InterpreterOperation{OpCode: procedures.OpCode_Set, Target: name, PrimaryData: r.standin(by)}
}

func selecting(value sqlparser.Expr) *sqlparser.Select {
	return &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: value}}}
}

// enter returns the operations before a procedure's: each parameter gets its type, and OUT parameters become NULL.
func (r *Run) enter(params []plan.ProcedureParam) (list []*procedures.InterpreterOperation) {
	for _, p := range params {
		var value sqlparser.Expr = sqlparser.NewColName(p.Name)
		if p.Direction == plan.ProcedureParamDirection_Out {
			value = &sqlparser.NullVal{}
		}
		list = append(list, r.set(p.Name, value))
	}
	return list
}

// leaving returns the operations after a procedure's: OUT and INOUT parameters get values of their types instead of texts.
func (r *Run) leaving(params []plan.ProcedureParam) (list []*procedures.InterpreterOperation) {
	for _, p := range params {
		if p.Direction != plan.ProcedureParamDirection_In {
			list = append(list, r.setBy(p.Name, &statement{tree: selecting(sqlparser.NewColName(p.Name)), leaves: true}))
		}
	}
	return list
}

// parameters is a session's access to the parameters of the running CALL.
type parameters interface {
	GetStoredProcParam(name string) *sql.StoredProcParam
	SetParametersAside() (restore func())
	ForgetParameters()
	ParameterDepth() int
}

// callOf returns the operations of a CALL within the routine. The interpreter keeps one value for all parameters of the same name. So the
// operations pass variables of the routine as user variables, and read these back after the CALL.
func (r *Run) callOf(ctx *sql.Context, call *sqlparser.Call) (list []*procedures.InterpreterOperation) {
	own := *call
	own.Params = slices.Clone(call.Params)
	depth := 0
	if session, ok := ctx.Session.(parameters); ok {
		depth = session.ParameterDepth()
	}
	run := &statement{tree: &own, shows: true}
	back := []*procedures.InterpreterOperation{r.look()} // the look reads what a handler has set
	for i, given := range own.Params {
		name, ok := r.variable(given)
		if !ok {
			continue
		}
		passed := fmt.Sprintf("argument %d of call %d", i, depth)
		own.Params[i] = sqlparser.NewColName("@" + passed)
		list = append(list, r.execute(&statement{tree: settingUser(passed, given)}))
		back = append(back, r.setBy(name, &statement{tree: selecting(own.Params[i]), unless: run, instead: selecting(given)}),
			r.execute(&statement{tree: settingUser(passed, &sqlparser.NullVal{})}))
	}
	return slices.Concat(list, []*procedures.InterpreterOperation{r.execute(run)}, back)
}

func settingUser(name string, value sqlparser.Expr) *sqlparser.Set {
	return &sqlparser.Set{Exprs: sqlparser.SetVarExprs{{Scope: sqlparser.SetScope_User, Name: sqlparser.NewColName(name), Expr: value}}}
}

func (r *Run) execute(of *statement) *procedures.InterpreterOperation {
	return &procedures.InterpreterOperation{OpCode: procedures.OpCode_Execute, PrimaryData: r.standin(of)}
}
