package wire

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/admission"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// errShutdown ends statements when the server stops.
var errShutdown = sqlerror.New(sqlerror.Shutdown, "Server shutdown in progress")

// errClientGone is the cause when the client left; it is never reported.
var errClientGone = sqlerror.New(sqlerror.Interrupted, "the client is gone")

// Connections are the connected clients and their running statements.
type Connections struct {
	Door     *admission.Door     // admits connections
	Failures *admission.Failures // logins that failed

	mu       sync.Mutex
	clients  map[uint32]*connection
	stopping bool
	// changed is closed and replaced whenever a statement or connection ends.
	changed chan struct{}
}

type connection struct {
	socket  net.Conn
	running *running.Statement // nil when idle
	session *Session           // nil before the first statement
	// account is the connection's account, "" before the login.
	account  string
	prepared *PreparedBook
	ended    bool // by the memory guard: it closes when its statement has ended
}

// leave ends the connection at its next read: the answer to its last statement is still sent, since the protocol layer writes that after the
// statement has ended here.
func (c *connection) leave() { _ = c.socket.SetReadDeadline(time.Now()) } // fails only when it is closed

// cancel ends the running statement, unless it has settled. Writes to a client that does not read fail after patience.
func (c *connection) cancel(why error, patience time.Duration) {
	st := c.running
	st.UnlessSettled(func() {
		st.Cancel(why)
		_ = c.socket.SetWriteDeadline(time.Now().Add(patience)) // fails only when it is closed
	})
}

// NewConnections returns Connections without a client, whose door uses ConnectionLimits.
func NewConnections() *Connections {
	return &Connections{Door: admission.NewDoor(ConnectionLimits), Failures: admission.NewFailures(time.Now),
		clients: map[uint32]*connection{}, changed: make(chan struct{})}
}

// Count returns the number of logged-in connections.
func (c *Connections) Count() int {
	_, loggedIn := c.Door.Count()
	return loggedIn
}

// Running returns the number of running statements.
func (c *Connections) Running() int { return len(c.running()) }

func (c *Connections) running() []*running.Statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*running.Statement
	for _, client := range c.clients {
		if client.running != nil {
			list = append(list, client.running)
		}
	}
	return list
}

// RunningOf returns the statement that runs on a connection, nil for none.
func (c *Connections) RunningOf(id uint32) *running.Statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[id]; client != nil {
		return client.running
	}
	return nil
}

func (c *Connections) Add(conn *mysql.Conn, prepared *PreparedBook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients[conn.ConnectionID] = &connection{socket: conn.Conn, prepared: prepared}
}

// Login sets the account of a connection.
func (c *Connections) Login(conn *mysql.Conn, account string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[conn.ConnectionID]; client != nil {
		client.account = account
	}
}

// PreparedOf returns the prepared statements of a connection, nil if it is gone.
func (c *Connections) PreparedOf(id uint32) *PreparedBook {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[id]; client != nil {
		return client.prepared
	}
	return nil
}

// Opened sets a connection's session.
func (c *Connections) Opened(conn *mysql.Conn, s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[conn.ConnectionID]; client != nil {
		client.session = s
	}
}

// SessionOf is a connection's session, nil before its first statement.
func (c *Connections) SessionOf(conn *mysql.Conn) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[conn.ConnectionID]; client != nil {
		return client.session
	}
	return nil
}

// Encoding returns the encoding of a client's answers. The session must be idle, or the caller the goroutine that began its statement.
func (c *Connections) Encoding(conn *mysql.Conn) encoding {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[conn.ConnectionID]; client != nil && client.session != nil {
		return encoding{client.session.Session.GetCharacterSetResults()}
	}
	return encoding{}
}

func (c *Connections) Remove(conn *mysql.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client := c.clients[conn.ConnectionID]; client != nil {
		client.prepared.clear()
	}
	delete(c.clients, conn.ConnectionID)
	if packets := PacketsOf(conn.Conn); packets != nil {
		packets.ended()
	}
	c.notify()
}

// notify must be called with mu held.
func (c *Connections) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Begin registers a statement. It returns a context that carries the statement, and a function that must be called at its end. The context ends
// then, or when the client leaves, a limit is exceeded, or the server's grace is over.
func (c *Connections) Begin(parent context.Context, conn *mysql.Conn, st *running.Statement) (context.Context, func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	client := c.clients[conn.ConnectionID]
	if c.stopping || client == nil {
		return nil, nil, errShutdown
	}
	ctx, cancel := st.NewContext(parent)
	client.running = st
	packets := PacketsOf(conn.Conn)
	packets.begin(cancel)
	unwatch := watchClient(conn, cancel)
	sent := func(bool) {}
	if packets != nil {
		sent = packets.sender.begin(ctx)
		st.Hurry = packets.sender.shortenDeadline
	}
	return ctx, func() {
		unwatch()
		packets.end()
		st.Finish()
		c.mu.Lock()
		defer c.mu.Unlock()
		client.running = nil
		sent(c.stopping || client.ended)
		cancel(nil)
		packets.bearIdle(client.session)
		if c.stopping || client.ended {
			client.leave()
		}
		c.notify()
	}, nil
}

// Drain closes idle and unauthenticated connections, waits for statements up to grace, cancels those that have not settled, and waits as long
// again. It returns the number of remaining connections.
func (c *Connections) Drain(grace time.Duration) int {
	c.Door.Close()
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
			client.cancel(errShutdown, last)
			continue
		}
		_ = client.socket.SetWriteDeadline(time.Now().Add(last)) // a client that does not read
	}
	c.mu.Unlock()
	return c.wait(last)
}

func (c *Connections) wait(limit time.Duration) int {
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
