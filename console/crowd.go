package console

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// A crowd bounds the number of sockets. Idle sockets, oldest first, give way to newer ones.
type crowd struct {
	mu      sync.Mutex
	sockets map[net.Conn]*socket
	// trying counts the running password checks by address.
	trying map[netip.Addr]int
}

type socket struct {
	from  netip.Addr
	since time.Time // of this state
	busy  bool
}

// Bounds of a crowd. Loopback clients may come through a tunnel, so only the total bound applies to them.
const (
	maxSockets          = 512
	maxPerAddress       = 64
	maxTryingPerAddress = 4
)

func newCrowd() *crowd {
	return &crowd{sockets: make(map[net.Conn]*socket), trying: make(map[netip.Addr]int)}
}

// state records a socket's new state.
func (c *crowd) state(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		from := addressOf(conn.RemoteAddr().String())
		c.sockets[conn] = &socket{from: from, since: time.Now()}
		if !from.IsLoopback() {
			c.bound(maxPerAddress, func(s *socket) bool { return s.from == from })
		}
		c.bound(maxSockets, func(*socket) bool { return true })
	case http.StateActive, http.StateIdle:
		if s := c.sockets[conn]; s != nil {
			s.busy, s.since = state == http.StateActive, time.Now()
		}
	default:
		delete(c.sockets, conn)
	}
}

// bound closes a socket if more than most meet some: the oldest idle one, or the newest if none is idle.
func (c *crowd) bound(most int, some func(*socket) bool) {
	number := 0
	var oldest, newest net.Conn
	for conn, s := range c.sockets {
		if !some(s) {
			continue
		}
		number++
		if !s.busy && (oldest == nil || s.since.Before(c.sockets[oldest].since)) {
			oldest = conn
		}
		if newest == nil || s.since.After(c.sockets[newest].since) {
			newest = conn
		}
	}
	if number <= most {
		return
	}
	if oldest == nil {
		oldest = newest
	}
	delete(c.sockets, oldest)
	if secure, ok := oldest.(*tls.Conn); ok {
		oldest = secure.NetConn() // closing it does not wait
	}
	_ = oldest.Close() // it may be closed already
}

// tries reserves one of an address's places for password checks; false if all are taken.
func (c *crowd) tries(from netip.Addr) (done func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trying[from] >= maxTryingPerAddress {
		return nil, false
	}
	c.trying[from]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.trying[from]--; c.trying[from] == 0 {
			delete(c.trying, from)
		}
	}, true
}

// addressOf returns the address of host:port. All loopback addresses are one, since a name may mean either.
func addressOf(hostPort string) netip.Addr {
	at, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	if address := at.Addr().Unmap().WithZone(""); !address.IsLoopback() {
		return address
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}
