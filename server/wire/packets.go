package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/admission"
	"github.com/anonsql/anonsql/server/defaults"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

const (
	// handshakePacket bounds packets of unauthenticated clients, in bytes. Connection attributes have at most 64 KiB.
	handshakePacket = 128 << 10
	// fullPart is the length of a part after which another part of the packet follows.
	fullPart = 1<<24 - 1
	// lingerFor and lingerBytes bound the reading of a refused packet: a client reads no answer before it has sent everything, and closing a
	// socket with unread bytes discards the answer.
	lingerFor   = 10 * time.Second
	lingerBytes = 2 << 30
	packetHead  = 4 // bytes: the length in three, the sequence number
)

// A PacketConn reads a client's packets before the protocol layer, which allocates whatever a packet's header demands, and panics over
// malformed packets. It refuses too large packets with error 1153, malformed greetings with 1043 (greeting.go), and malformed commands with
// MySQL's errors (commands.go), after which the connection goes on. To see the packets it also does TLS (greeting.go).
type PacketConn struct {
	net.Conn             // the socket
	tls      *tls.Config // nil: TLS is not offered
	Known    atomic.Bool // the client has authenticated
	busy     atomic.Bool // a statement runs: it may read a file of the client's, or wait for its rows to be fetched
	Secure   atomic.Bool // stream is TLS
	Guest    *admission.Guest
	idle     idleness
	// Announced is the protocol layer's connection over this one, Options returns the parser's options for it.
	Announced *mysql.Conn
	Options   func(*mysql.Conn) (sqlparser.ParserOptions, error)
	// Asked are the session variables that the client named in the attributes of its connection.
	Asked defaults.Values
	// Statistics is the answer to COM_STATISTICS; may be nil.
	Statistics func() string
	// Refuses is called for a statement that cannot be prepared; may be nil.
	Refuses func(text string, wrong *mysql.SQLError)

	// Of the reader.
	stream    net.Conn // the packets' way: the socket, or TLS over it
	in        *bufio.Reader
	greeted   bool
	pending   []byte // read and not yet passed on
	left      int64  // unread bytes of the part
	packet    int64  // bytes of the packet's parts so far
	more      bool   // another part follows
	refused   bool
	sequence  byte            // the last packet's, as the client counts
	spoiled   map[uint32]bool // prepared statements with data for a missing parameter
	preparing preparing

	// Counts and limits (prepared.go).
	Holds    *PreparedBook
	long     map[uint32]*longData
	executed uint32 // the statement of the last COM_STMT_EXECUTE

	opening *cursor                 // the last COM_STMT_EXECUTE's, nil for none
	cursors map[uint32]*cursor      // open cursors, by statement
	cancel  context.CancelCauseFunc // ends the running statement

	succession // of COM_CHANGE_USER

	// Owner is set for a client that another server has authenticated.
	Owner *Owner

	// Of the writer.
	answer answering
	sender *sender
}

// NewPacketConn reads the packets of a socket; it offers TLS unless offered is nil.
func NewPacketConn(conn net.Conn, offered *tls.Config) *PacketConn {
	return &PacketConn{Conn: conn, tls: offered, stream: conn, answer: answering{greets: offered != nil}, sender: &sender{socket: conn}}
}

func (p *PacketConn) limit() int64 {
	if p.Known.Load() {
		return values.MaxPacket()
	}
	return handshakePacket
}

// SyscallConn implements syscall.Conn, for watchClient.
func (p *PacketConn) SyscallConn() (syscall.RawConn, error) {
	conn, ok := p.Conn.(syscall.Conn)
	if !ok {
		return nil, syscall.EINVAL
	}
	return conn.SyscallConn()
}

// Encryption returns the version of TLS and the cipher suite, "" without TLS.
func (p *PacketConn) Encryption() (version, cipher string) {
	if p == nil {
		return "", ""
	}
	secure, ok := p.stream.(*tls.Conn)
	if !ok {
		return "", ""
	}
	state := secure.ConnectionState()
	return strings.Replace(tls.VersionName(state.Version), "TLS 1", "TLSv1", 1), tls.CipherSuiteName(state.CipherSuite)
}

// Close implements net.Conn.
func (p *PacketConn) Close() error {
	if p.give() {
		return nil
	}
	return p.stream.Close()
}

