package accounts

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// A globalChecker takes a missing database for all databases. The engine takes it for
// the current one, so anybody who may grant SELECT there could GRANT SELECT ON *.*.
type globalChecker struct{ engine *mysql_db.MySQLDb }

var _ sql.PrivilegedOperationChecker = globalChecker{}

// UserHasPrivileges implements sql.PrivilegedOperationChecker.
func (c globalChecker) UserHasPrivileges(ctx *sql.Context, operations ...sql.PrivilegedOperation) bool {
	held := c.engine.UserActivePrivilegeSet(ctx)
	if held.Has(sql.PrivilegeType_Super) {
		return true
	}
	for _, operation := range operations {
		if operation.Database != "" {
			if !c.engine.UserHasPrivileges(ctx, operation) {
				return false
			}
			continue
		}
		if !held.Has(operation.StaticPrivileges...) || !held.HasDynamic(operation.DynamicPrivileges...) {
			return false
		}
	}
	return true
}

// RoutineAdminCheck implements sql.PrivilegedOperationChecker.
func (c globalChecker) RoutineAdminCheck(ctx *sql.Context, operations ...sql.PrivilegedOperation) bool {
	return c.engine.RoutineAdminCheck(ctx, operations...)
}

// withinDatabase copies the privileges on single tables and procedures of a
// database, for every account of a REVOKE on the database: the engine drops
// them with the last privilege on the database itself.
func (b *Book) withinDatabase(ctx *sql.Context, n *plan.Revoke) []within {
	level := n.PrivilegeLevel
	if level.TableRoutine != "*" || level.Database == "*" {
		return nil
	}
	database := level.Database
	if database == "" {
		database = ctx.GetCurrentDatabase()
	}
	var kept []within
	reader := b.Engine.Reader()
	defer reader.Close()
	for _, name := range n.Users {
		if u, ok := reader.GetUser(AccountOf(name)); ok {
			privileges := u.PrivilegeSet.Copy()
			kept = append(kept, within{keyOf(u), database, privileges.Database(database)})
		}
	}
	return kept
}

// A within holds the privileges that an account had in a database.
type within struct {
	account    mysql_db.UserPrimaryKey
	database   string
	privileges sql.PrivilegeSetDatabase
}

func (b *Book) putBack(ctx *sql.Context, kept []within) error {
	if len(kept) == 0 {
		return nil
	}
	editor := b.Engine.Editor()
	defer editor.Close()
	for _, k := range kept {
		u, ok := editor.GetUser(k.account)
		if !ok {
			continue
		}
		for _, t := range k.privileges.GetTables() {
			if held := t.ToSlice(); len(held) > 0 {
				u.PrivilegeSet.AddTable(k.database, t.Name(), held...)
			}
		}
		for _, r := range k.privileges.GetRoutines() {
			if held := r.ToSlice(); len(held) > 0 {
				u.PrivilegeSet.AddRoutine(k.database, r.RoutineName(), r.RoutineType() == "PROCEDURE", held...)
			}
		}
	}
	return b.Engine.Persist(ctx, editor)
}
