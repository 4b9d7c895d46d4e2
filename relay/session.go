package relay

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/anonsql/anonsql/relay/protocol"
)

// A Session is one client's connection, and the upstream connection that belongs to it.
type Session struct {
	relay            *Relay
	client, upstream net.Conn
	router           Router
	clientTLS        bool
	greeting         protocol.Greeting
	capabilities     protocol.Capabilities
	ctx              context.Context // ends when the client has left; both connections are closed then
	done             context.CancelFunc
	work             context.Context // of what is answered here: ends when one side has left
	stop             context.CancelFunc
	own              sync.WaitGroup
	file             atomic.Bool // the client's packets are a file's

	fromClient   protocol.Stream // of the goroutine that runs commands
	fromUpstream protocol.Stream // of the one that runs answers
	got          byte            // the last sequence number of upstream's, as the client counts; of answers
	sent         atomic.Uint32   // the last one of the client's, as it counts

	mu      sync.Mutex
	changed *sync.Cond
	due     []*due // answers that upstream owes, in the order of their commands
	writing bool   // a chunk of upstream's is on its way to the client
	here    bool   // a command is answered here, or waits for it
	opaque  bool   // nothing is understood any more
	lost    bool   // one side has left
	denied  bool   // the login has failed
	kept    bool   // the last COM_CHANGE_USER has failed: upstream says whether the session goes on, with the account that it had
	account string
	status  protocol.Status
}

// due is an answer that upstream owes. take gets its packets if the client does not.
type due struct {
	*protocol.Answer
	account string // that a login or COM_CHANGE_USER asks for
	login   bool   // the first one
	take    func(packet []byte) error
	failure error
	ended   bool

	taking  sync.Mutex // held while take runs
	dropped bool       // nobody wants the packets any more
}

// drop waits until take does not run, and keeps it from running again.
func (d *due) drop() {
	d.taking.Lock()
	defer d.taking.Unlock()
	d.dropped = true
}

// hand gives take a packet.
func (d *due) hand(packet []byte) error {
	d.taking.Lock()
	defer d.taking.Unlock()
	if d.dropped {
		return ErrLeft
	}
	return d.take(packet)
}

// Account is the name that the client has logged in with, without a host: CURRENT_USER() knows which account upstream
// chose for it.
func (s *Session) Account() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account
}

// Status is what upstream said of the session (protocol.OfSession) at the end of its last answer.
func (s *Session) Status() protocol.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Thread is the upstream connection's number, which KILL takes.
func (s *Session) Thread() uint32 { return s.greeting.Thread }

// Capabilities are those that client and upstream share: they say how answers are written.
func (s *Session) Capabilities() protocol.Capabilities { return s.capabilities }

// ErrLeft says that one side has left.
var ErrLeft = errors.New("the connection has ended")

// leave ends the session from the client's side.
func (s *Session) leave() {
	s.done()
	s.set(func() { s.lost = true })
}

// hasLeft says whether one side has left.
func (s *Session) hasLeft() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// expectAnswer notes an answer that upstream owes from now on. It must be called before the command is sent.
func (s *Session) expectAnswer(d *due) {
	if !d.Expected() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opaque = s.opaque || !d.Understood()
	s.due = append(s.due, d)
}

// settle notes that the answer which came has ended.
func (s *Session) settle(d *due) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = s.due[1:]
	d.ended = true
	if status, ok := d.Status(); ok {
		s.status = status & protocol.OfSession
	}
	if d.Command() != protocol.ChangeUser {
		return
	}
	switch {
	case !d.Failed():
		s.account, s.kept = d.account, false
	case d.login:
		s.denied = true
	default:
		s.kept = true
	}
}

// Kept says whether the last COM_CHANGE_USER has failed, so that the account is still the one before.
func (s *Session) Kept() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

// settled waits until upstream owes nothing and the client has all of it.
func (s *Session) settled() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for (len(s.due) > 0 || s.writing) && !s.lost {
		s.changed.Wait()
	}
	if s.lost || s.opaque {
		return ErrLeft
	}
	return nil
}

// loggedIn waits until no login is under way: a router sees no command of a client whose password has not been looked at.
func (s *Session) loggedIn() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.lost && slices.ContainsFunc(s.due, func(d *due) bool { return d.Command() == protocol.ChangeUser }) {
		s.changed.Wait()
	}
	if s.lost || s.denied {
		return ErrLeft
	}
	return nil
}

// transparent says whether all is passed on unread.
func (s *Session) transparent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opaque
}

// answeredHere waits until no command is answered here.
func (s *Session) answeredHere() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.here {
		s.changed.Wait()
	}
}

// isAnswering says whether a command is answered here.
func (s *Session) isAnswering() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.here
}

// set changes what both directions share, and says so.
func (s *Session) set(change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
	s.changed.Broadcast()
}
