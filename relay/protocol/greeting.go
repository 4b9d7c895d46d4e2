package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// A Greeting is a server's first packet.
type Greeting struct {
	Version      string
	Thread       uint32       // KILL's number of the connection; the protocol truncates it to 32 bits
	Capabilities Capabilities // offered by the server

	packet []byte
	low    int // offset of the lowest 16 flags
	high   int // offset of the next 16 flags
	extra  int // offset of MariaDB's 32 flags; 0 if the server has none
}

// ParseGreeting parses a greeting of version 10, which all servers since MySQL 3.21 send.
func ParseGreeting(packet []byte) (Greeting, error) {
	broken := errors.New("the greeting is not one of MySQL's protocol, version 10")
	if len(packet) == 0 || packet[0] != 10 {
		return Greeting{}, broken
	}
	end := bytes.IndexByte(packet, 0)
	const fixed = 4 + 8 + 1 + 2 + 1 + 2 + 2 + 1 + 10
	if end < 0 || len(packet) < end+1+fixed {
		return Greeting{}, broken
	}
	g := Greeting{Version: string(packet[1:end]), packet: bytes.Clone(packet)}
	at := end + 1
	g.Thread = binary.LittleEndian.Uint32(packet[at:])
	g.low, g.high = at+13, at+18
	low, high := binary.LittleEndian.Uint16(packet[g.low:]), binary.LittleEndian.Uint16(packet[g.high:])
	g.Capabilities = Capabilities(low) | Capabilities(high)<<16
	if g.Capabilities&LongPassword == 0 {
		g.extra = at + 27
		g.Capabilities |= Capabilities(binary.LittleEndian.Uint32(packet[g.extra:])) << 32
	}
	return g, nil
}

// Offer returns the greeting with other capabilities. It omits flags for which the server's greeting has no place.
func (g Greeting) Offer(c Capabilities) []byte {
	packet := bytes.Clone(g.packet)
	binary.LittleEndian.PutUint16(packet[g.low:], uint16(c))
	binary.LittleEndian.PutUint16(packet[g.high:], uint16(c>>16))
	if g.extra > 0 {
		binary.LittleEndian.PutUint32(packet[g.extra:], uint32(c>>32))
	}
	return packet
}
