package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"

	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/relay"
	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/upstream"
)

// Config says which server owners reach and how the product's part is answered.
type Config struct {
	// Upstream says how to reach the server. New sets its Router.
	Upstream relay.Config
	// Name is the server's address: host:port, or the path of a socket. KnownAs is what the owner says of it (upstream.NameIn).
	Name, KnownAs string
	// Store has the declarations about tables.
	Store *raw.Store
	// Connect opens a connection of an account of the upstream server, user@host, to the server in this process, without a password.
	Connect func(account, server string, home source.Source) (net.Conn, error)
	// Database, Procedure and TableFunction say whether a name, in any case, is the product's, and Function and Variable whether one is that
	// begins with anon_. Databases are the first of these.
	Database, Procedure, TableFunction, Function, Variable func(name string) bool
	Databases                                              []string
	Logger                                                 *slog.Logger
}

// A Proxy serves owners.
type Proxy struct {
	config Config
	words  vocabulary
	relay  *relay.Relay

	mu       sync.Mutex
	sessions map[uint32]*session // by upstream's connection number
	trouble  error               // error of the last attempt to reach upstream, nil for success
}

// New checks a configuration. It does not connect.
func New(c Config) (*Proxy, error) {
	if c.Connect == nil || c.Database == nil || c.Procedure == nil || c.TableFunction == nil || c.Function == nil || c.Variable == nil ||
		c.Store == nil || c.Name == "" {
		return nil, errors.New("a proxy needs a server in its process, its names, and the upstream server's name")
	}
	var err error
	if c.Name, err = upstream.NameIn(c.Store, c.Name, c.KnownAs); err != nil {
		return nil, err
	}
	p := &Proxy{config: c, words: vocabulary{c.Database, c.Procedure, c.TableFunction, c.Function, c.Variable}, sessions: make(map[uint32]*session)}
	config := c.Upstream
	config.Router = func(s *relay.Session) relay.Router { return p.enter(s) }
	config.Reached = p.reached
	config.Panicked = func(cause any, stack []byte) {
		if c.Logger != nil {
			c.Logger.Error("an owner's connection panicked, and was ended", "cause", cause, "stack", string(stack))
		}
	}
	p.relay, err = relay.New(config)
	return p, err
}

// Serve accepts owners until the context ends or the listener fails.
func (p *Proxy) Serve(ctx context.Context, listener net.Listener) error {
	return p.relay.Serve(ctx, listener)
}

func (p *Proxy) enter(r *relay.Session) *session {
	s := &session{proxy: p, relay: r, asking: &asking{capabilities: r.Capabilities()}, several: r.Capabilities()&protocol.MultiStatements != 0}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions[r.Thread()] = s
	return s
}

func (p *Proxy) leave(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions[s.relay.Thread()] == s {
		delete(p.sessions, s.relay.Thread())
	}
}

func (p *Proxy) reached(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble = err
}

// Ready checks whether the upstream server accepts owners, with a login of no account (relay.Relay.Ready), and returns why not.
func (p *Proxy) Ready(ctx context.Context) error { return p.relay.Ready(ctx) }

// Trouble returns the error of the last attempt to reach the upstream server, by an owner or by Ready; nil for success or no attempt.
func (p *Proxy) Trouble() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trouble
}

// Owners returns the number of connected owners.
func (p *Proxy) Owners() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sessions)
}

// interrupt ends what the session with this number runs here.
func (p *Proxy) interrupt(thread uint32) {
	p.mu.Lock()
	s := p.sessions[thread]
	p.mu.Unlock()
	if s != nil {
		s.interrupt()
	}
}
