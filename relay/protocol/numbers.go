package protocol

import "encoding/binary"

// lengthEncoded reads a length-encoded integer and says how many bytes it has: 0 if p has too few, or is none.
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

func get24(p []byte) int { return int(p[0]) | int(p[1])<<8 | int(p[2])<<16 }
