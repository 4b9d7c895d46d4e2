package acceptance

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
)

// A fuzzer's bytes are a sequence of packets: a byte of flags, two bytes of length, the payload. Without flags the
// packet gets its correct header; flags make the header wrong.
const (
	lieLength   = 1 << 0 // the byte after the flags changes the header's length
	lieSequence = 1 << 1
	rawBytes    = 1 << 2 // no header at all
	waitAnswer  = 1 << 3 // first read what the server sends
)

// packetsFrom returns the packets for the fuzzer's bytes, and where to wait.
func packetsFrom(data []byte, sequence byte) (sends [][]byte, waits []bool) {
	for len(data) >= 3 {
		flags, n := data[0], int(binary.LittleEndian.Uint16(data[1:]))
		data = data[3:]
		n = min(n, len(data))
		body := data[:n]
		data = data[n:]
		length := len(body)
		if flags&lieLength != 0 {
			length ^= int(flags>>4) << (2 * (flags >> 4))
		}
		if flags&lieSequence != 0 {
			sequence += flags >> 4
		}
		packet := append([]byte{byte(length), byte(length >> 8), byte(length >> 16), sequence}, body...)
		if flags&rawBytes != 0 {
			packet = packet[4:]
		}
		sends, waits = append(sends, packet), append(waits, flags&waitAnswer != 0)
		if sequence++; flags&waitAnswer != 0 {
			sequence = 0
		}
	}
	return sends, waits
}

// asPackets encodes seeds in the fuzzer's format.
func asPackets(flags byte, bodies ...[]byte) (data []byte) {
	for _, body := range bodies {
		data = append(binary.LittleEndian.AppendUint16(append(data, flags), uint16(len(body))), body...)
	}
	return data
}

// A wireTarget has a bystander, whose connection must continue whatever other connections send.
type wireTarget struct {
	*fuzzed
	bystander *wire
}

func newWireTarget(f *testing.F) *wireTarget {
	s := fuzzedServer(f, server.Config{StatementTimeout: time.Second, MemoryLimit: 2 << 30, TLSSelfSigned: true, NoAudit: true},
		"CREATE DATABASE d", "CREATE TABLE d.t (a INT, b VARCHAR(20))", "INSERT INTO d.t VALUES (1, 'x'), (2, NULL)",
		"CREATE USER a@'%' IDENTIFIED BY 's'", "GRANT SELECT ON d.* TO a", "CREATE USER c@'%' IDENTIFIED WITH caching_sha2_password BY 's'", "CREATE USER b@'%' IDENTIFIED BY 's'", "GRANT SELECT ON d.* TO b")
	bystander, err := wireLogin(s.Addr, "b", "s", capUsual)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(bystander.close)
	return &wireTarget{s, bystander}
}

// send sends the packets of data, closes its direction, and reads to the end of the connection, which must come.
func (s *wireTarget) send(t *testing.T, conn net.Conn, data []byte, sequence byte) {
	t.Helper()
	defer conn.Close()
	answer := make([]byte, 1<<16)
	sends, waits := packetsFrom(data, sequence)
	for i, packet := range sends {
		if waits[i] {
			_ = conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			_, _ = conn.Read(answer)
		}
		if len(packet) > 0 {
			if _, err := conn.Write(packet); err != nil {
				break
			}
		}
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = conn.SetReadDeadline(time.Now().Add(wirePatience))
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%x: the connection was not ended", data)
	}
	if fault := s.faults.take(); fault != "" {
		t.Errorf("%x: %s", data, fault)
	}
	if answer, err := s.bystander.query("SELECT b FROM d.t WHERE a = 1"); err != nil || len(answer.errors) > 0 {
		t.Fatalf("%x: another connection: %v, %v", data, answer.errors, err)
	}
	if held := heldBytes(); held > 4<<30 {
		t.Errorf("%x: the process holds %d MB", data, held>>20)
	}
}

// greetingResponse is a client's first packet.
func greetingResponse(capabilities uint32, user string, rest string) []byte {
	response := binary.LittleEndian.AppendUint32(nil, capabilities)
	response = append(append(response, 0, 0, 0, 1, 255), make([]byte, 23)...)
	return append(append(append(response, user...), 0), rest...)
}

