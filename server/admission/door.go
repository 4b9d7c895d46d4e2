package admission

import (
	"container/list"
	"errors"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// Limits bound who is connected. They are asked for at every decision.
type Limits struct {
	// LoggedIn bounds those who have logged in; administrators may be Reserved
	// more. At least 1.
	LoggedIn, Reserved int
	// OfAddress bounds those who have logged in from one address, OfLoopback
	// from the loopback interface, all its addresses together. 0 is no limit.
	OfAddress, OfLoopback int
	// Arriving bounds those who have not logged in, ArrivingOfAddress those of
	// one address. At least 1.
	Arriving, ArrivingOfAddress int
	// Patience is the time for logging in.
	Patience time.Duration
}

// A Reason says why somebody who has not logged in was turned out.
type Reason int

const (
	// Late is who did not log in within the time for it.
	Late Reason = iota
	// Displaced is who gave way to another.
	Displaced
	// Closing is who was there when the door was closed.
	Closing
)

// A Door counts who is connected. Make it with NewDoor.
type Door struct {
	limits func() Limits

	mu       sync.Mutex
	closed   bool
	arriving list.List // of *Guest, the oldest first
	loggedIn int
	leaving  int           // were turned out, and are still there
	left     chan struct{} // closed and replaced when one of them has left
	places   map[netip.Prefix]*place
	accounts map[string]int // how many are logged in
}

// A place is an address. It is kept while somebody is there.
type place struct {
	arriving list.List // of *Guest, the oldest first
	loggedIn int
}

// NewDoor makes a door where nobody is. limits must be quick.
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

// Arrive lets a client in, and turns out others where it is one too many.
// turnOut ends the client's connection; it is called at most once, from
// any goroutine, and never after the client has logged in. On a closed door it
// is called at once.
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

// maxLeaving is how many who were turned out may still be there when the next
// is let in.
const maxLeaving = 64

// Await waits until most of those who were turned out have left, or for a time.
// Without it, clients that come faster than others can be seen off would pile
// up. It tells whether they have left.
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

// MakeRoom turns out the n that have waited longest: the process has no
// room for more.
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

// Close turns out all who have not logged in, now and later.
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

// Count returns how many are there.
func (d *Door) Count() (arriving, loggedIn int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.arriving.Len(), d.loggedIn
}

// forget takes a guest from those who arrive. mu must be held.
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

// tidy forgets a place where nobody is. mu must be held.
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

// expel tells a guest that was forgotten.
func (g *Guest) expel(why Reason) {
	g.late.Stop()
	close(g.gone)
	g.turnOut(why)
}

// MarkAnswered is called when the client has answered the server's greeting: it counts as
// the youngest again, so that those who only connect give way before it.
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

// Leave is called when the connection has ended. It may be called twice.
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

// Origin is what an address is counted as: all of the loopback interface is one.
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
