package server

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/trivial"
)

// If other machines can reach the server, every account must have a password, and not a
// trivial one, whatever its privileges and its host. Accounts of localhost are no
// exception, since other users may be on this machine. A server on the loopback
// interface only does not check this; root initially has no password there.

// exposed reports whether other machines can reach the server's own listener.
func (c Config) exposed() bool { return Exposed(c.Listen) }

// exposedAt returns an address at which other machines can try passwords, the server's own or BesideListen, "" for none.
func (c Config) exposedAt() string {
	for _, address := range []string{c.Listen, c.BesideListen} {
		if Exposed(address) {
			return address
		}
	}
	return ""
}

// Exposed reports whether other machines can reach an address, host:port.
func Exposed(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && !isLoopback(host)
}

// checkExposure refuses to listen where other machines can reach an open account, and
// keeps accounts closed from then on.
func (s *instance) checkExposure() error {
	if _, _, err := net.SplitHostPort(s.config.Listen); err != nil {
		return fmt.Errorf("the address %q is not host:port: %w", s.config.Listen, err)
	}
	where := s.config.exposedAt()
	if where == "" {
		return nil
	}
	var open error
	for _, o := range s.openAccounts(context.Background()) {
		open = errors.Join(open, fmt.Errorf("%s %s: ALTER USER %s IDENTIFIED BY '...', or DROP USER", o.name, o.why, o.name))
	}
	if open != nil {
		return fmt.Errorf("the server does not listen on %s, where others could log in; start it with %s, "+
			"close these accounts, and start it again:\n%w", where, s.config.unexposed(), open)
	}
	s.accounts.Rule, s.accounts.Checked = s.checkGiven, s.staysClosed
	if s.config.AllowPlaintext && s.config.exposed() {
		s.config.Logger.Warn("clients may log in without TLS (--allow-plaintext): whoever is on their way reads what they ask and are answered",
			"address", s.config.Listen)
	}
	return nil
}

// checkGiven checks the password of a statement by the rule.
func (s *instance) checkGiven(user, password string) error {
	if wrong := accounts.CheckPassword(user, password); wrong != nil {
		return s.whileExposed(wrong.Message)
	}
	return nil
}

// staysClosed refuses a statement that would open an account after checkExposure.
func (s *instance) staysClosed(ctx context.Context) error {
	if open := s.openAccounts(ctx); len(open) > 0 {
		return s.whileExposed(fmt.Sprintf("Your password does not satisfy the current policy requirements: then %s %s", open[0].name, open[0].why))
	}
	return nil
}

func (s *instance) whileExposed(problem string) error {
	return sqlerror.New(sqlerror.WeakPassword, fmt.Sprintf("%s; this holds for every account while the server listens on %s", problem, s.config.exposedAt()))
}

// unexposed returns the flags that make the server unreachable from other machines.
func (c Config) unexposed() string {
	if Exposed(c.BesideListen) {
		return "--listen and --console on 127.0.0.1"
	}
	return "--listen 127.0.0.1:3306"
}

// An openAccount is an account with no password or a trivial one.
type openAccount struct{ name, why string }

// openAccounts lists them by name.
func (s *instance) openAccounts(ctx context.Context) []openAccount {
	var open []openAccount
	for _, u := range s.accounts.All() {
		why := s.judge.Weak(ctx, trivial.Stored{Account: u.User, Plugin: u.Plugin, Hash: u.AuthString})
		if why != "" {
			open = append(open, openAccount{u.UserHostToString("'"), why})
		}
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
