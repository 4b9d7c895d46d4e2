package relay

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/server/admission"
)

// Config says where upstream is and how both sides connect.
type Config struct {
	// Network and Address of the upstream server, as net.Dial takes them: "tcp" or "unix". Required.
	Network, Address string
	// UpstreamTLS requests TLS from upstream and verifies its certificate. Defaults to none.
	UpstreamTLS *tls.Config
	// ClientTLS has the certificate for clients. Defaults to none. It requires UpstreamTLS or a Unix socket.
	ClientTLS *tls.Config
	// RequireTLS refuses clients without TLS. It requires ClientTLS.
	RequireTLS bool
	// Router makes a session's router at its first command after upstream has accepted the login. By default upstream answers everything.
	Router func(*Session) Router
	// LongestRouted is the size in bytes up to which a router sees whole commands. Defaults to 1 MiB; at most 16 MiB - 2.
	LongestRouted int
	// LoginTimeout bounds connecting to upstream and a client's silence before its login; nine tenths of it bound its silences in the login.
	// Defaults to 10 s, like MySQL's connect_timeout. Afterwards upstream's own limits apply.
	LoginTimeout time.Duration

	// Reached receives nil for every client for which upstream was reached, else the error. May be nil.
	Reached func(error)
	// Panicked receives the panic of a router, which ends only that session. May be nil.
	Panicked func(cause any, stack []byte)

	dial         func(context.Context) (net.Conn, error) // in tests
	writeTimeout time.Duration                           // in tests
}

// A Relay serves any number of listeners.
type Relay struct {
	config Config
	door   *admission.Door // admits clients before their login
}

// Bounds of clients without a login, in total and per address. Each has two sockets.
const arriving, arrivingOfAddress = 256, 128

// If there are no descriptors for another client, the roomMade longest-waiting clients without a login are closed, and their sockets get a moment to close.
const (
	roomMade  = 16
	roomPause = 10 * time.Millisecond
)

// seenOff is how long the next client waits at most while many that were closed have not gone yet.
const seenOff = time.Second

// New checks a configuration. It does not connect.
func New(c Config) (*Relay, error) {
	if c.LongestRouted == 0 {
		c.LongestRouted = 1 << 20
	}
	if c.LoginTimeout == 0 {
		c.LoginTimeout = 10 * time.Second
	}
	if c.writeTimeout == 0 {
		c.writeTimeout = 15 * time.Minute // clients that stream set a net_write_timeout of ten
	}
	switch {
	case c.Network != "tcp" && c.Network != "unix":
		return nil, fmt.Errorf("the upstream's network is %q, must be tcp or unix", c.Network)
	case c.Address == "":
		return nil, errors.New("the upstream's address is missing")
	case c.ClientTLS != nil && c.UpstreamTLS == nil && c.Network != "unix":
		return nil, errors.New("the relay offers clients TLS and uses none upstream: it would pass on in the clear the passwords that clients send under TLS")
	case c.RequireTLS && c.ClientTLS == nil:
		return nil, errors.New("clients must use TLS and there is no certificate to show them")
	case c.LongestRouted < 1 || c.LongestRouted >= protocol.MaxFrame:
		return nil, fmt.Errorf("the longest routed command has %d bytes, must have 1 to %d", c.LongestRouted, protocol.MaxFrame-1)
	case c.LoginTimeout < 0:
		return nil, fmt.Errorf("the time for a login is %v, must be positive", c.LoginTimeout)
	}
	if c.UpstreamTLS != nil && c.UpstreamTLS.ServerName == "" && !c.UpstreamTLS.InsecureSkipVerify {
		host, _, err := net.SplitHostPort(c.Address)
		if err != nil {
			return nil, fmt.Errorf("the upstream's certificate is to be verified, and %q has no host's name", c.Address)
		}
		c.UpstreamTLS = c.UpstreamTLS.Clone()
		c.UpstreamTLS.ServerName = host
	}
	if c.dial == nil {
		var d net.Dialer
		c.dial = func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, c.Network, c.Address) }
	}
	// A login times out before the door's patience ends.
	limits := admission.Limits{LoggedIn: 1, Arriving: arriving, ArrivingOfAddress: arrivingOfAddress, Patience: 2 * c.LoginTimeout}
	return &Relay{c, admission.NewDoor(func() admission.Limits { return limits })}, nil
}

// silence is how long a client may be silent in its login: upstream counts those that it ends itself, after its connect_timeout.
func (c Config) silence() time.Duration { return c.LoginTimeout * 9 / 10 }

// Serve accepts clients until the context ends or the listener fails. It then closes the listener and
// all accepted connections and waits for their end. The end of the context is no error.
func (r *Relay) Serve(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	var connections sync.WaitGroup
	defer connections.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	defer listener.Close()
	for {
		r.door.Await(seenOff)
		client, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				client.Close()
			}
			return nil
		case admission.OutOfRoom(err):
			r.door.MakeRoom(roomMade)
			time.Sleep(roomPause)
			continue
		case err != nil:
			return fmt.Errorf("accepting clients: %w", err)
		}
		connections.Go(func() { r.serve(ctx, client) })
	}
}

// serve serves one connection.
func (r *Relay) serve(ctx context.Context, client net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &Session{relay: r, client: client, ctx: ctx, done: cancel}
	s.work, s.stop = context.WithCancel(ctx)
	defer s.stop()
	s.changed = sync.NewCond(&s.mu)
	defer client.Close()
	context.AfterFunc(ctx, func() { client.Close() })
	address, _ := netip.ParseAddrPort(client.RemoteAddr().String()) // connections without an address are counted together
	wanted, turnOut := context.WithCancel(ctx)
	guest := r.door.Arrive(address.Addr(), func(admission.Reason) {
		turnOut()
		client.Close()
	})
	err := s.login(wanted)
	guest.Leave()
	turnOut()
	if err != nil {
		return // the client has been told
	}
	defer s.upstream.Close()
	s.late = time.AfterFunc(r.config.silence(), func() { s.leaveLogin() })
	s.late.Stop() // it is upstream's turn
	defer s.late.Stop()
	var both sync.WaitGroup
	both.Go(s.answers)
	s.commands()
	if s.loggingIn() {
		s.client.Close()
		_ = s.upstream.SetReadDeadline(time.Unix(1, 0)) // answers hands the reading over
		both.Wait()
		s.finishLogin()
	}
	s.leave()
	both.Wait()
	s.own.Wait()
	if s.router != nil {
		s.router.Close()
	}
}
