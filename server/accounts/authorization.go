package accounts

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// Before it binds a statement, the engine asks an authorization handler about the kind
// of access and the names. This handler adds three things to the engine's: a statement
// may need several privileges on the same names, nobody writes to a system database,
// and a denial has MySQL's number and names the denied object.

// AuthorizationFactory wraps the engine's own factory.
type AuthorizationFactory struct {
	engine sql.AuthorizationHandlerFactory
}

// NewAuthorizationFactory wraps that of the engine.
func NewAuthorizationFactory(engine sql.AuthorizationHandlerFactory) AuthorizationFactory {
	return AuthorizationFactory{engine}
}

// CreateHandler implements sql.AuthorizationHandlerFactory.
func (f AuthorizationFactory) CreateHandler(c sql.Catalog) sql.AuthorizationHandler {
	return authorization{AuthorizationHandler: f.engine.CreateHandler(c), catalog: c}
}

type authorization struct {
	sql.AuthorizationHandler
	catalog sql.Catalog
}

// And separates the privileges that one statement needs on the same names.
const And = "+"

// Besides are privileges that a statement needs on other names, as the Extra of its own.
type Besides []sqlparser.AuthInformation

// A View is the name of a view whose text is read, as the Extra of what that needs.
type View struct{ Database, Name string }

// noteText notes a view whose text the account may not see. GuardText then refuses to show it.
func (a authorization) noteText(ctx *sql.Context, view View) {
	own, st := a.keeper(), running.StatementOf(ctx)
	if st != nil && own != nil && own.VisibleNames() != nil && !Internal(ctx) &&
		!Holds(ctx, own.VisibleNames().accounts, view.Database, view.Name, sql.PrivilegeType_ShowView) {
		st.HiddenView.Store(&view.Name)
	}
}

// HandleAuth implements sql.AuthorizationHandler.
func (a authorization) HandleAuth(ctx *sql.Context, state sql.AuthorizationQueryState, asked sqlparser.AuthInformation) error {
	if err := running.Ended(ctx); err != nil { // called all through the binding
		return err
	}
	if first, others, several := strings.Cut(asked.AuthType, And); several {
		asked.AuthType = first
		if err := a.HandleAuth(ctx, state, asked); err != nil {
			return err
		}
		asked.AuthType = others
		return a.HandleAuth(ctx, state, asked)
	}
	if readsOpenSchema(ctx, asked) || callsOpenProcedure(asked) {
		return nil
	}
	if ownAccount(ctx, asked) {
		return denied(ctx, asked)
	}
	if state == nil {
		state = a.NewQueryState(ctx)
	}
	err := a.AuthorizationHandler.HandleAuth(ctx, state, asked)
	if err == nil {
		if err = a.refuseSystemWrite(ctx, asked); err == nil {
			err = refuseRenameElsewhere(ctx, asked)
		}
		switch extra := asked.Extra.(type) {
		case Besides:
			for i := 0; i < len(extra) && err == nil; i++ {
				err = a.HandleAuth(ctx, state, extra[i])
			}
		case View:
			a.noteText(ctx, extra)
		}
		return err
	}
	if !sql.ErrPrivilegeCheckFailed.Is(err) && !sql.ErrDatabaseAccessDeniedForUser.Is(err) && !sql.ErrTableAccessDeniedForUser.Is(err) {
		return err
	}
	return denied(ctx, asked)
}

// readsOpenSchema matches SELECT from a table of information_schema as the current
// database. Every account may read it, but the engine recognises only the qualified
// name.
func readsOpenSchema(ctx *sql.Context, asked sqlparser.AuthInformation) bool {
	return asked.AuthType == sqlparser.AuthType_SELECT && asked.TargetType == sqlparser.AuthTargetType_SingleTableIdentifier &&
		name(asked, 0) == "" && strings.EqualFold(ctx.GetCurrentDatabase(), sql.InformationSchemaDatabaseName)
}

