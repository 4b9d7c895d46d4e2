package routines

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Sequence is SET of several variables as a block of one each: the interpreter panics over it. It arranges the handlers of a block in place. Other
// statements stay.
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

// keepMode is what gives a session the SQL mode back that it has now: SET sql_mode in a routine ends with it.
func keepMode(ctx *sql.Context) func() {
	mode, err := ctx.GetSessionVariable(ctx, "sql_mode")
	return func() {
		if err == nil {
			_ = ctx.SetSessionVariable(ctx, "sql_mode", mode) // which it was before
		}
	}
}
