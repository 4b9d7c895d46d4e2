package protocol

import "encoding/binary"

// An Answer follows the answer to one command, packet by packet, to its end.
type Answer struct {
	command      Command
	capabilities Capabilities
	phase        phase
	left         int // definitions that are still to come in the phase
	columns      int // of a prepared statement, which follow its parameters
	status       Status
	known        bool // status was said
	failed       bool
	at           int   // of the status in the packet that was read last, 0 if it has none
	was          phase // in which that packet was read
}

// An Event is what a packet of an answer is.
type Event int

// Events. Unknown means that the answer's end can no longer be told.
const (
	Continues Event = iota // more packets follow, from the server or from the client in a login
	Local                  // the client's packets are a file, up to an empty one; then the answer goes on
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
	single   // one packet, whatever it is
	exchange // a login, up to OK or error
	silence  // no packet at all
	stream   // replication
)

// NewAnswer follows the answer to a command of a session with these capabilities: those that the client chose of those that
// the server offers.
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

// NewLogin follows what a server says after its greeting, up to OK or error.
func NewLogin() *Answer { return &Answer{command: ChangeUser, phase: exchange} }

// Expected is false for commands that are not answered.
func (a *Answer) Expected() bool { return a.phase != silence }

// Understood is false for commands after which the connection belongs to replication.
func (a *Answer) Understood() bool { return a.phase != stream }

// Command is what is answered.
func (a *Answer) Command() Command { return a.command }

// Failed says, at the end, whether the answer was an error.
func (a *Answer) Failed() bool { return a.failed }

// Status is what the server last said in this answer. It is false if it said nothing.
func (a *Answer) Status() (Status, bool) { return a.status, a.known }

// StatusAt is where the status stands in the packet that was read last: two bytes, little-endian. It is 0 if the packet has none.
func (a *Answer) StatusAt() int { return a.at }

// Counted says whether the packet that was read last is a number of columns, whose definitions follow.
func (a *Answer) Counted() bool { return a.was == beginning && a.phase == definitions }

// Defined says whether the packet that was read last defines a column or a parameter.
func (a *Answer) Defined() bool {
	return a.was == definitions || a.was == parameters || a.was == prepared
}

// InRows says whether the packet that was read last is a row, or what ends rows.
func (a *Answer) InRows() bool { return a.was == rows }

// Read takes the next packet of the answer.
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

// readError ends the answer, unless the packet is a report of progress.
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
	case p.Head[0] == headEOF && p.First < MaxFrame: // of COM_SET_OPTION and its like
		return a.end(a.eofStatus(p))
	case p.Head[0] == headLocal:
		return Local
	}
	count, n := lengthEncoded(p.Head)
	if n == 0 || count == 0 || count > 1<<16 {
		return Unknown
	}
	a.left = int(count)
	if a.capabilities&CacheMetadata != 0 && len(p.Head) > n && p.Head[n] == 0 { // the client has the definitions
		return a.defined()
	}
	a.phase = definitions
	return Continues
}

// prepare reads what a prepared statement has: a number of columns and one of parameters.
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

// defined is called when the last definition of a list was read.
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
	if ok && status&CursorExists != 0 { // the rows are fetched by other commands
		return a.end(status, ok)
	}
	a.phase = rows
	return Continues
}

// row reads a row, or what ends rows. The first value of a row may begin with the byte of EOF: it has 16 MiB then.
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

// end ends one result, and the answer if no other follows.
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

// eofStatus is what the end of rows says: an OK packet in disguise, or EOF.
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
