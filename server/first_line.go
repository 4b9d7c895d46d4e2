package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/anonsql/anonsql/server/accounts"
)

// The first line of the log says how to connect. Earlier records of the start are held
// back until then, or until the start has failed.

// A heldLog is a log handler that holds back records before the first line.
type heldLog struct {
	slog.Handler
	held *heldRecords
}

// heldRecords are shared by all handlers that With derives.
type heldRecords struct {
	mu    sync.Mutex
	open  bool
	later []func()
}

func holdBack(inner slog.Handler) *heldLog { return &heldLog{inner, &heldRecords{}} }

// Handle implements slog.Handler.
func (l *heldLog) Handle(ctx context.Context, r slog.Record) error {
	l.held.mu.Lock()
	if !l.held.open {
		defer l.held.mu.Unlock()
		kept := r.Clone()
		l.held.later = append(l.held.later, func() { _ = l.Handler.Handle(context.WithoutCancel(ctx), kept) }) // the log cannot report its own errors
		return nil
	}
	l.held.mu.Unlock()
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l *heldLog) WithAttrs(a []slog.Attr) slog.Handler {
	return &heldLog{l.Handler.WithAttrs(a), l.held}
}

// WithGroup implements slog.Handler.
func (l *heldLog) WithGroup(name string) slog.Handler {
	return &heldLog{l.Handler.WithGroup(name), l.held}
}

// writeFirst writes the first line, then the records held back.
func (l *heldLog) writeFirst(message string, attributes ...any) {
	r := slog.NewRecord(time.Now(), slog.LevelInfo, message, 0)
	r.Add(attributes...)
	_ = l.Handler.Handle(context.Background(), r) // the log cannot report its own errors
	l.release()
}

// release writes the records held back. It may be called twice.
func (l *heldLog) release() {
	l.held.mu.Lock()
	defer l.held.mu.Unlock()
	for _, write := range l.held.later {
		write()
	}
	l.held.later, l.held.open = nil, true
}

// waysIn returns log attributes for logging in: the address, a command line, the
// account, the certificate's fingerprint.
func (s *instance) waysIn(address string, tlsConfig *tls.Config) []any {
	list := []any{"address", address}
	account, host, ok := s.administratorsWay(address)
	if ok {
		list = append(list, "connect", s.commandLine(account, host, address), "account", account.UserHostToString("'"))
	} else {
		list = append(list, "connect", "no account that may do everything can log in at this address")
	}
	if tlsConfig != nil {
		list = append(list, "tls_sha256", fingerprint(tlsConfig.Certificates[0].Leaf.Raw))
	}
	return append(list, "data", s.config.DataDir)
}

// administratorsWay finds an account with all privileges that can log in at the
// address, and the host name for its client. It prefers accounts that connect from this
// machine.
func (s *instance) administratorsWay(address string) (account mysql_db.User, host string, ok bool) {
	bound, err := netip.ParseAddrPort(address)
	if err != nil {
		return account, "", false
	}
	here := bound.Addr().Unmap().WithZone("")
	if here.IsUnspecified() {
		here = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	all := s.accounts.All()
	slices.SortFunc(all, func(a, b mysql_db.User) int {
		return strings.Compare(a.User+"\x00"+a.Host, b.User+"\x00"+b.Host)
	})
	elsewhere, _, _ := net.SplitHostPort(s.clientAddress())
	for _, u := range all {
		switch {
		case !accounts.IsSuperuser(&u):
		case accounts.HostFit(u.Host, here) != accounts.NoFit:
			return u, here.String(), true
		case !ok && s.config.exposed() && !strings.EqualFold(u.Host, "localhost"):
			account, host, ok = u, elsewhere, true
		}
	}
	return account, host, ok
}

// commandLine returns a command line of MariaDB's client, as in the docs.
func (s *instance) commandLine(account mysql_db.User, host, address string) string {
	_, port, _ := net.SplitHostPort(address) // it is bound
	words := []string{"mariadb", "--host=" + host, "--port=" + port, "--user=" + account.User}
	if account.AuthString != "" {
		words = append(words, "--password")
	}
	if s.config.RequireTLS {
		words = append(words, "--ssl")
	}
	return strings.Join(words, " ")
}
