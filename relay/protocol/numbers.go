package protocol

import "encoding/binary"

// lengthEncoded reads a length-encoded integer and returns its size in bytes: 0 if p is too short or has none.
func lengthEncoded(p []byte) (value uint64, n int) {
	if len(p) == 0 {
		return 0, 0
	}
	switch p[0] {
	case 0xfc:
		n = 3
	case 0xfd:
		n = 4
	case 0xfe:
		n = 9
	case 0xfb, 0xff: // NULL, and an error's head
		return 0, 0
	default:
		return uint64(p[0]), 1
	}
	if len(p) < n {
		return 0, 0
	}
	var bytes [8]byte
	copy(bytes[:], p[1:n])
	return binary.LittleEndian.Uint64(bytes[:]), n
}

// Values splits a row of the text protocol into its values, nil for NULL, which share its
// memory. It reuses to. ok is false for a malformed row.
func Values(row []byte, to [][]byte) (values [][]byte, ok bool) {
	values = to[:0]
	for len(row) > 0 {
		if row[0] == headLocal { // NULL
			values, row = append(values, nil), row[1:]
			continue
		}
		size, n := lengthEncoded(row)
		if n == 0 || size > uint64(len(row)-n) {
			return values, false
		}
		values = append(values, row[n:n+int(size):n+int(size)])
		row = row[n+int(size):]
	}
	return values, true
}

// Types of parameters that are no texts.
const (
	typeTiny      = 0x01
	typeShort     = 0x02
	typeLong      = 0x03
	typeFloat     = 0x04
	typeDouble    = 0x05
	typeNull      = 0x06
	typeTimestamp = 0x07
	typeLongLong  = 0x08
	typeInt24     = 0x09
	typeDateTime  = 0x0c
	typeYear      = 0x0d
	typeTinyBlob  = 0xf9
	typeBlob      = 0xfc
)

// CutParameter cuts the value of a parameter of COM_STMT_EXECUTE off what follows its type. text is the value if it is in a character set, and
// empty for numbers, times and BLOBs. ok is false if it is malformed.
func CutParameter(kind byte, p []byte) (text, rest []byte, ok bool) {
	size, n := 0, 0
	switch kind {
	case typeNull:
	case typeTiny:
		size = 1
	case typeShort, typeYear:
		size = 2
	case typeLong, typeInt24, typeFloat:
		size = 4
	case typeLongLong, typeDouble:
		size = 8
	default:
		length, of := lengthEncoded(p)
		if of == 0 || length > uint64(len(p)-of) {
			return nil, nil, false
		}
		size, n = int(length), of
	}
	if len(p) < n+size {
		return nil, nil, false
	}
	if n > 0 && (kind < typeTimestamp || kind > typeDateTime) && (kind < typeTinyBlob || kind > typeBlob) {
		text = p[n : n+size]
	}
	return text, p[n+size:], true
}

// ErrorOf reads an error packet.
func ErrorOf(packet []byte) (code uint16, state, message string) {
	if len(packet) < 3 {
		return 0, "", ""
	}
	code, packet = binary.LittleEndian.Uint16(packet[1:]), packet[3:]
	if len(packet) >= 6 && packet[0] == '#' {
		state, packet = string(packet[1:6]), packet[6:]
	}
	return code, state, string(packet)
}

func get24(p []byte) int { return int(p[0]) | int(p[1])<<8 | int(p[2])<<16 }
