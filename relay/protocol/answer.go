package protocol

import "encoding/binary"

// An Answer follows the answer to one command, packet by packet, to its end.
type Answer struct {
	command      Command
	capabilities Capabilities
	phase        phase
	left         int // definitions still to come in the phase
	columns      int // of a prepared statement, which follow its parameters
	status       Status
	known        bool // status is set
	failed       bool
	at           int   // offset of the status in the last packet, 0 for none
	was          phase // phase in which that packet was read
}

// An Event classifies a packet of an answer.
type Event int

// Events. Unknown means that the answer's end is not recognisable any more.
const (
	Continues Event = iota // more packets follow, from the server or from the client in a login
	Local                  // the client's packets are a file, up to an empty one; then the answer continues
	Ended
	Unknown
)

type phase int

const (
	beginning   phase = iota // OK, error, file, or the number of columns
	definitions              // of columns
	separator                // the EOF after them
	rows                     // up to EOF or error
	parameters               // definitions of a prepared statement's parameters
	parameterSeparator
	prepared // the definitions of its columns
	preparedSeparator
	single   // one packet of any kind
	exchange // a login, up to OK or error
	silence  // no packet at all
	stream   // replication
)

// NewAnswer returns a follower of the answer to a command. of are the session's capabilities:
// those that the server offers and the client chose.
func NewAnswer(c Command, of Capabilities) *Answer {
	a := &Answer{command: c, capabilities: of}
	switch c {
	case Quit, StmtSendLongData, StmtClose:
		a.phase = silence
	case FieldList, StmtFetch:
		a.phase = rows
	case Statistics:
		a.phase = single
	case ChangeUser:
		a.phase = exchange
	case BinlogDump, TableDump, BinlogDumpGTID, Clone:
		a.phase = stream
	}
	return a
}

// NewLogin returns a follower of the server's packets after its greeting, up to OK or error.
func NewLogin() *Answer { return &Answer{command: ChangeUser, phase: exchange} }

// Expected returns false for commands without an answer.
func (a *Answer) Expected() bool { return a.phase != silence }

// Understood returns false for commands that turn the connection over to replication.
func (a *Answer) Understood() bool { return a.phase != stream }

// Command returns the answered command.
func (a *Answer) Command() Command { return a.command }

// Failed reports at the end whether the answer was an error.
func (a *Answer) Failed() bool { return a.failed }

// Status returns the last status in this answer; false for none.
func (a *Answer) Status() (Status, bool) { return a.status, a.known }

// StatusAt returns the offset of the two little-endian bytes of the status in the last packet, 0 for none.
func (a *Answer) StatusAt() int { return a.at }

// Counted reports whether the last packet is a number of columns, whose definitions follow.
func (a *Answer) Counted() bool { return a.was == beginning && a.phase == definitions }

// Defined reports whether the last packet defines a column or a parameter.
func (a *Answer) Defined() bool {
	return a.was == definitions || a.was == parameters || a.was == prepared
}

// InRows reports whether the last packet is a row, or ends rows.
func (a *Answer) InRows() bool { return a.was == rows }

// Read reads the next packet of the answer.
func (a *Answer) Read(p Packet) Event {
	a.at, a.was = 0, a.phase
	if a.phase == single {
		return Ended
	}
	if len(p.Head) == 0 {
		if a.phase == exchange {
			return Continues
		}
		return Unknown
	}
	if p.Head[0] == headError {
		return a.readError(p)
	}
	switch a.phase {
	case beginning:
		return a.begin(p)
	case rows:
		return a.row(p)
	case exchange:
		if p.Head[0] == headOK {
			return a.end(a.okStatus(p.Head))
		}
		return Continues
	case separator, parameterSeparator, preparedSeparator:
		return a.separate(p)
	case definitions, parameters, prepared:
		if a.left--; a.left == 0 {
			return a.defined()
		}
		return Continues
	}
	return Unknown
}

// readError ends the answer, unless the packet reports progress.
func (a *Answer) readError(p Packet) Event {
	if a.capabilities&Progress != 0 && len(p.Head) >= 3 && binary.LittleEndian.Uint16(p.Head[1:]) == progressCode {
		return Continues
	}
	a.failed = true
	return Ended
}

