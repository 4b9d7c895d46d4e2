package routines

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// Sequence is SET of several variables as a block of one each: the interpreter panics over it. Other statements stay.
func Sequence(statement sqlparser.Statement) sqlparser.Statement {
	set, ok := statement.(*sqlparser.Set)
	if !ok || len(set.Exprs) < 2 {
		return statement
	}
	block := &sqlparser.BeginEndBlock{}
	for _, variable := range set.Exprs {
		one := *set
		one.Exprs = sqlparser.SetVarExprs{variable}
		block.Statements = append(block.Statements, &one)
	}
	return block
}

// systemSet is SET of a system variable, in which the interpreter would look for variables of the routine.
type systemSet struct{ *sqlparser.Set }

// systemVariable is SET of what is no variable of a routine: with a scope but that of @x, or of a name that the routine does not declare,
// SET NAMES too; nil for all others.
func systemVariable(op *procedures.InterpreterOperation, declared map[string]sql.Type) *sqlparser.Set {
	switch own := op.PrimaryData.(type) {
	case *sqlparser.Set:
		if len(own.Exprs) == 1 && own.Exprs[0].Scope != sqlparser.SetScope_User {
			return own
		}
	case *sqlparser.Select:
		if _, ok := declared[strings.ToLower(op.Target)]; ok || op.OpCode != procedures.OpCode_Set || strings.HasPrefix(op.Target, "@") {
			return nil
		}
		value := own.SelectExprs[0].(*sqlparser.AliasedExpr).Expr
		return &sqlparser.Set{Exprs: sqlparser.SetVarExprs{{Name: &sqlparser.ColName{Name: sqlparser.NewColIdent(op.Target)}, Expr: value}}}
	}
	return nil
}

// setting is the operation of such a SET; an error where the value has a variable of the routine, which the engine would take for a word.
func (r *Run) setting(of *sqlparser.Set) procedures.InterpreterOperation {
	op := procedures.InterpreterOperation{OpCode: procedures.OpCode_Execute, PrimaryData: &systemSet{of}}
	trees.Walk(reflect.ValueOf(&of.Exprs[0].Expr), func(node any) {
		column, ok := node.(*sqlparser.ColName)
		if !ok {
			return
		}
		if _, own := r.types[column.Name.Lowered()]; own && column.Qualifier.IsEmpty() {
			op = procedures.InterpreterOperation{OpCode: procedures.OpCode_Exception, Error: sql.ErrUnsupportedFeature.New(
				"SET of a system variable to a variable of the routine: SET @x = " + column.Name.String() + ", and the system variable to @x")}
		}
	})
	return op
}

// keepMode is what gives a session the SQL mode back that it has now: SET sql_mode in a routine ends with it.
func keepMode(ctx *sql.Context) func() {
	mode, err := ctx.GetSessionVariable(ctx, "sql_mode")
	return func() {
		if err == nil {
			_ = ctx.SetSessionVariable(ctx, "sql_mode", mode) // which it was before
		}
	}
}
