package server

import (
	"fmt"
	"net"
	"os"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/sqlerror"
)

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

// mayCreateReader asks for what CREATE USER and the GRANTs would ask for.
func (s *instance) mayCreateReader(ctx *sql.Context, databases []string) error {
	if !s.holds(ctx, "", "", sql.PrivilegeType_CreateUser) {
		return sqlerror.New(
			sqlerror.AccessDenied,
			fmt.Sprintf("Access denied for user %s; you need the CREATE USER privilege for this operation", accounts.Account(ctx)),
		)
	}
	for _, database := range databases {
		if !s.holds(ctx, database, "", sql.PrivilegeType_Select, sql.PrivilegeType_GrantOption) {
			return sqlerror.New(sqlerror.DatabaseAccessDenied, fmt.Sprintf(
				"Access denied for user %s to database '%s': you need SELECT on it WITH GRANT OPTION", accounts.Account(ctx), database))
		}
	}
	return nil
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

// canRead implements Host.CanRead.
func (s *instance) canRead(ctx *sql.Context, database, table string) bool {
	return database != "" && table != "" && s.holds(ctx, database, table, sql.PrivilegeType_Select)
}

// holds implements Host.Holds.
func (s *instance) holds(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool {
	if home := source.For(ctx, database); home != nil && database != "" && !s.provider.Keeps(database) {
		return home.Holds(ctx, database, table, privileges...)
	}
	return accounts.Holds(ctx, s.accounts.Engine, database, table, privileges...)
}