// Write implements net.Conn.
func (p *PacketConn) Write(b []byte) (int, error) {
	if err := p.sender.noteWriteError(nil); err != nil {
		return 0, err
	}
	write := p.write
	if p.opening != nil {
		write = func(b []byte) error { return p.collect(p.opening, b) }
	}
	if err := write(p.answer.adapt(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// write sends bytes to the client.
func (p *PacketConn) write(b []byte) error {
	if _, err := p.stream.Write(b); err != nil {
		return p.sender.noteWriteError(err)
	}
	return nil
}

// Read implements net.Conn. It never returns bytes of two parts. Behind a client's file that breaks off no command follows.
func (p *PacketConn) Read(b []byte) (n int, err error) {
	if p.busy.Load() {
		p.sender.receives()
		defer func() {
			if err != nil {
				p.refused, p.left, p.pending = true, 0, nil
			}
		}()
	}
	for len(p.pending) == 0 && p.left == 0 {
		if p.refused {
			return 0, io.EOF
		}
		if err := p.next(); err != nil {
			return 0, err
		}
		if p.left == 0 && !p.more {
			p.idle.stop()
		}
	}
	if len(p.pending) > 0 {
		n = copy(b, p.pending)
		p.pending = p.pending[n:]
		return n, nil
	}
	n, err = p.in.Read(b[:min(int64(len(b)), p.left)])
	if p.left -= int64(n); p.left == 0 && !p.more {
		p.idle.stop()
	}
	return n, err
}

// next reads the header of the next part, and checks what follows. It leaves nothing to pass on if it has answered itself.
func (p *PacketConn) next() error {
	if !p.greeted {
		p.greeted = true
		err := p.readGreeting()
		p.refused = p.refused || err != nil
		return err
	}
	var header [packetHead]byte
	if p.Known.Load() && !p.busy.Load() && !p.more {
		p.answer.begin()
		if err := p.await(); err != nil {
			return err
		}
	}
	if _, err := io.ReadFull(p.in, header[:]); err != nil {
		return err
	}
	another := p.more
	length := p.begun(header)
	if p.packet > p.limit() {
		return p.refuse(sqlerror.PacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
	}
	if p.executed != 0 && !another && !p.busy.Load() { // the protocol layer has forgotten its parameters
		p.forgetLong(p.executed)
		p.executed = 0
	}
	if !another && p.Known.Load() && !p.busy.Load() && header[3] == 0 {
		return p.command(header, length)
	}
	header[3] -= p.answer.shift
	p.pending, p.left = append(p.pending, header[:]...), length
	return nil
}

// Reset drops the state that COM_RESET_CONNECTION drops.
func (p *PacketConn) Reset() {
	for id := range p.long {
		p.forgetLong(id)
	}
	clear(p.spoiled)
	clear(p.cursors)
	p.Holds.clear()
}

// begun records a part's header and returns its length.
func (p *PacketConn) begun(header [packetHead]byte) int64 {
	length := int64(header[0]) | int64(header[1])<<8 | int64(header[2])<<16
	if !p.more {
		p.packet = 0
	}
	p.packet += length
	p.more = length == fullPart
	p.sequence = header[3]
	return length
}

// writeError answers the last packet with an error.
func (p *PacketConn) writeError(number int, message string) error {
	_, err := p.stream.Write(errorPacket(p.sequence+1, number, message))
	return err
}

func errorPacket(sequence byte, number int, message string) []byte {
	state := sqlerror.States[number]
	if state == "" {
		state = mysql.SSUnknownSQLState
	}
	body := append([]byte{mysql.ErrPacket, byte(number), byte(number >> 8)}, "#"+state+message...)
	return append([]byte{byte(len(body)), byte(len(body) >> 8), 0, sequence}, body...)
}

// refuse answers with an error and ends the connection, as MySQL does.
func (p *PacketConn) refuse(number int, message string) error {
	p.refused = true
	_ = p.Conn.SetWriteDeadline(time.Now().Add(time.Second))
	_ = p.writeError(number, message) // the client may be gone already
	p.drainClient()
	return io.EOF
}

// drainClient reads what the client still sends.
func (p *PacketConn) drainClient() {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = p.Conn.SetReadDeadline(time.Now().Add(lingerFor))
	_, _ = io.CopyN(io.Discard, p.Conn, lingerBytes)
}

// PacketsOf returns the PacketConn below a connection, nil for none.
func PacketsOf(conn net.Conn) *PacketConn {
	p, _ := conn.(*PacketConn)
	return p
}

// begin and end enclose a statement. Only an authenticated client has one.
func (p *PacketConn) begin(cancel context.CancelCauseFunc) {
	if p != nil {
		p.Known.Store(true)
		p.busy.Store(true)
		p.cancel = cancel
	}
}

func (p *PacketConn) end() {
	if p != nil {
		p.busy.Store(false)
	}
}

// answering changes the protocol layer's output: it offers TLS, unknown to that layer, adjusts packet numbers for the packet that requested
// TLS, and drops packets that must not follow an error.
type answering struct {
	greets bool // the next packet is the greeting, and TLS is offered
	hides  bool // the next packet is a greeting, to be dropped
	shift  byte // packets of the client that the protocol layer has not seen
	// single: an error is the whole answer to this command; written: part of the answer was written; failed: it was an error.
	single, written, failed bool
	// instead is the body of an error that replaces the next packet, nil for none.
	instead []byte
	header  [packetHead]byte
	have    int
	left    int64
}

// begin is called before a command is read: packet numbers start again.
func (a *answering) begin() {
	a.shift, a.single, a.written, a.failed, a.instead = 0, false, false, false, nil
}

// adapt returns the bytes to write instead of b.
func (a *answering) adapt(b []byte) []byte {
	if !a.greets && !a.hides && a.shift == 0 && !a.single && a.instead == nil {
		a.written = true
		return b
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		if a.left == 0 {
			n := copy(a.header[a.have:], b)
			a.have += n
			b = b[n:]
			if a.have < packetHead {
				break
			}
			a.have = 0
			a.left = int64(a.header[0]) | int64(a.header[1])<<8 | int64(a.header[2])<<16
			a.header[3] += a.shift
			if n := len(a.instead); n > 0 {
				a.header[0], a.header[1], a.header[2] = byte(n), byte(n>>8), byte(n>>16)
			}
			if !a.failed && !a.hides {
				out = append(out, a.header[:]...)
			}
			continue
		}
		n := min(a.left, int64(len(b)))
		out = append(out, a.body(b[:n])...)
		a.left -= n
		b = b[n:]
	}
	a.written = true
	return out
}

// body changes a packet's body. The protocol layer writes the bodies of changed packets in one piece.
func (a *answering) body(b []byte) []byte {
	switch {
	case a.greets:
		a.greets = false
		return offerTLS(b)
	case a.hides:
		a.hides = false
		return nil
	case a.failed:
		return nil
	case a.instead != nil:
		b, a.instead = a.instead, nil
	case a.single && b[0] == mysql.ErrPacket:
		a.failed = true
	}
	return b
}
