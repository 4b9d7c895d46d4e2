package protocol

import "encoding/binary"

// Translate converts a packet of an answer, which a has just read, from a server with only
// Protocol41 and DeprecateEOF to a session with other capabilities. status, if not nil, changes
// the packet's status of the session. It may change the packet in place.
func Translate(packet []byte, a *Answer, to Capabilities, status func(Status) Status) []byte {
	if at := a.StatusAt(); at > 0 && len(packet) >= at+2 {
		if status != nil {
			said := Status(binary.LittleEndian.Uint16(packet[at:]))
			binary.LittleEndian.PutUint16(packet[at:], uint16(status(said)))
		}
		info := at + 4 // status and warnings; an EOF packet ends here
		if to&SessionTrack != 0 && len(packet) > info {
			return append(appendLengthEncoded(packet[:info:info], len(packet)-info), packet[info:]...)
		}
		return packet
	}
	switch {
	case a.Counted() && to&CacheMetadata != 0:
		return append(packet[:len(packet):len(packet)], 1) // the definitions follow
	case a.Defined() && to&ExtendedMetadata != 0:
		return extend(packet)
	}
	return packet
}

// extend inserts an empty list of extended metadata after a definition's six names.
func extend(definition []byte) []byte {
	at := 0
	for range 6 {
		size, n := lengthEncoded(definition[at:])
		if n == 0 || at+n+int(size) > len(definition) {
			return definition
		}
		at += n + int(size)
	}
	return append(append(definition[:at:at], 0), definition[at:]...)
}

// appendLengthEncoded appends a length-encoded integer.
func appendLengthEncoded(to []byte, n int) []byte {
	switch {
	case n < 0xfb:
		return append(to, byte(n))
	case n < 1<<16:
		return binary.LittleEndian.AppendUint16(append(to, 0xfc), uint16(n))
	case n < 1<<24:
		return append(to, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(to, 0xfe), uint64(n))
}
