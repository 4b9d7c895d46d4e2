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

// COM_CHANGE_USER logs in with another account on an open connection. The protocol layer does not support it, and a session keeps much state of
// its account. So the connection ends, with its transaction and all its state, except its socket: a new connection takes over the socket, and
// logs in as usual. The client has already seen a greeting, so the second one is not sent. The server asks for the password again (the
// protocol's request to switch the method), because the scramble in the command belongs to the first greeting.

// comChangeUser is the command.
const comChangeUser = 0x11

// otherMethod names no authentication method, so that the protocol layer asks the client to switch to the account's.
const otherMethod = "anonsql_change_user"

// clientFields is the length of the stored part of a client's greeting: its capabilities, maximum packet size, character set, and zeros.
const clientFields = sslRequest

// TakesOver lets a new connection take over the socket at COM_CHANGE_USER. next gets the new connection when the old one has ended.
func (p *PacketConn) TakesOver(next func(*PacketConn)) { p.hand = next }

// changeUser reads a COM_CHANGE_USER, and ends the connection in favour of a new one over its socket.
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
		// Its packets have numbers one less than those after a greeting.
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

// greetingOf turns a COM_CHANGE_USER into a client's answer to a greeting. ok is false if the command is malformed.
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
	if len(f.b) >= 2 { // older clients omit it
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

// named reads a zero-terminated text.
func (f *fields) named() []byte {
	before := f.b
	if f.text(); !f.ok {
		return nil
	}
	return before[:len(before)-len(f.b)-1]
}

// A succession gives a connection's socket to the next connection, once.
type succession struct {
	client    []byte // the first fields of the client's greeting
	hand      func(*PacketConn)
	successor *PacketConn // nil: the socket ends with the connection
	given     sync.Once
}

// give hands over the socket; it returns false if the connection keeps it.
func (s *succession) give() bool {
	if s.successor == nil {
		return false
	}
	s.given.Do(func() { s.hand(s.successor) })
	return true
}
