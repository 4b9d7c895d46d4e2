package server

import (
	"errors"
	"fmt"
	"net"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/trivial"
)

// Where others can reach the server, every account has a password, and not one
// that everybody tries first: whatever the account may do, and whatever its host
// is. An account of localhost is no exception, since who is on this machine is
// not only its owner. On the loopback interface alone, accounts are as open as
// the owner makes them; root begins without a password there.

// exposed tells whether others can reach the server's own listener.
func (c Config) exposed() bool { return Exposed(c.Listen) }

// exposedAt is where others can try passwords: the server's own address, or that of what runs beside it; "" for nowhere.
func (c Config) exposedAt() string {
	for _, address := range []string{c.Listen, c.BesideListen} {
		if Exposed(address) {
			return address
		}
	}
	return ""
}

// Exposed tells whether an address, host:port, can be reached from other machines.
func Exposed(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && !isLoopback(host)
}

// checkExposure refuses to listen where others can reach an account that is
// open, and keeps accounts closed from then on.
func (s *instance) checkExposure() error {
	if _, _, err := net.SplitHostPort(s.config.Listen); err != nil {
		return fmt.Errorf("the address %q is not host:port: %w", s.config.Listen, err)
	}
	where := s.config.exposedAt()
	if where == "" {
		return nil
	}
	var open error
	for _, o := range s.openAccounts() {
		open = errors.Join(open, fmt.Errorf("%s %s: ALTER USER %s IDENTIFIED BY '...', or DROP USER", o.name, o.why, o.name))
	}
	if open != nil {
		return fmt.Errorf("the server does not listen on %s, where others could log in; start it with %s, "+
			"close these accounts, and start it again:\n%w", where, s.config.unexposed(), open)
	}
	s.accounts.Rule, s.accounts.Checked = s.checkGiven, s.staysClosed
	if s.config.AllowPlaintext && s.config.exposed() {
		s.config.Logger.Warn(
			"clients may log in without TLS (--allow-plaintext): whoever is on their way reads what they ask and are answered",
			"address",
			s.config.Listen,
		)
	}
	return nil
}

// checkGiven holds a password that a statement gives against the rule.
func (s *instance) checkGiven(user, password string) error {
	if wrong := accounts.CheckPassword(user, password); wrong != nil {
		return s.whileExposed(wrong.Message)
	}
	return nil
}

// staysClosed keeps a statement from opening what checkExposure found closed.
func (s *instance) staysClosed() error {
	if open := s.openAccounts(); len(open) > 0 {
		return s.whileExposed(fmt.Sprintf("Your password does not satisfy the current policy requirements: then %s %s", open[0].name, open[0].why))
	}
	return nil
}

func (s *instance) whileExposed(problem string) error {
	return sqlerror.New(sqlerror.WeakPassword, fmt.Sprintf("%s; this holds for every account while the server listens on %s", problem, s.config.exposedAt()))
}

// unexposed is how to start the server so that nobody else reaches it.
func (c Config) unexposed() string {
	if Exposed(c.BesideListen) {
		return "--listen and --console on 127.0.0.1"
	}
	return "--listen 127.0.0.1:3306"
}

// An openAccount is one that anybody may get into.
type openAccount struct{ name, why string }

// openAccounts lists them by name.
func (s *instance) openAccounts() []openAccount {
	var open []openAccount
	for _, u := range s.accounts.All() {
		why := s.judge.Weak(trivial.Stored{Account: u.User, Plugin: u.Plugin, Hash: u.AuthString})
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
