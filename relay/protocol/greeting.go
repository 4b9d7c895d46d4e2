package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// A Greeting is what a server says first.
type Greeting struct {
	Version      string
	Thread       uint32       // what KILL calls the connection; ids above 32 bits are cut by the protocol
	Capabilities Capabilities // those that the server offers

	packet []byte
	low    int // where the lowest 16 flags stand
	high   int // where the next 16 flags stand
	extra  int // where MariaDB's 32 flags stand; 0 if the server has none
}

// ParseGreeting reads a greeting of version 10, which is every server's since MySQL 3.21.
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

// Offer is the greeting with other capabilities. Flags that the server has no place for are left out.
func (g Greeting) Offer(c Capabilities) []byte {
	packet := bytes.Clone(g.packet)
	binary.LittleEndian.PutUint16(packet[g.low:], uint16(c))
	binary.LittleEndian.PutUint16(packet[g.high:], uint16(c>>16))
	if g.extra > 0 {
		binary.LittleEndian.PutUint32(packet[g.extra:], uint32(c>>32))
	}
	return packet
}
