package server

import (
	"fmt"
	"net"
	"os"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/trivial"
)

// createReader implements Host.CreateReader.
func (s *instance) createReader(ctx *sql.Context, user, host, password string, options []string, databases ...string) (address, limits string, err error) {
	if err := s.mayCreateReader(ctx, databases); err != nil {
		return "", "", err
	}
	key := accountOf(user, host)
	if user == "" {
		return "", "", sqlerror.New(sqlerror.CannotUser, "Operation CREATE USER failed: an analyst's account needs a name")
	}
	if err := checkHost(key); err != nil {
		return "", "", err
	}
	if err := checkPassword(user, password); err != nil {
		return "", "", err
	}
	err = s.accounts.change(ctx, func(ctx *sql.Context) error {
		if err := s.accounts.addReader(ctx, key, password, databases); err != nil || len(options) == 0 {
			return err
		}
		return s.accounts.changeLimits(ctx, key, options)
	})
	if err != nil {
		return "", "", sqlerror.Typed(err)
	}
	return s.clientAddress(), s.limitsOfAccount(key).String(), nil
}

// mayCreateReader asks for what CREATE USER and the GRANTs would ask for.
func (s *instance) mayCreateReader(ctx *sql.Context, databases []string) error {
	if !s.holds(ctx, "", "", sql.PrivilegeType_CreateUser) {
		return sqlerror.New(sqlerror.AccessDenied, fmt.Sprintf("Access denied for user %s; you need the CREATE USER privilege for this operation", account(ctx)))
	}
	for _, database := range databases {
		if !s.holds(ctx, database, "", sql.PrivilegeType_Select, sql.PrivilegeType_GrantOption) {
			return sqlerror.New(sqlerror.DatabaseAccessDenied, fmt.Sprintf(
				"Access denied for user %s to database '%s': you need SELECT on it WITH GRANT OPTION", account(ctx), database))
		}
	}
	return nil
}

// checkPassword holds a password against the rule of room trivial.
func checkPassword(user, password string) error {
	if rule := trivial.Rule(user, password); rule != "" {
		return sqlerror.New(sqlerror.WeakPassword, "Your password does not satisfy the current policy requirements: "+rule)
	}
	return nil
}

// addReader makes the account and its privileges in one step.
func (b *accountBook) addReader(ctx *sql.Context, key mysql_db.UserPrimaryKey, password string, databases []string) error {
	hash, err := plan.NewDefaultAuthentication(password).AuthString()
	if err != nil {
		return err
	}
	editor := b.engine.Editor()
	defer editor.Close()
	if _, taken := editor.GetUser(key); taken {
		return sqlerror.New(sqlerror.CannotUser, fmt.Sprintf("Operation CREATE USER failed for %s: there is such an account already; "+
			"DROP USER, or ALTER USER ... IDENTIFIED BY another password", quoted(key)))
	}
	privileges := mysql_db.NewPrivilegeSet()
	for _, database := range databases {
		privileges.AddDatabase(database, sql.PrivilegeType_Select)
	}
	editor.PutUser(&mysql_db.User{User: key.User, Host: key.Host, PrivilegeSet: privileges,
		Plugin: string(mysql.MysqlNativePassword), AuthString: hash, PasswordLastChanged: time.Now().UTC()})
	return b.engine.Persist(ctx, editor)
}

// clientAddress is host:port as a client would write it; the machine's name
// where the server listens on every interface.
func (s *instance) clientAddress() string {
	address := s.address.Load()
	if address == nil {
		return s.config.Listen
	}
	host, port, err := net.SplitHostPort(*address)
	if err != nil {
		return *address
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return net.JoinHostPort(host, port)
}
