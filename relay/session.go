package relay

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anonsql/anonsql/relay/protocol"
)

// A Session is one client's connection with its upstream connection.
type Session struct {
	relay            *Relay
	client, upstream net.Conn
	router           Router
	clientTLS        bool
	greeting         protocol.Greeting
	capabilities     protocol.Capabilities
	ctx              context.Context // ends when the client has left; both connections are closed then
	done             context.CancelFunc
	work             context.Context // for answers from here: ends when one side has left
	stop             context.CancelFunc
	own              sync.WaitGroup
	file             atomic.Bool // the client's packets are a file's

	fromClient   protocol.Stream // used by commands only
	fromUpstream protocol.Stream // used by answers only
	got          byte            // upstream's last sequence number, as the client counts; used by answers
	asked        []byte          // how upstream's last packet of the login begins; used by answers
	late         *time.Timer     // ends a client that is silent in its login; runs while it is its turn
	sent         atomic.Uint32   // the client's last sequence number, as it counts

	mu      sync.Mutex
	changed *sync.Cond
	due     []*due // answers that upstream owes, in the order of their commands
	writing bool   // a chunk of upstream's is being written to the client
	here    bool   // a command is answered here, or waits for that
	opaque  bool   // packets are no longer followed
	lost    bool   // one side has left
	denied  bool   // the login has failed
	kept    bool   // the last COM_CHANGE_USER failed: upstream decides whether the session continues with its old account
	account string
	status  protocol.Status
}

// due is an answer that upstream owes. take gets its packets if they are not for the client.
type due struct {
	*protocol.Answer
	account string // requested by a login or COM_CHANGE_USER
	login   bool   // for the first one
	take    func(packet []byte) error
	failure error
	ended   bool

	taking  sync.Mutex // held while take runs
	dropped bool       // nobody wants the packets any more
}

// drop waits until take is not running and prevents further calls.
func (d *due) drop() {
	d.taking.Lock()
	defer d.taking.Unlock()
	d.dropped = true
}

// hand passes a packet to take.
func (d *due) hand(packet []byte) error {
	d.taking.Lock()
	defer d.taking.Unlock()
	if d.dropped {
		return ErrLeft
	}
	return d.take(packet)
}

// Account returns the user name of the client's login, without a host. CURRENT_USER() returns
// the account that upstream chose.
func (s *Session) Account() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account
}

// Status returns upstream's status of the session (protocol.OfSession) at the end of its last answer.
func (s *Session) Status() protocol.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// IsBusy reports whether upstream still owes answers, so that Status may become another before it answers the next command.
func (s *Session) IsBusy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.due) > 0
}

// Thread returns the upstream connection's number, as KILL takes it.
func (s *Session) Thread() uint32 { return s.greeting.Thread }

// Capabilities returns those that client and upstream share. They determine how answers are written.
func (s *Session) Capabilities() protocol.Capabilities { return s.capabilities }

// ErrLeft says that one side has left.
var ErrLeft = errors.New("the connection has ended")

// leave ends the session from the client's side.
func (s *Session) leave() {
	s.done()
	s.set(func() { s.lost = true })
}

// hasLeft reports whether one side has left.
func (s *Session) hasLeft() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// maxDue bounds the answers that upstream owes a client that sends many commands at once.
const maxDue = 1 << 10

// expectAnswer registers an answer that upstream will owe. Call it before sending the command. It waits while upstream owes too many.
func (s *Session) expectAnswer(d *due) {
	if !d.Expected() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.due) >= maxDue && !s.lost {
		s.changed.Wait()
	}
	s.opaque = s.opaque || !d.Understood()
	s.due = append(s.due, d)
}

// settle records that the current answer has ended.
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

// Kept reports whether the last COM_CHANGE_USER failed, so that the old account is still in force.
func (s *Session) Kept() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

// settled waits until upstream owes nothing and the client has received everything.
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

// loggedIn waits until no login is in progress: a router sees no command of a client whose password is unchecked.
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

// loggingIn reports whether upstream has neither accepted nor refused the client's login.
func (s *Session) loggingIn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.due) > 0 && s.due[0].login
}

// transparent reports whether everything is passed on unread.
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
