package wire

import (
	"context"
	"net"
	"sync"
	"time"
)

// unreadPatience is how long a client may read none of its rows after its statement was cancelled.
const unreadPatience = time.Second

// A sender ends a statement whose client does not read: a write to such a client waits for room in the socket, and notices no KILL and no time
// limit. After the end of the statement's context a write may wait for unreadPatience; then it fails, and with it the connection, since a
// packet was truncated.
type sender struct {
	socket net.Conn

	mu               sync.Mutex
	running, hurried bool
	reading          bool          // the statement waits for a command or a file of the client
	patience         time.Duration // for what it reads, once it was ended
	failed           error
}

// begin watches a statement until end is called; with keep, end leaves the socket's deadline unchanged.
func (s *sender) begin(ctx context.Context) (end func(keep bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.hurried, s.reading = true, false, false
	stop := context.AfterFunc(ctx, s.shortenDeadline)
	return func(keep bool) {
		stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running = false
		if s.hurried && s.failed == nil && !keep {
			_ = s.socket.SetDeadline(time.Time{}) // fails only when it is closed
		}
	}
}

// shortenDeadline gives the client of a running statement unreadPatience to read.
func (s *sender) shortenDeadline() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running && !s.hurried {
		s.hurried = true
		_ = s.socket.SetWriteDeadline(time.Now().Add(unreadPatience)) // fails only when it is closed
		if s.reading {
			_ = s.socket.SetReadDeadline(time.Now().Add(s.patience)) // fails only when it is closed, too
		}
	}
}

// receives is called before a part of a client's file is read. When the statement was ended, the rest must arrive in time: its table may be locked.
func (s *sender) receives() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading {
		return
	}
	if s.reading, s.patience = true, lingerFor; s.hurried {
		_ = s.socket.SetReadDeadline(time.Now().Add(lingerFor)) // fails only when it is closed
	}
}

// reads is called before and after a statement waits for commands of its client. It reports whether the statement was ended, which also ends the wait.
func (s *sender) reads(on bool) (ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading && !on && s.hurried {
		_ = s.socket.SetReadDeadline(time.Time{}) // fails only when it is closed
	}
	s.reading, s.patience = on, 0
	return s.hurried
}

// noteWriteError keeps and returns the first write error.
func (s *sender) noteWriteError(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
	return s.failed
}