// FuzzWireBeforeAuthentication: whatever an unauthenticated client sends, the server ends its connection in time and
// does not log it in, and others continue.
func FuzzWireBeforeAuthentication(f *testing.F) {
	const ssl, connectDB, attributes, lenenc, compress, plugin = 1 << 11, 1 << 3, 1 << 20, 1 << 21, 1 << 5, capPlugin
	native := "\x00mysql_native_password\x00"
	for _, seed := range [][]byte{
		{}, asPackets(0, nil), asPackets(0, greetingResponse(capUsual, "root", native)), asPackets(0, greetingResponse(capUsual, "a", "\x14aaaaaaaaaaaaaaaaaaaamysql_native_password\x00")),
		asPackets(0, greetingResponse(capUsual|connectDB, "nobody", "\x00d\x00mysql_native_password\x00")), asPackets(0, greetingResponse(capUsual|lenenc|attributes, "a", "\xfe\xff\xff\xff\xff\xff\xff\xff\x7f")),
		asPackets(0, greetingResponse(capUsual|attributes, "a", "\x00caching_sha2_password\x00\x08\x03foo\x03bar")), asPackets(0, greetingResponse(capUsual|compress, "c", "\x00caching_sha2_password\x00")),
		asPackets(0, greetingResponse(capUsual, "c", "\x20aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaacaching_sha2_password\x00"), []byte("s\x00")), asPackets(0, greetingResponse(capUsual, "a", "\x00mysql_clear_password\x00"), []byte("\x02")),
		asPackets(0, greetingResponse(capUsual|ssl, "", "")[:32], []byte("\x16\x03\x01\x00\x05hello")), asPackets(rawBytes, []byte("\x20\x00\x00\x01"), greetingResponse(capUsual|ssl, "", "")[:32], []byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")),
		asPackets(rawBytes, []byte("GET / HTTP/1.1\r\n\r\n")), asPackets(rawBytes, []byte("\xff\xff\xff\x01")), asPackets(lieLength|0x30, []byte("x")), asPackets(0, []byte{0x85, 0xa6}, []byte{1}),
		asPackets(0, greetingResponse(plugin, "a", native)), asPackets(0, greetingResponse(0, "a", "")), asPackets(waitAnswer, greetingResponse(capUsual, "a", "\x00dialog\x00"), []byte("aaaaaaaaaaaaaaaaaaaa"), []byte("\x03SELECT 1")),
	} {
		f.Add(seed)
	}
	s := newWireTarget(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := dial(s.Addr)
		if err != nil {
			t.Fatal(err)
		}
		s.send(t, w.conn, data, 1)
	})
}

// FuzzWireAfterAuthentication: whatever commands an authenticated client sends, with any capabilities, the server
// answers or ends its connection in time, and others continue.
func FuzzWireAfterAuthentication(f *testing.F) {
	command := func(c byte, rest string) []byte { return append([]byte{c}, rest...) }
	prepare := command(0x16, "SELECT b FROM d.t WHERE a = ? AND b = ?")
	execute := "\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x08\x00\xfd\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01x"
	for _, seed := range [][]byte{
		{}, asPackets(0, command(0x03, "SELECT 1")), asPackets(waitAnswer, command(0x03, "SELECT b FROM d.t; SELECT 2")), asPackets(waitAnswer, prepare, command(0x17, execute), command(0x19, "\x01\x00\x00\x00")),
		asPackets(waitAnswer, prepare, command(0x17, execute[:9]), command(0x17, execute[:11]), command(0x17, "\x02\x00\x00\x00")), asPackets(waitAnswer, prepare, command(0x18, "\x01\x00\x00\x00\x01\x00long"), command(0x17, execute), command(0x1a, "\x01\x00\x00\x00")),
		asPackets(waitAnswer, command(0x03, "\x01\x01\x00\x01\x03\x00\x01q\x01SELECT 1")), asPackets(waitAnswer, command(0x11, "a\x00\x00d\x00\xff\x00mysql_native_password\x00")), asPackets(waitAnswer, command(0x11, "root\x00\x14aaaaaaaaaaaaaaaaaaaa\x00")),
		asPackets(waitAnswer, command(0x03, "LOAD DATA LOCAL INFILE 'x' INTO TABLE d.t"), []byte("1\t2\n"), nil), asPackets(waitAnswer, command(0x02, "d"), command(0x04, "t\x00%"), command(0x1f, ""), command(0x0e, ""), command(0x09, "")),
		asPackets(waitAnswer, command(0x1b, "\x01\x00"), command(0x1c, "\x01\x00\x00\x00\x01\x00\x00\x00"), command(0x0c, "\x01\x00\x00\x00"), command(0x12, ""), command(0x1e, ""), command(0x0d, "")),
		asPackets(waitAnswer, command(0x16, "SELECT ?"), command(0x17, "\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x0c\x00\x0b\xe8\x07\x02\x1e\x0c\x1e\x0f\x01\x02\x03\x04"), command(0x17, "\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x0b\x00\x0c\x01\xff\xff\xff\xff\x01\x01\x01\xff\xff\xff\xff")),
		asPackets(waitAnswer, command(0x16, "SELECT ?"), command(0x17, "\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\xfe\x00\xfe\xff\xff\xff\xff\xff\xff\xff\xff"), command(0x17, "\x01\x00\x00\x00\x00\x01\x00\x00\x00\x01\x01\x03\x00")),
		asPackets(rawBytes, []byte("\xff\xff\xff\x00\x03")), asPackets(lieSequence|0x50, command(0x0e, "")), asPackets(0, nil, command(0x01, "")), asPackets(0, command(0xff, "x")),
	} {
		f.Add(uint32(capUsual), seed)
		f.Add(uint32(capUsual|1<<24|1<<27|1<<23), seed) // no EOF packets, attributes, session state
	}
	s := newWireTarget(f)
	f.Fuzz(func(t *testing.T, capabilities uint32, data []byte) {
		const unfit = 1<<11 | 1<<3 | 1<<20 | 1<<21 // flags that change the form of the login
		w, err := wireLogin(s.Addr, "a", "s", capabilities&^unfit|capProtocol41|capSecure|capPlugin)
		if err != nil {
			t.Fatalf("capabilities %x: %v", capabilities, err)
		}
		s.send(t, w.conn, data, 0)
	})
}
