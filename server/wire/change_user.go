package wire

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// COM_CHANGE_USER logs another account in on a connection that is there. The protocol
// layer does not know it, and a session keeps much of who has logged in. So the
// connection ends, with its transaction and all that it keeps, but for its socket: a
// new one takes the socket over, and logs in as every connection does. The client has
// seen one greeting already, so that it is not sent the second; it is asked for its
// password anew (the protocol's request to switch the method), because the scramble in
// its command is of the first greeting.

// comChangeUser is the command.
const comChangeUser = 0x11

// otherMethod is the name of no method of authentication: the protocol layer asks the
// client to switch to the account's own.
const otherMethod = "anonsql_change_user"

// clientFields is the length of what is kept of a client's greeting: its capabilities,
// the greatest packet, its character set, and zeros.
const clientFields = sslRequest

// TakesOver makes a connection take its socket over when a client changes its user.
// next is given the new connection when the old one has ended.
func (p *PacketConn) TakesOver(next func(*PacketConn)) { p.hand = next }

// changeUser reads a COM_CHANGE_USER, and makes the connection end for another one over
// its socket.
func (p *PacketConn) changeUser(length int64) error {
	body := make([]byte, length)
	if _, err := io.ReadFull(p.in, body); err != nil {
		return io.EOF
	}
	greeting, ok := p.greetingOf(body[1:])
	if !ok {
		return p.writeError(sqlerror.MalformedPacket, "Malformed communication packet")
	}
	p.successor = &PacketConn{
		Conn: p.Conn, stream: p.stream, in: p.in, greeted: true, pending: greeting, sender: &sender{socket: p.Conn},
		succession: succession{client: bytes.Clone(greeting[packetHead : packetHead+clientFields])},
		// Its packets count one less than those behind a greeting.
		answer: answering{hides: true, shift: ^byte(0)},
	}
	p.idle.stop()
	_ = p.Conn.SetReadDeadline(time.Time{}) // fails only when it is closed
	p.successor.idle.interactive = p.idle.interactive
	p.successor.Asked = p.Asked // the client is the same
	p.successor.Secure.Store(p.Secure.Load())
	p.refused = true // nothing more is read here
	return io.EOF
}

// greetingOf writes a COM_CHANGE_USER as the packet by which a client answers a greeting.
// ok is false where it is malformed.
func (p *PacketConn) greetingOf(b []byte) (packet []byte, ok bool) {
	flags := binary.LittleEndian.Uint32(p.client)
	if flags&mysql.CapabilityClientPluginAuth == 0 { // it cannot be asked for its password anew
		return nil, false
	}
	f := fields{b: b, ok: true}
	user := f.named()
	if flags&mysql.CapabilityClientSecureConnection != 0 {
		f.skip(f.number(1))
	} else {
		f.text()
	}
	database := f.named()
	if !f.ok {
		return nil, false
	}
	body := bytes.Clone(p.client)
	if len(f.b) >= 2 { // older clients do not say it
		binary.LittleEndian.PutUint16(body[collationField:], uint16(f.number(2)))
	}
	flags &^= mysql.CapabilityClientSSL | mysql.CapabilityClientConnectWithDB | mysql.CapabilityClientConnAttr
	flags |= mysql.CapabilityClientPluginAuth | mysql.CapabilityClientPluginAuthLenencClientData
	if len(database) > 0 {
		flags |= mysql.CapabilityClientConnectWithDB
	}
	binary.LittleEndian.PutUint32(body, flags)
	body = append(append(body, user...), 0, 0) // and no password
	if len(database) > 0 {
		body = append(append(body, database...), 0)
	}
	body = append(append(body, otherMethod...), 0)
	return append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), 1}, body...), true
}

// named is a text that a zero ends.
func (f *fields) named() []byte {
	before := f.b
	if f.text(); !f.ok {
		return nil
	}
	return before[:len(before)-len(f.b)-1]
}

// A succession is how a connection gives its socket to the next one, once.
type succession struct {
	client    []byte // the first fields of the client's greeting
	hand      func(*PacketConn)
	successor *PacketConn // nil: the socket ends with the connection
	given     sync.Once
}

// give hands the socket over; false says that the connection keeps it.
func (s *succession) give() bool {
	if s.successor == nil {
		return false
	}
	s.given.Do(func() { s.hand(s.successor) })
	return true
}
