package relay

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/anonsql/anonsql/relay/protocol"
)

// A Router decides who answers a command. The session calls its methods for one command after the other, in the client's order, once
// upstream has accepted the login and earlier answers from here have ended; upstream may still be busy with earlier commands.
type Router interface {
	// Route returns nil to pass the command on, or its Answerer. It must not block or keep the payload.
	Route(Command) Answerer
	// The session calls Close at its end, when nothing is being answered.
	Close()
}

// A Command is a command of the client. Its payload begins with the number of the command, and
// is empty for an empty packet.
type Command struct {
	Payload []byte
	Whole   bool // false for a beginning: the command exceeds Config.LongestRouted
}

// Number returns the kind of command.
func (c Command) Number() protocol.Command {
	if len(c.Payload) == 0 {
		return 0
	}
	return protocol.Command(c.Payload[0])
}

// Text returns the statement of COM_QUERY or COM_STMT_PREPARE, "" for other commands.
func (c Command) Text() string {
	switch c.Number() {
	case protocol.Query, protocol.StmtPrepare:
		return string(c.Payload[1:])
	}
	return ""
}

// An Answerer answers a command in upstream's place, once the client has all earlier answers. The context ends
// when the client or upstream leaves. It reports SQL errors with Reply.Error; a returned error ends the
// connection. It writes one whole answer, which is empty for COM_STMT_CLOSE and COM_STMT_SEND_LONG_DATA.
type Answerer func(context.Context, *Reply) error

// longestReply is the number of bytes of a reply that are buffered.
const longestReply = 32 << 10

// longestTaken is the number of bytes of a packet that Reply.Ask holds, with its headers: max_allowed_packet of the server in this process.
const longestTaken = 64 << 20

// ErrLong says that Reply.Ask has met a longer packet.
var ErrLong = errors.New("a row of the upstream server has more than 64 MiB, which anonsql does not hold: leave out its longest column, or cut the values, such as in a view")

// A Reply is the answer to one command, packet by packet.
type Reply struct {
	session  *Session
	sequence byte
	pending  []byte
}

// Packet adds a packet.
func (r *Reply) Packet(payload []byte) error {
	r.pending, r.sequence = protocol.AppendPacket(r.pending, r.sequence, payload)
	if len(r.pending) < longestReply {
		return nil
	}
	return r.Flush()
}

// Error adds an error packet, which ends the answer. A state has five characters.
func (r *Reply) Error(code uint16, state, message string) error {
	return r.Packet(protocol.Error(code, state, message, r.session.capabilities))
}

// Flush sends the buffered packets. So does the end of the answer.
func (r *Reply) Flush() error {
	if len(r.pending) == 0 {
		return nil
	}
	err := r.session.write(r.pending)
	r.pending = r.pending[:0]
	return err
}

// Ask sends a command upstream on the session's own connection and calls take with the packets of the answer,
// which the client does not see. A packet is valid during the call, and Ask calls take only until it returns.
// If upstream asks for a file, it gets an empty one. If take fails, Ask discards the rest of the answer and
// returns the error. ErrLeft means that upstream or the client left before the answer ended.
func (r *Reply) Ask(command []byte, take func(packet []byte) error) error {
	return r.AskUntil(context.Background(), command, take)
}

// AskUntil is Ask that returns the context's error when it ends. Upstream goes on with its answer, which nobody gets, and
// answers the session's further commands after it.
func (r *Reply) AskUntil(ctx context.Context, command []byte, take func(packet []byte) error) error {
	s := r.session
	if len(command) == 0 {
		return fmt.Errorf("an empty command")
	}
	d := &due{Answer: protocol.NewAnswer(protocol.Command(command[0]), s.capabilities), take: take}
	if !d.Understood() {
		return fmt.Errorf("command %#x has no answer that ends", command[0])
	}
	expected := d.Expected() // from here on d belongs to the goroutine that reads the answer
	s.expectAnswer(d)
	if _, err := s.upstream.Write(frame(0, command)); err != nil {
		return ErrLeft
	}
	if !expected {
		return nil
	}
	defer d.drop()
	defer context.AfterFunc(ctx, func() { s.set(func() {}) })()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !d.ended && !s.lost && !s.opaque && ctx.Err() == nil {
		s.changed.Wait()
	}
	switch {
	case d.ended:
		return d.failure
	case s.lost || s.opaque:
		return ErrLeft
	}
	return ctx.Err()
}

// Pass sends a command upstream in the client's name, who gets the answer and sends the file that it may ask for. It is the whole of an answer.
func (r *Reply) Pass(command []byte) {
	s := r.session
	s.expectAnswer(&due{Answer: protocol.NewAnswer(protocol.Command(command[0]), s.capabilities)})
	_, _ = s.upstream.Write(frame(0, command)) // who reads the answer notices that upstream has left
}

// guard ends the session of a router that panics, and nothing else.
func (s *Session) guard(f func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			if told := s.relay.config.Panicked; told != nil {
				told(cause, debug.Stack())
			}
			err = errPanicked
		}
	}()
	return f()
}

// errPanicked says that a router panicked.
var errPanicked = errors.New("the router panicked")

// answerHere answers a command in upstream's place when upstream owes nothing. The session
// keeps reading from the client, to notice if it leaves.
func (s *Session) answerHere(answer Answerer, sequence byte) {
	s.set(func() { s.here = true })
	s.own.Go(func() {
		defer s.set(func() { s.here = false })
		if s.settled() != nil {
			if !s.hasLeft() { // packets are no longer followed, and the client waits for this answer
				s.done()
			}
			return
		}
		r := &Reply{session: s, sequence: sequence}
		err := s.guard(func() error { return answer(s.work, r) })
		if err != nil && s.hasLeft() {
			err = r.Error(1430, "08S01", s.lostMessage("a statement that anonsql answers"))
		}
		if err == nil {
			err = r.Flush()
		}
		if err != nil {
			s.done()
		}
	})
}
