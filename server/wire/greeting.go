package wire

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/defaults"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// sslRequest is the length of the packet with which a client requests TLS: the first fields of its greeting.
const sslRequest = 4 + 4 + 1 + 23

// readGreeting reads the client's first packet, and the second if the first requests
// TLS. It reads no byte after the first packet, since those are TLS.
func (p *PacketConn) readGreeting() error {
	packet, err := p.readFirst(p.stream)
	if err != nil || p.refused {
		return err
	}
	if capabilities := capabilitiesOf(packet); p.tls != nil && capabilities&mysql.CapabilityClientSSL != 0 {
		if len(packet) < packetHead+sslRequest {
			return p.refuseGreeting()
		}
		secure := tls.Server(p.Conn, p.tls)
		if err := secure.Handshake(); err != nil {
			return io.EOF // there is no way to tell the client
		}
		p.stream = secure
		p.Secure.Store(true)
		p.answer.shift = 1
		if packet, err = p.readFirst(p.stream); err != nil || p.refused {
			return err
		}
	}
	if !wellFormedGreeting(packet[packetHead:]) {
		return p.refuseGreeting()
	}
	p.Asked = askedFor(packet[packetHead:])
	p.client = bytes.Clone(packet[packetHead : packetHead+clientFields])
	p.client[collationField+1] = 0 // a greeting has one byte for it
	p.idle.interactive = capabilitiesOf(packet)&interactiveClient != 0
	p.in = bufio.NewReaderSize(p.stream, mysql.DefaultConnBufferSize)
	packet[3] -= p.answer.shift
	p.pending = packet
	if p.Guest != nil {
		p.Guest.MarkAnswered()
	}
	return nil
}

// readFirst reads a whole packet of the greeting, with its header.
func (p *PacketConn) readFirst(from io.Reader) ([]byte, error) {
	var header [packetHead]byte
	if _, err := io.ReadFull(from, header[:]); err != nil {
		return nil, err
	}
	length := p.begun(header)
	if length > handshakePacket {
		return nil, p.refuse(sqlerror.PacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
	}
	packet := append(header[:], make([]byte, length)...)
	if _, err := io.ReadFull(from, packet[packetHead:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		return nil, err
	}
	return packet, nil
}

func (p *PacketConn) refuseGreeting() error { return p.refuse(sqlerror.BadHandshake, "Bad handshake") }

// capabilitiesOf are the flags at the beginning of a client's greeting.
func capabilitiesOf(packet []byte) uint32 {
	if len(packet) < packetHead+4 {
		return 0
	}
	return binary.LittleEndian.Uint32(packet[packetHead:])
}

// wellFormedGreeting reports whether a client's greeting has all fields that the
// protocol layer reads. Attributes may be malformed, since that layer ignores them.
func wellFormedGreeting(b []byte) bool {
	f, capabilities := beforeAttributes(b)
	return f.ok && capabilities&mysql.CapabilityClientProtocol41 != 0
}

// askedFor returns the connection attributes that name variables of package defaults; nil if the attributes are malformed.
func askedFor(greeting []byte) defaults.Values {
	f, capabilities := beforeAttributes(greeting)
	if capabilities&mysql.CapabilityClientConnAttr == 0 {
		return nil
	}
	all := fields{b: f.counted(), ok: true}
	asked := defaults.Values{}
	for f.ok && all.ok && len(all.b) > 0 {
		name, value := all.counted(), all.counted()
		if variable, known := defaults.VariableNamed(string(name)); known {
			asked[variable] = string(value)
		}
	}
	if !f.ok || !all.ok {
		return nil
	}
	return asked
}

// beforeAttributes skips the fields of a client's greeting before its attributes.
func beforeAttributes(b []byte) (f fields, capabilities uint32) {
	if len(b) < sslRequest {
		return fields{}, 0
	}
	capabilities = binary.LittleEndian.Uint32(b)
	f = fields{b: b[sslRequest:], ok: true}
	f.text() // the user
	switch {
	case capabilities&mysql.CapabilityClientPluginAuthLenencClientData != 0:
		f.counted()
	case capabilities&mysql.CapabilityClientSecureConnection != 0:
		f.skip(uint64(f.number(1)))
	default:
		f.text()
	}
	if capabilities&mysql.CapabilityClientConnectWithDB != 0 {
		f.text()
	}
	if capabilities&mysql.CapabilityClientPluginAuth != 0 {
		f.text()
	}
	return f, capabilities
}

// offerTLS sets the flag in the server's greeting: a version, the server's name up to a zero, the connection's number, eight bytes of the salt,
// a zero, and then the lower two bytes of the flags.
func offerTLS(greeting []byte) []byte {
	at := bytes.IndexByte(greeting, 0) + 1 + 4 + 8 + 1
	if greeting[0] != mysql.ErrPacket && at+1 < len(greeting) {
		greeting = bytes.Clone(greeting)
		greeting[at+1] |= mysql.CapabilityClientSSL >> 8
	}
	return greeting
}

// fields reads the fields of a packet in order; ok is false once one is missing.
type fields struct {
	b  []byte
	ok bool
}

func (f *fields) skip(n uint64) {
	if f.ok = f.ok && n <= uint64(len(f.b)); f.ok {
		f.b = f.b[n:]
	}
}

// number reads a little-endian number of size bytes, at most 8.
func (f *fields) number(size int) (n uint64) {
	if size > len(f.b) {
		f.ok = false
	}
	if !f.ok {
		return 0
	}
	for i, b := range f.b[:size] {
		n |= uint64(b) << (8 * i)
	}
	f.b = f.b[size:]
	return n
}

// text skips a zero-terminated text.
func (f *fields) text() {
	end := bytes.IndexByte(f.b, 0)
	if f.ok = f.ok && end >= 0; f.ok {
		f.b = f.b[end+1:]
	}
}

// counted reads length-prefixed bytes.
func (f *fields) counted() []byte {
	n := f.number(1)
	switch n {
	case 0xfc:
		n = f.number(2)
	case 0xfd:
		n = f.number(3)
	case 0xfe:
		n = f.number(8)
	}
	from := f.b
	if f.skip(n); !f.ok {
		return nil
	}
	return from[:n]
}
