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

// CheckPassword holds a password against the rule of room trivial; nil for one that
// keeps it.
func CheckPassword(user, password string) *mysql.SQLError {
	if rule := trivial.Rule(user, password); rule != "" {
		return sqlerror.New(sqlerror.WeakPassword, "Your password does not satisfy the current policy requirements: "+rule)
	}
	return nil
}

// AddReader makes the account and its privileges in one step.
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
