package server

import (
	"context"
	"fmt"
	"net"
	"os"
	"sort"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/defaults"
	"github.com/anonsql/anonsql/server/limits"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
)

// Accounts that read only published data have default limits (limits.Default). The
// owner changes the limits of any account by CALL set_limits; they are stored among the
// account's attributes, and apply from its next statement on. The server's own limits
// apply to all analysts.

// limitsOf returns the limits of the session's account.
func (s *instance) limitsOf(ctx *sql.Context) limits.Limits {
	if accounts.Internal(ctx) {
		return limits.Limits{}
	}
	client := ctx.Session.Client()
	changed := s.accounts.ChangedLimits(mysql_db.UserPrimaryKey{User: client.User, Host: client.Address})
	if !s.provider.sees.Analyst(ctx, s.provider.Keeps) {
		return changed.ApplyTo(limits.Limits{})
	}
	return changed.ApplyTo(limits.Default()).Intersect(limits.Limits{StatementTimeout: s.config.StatementTimeout,
		MaxResultRows: int64(s.config.MaxResultRows), MaxResultBytes: s.config.MaxResultBytes})
}

// limitsOfAccount returns the limits of an account without a session.
func (s *instance) limitsOfAccount(key mysql_db.UserPrimaryKey) limits.Limits {
	client := sql.Client{User: key.User, Address: key.Host}
	return s.limitsOf(sql.NewContext(context.Background(), sql.WithSession(sql.NewBaseSessionWithClientServer("", client, 0))))
}

// open begins to count the prepared statements of a connection.
func (s *instance) open(c *mysql.Conn) {
	prepared := &wire.PreparedBook{All: &s.prepared, Forget: func(text string) {
		s.engine.PreparedDataCache.UncacheStmt(c.ConnectionID, text)
		s.workers.forget(c.ConnectionID, text)
	}}
	if packets := wire.PacketsOf(c.Conn); packets != nil {
		packets.Holds = prepared
	}
	s.connections.Add(c, prepared)
}

// connectionsOf returns the limit of an account's concurrent connections, 0 for none,
// and the error beyond it: the smaller of max_user_connections and the account's own
// limit. The caller exempts administrators from both.
func (s *instance) connectionsOf(key mysql_db.UserPrimaryKey) (limit int64, refusal error) {
	limit = wire.GlobalNumber("max_user_connections")
	refusal = sqlerror.New(sqlerror.TooManyOfAccount, fmt.Sprintf("User %s already has more than 'max_user_connections' active connections", key.User))
	if own := s.limitsOfAccount(key).MaxConnections; own > 0 && (limit == 0 || own < limit) {
		return own, sqlerror.New(sqlerror.UserLimit, fmt.Sprintf("User '%s' has exceeded the 'max_user_connections' resource (current value: %d): "+
			"close a connection, or ask the owner for CALL set_limits('%s', 'max_connections=...')", key.User, own, key.User))
	}
	return limit, refusal
}

// setLimits implements Host.SetLimits.
func (s *instance) setLimits(ctx *sql.Context, user, host string, options ...string) (string, error) {
	key, err := s.changeAccount(ctx, user, host, options, s.accounts.ChangeLimits)
	if err != nil {
		return "", err
	}
	return s.limitsOfAccount(key).String(), nil
}

// setDefaults implements Host.SetDefaults.
func (s *instance) setDefaults(ctx *sql.Context, user, host string, options ...string) (string, error) {
	key, err := s.changeAccount(ctx, user, host, options, s.accounts.ChangeDefaults)
	if err != nil {
		return "", err
	}
	return s.accounts.Defaults(key).String(), nil
}

// changeAccount changes an account, if the session may create accounts.
func (s *instance) changeAccount(
	ctx *sql.Context,
	user, host string,
	options []string,
	change func(*sql.Context, mysql_db.UserPrimaryKey, []string) error,
) (mysql_db.UserPrimaryKey, error) {
	key := accounts.AccountOf(plan.UserName{Name: user, Host: host})
	if !s.holds(ctx, "", "", sql.PrivilegeType_CreateUser) {
		return key, accounts.NeedsCreateUser(ctx)
	}
	return key, sqlerror.Typed(s.accounts.Change(ctx, func(ctx *sql.Context) error { return change(ctx, key, options) }))
}

