package admission

import (
	"container/list"
	"errors"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// Limits bound the connected clients. The Door reads them at every decision.
type Limits struct {
	// LoggedIn (at least 1) bounds the authenticated clients. Administrators get
	// Reserved more places.
	LoggedIn, Reserved int
	// OfAddress bounds the authenticated clients of one address, OfLoopback those of
	// all loopback addresses together. 0 is no limit.
	OfAddress, OfLoopback int
	// Arriving bounds the unauthenticated clients, ArrivingOfAddress those of one
	// address. Both are at least 1.
	Arriving, ArrivingOfAddress int
	// Patience is the time a client has to log in.
	Patience time.Duration
}

// A Reason says why an unauthenticated client was disconnected.
type Reason int

const (
	// Late: the client did not log in within Patience.
	Late Reason = iota
	// Displaced: the client gave way to another.
	Displaced
	// Closing: the door was closed.
	Closing
)

// A Door admits and counts clients. Make it with NewDoor.
type Door struct {
	limits func() Limits

	mu       sync.Mutex
	closed   bool
	arriving list.List // of *Guest, the oldest first
	loggedIn int
	leaving  int           // turned out but not yet gone
	left     chan struct{} // closed and replaced whenever one of them leaves
	places   map[netip.Prefix]*place
	accounts map[string]int // number of authenticated clients
}

// A place is an address with at least one client.
type place struct {
	arriving list.List // of *Guest, the oldest first
	loggedIn int
}

// NewDoor makes a Door without clients. limits must return quickly.
func NewDoor(limits func() Limits) *Door {
	return &Door{limits: limits, left: make(chan struct{}), places: map[netip.Prefix]*place{}, accounts: map[string]int{}}
}

// A Guest is one client, from its arrival until Leave.
type Guest struct {
	door    *Door
	origin  netip.Prefix
	turnOut func(Reason)
	late    *time.Timer
	gone    chan struct{}

	// Of the door's lock.
	inAll, inPlace    *list.Element // nil once logged in or gone
	loggedIn, leaving bool
	account           string
}

// Arrive lets a client in, and turns out others to keep the limits. turnOut ends the
// client's connection. It is called at most once, from any goroutine, and never after
// the client has logged in. A closed Door calls it at once.
func (d *Door) Arrive(from netip.Addr, turnOut func(Reason)) *Guest {
	limits := d.limits()
	g := &Guest{door: d, origin: Origin(from), turnOut: turnOut, gone: make(chan struct{})}
	d.mu.Lock()
	p := d.places[g.origin]
	if p == nil {
		p = &place{}
		d.places[g.origin] = p
	}
	g.inAll, g.inPlace = d.arriving.PushBack(g), p.arriving.PushBack(g)
	g.late = time.AfterFunc(limits.Patience, func() { g.end(Late) })
	var displaced []*Guest
	for p.arriving.Len() > max(limits.ArrivingOfAddress, 1) {
		displaced = append(displaced, d.seeOff(p.arriving.Front()))
	}
	for d.arriving.Len() > max(limits.Arriving, 1) {
		displaced = append(displaced, d.seeOff(d.arriving.Front()))
	}
	closed := d.closed
	d.mu.Unlock()
	for _, other := range displaced {
		other.expel(Displaced)
	}
	if closed {
		g.end(Closing)
	}
	return g
}

// maxLeaving is the number of clients turned out but not yet gone from which on Await
// waits.
const maxLeaving = 64

// Await waits, at most the given time, until fewer than maxLeaving clients are turned
// out but not yet gone, and reports whether this holds. Without it, clients that arrive
// faster than others leave would pile up.
func (d *Door) Await(atMost time.Duration) bool {
	var late <-chan time.Time
	for {
		d.mu.Lock()
		leaving, left := d.leaving, d.left
		d.mu.Unlock()
		if leaving < maxLeaving {
			return true
		}
		if late == nil {
			timer := time.NewTimer(atMost)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-left:
		case <-late:
			return false
		}
	}
}

// OutOfRoom reports whether the process, or the machine, has no file descriptors or
// memory for another socket.
func OutOfRoom(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}

// MakeRoom turns out the n unauthenticated clients that have waited longest. Call it
// when the process is out of room.
func (d *Door) MakeRoom(n int) {
	for range n {
		d.mu.Lock()
		oldest := d.arriving.Front()
		if oldest == nil {
			d.mu.Unlock()
			return
		}
		g := d.seeOff(oldest)
		d.mu.Unlock()
		g.expel(Displaced)
	}
}

// Close turns out all unauthenticated clients, now and later.
func (d *Door) Close() {
	d.mu.Lock()
	d.closed = true
	var all []*Guest
	for e := d.arriving.Front(); e != nil; e = d.arriving.Front() {
		all = append(all, d.seeOff(e))
	}
	d.mu.Unlock()
	for _, g := range all {
		g.expel(Closing)
	}
}

// Count returns the numbers of unauthenticated and authenticated clients.
func (d *Door) Count() (arriving, loggedIn int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.arriving.Len(), d.loggedIn
}

// forget removes a guest from the unauthenticated ones. mu must be held.
func (d *Door) forget(e *list.Element) *Guest {
	g := e.Value.(*Guest)
	p := d.places[g.origin]
	d.arriving.Remove(g.inAll)
	p.arriving.Remove(g.inPlace)
	g.inAll, g.inPlace = nil, nil
	d.tidy(g.origin, p)
	return g
}

// seeOff is forget for a guest that is turned out.
func (d *Door) seeOff(e *list.Element) *Guest {
	g := d.forget(e)
	d.leaving++
	g.leaving = true
	return g
}

// tidy forgets a place without clients. mu must be held.
func (d *Door) tidy(origin netip.Prefix, p *place) {
	if p.arriving.Len() == 0 && p.loggedIn == 0 {
		delete(d.places, origin)
	}
}

// end turns the guest out, unless it has logged in or is gone.
func (g *Guest) end(why Reason) {
	g.door.mu.Lock()
	waits := g.inAll != nil
	if waits {
		g.door.seeOff(g.inAll)
	}
	g.door.mu.Unlock()
	if waits {
		g.expel(why)
	}
}

// expel notifies a guest that was forgotten.
func (g *Guest) expel(why Reason) {
	g.late.Stop()
	close(g.gone)
	g.turnOut(why)
}

// MarkAnswered notes that the client has answered the server's greeting. It counts as the
// youngest again, so that silent clients give way first.
func (g *Guest) MarkAnswered() {
	d := g.door
	d.mu.Lock()
	defer d.mu.Unlock()
	if g.inAll != nil {
		d.arriving.MoveToBack(g.inAll)
		d.places[g.origin].arriving.MoveToBack(g.inPlace)
	}
}

// Gone is closed when the guest was turned out before it had logged in.
func (g *Guest) Gone() <-chan struct{} { return g.gone }

// Leave notes that the connection has ended. It may be called twice.
func (g *Guest) Leave() {
	g.late.Stop()
	d := g.door
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case g.inAll != nil:
		d.forget(g.inAll)
	case g.leaving:
		g.leaving = false
		d.leaving--
		close(d.left)
		d.left = make(chan struct{})
	case g.loggedIn:
		g.loggedIn = false
		p := d.places[g.origin]
		p.loggedIn--
		d.tidy(g.origin, p)
		d.loggedIn--
		if d.accounts[g.account]--; d.accounts[g.account] == 0 {
			delete(d.accounts, g.account)
		}
	}
}

// Origin returns the network that an address counts as. All loopback addresses count as one.
func Origin(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	switch {
	case !a.IsValid() || a.IsLoopback():
		return loopback
	case a.Is4():
		return netip.PrefixFrom(a, 32)
	}
	network, _ := a.Prefix(64) // an IPv6 address has one
	return network
}

var loopback = netip.PrefixFrom(netip.IPv6Loopback(), 128)
