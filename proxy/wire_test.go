package proxy_test

import (
	"encoding/binary"
	"net"
	"testing"
	"time"

	"github.com/anonsql/anonsql/relay/protocol"
)

// A wire is a client that writes its packets itself.
type wire struct {
	t    testing.TB
	conn net.Conn
}

const wireCapabilities = protocol.LongPassword | protocol.ConnectWithDB | protocol.Protocol41 | protocol.Transactions | protocol.SecureConnection |
	protocol.MultiResults | protocol.PluginAuth

// dialWire logs in as root. A missing answer fails the test when the patience is over.
func dialWire(t testing.TB, address, database string) *wire {
	t.Helper()
	const patience = 2 * time.Minute
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	w := &wire{t: t, conn: conn}
	w.packet()
	login := make([]byte, 32)
	binary.LittleEndian.PutUint32(login, uint32(wireCapabilities))
	binary.LittleEndian.PutUint32(login[4:], protocol.MaxFrame)
	login[8] = 45 // utf8mb4_general_ci
	login = append(login, "root\x00\x00"+database+"\x00mysql_native_password\x00"...)
	w.send(1, login)
	if p := w.packet(); p[0] != 0 {
		t.Fatalf("login: %q", p)
	}
	return w
}

func (w *wire) send(sequence byte, payload []byte) {
	w.t.Helper()
	p, _ := protocol.AppendPacket(nil, sequence, payload)
	if _, err := w.conn.Write(p); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) packet() []byte {
	w.t.Helper()
	p, _, err := protocol.ReadPacket(w.conn, protocol.MaxFrame)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// command sends a command and returns the packets of its answer.
func (w *wire) command(c protocol.Command, rest ...byte) (packets [][]byte) {
	w.t.Helper()
	w.send(0, append([]byte{byte(c)}, rest...))
	answer := protocol.NewAnswer(c, wireCapabilities)
	for answer.Expected() {
		p := w.packet()
		packets = append(packets, p)
		event := answer.Read(protocol.Packet{Head: p[:min(len(p), 23)], First: len(p)})
		if event == protocol.Unknown {
			w.t.Fatalf("packet %d of the answer to %#x %.60q is not understood: %.60q", len(packets), c, rest, p)
		}
		if event == protocol.Ended {
			break
		}
	}
	return packets
}

// value is the only value of a query's answer.
func (w *wire) value(text string) string {
	w.t.Helper()
	packets := w.command(protocol.Query, []byte(text)...)
	if len(packets) != 5 || len(packets[3]) == 0 { // number of columns, definition, EOF, row, EOF
		w.t.Fatalf("%s: %q", text, packets)
	}
	return string(packets[3][1:])
}

// prepare returns the statement's number.
func (w *wire) prepare(text string) uint32 {
	w.t.Helper()
	packets := w.command(protocol.StmtPrepare, []byte(text)...)
	if packets[0][0] != 0 {
		w.t.Fatalf("preparing %s: %q", text, packets[0])
	}
	return binary.LittleEndian.Uint32(packets[0][1:])
}

// of is a command about a prepared statement.
func (w *wire) of(c protocol.Command, number uint32, rest ...byte) [][]byte {
	w.t.Helper()
	return w.command(c, append(binary.LittleEndian.AppendUint32(nil, number), rest...)...)
}

// failure is the number of an error, 0 for another answer.
func failure(packets [][]byte) uint16 {
	if !protocol.IsError(packets[0]) {
		return 0
	}
	code, _, _ := protocol.ErrorOf(packets[0])
	return code
}