// begin sets the variables of a new session: the owner's values for its account, then the client's from the connection attributes.
func (s *instance) begin(ctx context.Context, session sql.Session, asked defaults.Values) error {
	if s.config.front != nil { // the front sends what the session has set
		return nil
	}
	client := session.Client()
	set := func(variable, value string) error { return accounts.SetVariable(ctx, session, variable, value) }
	if err := s.accounts.Defaults(mysql_db.UserPrimaryKey{User: client.User, Host: client.Address}).Walk(set); err != nil {
		s.config.Logger.Warn("a default of an account cannot be set", "account", client.User, "error", err)
	}
	return asked.Walk(set)
}

// accountLimits implements Host.Limits: all accounts, by name, for an account that may
// create accounts, otherwise only the session's own.
func (s *instance) accountLimits(ctx *sql.Context) []accounts.AccountLimits {
	client := ctx.Session.Client()
	if !s.holds(ctx, "", "", sql.PrivilegeType_CreateUser) {
		return []accounts.AccountLimits{accounts.AccountLimitsOf(mysql_db.UserPrimaryKey{User: client.User, Host: client.Address}, s.limitsOf(ctx))}
	}
	var keys []mysql_db.UserPrimaryKey
	reader := s.accounts.Engine.Reader()
	reader.VisitUsers(func(u *mysql_db.User) {
		if !u.IsRole {
			keys = append(keys, mysql_db.UserPrimaryKey{User: u.User, Host: u.Host})
		}
	})
	reader.Close()
	sort.Slice(keys, func(i, j int) bool {
		return keys[i].User < keys[j].User || keys[i].User == keys[j].User && keys[i].Host < keys[j].Host
	})
	list := make([]accounts.AccountLimits, len(keys))
	for i, key := range keys {
		list[i] = accounts.AccountLimitsOf(key, s.limitsOfAccount(key))
	}
	return list
}

// createReader implements Host.CreateReader.
func (s *instance) createReader(ctx *sql.Context, user, host, password string, options []string, databases ...string) (address string, err error) {
	if err := s.mayCreateReader(ctx, databases); err != nil {
		return "", err
	}
	key := accounts.AccountOf(plan.UserName{Name: user, Host: host})
	if user == "" {
		return "", sqlerror.New(sqlerror.CannotUser, "Operation CREATE USER failed: an analyst's account needs a name")
	}
	if err := accounts.CheckHost(key); err != nil {
		return "", err
	}
	if err := accounts.CheckPassword(user, password); err != nil {
		return "", err
	}
	err = s.accounts.Change(ctx, func(ctx *sql.Context) error {
		if err := s.accounts.AddReader(ctx, key, password, databases); err != nil || len(options) == 0 {
			return err
		}
		return s.accounts.ChangeLimits(ctx, key, options)
	})
	if err != nil {
		return "", sqlerror.Typed(err)
	}
	return s.clientAddress(), nil
}

// mayCreateReader checks the privileges that CREATE USER and the GRANTs would need.
func (s *instance) mayCreateReader(ctx *sql.Context, databases []string) error {
	if !s.holds(ctx, "", "", sql.PrivilegeType_CreateUser) {
		return accounts.NeedsCreateUser(ctx)
	}
	for _, database := range databases {
		if !s.holds(ctx, database, "", sql.PrivilegeType_Select, sql.PrivilegeType_GrantOption) {
			return sqlerror.New(sqlerror.DatabaseAccessDenied, fmt.Sprintf(
				"Access denied for user %s to database '%s': you need SELECT on it WITH GRANT OPTION", accounts.Account(ctx), database))
		}
	}
	return nil
}

// clientAddress is host:port as a client would write it, with the machine's name if the
// server listens on every interface.
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

// canRead implements Host.CanRead.
func (s *instance) canRead(ctx *sql.Context, database, table string) bool {
	return database != "" && table != "" && s.holds(ctx, database, table, sql.PrivilegeType_Select)
}

// holds implements Host.Holds.
func (s *instance) holds(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool {
	if home := source.HomeForDatabase(ctx, database); home != nil && database != "" && !s.provider.Keeps(database) {
		return home.Holds(ctx, database, table, privileges...)
	}
	return accounts.Holds(ctx, s.accounts.Engine, database, table, privileges...)
}
