package server

import (
	"errors"
	"fmt"
	"net"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/anonsql/anonsql/catalog"
)

// grantsSetting is the catalog's setting that holds accounts, roles and
// privileges, in the engine's encoding.
const grantsSetting = "grants"

// openAccounts loads the accounts. A new catalog gets root@localhost without a
// password, which is enough only on the loopback interface (checkExposure).
func (s *instance) openAccounts() error {
	s.accounts.SetPersister(grants{s.store})
	s.accounts.SetEnabled(true)
	stored, err := s.store.Setting(grantsSetting)
	if err != nil {
		return fmt.Errorf("cannot read the accounts: %w", err)
	}
	ctx := sql.NewEmptyContext()
	if stored != nil {
		if err := s.accounts.LoadData(ctx, stored); err != nil {
			return fmt.Errorf("cannot read the accounts: %w", err)
		}
		return nil
	}
	editor := s.accounts.Editor()
	defer editor.Close()
	s.accounts.AddSuperUser(editor, "root", "localhost", "")
	if err := s.accounts.Persist(ctx, editor); err != nil {
		return fmt.Errorf("cannot store the accounts: %w", err)
	}
	return nil
}

// grants keeps every change of the accounts in the catalog.
type grants struct{ store *catalog.Catalog }

// Persist implements mysql_db.MySQLDbPersistence. As in MySQL, a statement
// about accounts commits the session's transaction first; it must, since the
// catalog has one writer, which the transaction may hold.
func (g grants) Persist(ctx *sql.Context, data []byte) error {
	if transaction := ctx.GetTransaction(); transaction != nil {
		if session, ok := ctx.Session.(sql.TransactionSession); ok {
			if err := session.CommitTransaction(ctx, transaction); err != nil {
				return err
			}
			ctx.SetTransaction(nil)
		}
	}
	return g.store.SetSetting(grantsSetting, data)
}

// checkExposure refuses to listen where others can reach an account that may
// do everything and has no password.
func (s *instance) checkExposure() error {
	host, _, err := net.SplitHostPort(s.config.Listen)
	if err != nil {
		return fmt.Errorf("the address %q is not host:port: %w", s.config.Listen, err)
	}
	if isLoopback(host) {
		return nil
	}
	reader := s.accounts.Reader()
	defer reader.Close()
	var open error
	reader.VisitUsers(func(u *mysql_db.User) {
		superuser := u.IsSuperUser || u.PrivilegeSet.Has(sql.PrivilegeType_Super)
		if superuser && !u.IsRole && !u.Locked && u.AuthString == "" {
			name := u.UserHostToString("'")
			open = errors.Join(open, fmt.Errorf("%s has no password, so the server listens on the loopback interface only, not on %s: "+
				"start it with --listen 127.0.0.1:3306, run ALTER USER %s IDENTIFIED BY '...', and start it again",
				name, s.config.Listen, name))
		}
	})
	if open == nil && s.config.TLSCert == "" {
		s.config.Logger.Warn("connections are not encrypted: there is no TLS certificate", "address", s.config.Listen)
	}
	return open
}

// isLoopback is false for the empty host, which means every interface.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// canRead implements Host.CanRead.
func (s *instance) canRead(ctx *sql.Context, database, table string) bool {
	return database != "" && table != "" && s.holds(ctx, database, table, sql.PrivilegeType_Select)
}

// holds implements Host.Holds.
func (s *instance) holds(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool {
	return holds(ctx, s.accounts, database, table, privileges...)
}

func holds(ctx *sql.Context, accounts *mysql_db.MySQLDb, database, table string, privileges ...sql.PrivilegeType) bool {
	if len(privileges) == 0 {
		return false
	}
	if database == "" { // the engine would take the current database
		held := accounts.UserActivePrivilegeSet(ctx)
		return held.Has(sql.PrivilegeType_Super) || held.Has(privileges...)
	}
	return accounts.UserHasPrivileges(ctx, sql.NewPrivilegedOperation(
		sql.PrivilegeCheckSubject{Database: database, Table: table}, privileges...))
}
