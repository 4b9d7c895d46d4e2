package server

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The engine asks an authorization handler before it binds a statement, with
// the kind of access and the names. Two things are added to its own answer:
// nobody writes to a system database, and a denial has MySQL's number and
// names what was denied.

// authorizationFactory wraps the engine's own factory.
type authorizationFactory struct {
	engine sql.AuthorizationHandlerFactory
}

// CreateHandler implements sql.AuthorizationHandlerFactory.
func (f authorizationFactory) CreateHandler(c sql.Catalog) sql.AuthorizationHandler {
	return authorization{AuthorizationHandler: f.engine.CreateHandler(c), catalog: c}
}

type authorization struct {
	sql.AuthorizationHandler
	catalog sql.Catalog
}

// HandleAuth implements sql.AuthorizationHandler.
func (a authorization) HandleAuth(ctx *sql.Context, state sql.AuthorizationQueryState, asked sqlparser.AuthInformation) error {
	err := a.AuthorizationHandler.HandleAuth(ctx, state, asked)
	if err == nil {
		return a.refuseSystemWrite(ctx, asked)
	}
	if !sql.ErrPrivilegeCheckFailed.Is(err) && !sql.ErrDatabaseAccessDeniedForUser.Is(err) && !sql.ErrTableAccessDeniedForUser.Is(err) {
		return err
	}
	return denied(ctx, asked)
}

// denied is MySQL's message for what was asked.
func denied(ctx *sql.Context, asked sqlparser.AuthInformation) error {
	who := account(ctx)
	verb := strings.ReplaceAll(asked.AuthType, "_", " ")
	switch asked.TargetType {
	case sqlparser.AuthTargetType_SingleTableIdentifier, sqlparser.AuthTargetType_MultipleTableIdentifiers, sqlparser.AuthTargetType_TableColumn:
		return newError(numberTableAccessDenied, fmt.Sprintf("%s command denied to user %s for table '%s'", verb, who, name(asked, 1)))
	case sqlparser.AuthTargetType_DatabaseIdentifiers:
		database := name(asked, 0)
		if database == "" {
			database = ctx.GetCurrentDatabase()
		}
		return newError(numberDatabaseAccessDenied, fmt.Sprintf("Access denied for user %s to database '%s'", who, database))
	}
	if asked.AuthType == sqlparser.AuthType_CALL {
		return newError(numberRoutineAccessDenied, fmt.Sprintf("execute command denied to user %s for routine '%s'", who, name(asked, 1)))
	}
	return newError(numberAccessDenied, fmt.Sprintf("Access denied for user %s; you need the %s privilege for this operation", who, verb))
}

func name(asked sqlparser.AuthInformation, i int) string {
	if i < len(asked.TargetNames) {
		return asked.TargetNames[i]
	}
	return ""
}

func account(ctx *sql.Context) string {
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
	engine, ok := a.catalog.(*analyzer.Catalog)
	if !ok {
		return nil
	}
	provider, ok := engine.DbProvider.(*Provider)
	if !ok {
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
		if provider.system[strings.ToLower(database)] {
			return systemDatabase(ctx, asked, database, name(asked, i+1), unnamed && step > 1)
		}
	}
	return nil
}

// systemDatabase says what was refused and, when the database was only the
// current one, how to name another.
func systemDatabase(ctx *sql.Context, asked sqlparser.AuthInformation, database, table string, unnamed bool) error {
	verb := strings.ReplaceAll(asked.AuthType, "_", " ")
	if asked.TargetType == sqlparser.AuthTargetType_DatabaseIdentifiers {
		return newError(numberDatabaseAccessDenied, fmt.Sprintf(
			"Access denied for user %s to database '%s': %s is refused, it is kept by the server", account(ctx), database, verb))
	}
	message := fmt.Sprintf("%s command denied to user %s for table '%s': database '%s' is kept by the server", verb, account(ctx), table, database)
	if unnamed {
		message += "; choose a database of your own with USE, or name it before the table"
	}
	return newError(numberTableAccessDenied, message)
}
