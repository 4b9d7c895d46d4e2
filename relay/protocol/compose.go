package protocol

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// AppendPacket appends a packet's frames, the first of which has the sequence number. It returns the number of
// the next one.
func AppendPacket(to []byte, sequence byte, payload []byte) ([]byte, byte) {
	for {
		n := min(len(payload), MaxFrame)
		to = append(to, byte(n), byte(n>>8), byte(n>>16), sequence)
		to = append(to, payload[:n]...)
		payload, sequence = payload[n:], sequence+1
		if n < MaxFrame {
			return to, sequence
		}
	}
}

// Error is the payload of an error packet. Before a client's capabilities are known a server leaves the state out.
func Error(code uint16, state, message string, c Capabilities) []byte {
	p := binary.LittleEndian.AppendUint16([]byte{headError}, code)
	if c&Protocol41 != 0 {
		p = append(append(p, '#'), (state + strings.Repeat("0", 5))[:5]...)
	}
	return append(p, message...)
}

// OK is the payload of an OK packet that changed nothing.
func OK(status Status) []byte {
	p := binary.LittleEndian.AppendUint16([]byte{headOK, 0, 0}, uint16(status))
	return append(p, 0, 0)
}

// IsError says whether a payload is an error.
func IsError(payload []byte) bool { return len(payload) > 0 && payload[0] == headError }

// ReadPacket reads one packet of a login, which has one frame and at most limit bytes.
func ReadPacket(r io.Reader, limit int) (payload []byte, sequence byte, err error) {
	var header [FrameHeader]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, 0, err
	}
	n := get24(header[:])
	if n > limit {
		return nil, 0, fmt.Errorf("a packet of the login has %d bytes, must have at most %d", n, limit)
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return payload, header[3], err
}

// AsksForPassword says whether a packet of a login is caching_sha2_password's wish for the password itself,
// in the clear under TLS and encrypted for the server's key without.
func AsksForPassword(p Packet) bool {
	return p.First == 2 && p.Head[0] == headMore && p.Head[1] == 4
}

// Payload takes the headers out of a packet's frames, in place.
func Payload(frames []byte) []byte {
	to := frames[:0]
	for len(frames) >= FrameHeader {
		n := get24(frames)
		to = append(to, frames[FrameHeader:FrameHeader+n]...)
		frames = frames[FrameHeader+n:]
	}
	return to
}