// begin reads the first packet of a result.
func (a *Answer) begin(p Packet) Event {
	switch {
	case p.Head[0] == headOK && a.command == StmtPrepare:
		return a.prepare(p)
	case p.Head[0] == headOK:
		return a.end(a.okStatus(p.Head))
	case p.Head[0] == headEOF && p.First < MaxFrame: // of COM_SET_OPTION and similar commands
		return a.end(a.eofStatus(p))
	case p.Head[0] == headLocal:
		return Local
	}
	count, n := lengthEncoded(p.Head)
	if n == 0 || count == 0 || count > 1<<16 {
		return Unknown
	}
	a.left = int(count)
	if a.capabilities&CacheMetadata != 0 && len(p.Head) > n && p.Head[n] == 0 { // the client has cached the definitions
		return a.defined()
	}
	a.phase = definitions
	return Continues
}

// prepare reads the numbers of columns and parameters of a prepared statement.
func (a *Answer) prepare(p Packet) Event {
	if len(p.Head) < 9 {
		return Unknown
	}
	a.columns = int(binary.LittleEndian.Uint16(p.Head[5:]))
	a.left = int(binary.LittleEndian.Uint16(p.Head[7:]))
	if a.phase = parameters; a.left > 0 {
		return Continues
	}
	return a.parametersEnd()
}

// defined handles the last definition of a list.
func (a *Answer) defined() Event {
	if a.capabilities&DeprecateEOF == 0 {
		switch a.phase {
		case parameters:
			a.phase = parameterSeparator
		case prepared:
			a.phase = preparedSeparator
		default:
			a.phase = separator
		}
		return Continues
	}
	switch a.phase {
	case parameters:
		return a.parametersEnd()
	case prepared:
		return Ended
	}
	a.phase = rows
	return Continues
}

func (a *Answer) parametersEnd() Event {
	a.phase, a.left = prepared, a.columns
	if a.left == 0 {
		return Ended
	}
	return Continues
}

// separate reads the EOF packet after definitions.
func (a *Answer) separate(p Packet) Event {
	if p.Head[0] != headEOF {
		return Unknown
	}
	switch a.phase {
	case parameterSeparator:
		return a.parametersEnd()
	case preparedSeparator:
		return Ended
	}
	status, ok := a.eofStatus(p)
	if ok && status&CursorExists != 0 { // other commands fetch the rows
		return a.end(status, ok)
	}
	a.phase = rows
	return Continues
}

// row reads a row or the end of rows. A row may begin with the byte of EOF if its first value has at least 16 MiB.
func (a *Answer) row(p Packet) Event {
	longest := 8
	if a.capabilities&DeprecateEOF != 0 {
		longest = MaxFrame - 1
	}
	if p.Head[0] != headEOF || p.First > longest {
		return Continues
	}
	return a.end(a.eofStatus(p))
}

// end ends one result, and the answer unless another one follows.
func (a *Answer) end(status Status, ok bool) Event {
	if !ok {
		return Unknown
	}
	a.status, a.known = status, true
	if status&MoreResults != 0 && a.phase != exchange {
		a.phase = beginning
		return Continues
	}
	return Ended
}

// eofStatus returns the status at the end of rows: an OK packet with the byte of EOF, or EOF.
func (a *Answer) eofStatus(p Packet) (Status, bool) {
	if a.capabilities&DeprecateEOF != 0 && p.First != 5 {
		return a.okStatus(p.Head)
	}
	if len(p.Head) < 5 {
		return 0, false
	}
	a.at = 3
	return Status(binary.LittleEndian.Uint16(p.Head[3:])), true
}

// okStatus reads an OK packet: a byte, affected rows, an identifier, the status.
func (a *Answer) okStatus(head []byte) (Status, bool) {
	at := 1
	for range 2 {
		_, n := lengthEncoded(head[at:])
		if n == 0 {
			return 0, false
		}
		at += n
	}
	if len(head) < at+2 {
		return 0, false
	}
	a.at = at
	return Status(binary.LittleEndian.Uint16(head[at:])), true
}
