package accounts

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/source"
)

// Elsewhere returns the privileges of sessions whose accounts another server keeps: they read published data and the system
// database, and call procedures, which ask that server for the account's privileges. SHOW DATABASES distinguishes them from
// analysts, and reveals nothing, since such a session has no owner's database here. The generation is the engine's version
// of privileges, by which a session recognises outdated ones.
func (b *Book) Elsewhere() func() (sql.PrivilegeSet, uint64) {
	held := mysql_db.NewPrivilegeSet()
	held.AddGlobalStatic(sql.PrivilegeType_Execute, sql.PrivilegeType_ShowDB)
	held.AddDatabase(catalog.PublishedDatabaseName, sql.PrivilegeType_Select, sql.PrivilegeType_ShowView)
	held.AddDatabase(catalog.SystemDatabaseName, sql.PrivilegeType_Select)
	return func() (sql.PrivilegeSet, uint64) { return held, b.generation() }
}

// generation asks the engine with a session of some account; without any it is 0, which matches no privileges.
func (b *Book) generation() uint64 {
	for _, u := range b.All() {
		session := sql.NewBaseSessionWithClientServer("", sql.Client{User: u.User, Address: u.Host}, 0)
		b.Engine.UserActivePrivilegeSet(sql.NewContext(context.Background(), sql.WithSession(session)))
		_, generation := session.GetPrivilegeSet()
		return generation
	}
	return 0
}

// NewQueryState implements sql.AuthorizationHandler. The engine needs an account of its own for every session. A session from
// elsewhere borrows the name of an existing account, and keeps its own privileges; ownAccount denies what the engine would
// allow that account by name.
func (a authorization) NewQueryState(ctx *sql.Context) sql.AuthorizationQueryState {
	own := a.keeper()
	if source.HomeOf(ctx) == nil || own == nil || own.VisibleNames() == nil {
		return a.AuthorizationHandler.NewQueryState(ctx)
	}
	reader := own.VisibleNames().accounts.Reader()
	defer reader.Close()
	var client sql.Client
	reader.VisitUsers(func(u *mysql_db.User) {
		if !u.IsRole && !u.Locked {
			client = sql.Client{User: u.User, Address: u.Host}
		}
	})
	return a.AuthorizationHandler.NewQueryState(sql.NewContext(ctx.Context, sql.WithSession(standIn{ctx.Session, client})))
}

// A standIn is a session with the name of another account.
type standIn struct {
	sql.Session
	client sql.Client
}

// Client implements sql.Session.
func (s standIn) Client() sql.Client { return s.client }

// ownAccount matches changes of the session's own account, which sessions from elsewhere do not have here.
func ownAccount(ctx *sql.Context, asked sqlparser.AuthInformation) bool {
	return asked.AuthType == sqlparser.AuthType_ALTER_USER && source.HomeOf(ctx) != nil
}
