package protocol

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// AppendPacket appends a packet's frames, the first with this sequence number. It returns the
// next sequence number.
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

// Error returns the payload of an error packet. Before a client's capabilities are known, it omits the state.
func Error(code uint16, state, message string, c Capabilities) []byte {
	p := binary.LittleEndian.AppendUint16([]byte{headError}, code)
	if c&Protocol41 != 0 {
		p = append(append(p, '#'), (state + strings.Repeat("0", 5))[:5]...)
	}
	return append(p, message...)
}

// OK returns the payload of an OK packet without changed rows.
func OK(status Status) []byte {
	p := binary.LittleEndian.AppendUint16([]byte{headOK, 0, 0}, uint16(status))
	return append(p, 0, 0)
}

// IsError reports whether a payload is an error.
func IsError(payload []byte) bool { return len(payload) > 0 && payload[0] == headError }

// ReadPacket reads one login packet, which has one frame and at most limit bytes.
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

// AsksForPassword reports whether a login packet is caching_sha2_password's request for the
// password, in the clear under TLS, else encrypted with the server's key.
func AsksForPassword(p Packet) bool {
	return p.First == 2 && p.Head[0] == headMore && p.Head[1] == 4
}

// Payload removes the frame headers from a packet, in place.
func Payload(frames []byte) []byte {
	to := frames[:0]
	for len(frames) >= FrameHeader {
		n := get24(frames)
		to = append(to, frames[FrameHeader:FrameHeader+n]...)
		frames = frames[FrameHeader+n:]
	}
	return to
}
