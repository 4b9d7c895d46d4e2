package admission

import (
	"errors"
	"fmt"
)

// A Login is a client that has sent the right password.
type Login struct {
	// Account is the account's full name.
	Account string
	// Administrator allows the use of reserved places.
	Administrator bool
	// OfAccount bounds the clients of the account; 0 is no limit.
	OfAccount int
}

// ErrGone is the error of LogIn for a guest that was turned out.
var ErrGone = errors.New("the connection was closed before the login was complete")

// A Full is the error of a login that would exceed a limit.
type Full struct {
	// Of is "all", "address" or "account".
	Of string
	// Limit is the greatest number of authenticated clients.
	Limit int
}

// Error implements error.
func (f *Full) Error() string {
	return fmt.Sprintf("%d are logged in (limit of: %s)", f.Limit, f.Of)
}

// LogIn counts the guest as logged in, or returns a *Full or ErrGone. A guest that
// is refused still has to Leave.
func (g *Guest) LogIn(l Login) error {
	d := g.door
	limits := d.limits()
	d.mu.Lock()
	defer d.mu.Unlock()
	if g.inAll == nil {
		return ErrGone
	}
	p := d.places[g.origin]
	if full := d.exceededLimit(limits, l, p, g.origin == loopback); full != nil {
		return full
	}
	p.loggedIn++
	d.forget(g.inAll)
	d.loggedIn++
	d.accounts[l.Account]++
	g.loggedIn, g.account = true, l.Account
	g.late.Stop()
	return nil
}

// exceededLimit finds the limit that a login would exceed. mu must be held.
func (d *Door) exceededLimit(limits Limits, l Login, p *place, fromLoopback bool) error {
	most := max(limits.LoggedIn, 1)
	if l.Administrator {
		if d.loggedIn >= most+limits.Reserved {
			return &Full{Of: "all", Limit: most + limits.Reserved}
		}
		return nil
	}
	ofAddress := limits.OfAddress
	if fromLoopback {
		ofAddress = limits.OfLoopback
	}
	switch {
	case d.loggedIn >= most:
		return &Full{Of: "all", Limit: most}
	case ofAddress > 0 && p.loggedIn >= ofAddress:
		return &Full{Of: "address", Limit: ofAddress}
	case l.OfAccount > 0 && d.accounts[l.Account] >= l.OfAccount:
		return &Full{Of: "account", Limit: l.OfAccount}
	}
	return nil
}