// callsOpenProcedure matches the procedures that every account may call: explain_sql
// runs nothing, and needs the privileges of its SELECT; report needs SELECT on the
// release, and shows what the account could read of it.
func callsOpenProcedure(asked sqlparser.AuthInformation) bool {
	return asked.AuthType == sqlparser.AuthType_CALL &&
		(strings.EqualFold(name(asked, 1), "explain_sql") || strings.EqualFold(name(asked, 1), "report"))
}

// refuseRenameElsewhere refuses to rename a table of another than the current database:
// the engine drops the database from the names, so it would rename a table of the
// current database, whose privileges were not checked.
func refuseRenameElsewhere(ctx *sql.Context, asked sqlparser.AuthInformation) error {
	if asked.AuthType != sqlparser.AuthType_RENAME {
		return nil
	}
	for i := 0; i < len(asked.TargetNames); i += 2 {
		if database := asked.TargetNames[i]; database != "" && !strings.EqualFold(database, ctx.GetCurrentDatabase()) {
			return sqlerror.New(sqlerror.NotSupported, fmt.Sprintf("tables are renamed in the current database only: USE %s first", database))
		}
	}
	return nil
}

// CheckTable implements sql.AuthorizationHandler. The engine calls it before it opens
// or lists a table, in any statement.
func (a authorization) CheckTable(ctx *sql.Context, state sql.AuthorizationQueryState, database, schema, table string) error {
	if state == nil {
		state = a.NewQueryState(ctx)
	}
	if err := a.AuthorizationHandler.CheckTable(ctx, state, database, schema, table); err != nil {
		return err
	}
	if own := a.keeper(); own != nil && own.VisibleNames() != nil && !own.VisibleNames().Table(ctx, database, table) {
		return tableDenied(ctx, "SELECT", table)
	}
	return nil
}

// CheckDatabase implements sql.AuthorizationHandler.
func (a authorization) CheckDatabase(ctx *sql.Context, state sql.AuthorizationQueryState, database string) error {
	if state == nil {
		state = a.NewQueryState(ctx)
	}
	return a.AuthorizationHandler.CheckDatabase(ctx, state, database)
}

// CheckSchema implements sql.AuthorizationHandler.
func (a authorization) CheckSchema(ctx *sql.Context, state sql.AuthorizationQueryState, database, schema string) error {
	if state == nil {
		state = a.NewQueryState(ctx)
	}
	return a.AuthorizationHandler.CheckSchema(ctx, state, database, schema)
}

// A Keeper is the provider of a server's engine: it knows which names an account sees,
// and which databases the server keeps.
type Keeper interface {
	VisibleNames() *Visibility
	Keeps(database string) bool
}

// keeper returns nil for an engine without a server.
func (a authorization) keeper() Keeper {
	engine, ok := a.catalog.(*analyzer.Catalog)
	if !ok {
		return nil
	}
	own, _ := engine.DbProvider.(Keeper)
	return own
}

// denied is MySQL's error for a denied access.
func denied(ctx *sql.Context, asked sqlparser.AuthInformation) error {
	who := Account(ctx)
	verb := strings.ReplaceAll(asked.AuthType, "_", " ")
	switch asked.TargetType {
	case sqlparser.AuthTargetType_SingleTableIdentifier, sqlparser.AuthTargetType_MultipleTableIdentifiers, sqlparser.AuthTargetType_TableColumn:
		return tableDenied(ctx, verb, name(asked, 1))
	case sqlparser.AuthTargetType_DatabaseIdentifiers:
		database := name(asked, 0)
		if database == "" {
			database = ctx.GetCurrentDatabase()
		}
		return DatabaseDenied(ctx, database)
	}
	if asked.AuthType == sqlparser.AuthType_CALL {
		return sqlerror.New(sqlerror.RoutineAccessDenied, fmt.Sprintf("execute command denied to user %s for routine '%s'", who, name(asked, 1)))
	}
	return sqlerror.New(sqlerror.AccessDenied, fmt.Sprintf("Access denied for user %s; you need the %s privilege for this operation", who, verb))
}

