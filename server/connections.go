package server

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
)

// errShutdown is what statements end with when the server stops.
var errShutdown = newError(numberShutdown, "Server shutdown in progress")

// errClientGone is the cause when the client left; nobody reads it.
var errClientGone = newError(numberInterrupted, "the client is gone")

// connections are the clients connected and what they run.
type connections struct {
	limit int

	mu       sync.Mutex
	open     int // accepted and not closed
	clients  map[uint32]*connection
	stopping bool
	// changed is closed and replaced whenever a statement or connection ends.
	changed chan struct{}
}

type connection struct {
	socket  net.Conn
	running *statement // nil when idle
	session *session   // nil before the first statement
}

// leave ends the connection at its next read: the answer to its last statement
// is still sent, since the protocol layer writes that after the statement has
// ended here.
func (c *connection) leave() { _ = c.socket.SetReadDeadline(time.Now()) } // fails only when it is closed

func newConnections(limit int) *connections {
	return &connections{limit: limit, clients: map[uint32]*connection{}, changed: make(chan struct{})}
}

// A limitedListener answers error 1040 to clients beyond the limit.
type limitedListener struct {
	net.Listener
	connections *connections
	metrics     *metrics
	tls         *tls.Config // nil: not offered
}

// Accept implements net.Listener.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.connections.admit() {
			l.metrics.connected.Inc()
			return newPacketConn(conn, l.tls), nil
		}
		l.metrics.turnedAway.Inc()
		go refuse(conn)
	}
}

// refuse sends the error in place of the handshake and closes. Clients expect
// it there.
func refuse(conn net.Conn) {
	defer conn.Close()
	const number = numberTooManyConnections
	body := append([]byte{0xff, number & 0xff, number >> 8}, "Too many connections"...)
	packet := append([]byte{byte(len(body)), 0, 0, 0}, body...)
	_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = conn.Write(packet) // the client may be gone already
}

func (c *connections) admit() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open >= c.limit {
		return false
	}
	c.open++
	return true
}

// count returns how many are open.
func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

// running returns the statements that run.
func (c *connections) running() []*statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*statement
	for _, client := range c.clients {
		if client.running != nil {
			list = append(list, client.running)
		}
	}
	return list
}

// runningOf returns the statement that runs on a connection, nil for none.
func (c *connections) runningOf(id uint32) *statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[id]; client != nil {
		return client.running
	}
	return nil
}

func (c *connections) add(conn *mysql.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients[conn.ConnectionID] = &connection{socket: conn.Conn}
}

// opened notes a connection's session.
func (c *connections) opened(conn *mysql.Conn, s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[conn.ConnectionID]; client != nil {
		client.session = s
	}
}

// encoding is how the client wants its answers. The session must be idle, or
// this be the goroutine that began its statement.
func (c *connections) encoding(conn *mysql.Conn) encoding {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[conn.ConnectionID]; client != nil && client.session != nil {
		return encoding{client.session.Session.GetCharacterSetResults()}
	}
	return encoding{}
}

func (c *connections) remove(conn *mysql.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.clients, conn.ConnectionID)
	c.open--
	c.notify()
}

// notify must be called with mu held.
func (c *connections) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// begin registers a statement. Its context, which carries it, ends when the
// client leaves, when a limit is exceeded, when the server's grace is over, or
// with done.
func (c *connections) begin(parent context.Context, conn *mysql.Conn, st *statement) (context.Context, func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	client := c.clients[conn.ConnectionID]
	if c.stopping || client == nil {
		return nil, nil, errShutdown
	}
	ctx, cancel := context.WithCancelCause(catalog.WithSettler(context.WithValue(parent, statementKey{}, st), st.settle))
	st.cancel = cancel
	client.running = st
	packets := packetsOf(conn.Conn)
	packets.begin()
	unwatch := watchClient(conn, cancel)
	return ctx, func() {
		unwatch()
		packets.end()
		st.end()
		cancel(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		client.running = nil
		if c.stopping {
			client.leave()
		}
		c.notify()
	}, nil
}

// drain lets idle connections go, waits for statements for the time of grace,
// cancels what still runs, and waits as long again. It returns the number of
// connections that are still there.
func (c *connections) drain(grace time.Duration) int {
	c.mu.Lock()
	c.stopping = true
	for _, client := range c.clients {
		if client.running == nil {
			client.leave()
		}
	}
	c.mu.Unlock()
	if left := c.wait(grace); left == 0 {
		return 0
	}
	last := max(grace, time.Second)
	c.mu.Lock()
	for _, client := range c.clients {
		if client.running != nil {
			client.running.cancel(errShutdown)
		}
		_ = client.socket.SetWriteDeadline(time.Now().Add(last)) // a client that does not read its rows
	}
	c.mu.Unlock()
	return c.wait(last)
}

func (c *connections) wait(limit time.Duration) int {
	expired := time.After(limit)
	for {
		c.mu.Lock()
		left, changed := len(c.clients), c.changed
		c.mu.Unlock()
		if left == 0 {
			return 0
		}
		select {
		case <-changed:
		case <-expired:
			return left
		}
	}
}
