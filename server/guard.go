package server

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/loaddata"
)

// guard refuses what the engine leaves open to every account, one case each.
// The files of the server are refused to everybody, root included: whoever may
// write them can replace the catalog under the server.
func guard(ctx *sql.Context, accounts *mysql_db.MySQLDb, n sql.Node) error {
	var err error
	transform.Inspect(n, func(n sql.Node) bool {
		switch n := n.(type) {
		case *plan.Into:
			err = guardInto(n)
		case *plan.InsertInto:
			err = guardLoad(n)
		case *plan.Set:
			err = guardSet(ctx, accounts, n)
		case *plan.Kill:
			err = guardKill(ctx, accounts, n)
		}
		return err == nil
	})
	return err
}

func guardInto(n *plan.Into) error {
	switch {
	case n.Outfile != "":
		return newError(numberOptionPrevents, "SELECT ... INTO OUTFILE is refused: the server writes no files; save the result at the client")
	case n.Dumpfile != "":
		return newError(numberOptionPrevents, "SELECT ... INTO DUMPFILE is refused: the server writes no files; save the result at the client")
	}
	return nil
}

func guardLoad(n *plan.InsertInto) error {
	if _, load, ok := loaddata.Match(n); ok && !load.Local {
		return newError(numberOptionPrevents, "LOAD DATA INFILE is refused: the server reads no files of its own; use LOAD DATA LOCAL INFILE")
	}
	return nil
}

// guardSet lets SET GLOBAL to those who hold SUPER, for the variables that are
// not a lock on the server's files, and SET PERSIST to nobody: what a server
// starts with is said on its command line.
func guardSet(ctx *sql.Context, accounts *mysql_db.MySQLDb, n *plan.Set) error {
	for _, e := range n.Exprs {
		field, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		variable, ok := field.LeftChild.(*expression.SystemVar)
		if !ok {
			continue
		}
		scope, ok := variable.Scope.(*sql.MysqlScope)
		if !ok {
			continue
		}
		switch scope.Type {
		case sql.SystemVariableScope_Persist, sql.SystemVariableScope_PersistOnly, sql.SystemVariableScope_ResetPersist:
			return newError(numberOptionPrevents, fmt.Sprintf(
				"SET PERSIST %s is refused: variables are not kept; options are given to anonsql serve", variable.Name))
		case sql.SystemVariableScope_Global:
			if !holds(ctx, accounts, "", "", sql.PrivilegeType_Super) {
				return newError(numberAccessDenied, fmt.Sprintf(
					"Access denied for user %s; you need the SUPER privilege to SET GLOBAL %s", account(ctx), variable.Name))
			}
		}
	}
	return nil
}

// guardKill lets an account kill its own statements, and others' with SUPER.
func guardKill(ctx *sql.Context, accounts *mysql_db.MySQLDb, n *plan.Kill) error {
	var processes []sql.Process
	if list, ok := ctx.ProcessList.(*visibleProcesses); ok {
		processes = list.all()
	}
	for _, p := range processes {
		if p.Connection != n.ConnID {
			continue
		}
		if p.User == ctx.Session.Client().User || holds(ctx, accounts, "", "", sql.PrivilegeType_Super) {
			return nil
		}
		return newError(numberNotThreadOwner, fmt.Sprintf("You are not owner of thread %d", n.ConnID))
	}
	return newError(numberNoSuchThread, fmt.Sprintf("Unknown thread id: %d", n.ConnID))
}
