package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// loginFixed is the part of a login that has a fixed size, and all of a request for TLS: flags, size of packets,
// character set, filler. MariaDB's own flags are the last four bytes of the filler.
const (
	loginFixed = 32
	loginExtra = 28
)

// A Login is a client's answer to the greeting, or its request for TLS before.
type Login struct {
	Capabilities Capabilities
	Request      bool // for TLS: the rest follows under it
	Account      string
}

var errLogin = errors.New("the login is not one of MySQL's protocol, version 4.1")

// ParseLogin reads a login. It looks at no password.
func ParseLogin(packet []byte) (Login, error) {
	if len(packet) < loginFixed {
		return Login{}, errLogin
	}
	l := Login{Capabilities: Capabilities(binary.LittleEndian.Uint32(packet))}
	if l.Capabilities&LongPassword == 0 {
		l.Capabilities |= Capabilities(binary.LittleEndian.Uint32(packet[loginExtra:])) << 32
	}
	if l.Capabilities&Protocol41 == 0 {
		return Login{}, errLogin
	}
	if l.Request = len(packet) == loginFixed && l.Capabilities&TLS != 0; l.Request {
		return l, nil
	}
	account, _, ok := bytes.Cut(packet[loginFixed:], []byte{0})
	if !ok {
		return Login{}, errLogin
	}
	l.Account = string(account)
	return l, nil
}

// Choose returns a login, or the request for TLS before it, with other flags.
func Choose(packet []byte, c Capabilities) []byte {
	packet = bytes.Clone(packet)
	binary.LittleEndian.PutUint32(packet, uint32(c))
	if c&LongPassword == 0 {
		binary.LittleEndian.PutUint32(packet[loginExtra:], uint32(c>>32))
	}
	return packet
}

// RequestTLS is the request for TLS that precedes a login: its fixed part.
func RequestTLS(login []byte) []byte { return bytes.Clone(login[:loginFixed]) }

// ChangedAccount is the account that COM_CHANGE_USER asks for.
func ChangedAccount(command []byte) (string, bool) {
	account, _, ok := bytes.Cut(command[1:], []byte{0})
	return string(account), ok
}
