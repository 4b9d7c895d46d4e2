package accounts

import (
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/trivial"
)

// CheckPassword checks a password by the rule of package trivial; nil if it passes.
func CheckPassword(user, password string) *mysql.SQLError {
	if rule := trivial.Rule(user, password); rule != "" {
		return sqlerror.New(sqlerror.WeakPassword, "Your password does not satisfy the current policy requirements: "+rule)
	}
	return nil
}

// AddReader creates an account that may SELECT from databases.
func (b *Book) AddReader(ctx *sql.Context, key mysql_db.UserPrimaryKey, password string, databases []string) error {
	hash, err := plan.NewDefaultAuthentication(password).AuthString()
	if err != nil {
		return err
	}
	editor := b.Engine.Editor()
	defer editor.Close()
	if _, taken := editor.GetUser(key); taken {
		return sqlerror.New(sqlerror.CannotUser, fmt.Sprintf("Operation CREATE USER failed for %s: there is such an account already; "+
			"DROP USER, or ALTER USER ... IDENTIFIED BY another password", Quoted(key)))
	}
	privileges := mysql_db.NewPrivilegeSet()
	for _, database := range databases {
		privileges.AddDatabase(database, sql.PrivilegeType_Select)
	}
	editor.PutUser(&mysql_db.User{User: key.User, Host: key.Host, PrivilegeSet: privileges,
		Plugin: string(mysql.MysqlNativePassword), AuthString: hash, PasswordLastChanged: time.Now().UTC()})
	return b.Engine.Persist(ctx, editor)
}

// OneAccount returns the account and its roles in the encoding of GrantsSetting, without a password.
func (b *Book) OneAccount(ctx *sql.Context, key mysql_db.UserPrimaryKey) ([]byte, error) {
	alone := mysql_db.CreateEmptyMySQLDb()
	var grants kept
	alone.SetPersister(&grants)
	reader, editor := b.Engine.Reader(), alone.Editor()
	defer editor.Close()
	defer reader.Close()
	b.copyAccount(reader, editor, key)
	if err := alone.Persist(ctx, editor); err != nil {
		return nil, err
	}
	return grants, nil
}

// copyAccount copies an account and, recursively, its roles.
func (b *Book) copyAccount(from *mysql_db.Reader, to *mysql_db.Editor, key mysql_db.UserPrimaryKey) {
	user, ok := from.GetUser(key)
	if _, copied := to.GetUser(key); !ok || copied {
		return
	}
	alone := *user
	if !alone.IsRole {
		alone.Locked, alone.AuthString = false, ""
	}
	to.PutUser(&alone)
	for _, edge := range from.GetToUserRoleEdges(mysql_db.RoleEdgesToKey{ToHost: key.Host, ToUser: key.User}) {
		b.copyAccount(from, to, mysql_db.UserPrimaryKey{Host: edge.FromHost, User: edge.FromUser})
		to.PutRoleEdge(edge)
	}
}

// kept stores an engine's accounts.
type kept []byte

// Persist implements mysql_db.MySQLDbPersistence.
func (k *kept) Persist(_ *sql.Context, grants []byte) error {
	*k = grants
	return nil
}

// Replace replaces the accounts by ones stored elsewhere. The store stays unchanged.
func (b *Book) Replace(ctx *sql.Context, stored []byte) error {
	editor := b.Engine.Editor()
	defer editor.Close()
	return b.load(ctx, editor, stored)
}

// Generation grows whenever the privileges of the session's account may have changed.
func (b *Book) Generation(ctx *sql.Context) uint64 {
	b.Engine.UserActivePrivilegeSet(ctx)
	_, generation := ctx.Session.GetPrivilegeSet()
	return generation
}
