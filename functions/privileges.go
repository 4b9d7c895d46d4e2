package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/needs"
)

// tableFor opens a procedure's raw table, on which the session has the procedure's privileges.
func (e *Environment) tableFor(ctx *sql.Context, procedure, argument string) (source.Table, tableName, error) {
	name, err := parseTableName(ctx, argument)
	if err != nil {
		return nil, name, err
	}
	table, err := e.table(ctx, name)
	if err != nil {
		return nil, name, err
	}
	return table, name, e.requirePrivilege(ctx, procedure, name)
}

// requirePrivilege is error 1142 if the account does not currently have a procedure's privileges on a table.
func (e *Environment) requirePrivilege(ctx *sql.Context, procedure string, name tableName) error {
	need, _ := needs.ForProcedure(procedure)
	for _, p := range need.Privileges {
		holds := e.CanRead
		if p != sql.PrivilegeType_Select {
			holds = func(ctx *sql.Context, database, table string) bool { return e.Holds(ctx, database, table, p) }
		}
		if !holds(ctx, name.database, name.table) {
			return e.endedOr(ctx, name.denied(ctx, p.String()))
		}
	}
	return nil
}

// endedOr is the cause of an ended statement, whose privileges could not be checked; otherwise denied.
func (*Environment) endedOr(ctx *sql.Context, denied error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return denied
}

// holdsSource reports whether the session has a procedure's privileges on a release's source: its raw table, or files.
func (e *Environment) holdsSource(ctx *sql.Context, procedure string, p *catalog.Published) bool {
	if p.Record().Imported {
		return e.Releases.OwnerOf(ctx, p) // by the privilege FILE
	}
	database, table := e.Releases.SourceName(ctx, p)
	return e.requirePrivilege(ctx, procedure, tableName{database, table}) == nil
}

// releaseFor finds a release for a procedure that needs privileges on its raw table. verb is the procedure's name in errors.
func (e *Environment) releaseFor(ctx *sql.Context, procedure, verb, name string) (*catalog.Published, error) {
	p, err := e.Releases.Find(ctx, releaseName(name))
	if err != nil || e.holdsSource(ctx, procedure, p) {
		return p, err
	}
	return p, e.deniedSource(ctx, verb, p, "SELECT and ALTER on its raw table")
}

// deniedSource names the privileges, and to an account that reads the table the missing one, but not the table, which others may not know.
func (e *Environment) deniedSource(ctx *sql.Context, verb string, p *catalog.Published, needed string) error {
	database, table := e.Releases.SourceName(ctx, p)
	switch {
	case p.Record().Imported:
		needed = "the privilege FILE"
	case e.CanRead(ctx, database, table):
		needed += ". It reads the table, and lacks ALTER"
	case source.HomeOf(ctx) != nil:
		needed += ". Its table is not there under its name, or this account may not read it"
	}
	client := ctx.Session.Client()
	return e.endedOr(ctx, mysql.NewSQLError(tableAccessDenied, "42000",
		"%s command denied to user '%s'@'%s' for release '%s': it needs %s", verb, client.User, client.Address, p.Record().Name, needed))
}

// releaseToWithdraw finds a release that the session may drop: it needs the privileges on the raw table; if the table is gone, it must be the
// release's maker, or have ALTER on the table's name.
func (e *Environment) releaseToWithdraw(ctx *sql.Context, name string) (*catalog.Published, error) {
	p, err := e.Releases.FindOr(ctx, releaseName(name), func(p *catalog.Published) bool { return e.mayWithdraw(ctx, p) })
	if err != nil || e.holdsSource(ctx, "drop_release", p) || e.mayWithdraw(ctx, p) {
		return p, err
	}
	return p, e.deniedSource(ctx, "DROP", p, "SELECT and ALTER on its raw table; when that is gone, its publisher may drop it, too")
}

// mayWithdraw reports whether the table of a release is gone, and the session's account has made the release, or could make a table of that name.
func (e *Environment) mayWithdraw(ctx *sql.Context, p *catalog.Published) bool {
	if p.Record().Imported || !e.Releases.SourceIsGone(ctx, p) {
		return false
	}
	database, table := e.Releases.SourceName(ctx, p)
	return p.MadeBy(ctx) || e.Holds(ctx, database, table, sql.PrivilegeType_Alter)
}
