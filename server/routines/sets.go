package routines

import "github.com/dolthub/vitess/go/vt/sqlparser"

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
