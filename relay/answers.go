package relay

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/anonsql/anonsql/relay/protocol"
)

// lingerTimeout is the time that a client has to read its last message after upstream left.
const lingerTimeout = time.Second

// outbound is what upstream has sent and the client has not received.
type outbound struct {
	bytes []byte
	start int    // passed on up to here
	at    int    // read up to here
	from  *due   // the answer in progress, or nil
	taken []byte // the beginning of a packet that is not for the client
}

// answers reads from upstream until one side leaves. If upstream leaves, it tells the client.
func (s *Session) answers() {
	out, p := &outbound{}, make([]byte, upstreamChunk)
	for {
		n, err := s.upstream.Read(p)
		if n > 0 {
			out.bytes, out.start, out.at = p[:n], 0, 0
			if s.answer(out) != nil {
				s.clientLeft()
				return
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return // the client has left in its login
		}
		if err != nil {
			s.upstreamLeft(out)
			return
		}
	}
}

// answer takes the packets of a chunk and passes on those for the client. It sends all of the
// chunk before anybody else writes to the client.
func (s *Session) answer(out *outbound) error {
	s.set(func() { s.writing = true })
	defer s.set(func() { s.writing = false })
	for out.at < len(out.bytes) {
		if out.from == nil && !s.begins(out) {
			break
		}
		from := out.at
		n, packet, whole := s.fromUpstream.Next(out.bytes[from:])
		out.at += n
		if out.from != nil && out.from.take != nil {
			s.take(out, from)
		}
		if !whole {
			break
		}
		s.got = packet.Sequence
		if out.from == nil {
			continue
		}
		if err := s.follow(out, packet); err != nil {
			return err
		}
	}
	return s.writePending(out)
}

// begins finds the receiver of the next packet; it returns false once packets are not followed, as after one that nobody expects, such as
// an error before upstream leaves. That must not interrupt an answer from here.
func (s *Session) begins(out *outbound) bool {
	for {
		s.mu.Lock()
		if len(s.due) > 0 && !s.opaque {
			out.from = s.due[0]
		}
		wait := s.here && !s.lost && !s.opaque
		s.mu.Unlock()
		if out.from != nil {
			return true
		}
		if !wait || s.writePending(out) != nil {
			s.set(func() { s.opaque = true })
			out.at = len(out.bytes)
			return false
		}
		s.set(func() { s.writing = false })
		s.mu.Lock()
		for s.here && len(s.due) == 0 && !s.lost {
			s.changed.Wait()
		}
		s.writing = true
		s.mu.Unlock()
	}
}

// follow reads one packet of the current answer.
func (s *Session) follow(out *outbound, packet protocol.Packet) error {
	d := out.from
	if d.Command() == protocol.ChangeUser && protocol.AsksForPassword(packet) && !s.sameEncryption() {
		return s.refusePassword(out, packet.Sequence)
	}
	if d.login {
		s.asked = bytes.Clone(packet.Head)
	}
	switch d.Read(packet) {
	case protocol.Continues:
		if d.login { // it is the client's turn
			s.late.Reset(s.relay.config.silence())
		}
	case protocol.Local:
		if d.take == nil {
			s.file.Store(true)
		} else if _, err := s.upstream.Write(frame(packet.Sequence+1, nil)); err != nil {
			return err
		}
	case protocol.Ended:
		if d.Command() == protocol.ChangeUser {
			s.fromUpstream.Shift = 0
			s.late.Stop()
		}
		s.settle(d)
		out.from, out.taken = nil, nil
	case protocol.Unknown:
		s.set(func() { s.opaque, s.due = true, nil })
		out.from = nil
	}
	return nil
}

// writePending writes what the client has not received.
func (s *Session) writePending(out *outbound) error {
	p := out.bytes[out.start:out.at]
	out.start = out.at
	if len(p) == 0 {
		return nil
	}
	return s.write(p)
}

// write sends the client bytes. A client that does not take a chunk within writeTimeout has left.
func (s *Session) write(p []byte) error {
	for chunk := range slices.Chunk(p, upstreamChunk) {
		_ = s.client.SetWriteDeadline(time.Now().Add(s.relay.config.writeTimeout))
		if _, err := s.client.Write(chunk); err != nil {
			return err
		}
	}
	return nil
}

// take withholds what is for Reply.Ask, from a byte of the chunk on, and delivers the packet when it is complete.
func (s *Session) take(out *outbound, from int) {
	d := out.from
	if d.failure == nil {
		out.taken = append(out.taken, out.bytes[from:out.at]...)
	}
	if len(out.taken) > longestTaken {
		d.failure, out.taken = ErrLong, nil
	}
	out.start = out.at
	if !s.fromUpstream.AtBoundary() {
		return
	}
	if d.failure == nil {
		d.failure = s.guard(func() error { return d.hand(protocol.Payload(out.taken)) })
	}
	out.taken = out.taken[:0]
}

// refusePassword ends a login in which caching_sha2_password would make the client send the password in
// a form that upstream does not expect: in the clear on a safe connection, encrypted otherwise.
func (s *Session) refusePassword(out *outbound, sequence byte) error {
	out.at = out.start
	side, other := "the client's connection", "the one to upstream"
	if s.safe(s.client, s.clientTLS) {
		side, other = other, side
	}
	r := refusal{
		1045,
		"28000",
		fmt.Sprintf("caching_sha2_password needs the password, and %s has TLS or is a Unix socket where %s has not: connect with TLS", other, side),
	}
	_ = s.write(frame(sequence, protocol.Error(r.code, r.state, r.message, s.capabilities)))
	return r
}

// clientLeft ends the session, after the login if there is one.
func (s *Session) clientLeft() {
	if !s.leaveLogin() {
		s.leave()
	}
}

// leaveLogin ends the client's side of a login that is in progress, and reports whether one was (finishLogin).
func (s *Session) leaveLogin() (was bool) {
	s.set(func() {
		was = len(s.due) > 0 && s.due[0].login
		s.lost = s.lost || was
	})
	if was {
		_ = s.upstream.SetDeadline(time.Now().Add(excusing))
		s.client.Close()
	}
	return was
}

// upstreamLeft tells the client that upstream has left, if the protocol permits a packet now, and ends the session.
func (s *Session) upstreamLeft(out *outbound) {
	s.mu.Lock()
	var waits *due
	if len(s.due) > 0 && !s.opaque {
		waits = s.due[0]
	}
	s.lost = true
	s.mu.Unlock()
	s.changed.Broadcast()
	s.stop()
	if s.ctx.Err() != nil {
		return // the client has left
	}
	s.answeredHere()
	if waits != nil && waits.take == nil && s.fromUpstream.AtBoundary() {
		during := "a statement; whether it was done is not known"
		if waits.Command() == protocol.ChangeUser {
			during = "login"
		}
		next := byte(s.sent.Load()) + 1
		switch {
		case out.from == nil: // the answer has not begun
		case waits.Command() == protocol.ChangeUser || s.file.Load(): // both sides count
			next = max(next, s.got+1)
		default:
			next = s.got + 1
		}
		_ = s.write(frame(next, protocol.Error(1430, "08S01", s.lostMessage(during), s.capabilities)))
	}
	s.hangUp()
}

func (s *Session) lostMessage(during string) string {
	return fmt.Sprintf("Lost connection to the upstream server %s during %s", s.relay.config.Address, during)
}

// hangUp shuts down the client's connection for writing, so that the client can read its last
// message: commands reads on until the client leaves or lingerTimeout ends the session.
func (s *Session) hangUp() {
	if c, ok := s.client.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
	_ = s.client.SetReadDeadline(time.Now().Add(lingerTimeout))
}
