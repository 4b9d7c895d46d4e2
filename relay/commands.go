package relay

import (
	"errors"
	"slices"

	"github.com/anonsql/anonsql/relay/protocol"
)

// Bytes per read from a client and from upstream.
const (
	clientChunk   = 32 << 10
	upstreamChunk = 128 << 10
)

// inbound is what a client has sent and upstream has not received.
type inbound struct {
	bytes   []byte // passed on up to start, read up to at
	start   int
	at      int
	begun   int // where the held command begins
	holding bool
	here    Answerer // answers the command whose rest is dropped, or nil
}

// commands reads from the client until one side leaves.
func (s *Session) commands() {
	in := &inbound{bytes: make([]byte, 0, clientChunk)}
	for {
		in.room()
		n, err := s.client.Read(in.bytes[len(in.bytes):cap(in.bytes)])
		in.bytes = in.bytes[:len(in.bytes)+n]
		if err == nil && (s.read(in) != nil || s.hasLeft()) {
			s.drain()
			return
		}
		if err != nil {
			_ = s.read(in)
			return
		}
	}
}

// drain discards what the client still sends after upstream left: closing a socket with unread
// bytes would discard the client's last message. It ends with the session, which answers ends.
func (s *Session) drain() {
	p := make([]byte, clientChunk)
	for {
		if _, err := s.client.Read(p); err != nil {
			return
		}
	}
}

// room makes room for a chunk, first by dropping what was passed on.
func (in *inbound) room() {
	if in.start > 0 {
		left := in.bytes[in.start:]
		if len(left) == 0 && cap(in.bytes) > clientChunk {
			in.bytes = make([]byte, 0, clientChunk) // after a long command
		} else {
			in.bytes = in.bytes[:copy(in.bytes, left)]
		}
		in.at, in.begun, in.start = in.at-in.start, in.begun-in.start, 0
	}
	if len(in.bytes) == cap(in.bytes) {
		in.bytes = slices.Grow(in.bytes, max(clientChunk, len(in.bytes)))
	}
}

// read takes the packets of a chunk and passes on those for upstream.
func (s *Session) read(in *inbound) error {
	for in.at < len(in.bytes) {
		if s.transparent() {
			in.at, in.holding = len(in.bytes), false
			break
		}
		if s.fromClient.AtBoundary() {
			if len(in.bytes)-in.at < protocol.FrameHeader {
				break // the sequence number tells
			}
			if err := s.begin(in); err != nil {
				return err
			}
		}
		n, packet, whole := s.fromClient.Next(in.bytes[in.at:])
		in.at += n
		if whole {
			s.sent.Store(uint32(packet.Sequence - s.fromClient.Shift))
			s.late.Stop()
		}
		if in.holding && (whole || in.at-in.begun > s.relay.config.LongestRouted) {
			if err := s.route(in, whole); err != nil {
				return err
			}
		} else if whole && in.here == nil && packet.First == 0 && s.file.Load() {
			s.file.Store(false)
		}
		if in.here == nil {
			continue
		}
		in.start = in.at
		if whole {
			s.answerHere(in.here, packet.Sequence+1)
			in.here = nil
		}
	}
	return s.pass(in)
}

// begin classifies a packet by its header: as a command, or as part of the current answer, a file or a password. The
// packets of a login continue its sequence numbers, commands begin at 0, and a file's many packets count past 255.
// A command is not held before upstream has accepted the login: nobody unknown fills memory.
func (s *Session) begin(in *inbound) error {
	in.begun = in.at
	in.holding = !s.file.Load() && in.bytes[in.at+3] == 0
	if !in.holding {
		return nil
	}
	s.fromClient.Shift = 0
	return errors.Join(s.pass(in), s.loggedIn())
}

// pass sends upstream what is read and not held.
func (s *Session) pass(in *inbound) error {
	end := in.at
	if in.holding {
		end = in.begun
	}
	if end == in.start {
		return nil
	}
	p := in.bytes[in.start:end]
	in.start = end
	_, err := s.upstream.Write(p)
	return err
}

// route asks the router who answers the held command, and passes the command there.
func (s *Session) route(in *inbound, whole bool) error {
	payload := in.bytes[in.begun+protocol.FrameHeader : in.at]
	// Headers separate several frames, so such a command is too long to show whole.
	c := Command{Payload: payload[:min(len(payload), protocol.MaxFrame)], Whole: whole && len(payload) < protocol.MaxFrame}
	if create := s.relay.config.Router; create != nil {
		if s.router == nil {
			s.router = create(s)
		}
		if c.Number() == protocol.Quit && s.isAnswering() { // nobody waits for the answer
			in.holding = false
			defer s.done()
			return errors.Join(s.pass(in), ErrLeft)
		}
		s.answeredHere()
		if err := s.guard(func() error { in.here = s.router.Route(c); return nil }); err != nil {
			s.done()
			return err
		}
		if in.here != nil {
			in.holding = false
			return nil
		}
	}
	in.holding = false
	d := &due{Answer: protocol.NewAnswer(c.Number(), s.capabilities)}
	if c.Number() == protocol.ChangeUser {
		if account, ok := protocol.ChangedAccount(payload); ok {
			d.account = account
		}
	}
	if !d.Understood() {
		_ = s.settled() // afterwards the client would get what Reply.AskUntil has given up
	}
	s.expectAnswer(d)
	return nil
}