// DatabaseDenied names the database if the client knows of it: statements may need the
// database mysql without naming it.
func DatabaseDenied(ctx *sql.Context, database string) error {
	if !written(ctx, database) && !strings.EqualFold(database, ctx.GetCurrentDatabase()) && database != "mysql" {
		return sqlerror.New(sqlerror.DatabaseAccessDenied, fmt.Sprintf("Access denied for user %s to a database behind this statement", Account(ctx)))
	}
	return sqlerror.New(sqlerror.DatabaseAccessDenied, fmt.Sprintf("Access denied for user %s to database '%s'", Account(ctx), database))
}

func name(asked sqlparser.AuthInformation, i int) string {
	if i < len(asked.TargetNames) {
		return asked.TargetNames[i]
	}
	return ""
}

// Account is the session's account as in messages: 'name'@'host'.
func Account(ctx *sql.Context) string {
	client := ctx.Session.Client()
	return fmt.Sprintf("'%s'@'%s'", client.User, client.Address)
}

// writes are the kinds of access that change something in a database.
var writes = map[string]bool{
	sqlparser.AuthType_ALTER: true, sqlparser.AuthType_ALTER_ROUTINE: true, sqlparser.AuthType_CREATE: true,
	sqlparser.AuthType_CREATE_ROUTINE: true, sqlparser.AuthType_CREATE_TEMP: true, sqlparser.AuthType_CREATE_VIEW: true,
	sqlparser.AuthType_DELETE: true, sqlparser.AuthType_DROP: true, sqlparser.AuthType_EVENT: true,
	sqlparser.AuthType_FOREIGN_KEY: true, sqlparser.AuthType_INDEX: true, sqlparser.AuthType_INSERT: true,
	sqlparser.AuthType_RENAME: true, sqlparser.AuthType_REPLACE: true, sqlparser.AuthType_TRIGGER: true,
	sqlparser.AuthType_UPDATE: true,
}

func (a authorization) refuseSystemWrite(ctx *sql.Context, asked sqlparser.AuthInformation) error {
	if !writes[asked.AuthType] {
		return nil
	}
	own := a.keeper()
	if own == nil {
		return nil
	}
	step := 2 // database and table in turn
	switch asked.TargetType {
	case sqlparser.AuthTargetType_DatabaseIdentifiers:
		step = 1
	case sqlparser.AuthTargetType_TableColumn:
		step = 3
	}
	for i := 0; i < len(asked.TargetNames); i += step {
		database := asked.TargetNames[i]
		unnamed := database == ""
		if unnamed {
			database = ctx.GetCurrentDatabase()
		}
		if own.Keeps(database) {
			return systemDatabase(ctx, asked, database, name(asked, i+1), unnamed && step > 1)
		}
	}
	return nil
}

// ofReleases are hints for refused statements on releases, by verb.
var ofReleases = map[string]string{
	"DROP":   "; CALL drop_release removes a release",
	"INSERT": unchanging, "UPDATE": unchanging, "DELETE": unchanging,
}

const unchanging = "; a release does not change: CALL refresh_release publishes the next version of one with updates=sealed, CALL anonymize with replace=true the table anew"

// systemDatabase names the refused access and, if the database was only the current
// one, how to name another.
func systemDatabase(ctx *sql.Context, asked sqlparser.AuthInformation, database, table string, unnamed bool) error {
	verb := strings.ReplaceAll(asked.AuthType, "_", " ")
	if asked.TargetType == sqlparser.AuthTargetType_DatabaseIdentifiers {
		return sqlerror.New(sqlerror.DatabaseAccessDenied, fmt.Sprintf(
			"Access denied for user %s to database '%s': %s is refused, it is kept by the server", Account(ctx), database, verb))
	}
	message := fmt.Sprintf("%s command denied to user %s for table '%s': database '%s' is kept by the server", verb, Account(ctx), table, database)
	if strings.EqualFold(database, catalog.PublishedDatabaseName) {
		message += ofReleases[verb]
	}
	if unnamed {
		message += "; choose a database of your own with USE, or name it before the table"
	}
	return sqlerror.New(sqlerror.TableAccessDenied, message)
}
