package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/admission"
	"github.com/anonsql/anonsql/server/gate"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
)

// wait delays a login after failed logins of the account from the address. Meanwhile
// the socket counts as unauthenticated.
func (a authentication) wait(c *mysql.Conn, user string, address net.Addr) error {
	packets := wire.PacketsOf(c.Conn)
	if packets == nil {
		return nil
	}
	from, _ := accounts.AddressOf(address)
	connections := a.server.connections
	pause, done, ok := connections.Failures.Wait(from, user, wire.ConnectionLimits().Patience/2)
	if !ok {
		a.server.metrics.loginsDelayed.Inc()
		return sqlerror.New(sqlerror.TooManyConnections, "Too many connections: other logins of this account from this address are waiting "+
			"because of wrong passwords; try again in some seconds, or from another address")
	}
	defer done()
	if pause == 0 {
		return nil
	}
	a.server.metrics.loginsDelayed.Inc()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-packets.Guest.Gone():
		return admission.ErrGone
	}
}

// enter admits a client with the right password, and counts it as logged in.
func (a authentication) enter(c *mysql.Conn, user string, who mysql.Getter, address net.Addr) error {
	packets := wire.PacketsOf(c.Conn)
	if packets == nil {
		return nil
	}
	from, _ := accounts.AddressOf(address)
	a.server.connections.Failures.Succeeded(from, user)
	account, _ := who.(sql.MysqlConnectionUser)
	key := mysql_db.UserPrimaryKey{User: account.User, Host: account.Host}
	limit, tooMany := a.server.connectionsOf(key)
	if packets.Owner != nil { // the other server counts its accounts' connections
		limit = 0
	}
	err := packets.Guest.LogIn(admission.Login{Account: accounts.Quoted(key), Administrator: a.server.administers(key), OfAccount: int(limit)})
	if err == nil {
		a.server.connections.Login(c, accounts.Quoted(key))
		a.server.engineHandler.NewConnection(c)
		packets.Known.Store(true)
		return a.server.begins(c, user, who)
	}
	var full *admission.Full
	if !errors.As(err, &full) {
		return err
	}
	a.server.metrics.turnedAway.Inc()
	switch full.Of {
	case "account":
		return tooMany
	case "address":
		return sqlerror.New(
			sqlerror.TooManyConnections,
			fmt.Sprintf("Too many connections from your address: %d are logged in (%s)", full.Limit, wire.MaxAddressConnections),
		)
	}
	return sqlerror.New(sqlerror.TooManyConnections, "Too many connections")
}

// begins makes the session, so that the process list shows the account from the login
// on, not only from the first statement.
func (s *instance) begins(c *mysql.Conn, user string, who mysql.Getter) error {
	sessions := s.sessions.Load()
	if sessions == nil {
		return nil
	}
	c.User, c.UserData = user, who // as the protocol layer does next
	_, err := sessions.NewContextWithQuery(context.Background(), c, "")
	return err
}

// administers reports whether an account may use the reserved connections: it has SUPER
// or CONNECTION_ADMIN, directly or by a role.
func (s *instance) administers(key mysql_db.UserPrimaryKey) bool {
	session := sql.NewBaseSessionWithClientServer("", sql.Client{User: key.User, Address: key.Host}, 0)
	held := s.accounts.Engine.UserActivePrivilegeSet(s.newContext(context.Background(), sql.WithSession(session)))
	return held.Has(sql.PrivilegeType_Super) || held.HasDynamic("connection_admin")
}

func (a authentication) failed(user string, address net.Addr) {
	from, _ := accounts.AddressOf(address)
	a.server.connections.Failures.Failed(from, user)
}

// refused records a failed login.
func (a authentication) refused(user string, address net.Addr, err error) error {
	host, _, splitting := net.SplitHostPort(address.String())
	if splitting != nil {
		host = address.String()
	}
	a.server.metrics.loginsRefused.Inc()
	number := sqlerror.Number(err)
	if number == sqlerror.Unknown {
		number = sqlerror.LoginDenied
	}
	if !a.server.accounts.Has(user) { // it may be a password, or long
		user = gate.Masked
	}
	if e := (admission.Event{Account: user, Host: host, Number: number, Count: 1}); a.server.refusedLogins.Note(e) {
		a.server.writeRefused(e)
		a.server.config.Logger.Info("login refused", "user", user, "address", address.String(), "error", number)
	}
	return err
}

// severalSources is the account or host of an audit entry for logins of several
// accounts or from several addresses.
const severalSources = "(several)"

// writeRefused adds a failed login to the audit, or the number of those without entries
// of their own, which it also logs.
func (s *instance) writeRefused(e admission.Event) {
	if e.Count > 1 {
		if e.Account == "" {
			e.Account = severalSources
		}
		if e.Host == "" {
			e.Host = severalSources
		}
		s.config.Logger.Warn("more logins were refused", "number", e.Count, "user", e.Account, "address", e.Host)
	}
	s.audit.Add(audit.Entry{At: time.Now(), Account: e.Account, Host: e.Host, Kind: audit.LoginKind, Error: e.Number, Rows: e.Count})
}
