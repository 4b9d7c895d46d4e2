package accounts

import (
	"fmt"
	"iter"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/loaddata"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// Guard refuses what the engine would allow every account, one case each. Access to the
// server's files is refused to everybody, root included: an account that may write
// files could replace the catalog under the server.
func Guard(ctx *sql.Context, accounts *mysql_db.MySQLDb, n sql.Node) error {
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
		case *plan.AlterUser:
			err = guardAlterUser(ctx, accounts, n)
		case *plan.ShowGrants:
			err = guardShowGrants(accounts, n)
		case *plan.ShowTables:
			err = guardTableNames(ctx, accounts, n)
		case *plan.CreateView:
			err = guardReplacedView(ctx, accounts, n)
		case *plan.ShowCreateProcedure:
			err = guardProcedureText(ctx, accounts, n)
		case *plan.AnalyzeTable:
			for i := 0; i < len(n.Tables) && err == nil; i++ {
				err = guardStatistics(ctx, accounts, n.Tables[i])
			}
		case *plan.UpdateHistogram, *plan.DropHistogram:
			err = sqlerror.New(sqlerror.NotSupported,
				"the server keeps no histograms, since they hold values of the table: leave the statement out, plans need none")
		}
		return err == nil
	})
	return err
}

func guardInto(n *plan.Into) error {
	switch {
	case n.Outfile != "":
		return sqlerror.New(sqlerror.OptionPrevents, "SELECT ... INTO OUTFILE is refused: the server writes no files; save the result at the client")
	case n.Dumpfile != "":
		return sqlerror.New(sqlerror.OptionPrevents, "SELECT ... INTO DUMPFILE is refused: the server writes no files; save the result at the client")
	}
	return nil
}

func guardLoad(n *plan.InsertInto) error {
	if _, load, ok := loaddata.Match(n); ok && !load.Local {
		return sqlerror.New(sqlerror.OptionPrevents, "LOAD DATA INFILE is refused: the server reads no files of its own; use LOAD DATA LOCAL INFILE")
	}
	return nil
}

// guardSet allows SET GLOBAL only with SUPER. No variable opens the server's files:
// statements reach none, and secure_file_priv is read-only. It allows nobody SET PERSIST:
// initial values are set on the command line.
func guardSet(ctx *sql.Context, accounts *mysql_db.MySQLDb, n *plan.Set) error {
	for variable, scope := range assignedVariables(n) {
		switch scope {
		case sql.SystemVariableScope_Persist, sql.SystemVariableScope_PersistOnly, sql.SystemVariableScope_ResetPersist:
			return sqlerror.New(sqlerror.OptionPrevents, fmt.Sprintf(
				"SET PERSIST %s is refused: variables are not kept; options are given to anonsql serve", variable.Name))
		case sql.SystemVariableScope_Global:
			if !Holds(ctx, accounts, "", "", sql.PrivilegeType_Super) {
				return sqlerror.New(sqlerror.AccessDenied, fmt.Sprintf(
					"Access denied for user %s; you need the SUPER privilege to SET GLOBAL %s", Account(ctx), variable.Name))
			}
		}
	}
	return nil
}

// SetsGlobal reports whether a SET changes a global variable.
func SetsGlobal(n *plan.Set) bool {
	for _, scope := range assignedVariables(n) {
		if scope == sql.SystemVariableScope_Global {
			return true
		}
	}
	return false
}

// assignedVariables are the system variables that a SET changes, with their scopes.
func assignedVariables(n *plan.Set) iter.Seq2[*expression.SystemVar, sql.MysqlSVScopeType] {
	return func(yield func(*expression.SystemVar, sql.MysqlSVScopeType) bool) {
		for _, e := range n.Exprs {
			field, ok := e.(*expression.SetField)
			if !ok {
				continue
			}
			variable, ok := field.LeftChild.(*expression.SystemVar)
			if !ok {
				continue
			}
			if scope, ok := variable.Scope.(*sql.MysqlScope); ok && !yield(variable, scope.Type) {
				return
			}
		}
	}
}

// guardKill lets an account kill its own statements, and others' with SUPER.
func guardKill(ctx *sql.Context, accounts *mysql_db.MySQLDb, n *plan.Kill) error {
	var processes []sql.Process
	if list, ok := ctx.ProcessList.(interface{ All() []sql.Process }); ok {
		processes = list.All()
	}
	for _, p := range processes {
		if p.Connection != n.ConnID {
			continue
		}
		if OwnProcess(ctx, p) || Holds(ctx, accounts, "", "", sql.PrivilegeType_Super) {
			return nil
		}
		return sqlerror.New(sqlerror.NotThreadOwner, fmt.Sprintf("You are not owner of thread %d", n.ConnID))
	}
	return sqlerror.New(sqlerror.NoSuchThread, fmt.Sprintf("Unknown thread id: %d", n.ConnID))
}

