package proxy

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/anonsql/anonsql/relay"
	"github.com/anonsql/anonsql/relay/protocol"
)

// ourStatement marks the numbers of statements that were prepared here. newestStatement is MariaDB's number for the most recently prepared statement.
const ourStatement, newestStatement = 1 << 31, 1<<32 - 1

// executeWithoutParameters is the length of a COM_STMT_EXECUTE without parameters: its number, the statement's number, flags and the iteration count.
const executeWithoutParameters = 1 + 4 + 1 + 4

// A prepared has what the proxy knows of a statement that was prepared here.
type prepared struct {
	parameters int
	types      []byte // two bytes per parameter, from the client's last binding
	pieces
}

// pieces describes the parameters that COM_STMT_SEND_LONG_DATA has sent since the statement was last executed.
type pieces struct {
	of      map[int]bool // the parameters
	foreign bool         // some parameter has a byte beyond ASCII
	cut     bool         // some piece was longer than the router sees
}

// readSets are the client character sets whose texts the proxy reads. In others it reads only ASCII.
var readSets = []string{"ascii", "binary", "utf8", "utf8mb3", "utf8mb4"}

// unfitForResults are the character sets of results in which ASCII has other bytes: anonsql could not read upstream's own words.
var unfitForResults = []string{"filename", "ucs2", "utf16", "utf16le", "utf32"}

func isForeign(c byte) bool { return c >= 0x80 }

// prepare routes a statement to prepare.
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

// prepared routes a command about a prepared statement; the statement's number shows who prepared it.
func (s *session) prepared(c relay.Command, payload []byte) relay.Answerer {
	if len(payload) < 5 {
		return nil
	}
	number := binary.LittleEndian.Uint32(payload[1:])
	if number == newestStatement {
		number = s.newest
	}
	if number&ourStatement == 0 {
		if c.Number() == protocol.StmtExecute || c.Number() == protocol.StmtBulkExecute {
			s.last = false
		}
		return nil
	}
	number &^= ourStatement
	if s.inside == nil || number < s.inside.after {
		if !protocol.NewAnswer(c.Number(), 0).Expected() {
			return func(context.Context, *relay.Reply) error { return nil }
		}
		return refuse(1243, "HY000", "Unknown prepared statement handler (%d) given to EXECUTE: its connection has ended", number)
	}
	binary.LittleEndian.PutUint32(payload[1:], number-s.inside.after)
	return s.known(c, payload)
}

// known routes a command about a statement that was prepared here.
func (s *session) known(c relay.Command, payload []byte) relay.Answerer {
	of := s.inside.statements[binary.LittleEndian.Uint32(payload[1:])]
	if of == nil {
		of = &prepared{} // the server in this process refuses it
	}
	switch c.Number() {
	case protocol.StmtExecute:
		if !c.Whole || of.cut {
			of.bind(payload)
			return s.refuseLongParameter(payload)
		}
	case protocol.StmtBulkExecute:
		return refuse(1235, "42000", "anonsql executes a prepared statement of its own once for each command, not in bulk: execute it for one row after the other, "+
			"such as without useBulkStmts")
	case protocol.StmtSendLongData:
		of.add(payload[5:], !c.Whole)
		return s.handOver(payload)
	case protocol.StmtReset:
		of.pieces = pieces{}
		return s.handOver(payload)
	case protocol.StmtClose:
		delete(s.inside.statements, binary.LittleEndian.Uint32(payload[1:]))
		return s.handOver(payload)
	}
	return s.answer(payload)
}

// add adds a piece of a parameter, which begins with the parameter's number.
func (p *pieces) add(piece []byte, cut bool) {
	if len(piece) >= 2 {
		if p.of == nil {
			p.of = make(map[int]bool)
		}
		p.of[int(binary.LittleEndian.Uint16(piece))] = true
		p.foreign = p.foreign || slices.ContainsFunc(piece[2:], isForeign)
	}
	p.cut = p.cut || cut
}

// handOver sends commands inside that do not depend on the session upstream: those without an answer, and COM_STMT_RESET.
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

// refuseLongParameter refuses to execute a statement, and forgets the pieces of its parameters.
func (s *session) refuseLongParameter(command []byte) relay.Answerer {
	return func(ctx context.Context, r *relay.Reply) error {
		s.forgetPieces(ctx, command)
		return r.Error(1153, "08S01", "Got a packet bigger than anonsql reads, with parameters of a statement of its own: send shorter ones, or in pieces")
	}
}

// forgetPieces forgets inside what has come in pieces for a statement. command is about it.
func (s *session) forgetPieces(ctx context.Context, command []byte) {
	reset := append([]byte{byte(protocol.StmtReset)}, command[1:5]...)
	if _, err := s.inside.ask(ctx, reset, func([]byte, *protocol.Answer) error { return nil }); err != nil {
		s.drop()
	}
}

// hasForeignText says whether a statement, or a text among the parameters of one that is executed, is not ASCII. It is true of what is not
// understood.
func (s *session) hasForeignText(command []byte) bool {
	switch protocol.Command(command[0]) {
	case protocol.Query, protocol.StmtPrepare:
		return slices.ContainsFunc(command[1:], isForeign)
	case protocol.StmtExecute:
		if of := s.inside.statements[binary.LittleEndian.Uint32(command[1:])]; of != nil {
			return of.bind(command)
		}
	}
	return false
}

// bind reads the parameters of COM_STMT_EXECUTE: a NULL bitmap, a byte that tells whether types follow, the types, and the values that were not
// sent in pieces.
func (p *prepared) bind(command []byte) (foreign bool) {
	long, nulls := p.pieces, (p.parameters+7)/8
	p.pieces = pieces{}
	if p.parameters == 0 {
		return false
	}
	if len(command) <= executeWithoutParameters+nulls {
		return true
	}
	null, values := command[executeWithoutParameters:], command[executeWithoutParameters+nulls+1:]
	if types := 2 * p.parameters; null[nulls] == 1 && len(values) >= types {
		p.types, values = slices.Clone(values[:types]), values[types:]
	}
	if len(p.types) == 0 {
		return true
	}
	foreign = long.foreign
	for i := range p.parameters {
		if null[i/8]&(1<<(i%8)) != 0 || long.of[i] {
			continue
		}
		value, rest, ok := protocol.CutParameter(p.types[2*i], values)
		if !ok {
			return true
		}
		foreign, values = foreign || slices.ContainsFunc(value, isForeign), rest
	}
	return foreign
}

// bound is a command with the types that its parameters have. A client sends them once, perhaps with an execution that was refused here.
func (in *inside) bound(command []byte) []byte {
	if protocol.Command(command[0]) != protocol.StmtExecute {
		return command
	}
	of := in.statements[binary.LittleEndian.Uint32(command[1:])]
	if of == nil || len(of.types) == 0 {
		return command
	}
	at := executeWithoutParameters + (of.parameters+7)/8
	if len(command) <= at || command[at] != 0 {
		return command
	}
	return slices.Concat(command[:at], []byte{1}, of.types, command[at+1:])
}
