package proxy

import (
	"context"
	"encoding/binary"

	"github.com/anonsql/anonsql/relay"
	"github.com/anonsql/anonsql/relay/protocol"
)

// ourStatement marks the numbers of statements that were prepared here. newestStatement is MariaDB's name for the one that was prepared last.
const ourStatement, newestStatement = 1 << 31, 1<<32 - 1

// A prepared is what is known of a statement that was prepared here.
type prepared struct {
	cut bool // a piece of a parameter, by COM_STMT_SEND_LONG_DATA, was longer than a router sees
}

// prepare routes a statement that is to be prepared.
func (s *session) prepare(c relay.Command, payload []byte) relay.Answerer {
	s.newest = 0
	if !c.Whole {
		return nil
	}
	return s.routeCommand(payload, func(found []statement, command []byte) relay.Answerer {
		if len(found) != 1 || found[0].kind != answeredHere { // upstream refuses to prepare several
			return nil
		}
		s.newest = ourStatement
		if s.here == "" && found[0].variable != "" {
			return s.refuseVariable(found[0])
		}
		return s.answer(command)
	})
}

// prepared routes what is done with a prepared statement: its number says whose it is.
func (s *session) prepared(c relay.Command, payload []byte) relay.Answerer {
	if len(payload) < 5 {
		return nil
	}
	number := binary.LittleEndian.Uint32(payload[1:])
	if number == newestStatement {
		number = s.newest
	}
	if number&ourStatement == 0 {
		if c.Number() == protocol.StmtExecute {
			s.last = false
		}
		return nil
	}
	binary.LittleEndian.PutUint32(payload[1:], number&^ourStatement)
	if s.inside == nil {
		if !protocol.NewAnswer(c.Number(), 0).Expected() {
			return func(context.Context, *relay.Reply) error { return nil }
		}
		return refuse(1243, "HY000", "Unknown prepared statement handler (%d) given to EXECUTE: its connection has ended", number)
	}
	return s.known(c, payload)
}

// known routes what is done with a statement that was prepared here.
func (s *session) known(c relay.Command, payload []byte) relay.Answerer {
	of := s.inside.statements[binary.LittleEndian.Uint32(payload[1:])]
	if of == nil {
		of = &prepared{} // that the server in this process refuses
	}
	switch c.Number() {
	case protocol.StmtExecute:
		if !c.Whole || of.cut {
			of.cut = false
			return s.refuseLongParameter(payload[:5])
		}
	case protocol.StmtSendLongData:
		of.cut = of.cut || !c.Whole
		return s.handOver(payload)
	case protocol.StmtReset:
		of.cut = false
		return s.handOver(payload)
	case protocol.StmtClose:
		delete(s.inside.statements, binary.LittleEndian.Uint32(payload[1:]))
		return s.handOver(payload)
	}
	return s.answer(payload)
}

// handOver sends inside what does not hang on the session upstream: what has no answer, and COM_STMT_RESET.
func (s *session) handOver(command []byte) relay.Answerer {
	return func(ctx context.Context, r *relay.Reply) error {
		_, err := s.inside.ask(ctx, command, func(packet []byte, a *protocol.Answer) error { return r.Packet(s.translate(packet, a, nil)) })
		if err == nil {
			return nil
		}
		s.drop()
		if command[0] != byte(protocol.StmtReset) {
			return nil
		}
		return s.writeFailure(r, ctx, err)
	}
}

// refuseLongParameter refuses to execute a statement, and forgets the pieces of its parameters. statement is the beginning of a command about it.
func (s *session) refuseLongParameter(statement []byte) relay.Answerer {
	reset := append([]byte{byte(protocol.StmtReset)}, statement[1:]...)
	return func(ctx context.Context, r *relay.Reply) error {
		if _, err := s.inside.ask(ctx, reset, func([]byte, *protocol.Answer) error { return nil }); err != nil {
			s.drop()
		}
		return r.Error(1153, "08S01", "Got a packet bigger than anonsql reads, with parameters of a statement of its own: send shorter ones, or in pieces")
	}
}