// NeedsCreateUser is error 1227: the account lacks CREATE USER.
func NeedsCreateUser(ctx *sql.Context) error {
	return sqlerror.New(sqlerror.AccessDenied, fmt.Sprintf("Access denied for user %s; you need the CREATE USER privilege for this operation", Account(ctx)))
}

// guardAlterUser lets an account change its own password. The engine compares only user
// names, so root@'10.%' could set the password of root@localhost.
func guardAlterUser(ctx *sql.Context, accounts *mysql_db.MySQLDb, n *plan.AlterUser) error {
	client := ctx.Session.Client()
	own := mysql_db.UserPrimaryKey{User: client.User, Host: client.Address}
	if AccountOf(n.User.UserName) == own || Holds(ctx, accounts, "", "", sql.PrivilegeType_CreateUser) ||
		Holds(ctx, accounts, accounts.Name(), "", sql.PrivilegeType_Update) {
		return nil
	}
	return NeedsCreateUser(ctx)
}

// guardShowGrants requires the exact account; the engine would show 'ana'@'%' for
// 'ana'@'10.1.1.1'.
func guardShowGrants(accounts *mysql_db.MySQLDb, n *plan.ShowGrants) error {
	if n.For == nil || n.CurrentUser {
		return nil
	}
	key := AccountOf(*n.For)
	reader := accounts.Reader()
	defer reader.Close()
	if _, ok := reader.GetUser(key); !ok {
		return sqlerror.New(sqlerror.NoSuchGrant, fmt.Sprintf("There is no such grant defined for user '%s' on host '%s'", key.User, key.Host))
	}
	return nil
}

// guardTableNames checks the visibility of the database mysql. The provider checks all
// others, but the engine does not get mysql from the provider.
func guardTableNames(ctx *sql.Context, accounts *mysql_db.MySQLDb, n *plan.ShowTables) error {
	if database := n.Database().Name(); !(Visibility{accounts}).Database(ctx, database) {
		return DatabaseDenied(ctx, database)
	}
	return nil
}

// guardReplacedView also requires DROP for CREATE OR REPLACE VIEW, as MySQL does.
func guardReplacedView(ctx *sql.Context, accounts *mysql_db.MySQLDb, n *plan.CreateView) error {
	if !n.IsReplace || Holds(ctx, accounts, n.Database().Name(), n.Name, sql.PrivilegeType_Drop) {
		return nil
	}
	return tableDenied(ctx, "DROP", n.Name)
}

// GuardText refuses to execute a node that shows the text of a view, or a plan in which it stands, without SHOW VIEW, as MySQL does.
func GuardText(ctx *sql.Context, n sql.Node) error {
	st := running.StatementOf(ctx)
	if st == nil || st.HiddenView.Load() == nil {
		return nil
	}
	switch n := n.(type) {
	case *plan.ShowCreateTable:
		if view, ok := n.Child.(*plan.SubqueryAlias); ok {
			return tableDenied(ctx, "SHOW VIEW", view.Name())
		}
	case *plan.DescribeQuery, interface{ ShowsPlan() }:
		return sqlerror.New(sqlerror.ExplainDenied, fmt.Sprintf(
			"EXPLAIN/SHOW can not be issued; lacking privileges for underlying table: user %s needs SHOW VIEW on the views of the statement", Account(ctx)))
	}
	return nil
}

// guardProcedureText shows the text of a procedure, which names raw tables, only to
// accounts that may write procedures in its database, or that have SELECT globally.
// EXECUTE only allows calls. The engine requires SELECT on the current database, which
// every analyst has.
func guardProcedureText(ctx *sql.Context, accounts *mysql_db.MySQLDb, n *plan.ShowCreateProcedure) error {
	if n.ExternalStoredProcedure != nil || Holds(ctx, accounts, "", "", sql.PrivilegeType_Select) {
		return nil
	}
	database := n.Database().Name()
	if Holds(ctx, accounts, database, "", sql.PrivilegeType_CreateRoutine) || Holds(ctx, accounts, database, "", sql.PrivilegeType_AlterRoutine) {
		return nil
	}
	return sqlerror.New(sqlerror.RoutineAccessDenied, fmt.Sprintf("alter routine command denied to user %s for routine '%s'", Account(ctx), n.ProcedureName))
}

// guardStatistics asks what MySQL asks of ANALYZE TABLE, in the table's own database. The node has the current one.
func guardStatistics(ctx *sql.Context, accounts *mysql_db.MySQLDb, table sql.Table) error {
	database := "" // of what the server keeps
	if own, ok := table.(sql.Databaseable); ok {
		database = own.Database()
	}
	if Holds(ctx, accounts, database, table.Name(), sql.PrivilegeType_Select, sql.PrivilegeType_Insert) {
		return nil
	}
	return tableDenied(ctx, "SELECT, INSERT", table.Name())
}

// OwnProcess reports whether a process belongs to the session's account, by user and
// host, since root@'10.%' is not root@localhost.
func OwnProcess(ctx *sql.Context, p sql.Process) bool {
	client := ctx.Session.Client()
	return p.User == client.User && p.Host == client.Address
}
