package accounts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// The names of databases and tables are as private as their content. The engine shows
// every name and definition to an account with any global privilege: EXECUTE ON *.*,
// which lets an analyst call procedures, would reveal the columns of all raw tables.
// Here a global privilege reveals names only if it is a privilege over tables. The
// engine checks in two places: the provider for databases, and the authorization for
// tables (authorization.go).

// overTables are the privileges over tables that reveal their names if they are held
// globally or on a database.
var overTables = []sql.PrivilegeType{
	sql.PrivilegeType_Select, sql.PrivilegeType_Insert, sql.PrivilegeType_Update, sql.PrivilegeType_Delete,
	sql.PrivilegeType_Create, sql.PrivilegeType_Drop, sql.PrivilegeType_Alter, sql.PrivilegeType_Index,
	sql.PrivilegeType_References, sql.PrivilegeType_Trigger, sql.PrivilegeType_Super,
}

// A Visibility decides which names the account of a session sees.
type Visibility struct{ accounts *mysql_db.MySQLDb }

// Names returns the Visibility of the book's accounts.
func (b *Book) Names() *Visibility { return &Visibility{b.Engine} }

// Database reports whether the account sees the name of a database.
func (v Visibility) Database(ctx *sql.Context, name string) bool {
	if Internal(ctx) || strings.EqualFold(name, sql.InformationSchemaDatabaseName) {
		return true
	}
	held := v.accounts.UserActivePrivilegeSet(ctx)
	return hasAny(held.Has, overTables...) || held.Has(sql.PrivilegeType_ShowDB) || held.Database(name).HasPrivileges()
}

// Table reports whether the account sees the name and the columns of a table.
func (v Visibility) Table(ctx *sql.Context, database, table string) bool {
	if Internal(ctx) || strings.EqualFold(database, sql.InformationSchemaDatabaseName) {
		return true
	}
	held := v.accounts.UserActivePrivilegeSet(ctx)
	if strings.EqualFold(database, catalog.SystemDatabaseName) && strings.EqualFold(table, audit.TableName) {
		return mayAudit(held)
	}
	inDatabase := held.Database(database)
	return hasAny(held.Has, overTables...) || hasAny(inDatabase.Has, overTables...) || inDatabase.Table(table).HasPrivileges()
}

// mayAudit reports whether an account reads the audit: SELECT on everything, or
// on the table by its name. SELECT on the database, which analysts have, is not
// enough.
func mayAudit(held sql.PrivilegeSet) bool {
	return hasAny(held.Has, sql.PrivilegeType_Select, sql.PrivilegeType_Super) ||
		held.Database(catalog.SystemDatabaseName).Table(audit.TableName).Has(sql.PrivilegeType_Select)
}

// Analyst reports whether an account reads only published data: it has no global
// privilege except EXECUTE, and none on an owner's database.
func (v *Visibility) Analyst(ctx *sql.Context, keeps func(database string) bool) bool {
	if v == nil || Internal(ctx) {
		return false
	}
	held := v.accounts.UserActivePrivilegeSet(ctx)
	for _, global := range held.ToSlice() {
		if global != sql.PrivilegeType_Execute {
			return false
		}
	}
	for _, database := range held.GetDatabases() {
		if database.HasPrivileges() && !keeps(database.Name()) && !strings.EqualFold(database.Name(), sql.InformationSchemaDatabaseName) {
			return false
		}
	}
	return true
}

// Reaches reports whether the account has privileges over tables globally, or on a database for which names is true.
func (v *Visibility) Reaches(ctx *sql.Context, names func(database string) bool) bool {
	if v == nil || Internal(ctx) {
		return false
	}
	held := v.accounts.UserActivePrivilegeSet(ctx)
	return hasAny(held.Has, overTables...) || slices.ContainsFunc(held.GetDatabases(), func(database sql.PrivilegeSetDatabase) bool {
		return names(database.Name()) && database.HasPrivileges()
	})
}

func hasAny(has func(...sql.PrivilegeType) bool, privileges ...sql.PrivilegeType) bool {
	return slices.ContainsFunc(privileges, func(p sql.PrivilegeType) bool { return has(p) })
}

// Internal is true for the server's own work, without a client.
func Internal(ctx *sql.Context) bool {
	if ctx == nil || ctx.Session == nil {
		return true
	}
	client := ctx.Session.Client()
	return client.User == "" && client.Address == ""
}

// written reports whether the client's statement contains the name. Only then a denial
// repeats it: an owner's view or procedure may read tables of which the account must
// not know.
func written(ctx *sql.Context, name string) bool {
	return name != "" && strings.Contains(strings.ToLower(ctx.Query()), strings.ToLower(name))
}

// tableDenied is MySQL's error for a table that the account may not use.
func tableDenied(ctx *sql.Context, verb, table string) error {
	if !written(ctx, table) {
		return sqlerror.New(sqlerror.TableAccessDenied, fmt.Sprintf("%s command denied to user %s for a table behind this statement", verb, Account(ctx)))
	}
	why := ""
	if source.HomeOf(ctx) != nil {
		why = ". No statement joins published with a table of the server behind: read the answer, and insert it there"
	}
	return sqlerror.New(sqlerror.TableAccessDenied, fmt.Sprintf("%s command denied to user %s for table '%s'%s", verb, Account(ctx), table, why))
}
