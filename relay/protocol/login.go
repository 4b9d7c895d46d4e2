package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// loginFixed is the size of a login's fixed part, which is also a whole TLS request: flags, packet
// size, character set, filler. MariaDB's own flags are the last four bytes of the filler.
const (
	loginFixed = 32
	loginExtra = 28
)

// A Login is a client's reply to the greeting, or the TLS request before it.
type Login struct {
	Capabilities Capabilities
	Request      bool // a TLS request: the rest follows encrypted
	Account      string
}

var errLogin = errors.New("the login is not one of MySQL's protocol, version 4.1")

// ParseLogin parses a login, except the password.
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

// Choose returns a login or TLS request with other flags.
func Choose(packet []byte, c Capabilities) []byte {
	packet = bytes.Clone(packet)
	binary.LittleEndian.PutUint32(packet, uint32(c))
	if c&LongPassword == 0 {
		binary.LittleEndian.PutUint32(packet[loginExtra:], uint32(c>>32))
	}
	return packet
}

// RequestTLS returns the TLS request that precedes a login: its fixed part.
func RequestTLS(login []byte) []byte { return bytes.Clone(login[:loginFixed]) }

// ChangedAccount returns the user name of a COM_CHANGE_USER.
func ChangedAccount(command []byte) (string, bool) {
	account, _, ok := bytes.Cut(command[1:], []byte{0})
	return string(account), ok
}
