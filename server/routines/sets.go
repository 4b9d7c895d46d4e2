package routines

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Sequence turns a SET of several variables into a block of SETs of one variable, because the interpreter panics on it. It arranges the handlers
// of a block in place. It returns other statements unchanged.
func Sequence(statement sqlparser.Statement) sqlparser.Statement {
	if block, ok := statement.(*sqlparser.BeginEndBlock); ok {
		arrange(block)
	}
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

// keepMode returns a function that restores the session's current SQL mode: a routine's SET sql_mode ends with the routine.
func keepMode(ctx *sql.Context) func() {
	mode, err := ctx.GetSessionVariable(ctx, "sql_mode")
	return func() {
		if err == nil {
			_ = ctx.SetSessionVariable(ctx, "sql_mode", mode) // it was a valid mode before
		}
	}
}
